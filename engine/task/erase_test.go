package task_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/task"
	"cairn/engine/task/tasktest"
	"cairn/vault/vaulttest"
)

func grown(t *testing.T, seed uint64) (*vaulttest.Memory, *task.Desk, *tasktest.Life) {
	t.Helper()
	store := vaulttest.NewMemory()
	d := desk(store)
	l, err := tasktest.Grow(ctx, d, store, seed, 25)
	if err != nil {
		t.Fatal(err)
	}
	tk, err := d.Open(ctx, l.Branches[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{8, 0} {
		if err := l.Fork(ctx, tk, n); err != nil {
			t.Fatal(err)
		}
		if err := l.Live(ctx, tk, 6); err != nil {
			t.Fatal(err)
		}
	}
	ft, err := d.Open(ctx, l.Branches[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Fork(ctx, ft, 5); err != nil {
		t.Fatal(err)
	}
	return store, d, l
}

// stored is everything of a branch that a store can be asked for: lines, and the
// texts and local records that belong to it.
func stored(t *testing.T, store engine.Store, branch string) string {
	t.Helper()
	var b strings.Builder
	err := store.Lines(ctx, branch, 1, func(_ int64, line []byte) error {
		b.Write(line)
		b.WriteByte('\n')
		for _, word := range bytes.Split(line, []byte{'"'}) {
			if h, err := ledger.ParseHash(string(word)); err == nil {
				if body, err := store.Blob(ctx, h); err == nil {
					b.Write(body)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 256 {
		if v, err := store.Local(ctx, branch, fmt.Sprintf("files/%02x", i)); err == nil {
			b.Write(v)
		}
	}
	for _, name := range []string{"folder", "erased", "running", "segments"} {
		if v, err := store.Local(ctx, branch, name); err == nil {
			b.Write(v)
		}
	}
	if v, err := store.Draft(branch); err == nil {
		b.Write(v)
	}
	return b.String()
}

func holds(text, word string) bool {
	return strings.Contains(text, word) || strings.Contains(text, tasktest.Escaped(word)) || strings.Contains(strings.ToLower(text), strings.ToLower(tasktest.Escaped(word)))
}

// sound holds what a task must be: whole lines, its audit without a breach.
func sound(t *testing.T, store engine.Store, d *task.Desk, branch string) *state.State {
	t.Helper()
	tk, err := d.Open(ctx, branch)
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Fault(); err != nil {
		t.Fatal(err)
	}
	st := tk.Snapshot()
	r, err := audit.Audit(ctx, st, store, audit.Options{Lines: func(fn func(int64, []byte) error) error { return tk.Lines(ctx, 1, fn) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		if p.Class == audit.Invariant {
			t.Errorf("audit: %+v", p)
		}
	}
	return st
}

// What a document said is nowhere any more, in no branch, and everything else is as
// it was: claims, questions, notes, checks of the person.
func TestEraseSource(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			store, d, l := grown(t, seed)
			doc := int(seed) % 3
			gone := l.Docs[doc]
			before := map[string]*state.State{}
			for _, b := range l.Branches {
				before[b] = sound(t, store, d, b)
			}
			e, err := d.Erasure(ctx, l.Branches[int(seed)%len(l.Branches)], gone.ID)
			if err != nil {
				t.Fatal(err)
			}
			told := e.Left
			done, err := e.Run(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(told) != fmt.Sprint(done.Left) {
				t.Errorf("it was told that %+v goes, and %+v went", told, done.Left)
			}
			all, err := d.Branches(ctx)
			if err != nil || len(all) != len(l.Branches) {
				t.Fatalf("%d branches, %v", len(all), err)
			}
			for old, was := range before {
				id := done.Moved[old]
				now := sound(t, store, d, id)
				text := stored(t, store, id)
				if holds(text, gone.Called) {
					t.Error("the document's name is still there")
				}
				if holds(text, gone.Word) {
					i := max(strings.Index(text, gone.Word), strings.Index(text, tasktest.Escaped(gone.Word)))
					t.Fatalf("the document's word is still there: …%s…", text[max(0, i-300):min(len(text), i+100)])
				}
				for i, other := range l.Docs {
					if i != doc && !holds(text, other.Word) {
						t.Errorf("nothing is left of document %d", i)
					}
				}
				same(t, l, doc, was, now)
			}
			// Its file lies in the folder as before and stays out; the work goes on.
			tk, err := d.Open(ctx, done.Moved[l.Branches[0]])
			if err != nil {
				t.Fatal(err)
			}
			if taken, err := tk.Intake(ctx, l.Scan, l, nil); err != nil || taken.New != 0 || taken.Gone != 0 {
				t.Errorf("intake: %+v, %v", taken, err)
			}
			if holds(stored(t, store, tk.Branch), gone.Word) {
				t.Error("the folder was read in again")
			}
			if err := l.Live(ctx, tk, 0); err != nil {
				t.Error(err)
			}
			if _, err := tk.Ask(ctx, "And then?"); err != nil {
				t.Error(err)
			}
			if what, err := tk.Undo(ctx); err != nil || what != "your question" {
				t.Errorf("undid %q, %v", what, err)
			}
			if what, err := tk.Undoable(ctx); what != "" && what != "your retraction" || err != nil {
				t.Errorf("%q of a history that is gone could be undone, %v", what, err)
			}
		})
	}
}

// same compares what does not rest on the document.
func same(t *testing.T, l *tasktest.Life, doc int, was, now *state.State) {
	t.Helper()
	if was.Task.ID != now.Task.ID || was.Task.Goal != now.Task.Goal || fmt.Sprint(was.QuestionIDs) != fmt.Sprint(now.QuestionIDs) {
		t.Errorf("another task: %+v", now.Task)
	}
	if len(now.Sources) != len(was.Sources)-1 {
		t.Errorf("%d sources of %d", len(now.Sources), len(was.Sources))
	}
	for _, id := range was.ClaimIDs {
		a, b := was.Claims[id], now.Claims[id]
		if l.Rests[id][doc] {
			if b != nil {
				t.Errorf("claim “%s” rests on the document and stays", a.Text)
			}
			continue
		}
		switch {
		case b == nil:
			t.Errorf("claim “%s” is lost", a.Text)
		case a.Text != b.Text || a.By != b.By || len(a.Checks) != len(b.Checks):
			t.Errorf("claim “%s” became %+v", a.Text, b)
		case b.Live() != a.Live() && !(a.Standing == state.Superseded && l.Rests[a.Into][doc]):
			t.Errorf("claim “%s” was %s (%s) and is %s (%s)", a.Text, a.Standing, a.Reason, b.Standing, b.Reason)
		case b.Live() && a.Person && a.Standing == state.Superseded:
			t.Errorf("claim “%s”, which the person replaced, came back", a.Text)
		}
	}
	for _, n := range was.Notes {
		if !l.Rests[n.On][doc] && now.Notes[n.ID] == nil {
			t.Errorf("note “%s” is lost", n.Text)
		}
	}
}

// A root without omissions is the same work.
func TestRooted(t *testing.T) {
	for seed := range uint64(5) {
		store, d, l := grown(t, seed)
		for _, branch := range l.Branches {
			tk, err := d.Open(ctx, branch)
			if err != nil {
				t.Fatal(err)
			}
			was := tk.Snapshot()
			for _, at := range []int64{0, was.Checkpoints[len(was.Checkpoints)/2].Seq} {
				want := was
				if at > 0 {
					if want, err = tk.At(ctx, at); err != nil {
						t.Fatal(err)
					}
				}
				lines, st, err := tk.Rooted(ctx, at)
				if err != nil {
					t.Fatal(err)
				}
				if st.Hash() != want.Hash() {
					t.Errorf("seed %d: another state", seed)
				}
				var folded []*ledger.Line
				for _, raw := range lines {
					line, err := ledger.Decode(raw)
					if err != nil {
						t.Fatal(err)
					}
					folded = append(folded, line)
				}
				got, findings := state.Fold(folded)
				if len(findings) > 0 || got.Hash() != want.Hash() || got.Root.Parent != want.Chain.String() {
					t.Errorf("seed %d: %v", seed, findings)
				}
				if text := string(bytes.Join(lines, nil)); holds(text, l.Reply) {
					t.Error("log went along")
				}
			}
		}
		_ = store
	}
}
