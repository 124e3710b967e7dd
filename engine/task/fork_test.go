package task_test

import (
	"bytes"
	"crypto/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/clock"
	"cairn/engine/handoff"
	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/task"
	"cairn/vault/vaulttest"
)

var ada = texts{"a.txt": "It was Ada. She was here.", "b.txt": "It was in 1843. Nobody else was."}

// question gives the n-th question of a task, and the source with that name.
func parts(t *testing.T, tk *task.Task, n int, name string) (question, source string) {
	t.Helper()
	st := tk.Snapshot()
	for id, s := range st.Sources {
		if s.Name == name && s.Newer == "" {
			source = id
		}
	}
	return st.QuestionIDs[n], source
}

func accept(t *testing.T, tk *task.Task, n int, name string, sentence int64) string {
	t.Helper()
	q, s := parts(t, tk, n, name)
	id, err := tk.AcceptCandidate(ctx, q, s, sentence, sentence)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func lines(t *testing.T, tk *task.Task) (out [][]byte) {
	t.Helper()
	if err := tk.Lines(ctx, 1, func(_ int64, l []byte) error { out = append(out, bytes.Clone(l)); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// audited holds every invariant over a branch's lines.
func audited(t *testing.T, tk *task.Task) {
	t.Helper()
	r, err := audit.Audit(ctx, tk.Snapshot(), tk.Blobs(), audit.Options{
		Lines: func(fn func(int64, []byte) error) error { return tk.Lines(ctx, 1, fn) }})
	if err != nil || r.Breached() {
		t.Errorf("audit: %v, %+v", err, r.Problems)
	}
}

func TestAForkHasItsBeginningAndLeavesTheBranchAsItIs(t *testing.T) {
	d := desk(vaulttest.NewMemory())
	tk := madeOn(t, d, ada)
	first := accept(t, tk, 0, "a.txt", 1)
	at := tk.Snapshot()
	second := accept(t, tk, 1, "b.txt", 1)
	before := lines(t, tk)

	f, err := tk.Fork(ctx, at.Seq, "What if not?")
	if err != nil {
		t.Fatal(err)
	}
	st := f.Snapshot()
	if st.Hash() != at.Hash() || st.Claims[first] == nil || st.Claims[second] != nil {
		t.Error("the alternative does not begin with the work at its checkpoint")
	}
	accept(t, f, 1, "b.txt", 2)
	if !slices.EqualFunc(before, lines(t, tk), bytes.Equal) {
		t.Error("the branch changed")
	}
	if own := lines(t, f); !slices.EqualFunc(before[:at.Seq], own[:at.Seq], bytes.Equal) {
		t.Error("the alternative's beginning is not the branch's")
	}
	if dir, err := f.Folder(ctx); err != nil || dir != "/" {
		t.Errorf("the folder of the alternative is %q, %v", dir, err)
	}
	audited(t, f)
	for seq, want := range map[int64]engine.Kind{at.Seq - 1: engine.KindUsage, 10_000: engine.KindNotFound} {
		if _, err := tk.Fork(ctx, seq, ""); engine.KindOf(err) != want {
			t.Errorf("fork after line %d: %v", seq, err)
		}
	}
	if g, err := f.Fork(ctx, 0, ""); err != nil || g.Snapshot().Hash() != f.Snapshot().Hash() {
		t.Errorf("fork of a fork at its newest checkpoint: %v", err)
	}
}

// What joined the branch after the checkpoint joins the alternative with its next
// intake, a changed file as a newer version of the one that is there.
func TestAForkReadsWhatJoinedLater(t *testing.T) {
	files := texts{"a.txt": "It was Ada.", "b.txt": "Old words."}
	d := desk(vaulttest.NewMemory())
	tk := madeOn(t, d, files)
	at := tk.Snapshot().Seq
	_, old := parts(t, tk, 0, "b.txt")
	files["b.txt"], files["c.txt"] = "New words stand here now.", "One more."
	if _, err := tk.Intake(ctx, files.scan, files, nil); err != nil {
		t.Fatal(err)
	}
	f, err := tk.Fork(ctx, at, "")
	if err != nil {
		t.Fatal(err)
	}
	taken, err := f.Intake(ctx, files.scan, files, nil)
	if err != nil || taken.New != 2 {
		t.Fatalf("the alternative took in %+v, %v", taken, err)
	}
	if f.Snapshot().Sources[old].Newer == "" {
		t.Error("the changed file is not a newer version in the alternative")
	}
	if f.Snapshot().Hash() != tk.Snapshot().Hash() {
		t.Error("both have the same sources, and not the same state")
	}
}

func TestJoin(t *testing.T) {
	d := desk(vaulttest.NewMemory())
	tk := madeOn(t, d, ada)
	both := accept(t, tk, 0, "a.txt", 1)
	f, err := tk.Fork(ctx, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	theirs := accept(t, f, 1, "b.txt", 1)
	if err := f.Retract(ctx, both, "not she"); err != nil {
		t.Fatal(err)
	}
	mine := accept(t, tk, 1, "b.txt", 2)

	got, err := tk.Join(ctx, f)
	if err != nil {
		t.Fatal(err)
	}
	st := tk.Snapshot()
	if got.Claims != 1 || got.Asked != 1 {
		t.Errorf("took over %+v", got)
	}
	if c := st.Claims[theirs]; c == nil || !c.Live() || c.Trust != state.Checked {
		t.Errorf("their claim is %+v", c)
	}
	if !st.Claims[both].Live() || !st.Claims[mine].Live() {
		t.Error("a claim that a person here checked is gone")
	}
	last := st.Questions[st.QuestionIDs[len(st.QuestionIDs)-1]]
	if last.By != ledger.Engine || !strings.Contains(last.Text, "Two people decided differently") {
		t.Errorf("the last question is %q", last.Text)
	}
	origins := 0
	for _, raw := range lines(t, tk) {
		if l, err := ledger.Decode(raw); err == nil && l.Origin != nil {
			origins++
		}
	}
	if origins != got.Lines-got.Asked {
		t.Errorf("%d lines name their origin of %+v", origins, got)
	}
	audited(t, tk)
	if _, err := tk.Join(ctx, f); engine.KindOf(err) != engine.KindRefused {
		t.Errorf("a second join: %v", err)
	}
	if st.Hash() != tk.Snapshot().Hash() {
		t.Error("a second join changed something")
	}
	if _, err := tk.Join(ctx, tk); engine.KindOf(err) != engine.KindUsage {
		t.Errorf("a join with itself: %v", err)
	}
}

// A join that ends in the middle takes over the rest when it is begun again, and
// comes to the same state.
func TestAJoinThatWasCutOffGoesOn(t *testing.T) {
	store := vaulttest.NewMemory()
	d := desk(store)
	files := texts{}
	for _, n := range strings.Split("abcdefgh", "") {
		files[n+".txt"] = strings.Repeat("Words of "+n+". ", 40)
	}
	tk := madeOn(t, d, files)
	f, err := tk.Fork(ctx, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(260) {
		accept(t, f, 0, string("abcdefgh"[n%8])+".txt", 1+n/8)
	}
	whole, err := tk.Fork(ctx, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := whole.Join(ctx, f); err != nil {
		t.Fatal(err)
	}
	appends := 0
	store.Fail(func(op string) error {
		if op == "Append" {
			if appends++; appends == 2 {
				return &engine.Error{Kind: engine.KindDiskFull, What: "The disk is full."}
			}
		}
		return nil
	})
	if _, err := tk.Join(ctx, f); engine.KindOf(err) != engine.KindDiskFull {
		t.Fatalf("the join gave %v", err)
	}
	store.Fail(nil)
	if half := len(tk.Snapshot().ClaimIDs); half == 0 || half == 260 {
		t.Fatalf("%d claims were taken over before the fault: it was to be a part", half)
	}
	if _, err := tk.Join(ctx, f); err != nil {
		t.Fatal(err)
	}
	if tk.Snapshot().Hash() != whole.Snapshot().Hash() {
		t.Error("the join in two parts came to another state than the one in one")
	}
	audited(t, tk)
}

func madeOn(t *testing.T, d *task.Desk, files texts) *task.Task {
	t.Helper()
	tk, err := d.Create(ctx, task.New{Goal: "Find out.", Questions: []string{"Who?", "When?"}})
	if err == nil {
		err = tk.SetFolder(ctx, "/")
	}
	if err == nil {
		_, err = tk.Intake(ctx, files.scan, files, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func sent(t *testing.T, tk *task.Task) *handoff.Parsed {
	t.Helper()
	file, err := tk.HandOff(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := handoff.Verify(file); err != nil {
		t.Fatal(err)
	}
	p, err := handoff.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An alternative that was sent out and comes back is known as what it is here:
// unchanged, there is nothing to take over; gone on, it is an alternative of it.
func TestAFileOfAnAlternativeThatIsHere(t *testing.T) {
	d, away := desk(vaulttest.NewMemory()), desk(vaulttest.NewMemory())
	tk := madeOn(t, d, ada)
	f, err := tk.Fork(ctx, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	mine := accept(t, f, 0, "a.txt", 1)
	out := sent(t, f)
	if _, err := d.Import(ctx, out); engine.KindOf(err) != engine.KindRefused {
		t.Fatalf("a file of what is here: %v", err)
	}
	if c := f.Snapshot().Claims[mine]; c.Trust != state.Checked || f.Snapshot().Imported != nil {
		t.Error("a file of what is here made a person's own check the sender's")
	}
	there, err := away.Import(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := there.Note(ctx, ledger.Note{Text: "Seen."}); err != nil {
		t.Fatal(err)
	}
	accept(t, f, 1, "b.txt", 1) // and here it goes on too
	back, err := d.Import(ctx, sent(t, there))
	if err != nil {
		t.Fatal(err)
	}
	if c := back.Snapshot().Claims[mine]; c == nil || c.Trust != state.Checked {
		t.Error("what came back of this machine's own lines counts as the sender's")
	}
	if back.Branch == f.Branch || len(back.Snapshot().NoteIDs) != 1 {
		t.Error("what came back is no alternative with the sender's note")
	}
	audited(t, back)
}

// The sender's checks stay the sender's in an alternative that begins before the
// line that says so.
func TestAForkBeforeAnImportKeepsWhatIsReported(t *testing.T) {
	d, away := desk(vaulttest.NewMemory()), desk(vaulttest.NewMemory())
	tk := madeOn(t, away, ada)
	claim := accept(t, tk, 0, "a.txt", 1)
	at := tk.Snapshot().Seq
	accept(t, tk, 1, "b.txt", 1)
	here, err := d.Import(ctx, sent(t, tk))
	if err != nil {
		t.Fatal(err)
	}
	f, err := here.Fork(ctx, at, "")
	if err != nil {
		t.Fatal(err)
	}
	st := f.Snapshot()
	if c := st.Claims[claim]; c.Trust == state.Checked || !c.Reported {
		t.Errorf("the sender's check counts as one of a person here: %+v", c)
	}
	if reasons := audit.Reasons(st, audit.Now{}); len(reasons) != 0 {
		t.Errorf("the file was accepted already: %+v", reasons)
	}
	for _, s := range st.Sources {
		if s.Missing != "not_here" {
			t.Errorf("the text of %s is not here, and nothing says so", s.Name)
		}
	}
	audited(t, f)
	again, err := here.Fork(ctx, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	file, err := again.HandOff(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := handoff.Parse(file)
	if err != nil || len(p.Segments) != 2 {
		t.Errorf("an alternative of what was imported has %d segments, %v", len(p.Segments), err)
	}
}

// An act that changed nothing is not in the way of taking back the one before it.
func TestUndoPassesByWhatChangedNothing(t *testing.T) {
	tk := madeOn(t, desk(vaulttest.NewMemory()), ada)
	_, src := parts(t, tk, 0, "a.txt")
	for _, to := range []string{"aside", "aside"} {
		if err := tk.Scope(ctx, src, to, "old"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tk.Undo(ctx); err != nil || tk.Snapshot().Sources[src].Aside != "" {
		t.Errorf("the source is still aside: %v", err)
	}
}

// A file that is gone at the sender's has no text at the receiver's: that is said,
// and nothing there counts as compared with it.
func TestAnImportSaysThatTheTextOfAGoneFileIsNotHere(t *testing.T) {
	files := texts{"a.txt": ada["a.txt"], "b.txt": ada["b.txt"]}
	tk := madeOn(t, desk(vaulttest.NewMemory()), files)
	accept(t, tk, 0, "a.txt", 1)
	_, src := parts(t, tk, 0, "a.txt")
	delete(files, "a.txt")
	if _, err := tk.Intake(ctx, files.scan, files, nil); err != nil {
		t.Fatal(err)
	}
	if tk.Snapshot().Sources[src].Missing != "gone" {
		t.Fatal("the file is not gone")
	}
	here, err := desk(vaulttest.NewMemory()).Import(ctx, sent(t, tk))
	if err != nil {
		t.Fatal(err)
	}
	if m := here.Snapshot().Sources[src].Missing; m != "not_here" {
		t.Errorf("the text that did not travel is %q", m)
	}
}

// What is so already is not written again.
func TestAnActThatChangesNothingIsNoLine(t *testing.T) {
	tk := madeOn(t, desk(vaulttest.NewMemory()), ada)
	_, src := parts(t, tk, 0, "a.txt")
	before := tk.Snapshot()
	if err := tk.Scope(ctx, src, "back", ""); err != nil {
		t.Fatal(err)
	}
	if after := tk.Snapshot(); after.Seq != before.Seq || after.Hash() != before.Hash() {
		t.Errorf("%d lines became %d", before.Seq, after.Seq)
	}
	accept(t, tk, 0, "a.txt", 1)
}

// Of a file without its log lines the part that is new may begin with one that was
// left out: the alternative then begins at a line before it.
func TestAFileWithoutItsLogBecomesAnAlternative(t *testing.T) {
	d, away := desk(vaulttest.NewMemory()), desk(vaulttest.NewMemory())
	tk := madeOn(t, d, ada)
	there, err := away.Import(ctx, sent(t, tk))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		step := []task.Entry{{By: ledger.Engine, Op: &ledger.Start{Kind: "plan", Inputs: ledger.HashOf(nil).String(), Attempt: 1}}}
		if err := tk.Commit(ctx, step, nil); err != nil {
			t.Fatal(err)
		}
		mine := accept(t, tk, 0, "a.txt", int64(1+n%2))
		if err := tk.Retract(ctx, mine, "no"); err != nil {
			t.Fatal(err)
		}
		file, err := tk.HandOff(ctx, true)
		if err != nil {
			t.Fatal(err)
		}
		p, err := handoff.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		made, err := away.Import(ctx, p)
		if n == 2 && engine.KindOf(err) == engine.KindUsage {
			continue // no line is left to begin with, which is said
		}
		if err != nil {
			t.Fatalf("file %d: %v", n, err)
		}
		if made.Branch == there.Branch || made.Snapshot().Claims[mine] == nil {
			t.Errorf("file %d: the alternative has not what is new", n)
		}
		audited(t, made)
	}
}

// A question is answered and closed from what a sender reported, and the task goes
// on from there.
func TestAQuestionIsClosedFromWhatASenderReported(t *testing.T) {
	tk := madeOn(t, desk(vaulttest.NewMemory()), ada)
	claim := accept(t, tk, 0, "a.txt", 1)
	here, err := desk(vaulttest.NewMemory()).Import(ctx, sent(t, tk))
	if err != nil {
		t.Fatal(err)
	}
	q := here.Snapshot().QuestionIDs[0]
	if err := here.Commit(ctx, []task.Entry{{By: ledger.Engine, Op: &ledger.Close{ID: q, Claims: []string{claim}}}}, nil); err != nil {
		t.Fatal(err)
	}
	audited(t, here)
}

// What the engine adds to a person's act goes back with it.
func TestUndoTakesBackWhatFollowedFromTheAct(t *testing.T) {
	for name, act := range map[string]func(tk *task.Task, claim, src string) error{
		"retract": func(tk *task.Task, claim, _ string) error { return tk.Retract(ctx, claim, "no") },
		"aside":   func(tk *task.Task, _, src string) error { return tk.Scope(ctx, src, "aside", "old") },
		"edit":    func(tk *task.Task, claim, _ string) error { _, err := tk.Edit(ctx, claim, "In my words."); return err },
	} {
		t.Run(name, func(t *testing.T) {
			tk := madeOn(t, desk(vaulttest.NewMemory()), ada)
			claim := accept(t, tk, 0, "a.txt", 1)
			q, src := parts(t, tk, 0, "a.txt")
			if err := tk.Commit(ctx, []task.Entry{{By: ledger.Engine, Op: &ledger.Close{ID: q, Claims: []string{claim}}}}, nil); err != nil {
				t.Fatal(err)
			}
			asked := len(tk.Snapshot().QuestionIDs)
			if err := act(tk, claim, src); err != nil {
				t.Fatal(err)
			}
			if _, err := tk.Undo(ctx); err != nil {
				t.Fatalf("what was just done can't be taken back: %v", err)
			}
			st := tk.Snapshot()
			if !st.Claims[claim].Live() || st.Claims[claim].IsStale || st.Questions[q].Status != state.Closed || st.Questions[q].Stale {
				t.Errorf("the claim is %s, the question %s", st.Claims[claim].Standing, st.Questions[q].Status)
			}
			for _, id := range st.QuestionIDs[asked:] {
				if st.Questions[id].Status != state.Dropped {
					t.Errorf("the question %q that followed is still %s", st.Questions[id].Text, st.Questions[id].Status)
				}
			}
			audited(t, tk)
			// And it can be done again, with what follows.
			if err := act(tk, claim, src); err != nil {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

// A join brings no close that has no evidence here, and says which texts are not here.
func TestAJoinOfWhatHasNoGroundHere(t *testing.T) {
	away := madeOn(t, desk(vaulttest.NewMemory()), ada)
	d := desk(vaulttest.NewMemory())
	theirs, err := d.Import(ctx, sent(t, away))
	if err != nil {
		t.Fatal(err)
	}
	mine, err := d.Create(ctx, task.New{Goal: "Something else.", Questions: []string{"Who?"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mine.Join(ctx, theirs); err != nil {
		t.Fatal(err)
	}
	for _, s := range mine.Snapshot().Sources {
		if s.Missing != "not_here" {
			t.Errorf("the text of %s is not here, and nothing says so", s.Name)
		}
	}
	tk := madeOn(t, d, texts{"c.txt": "It was Eve."})
	f, err := tk.Fork(ctx, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	q, src := parts(t, f, 0, "c.txt")
	slice := ledger.Slice{Source: src, From: 1, To: 1, Text: "It was Eve."}
	claim := ledger.Claim{Question: q, Basis: []string{ledger.Ref(src, 1, 1)}, Quotes: []ledger.Slice{slice}}
	if err := f.Commit(ctx, []task.Entry{{By: ledger.Model, Op: &claim}, {By: ledger.Engine, Op: &ledger.Close{ID: q, Claims: []string{ledger.ClaimID(claim)}}}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := tk.Scope(ctx, src, "aside", "old"); err != nil {
		t.Fatal(err)
	}
	if _, err := tk.Join(ctx, f); err != nil {
		t.Fatal(err)
	}
	if tk.Snapshot().Questions[q].Status != state.Open {
		t.Error("a question is closed by a claim whose source is set aside")
	}
	audited(t, tk)
}

// A join that would write nothing but that it was one writes nothing.
func TestAJoinOfACloseWithoutGroundIsNothing(t *testing.T) {
	d := desk(vaulttest.NewMemory())
	tk := madeOn(t, d, texts{"c.txt": "It was Eve."})
	q, src := parts(t, tk, 0, "c.txt")
	claim := ledger.Claim{Question: q, Basis: []string{ledger.Ref(src, 1, 1)}, Quotes: []ledger.Slice{{Source: src, From: 1, To: 1, Text: "It was Eve."}}}
	if err := tk.Commit(ctx, []task.Entry{{By: ledger.Model, Op: &claim}}, nil); err != nil {
		t.Fatal(err)
	}
	f, err := tk.Fork(ctx, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(ctx, []task.Entry{{By: ledger.Engine, Op: &ledger.Close{ID: q, Claims: []string{ledger.ClaimID(claim)}}}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := tk.Scope(ctx, src, "aside", "old"); err != nil {
		t.Fatal(err)
	}
	before := tk.Snapshot().Seq
	if _, err := tk.Join(ctx, f); engine.KindOf(err) != engine.KindRefused || tk.Snapshot().Seq != before {
		t.Errorf("%d lines became %d: %v", before, tk.Snapshot().Seq, err)
	}
}

// What came with one file stays the sender's when a later file of the same task goes
// on from it, and in an alternative from before both.
func TestASecondFileMakesNothingOfTheFirstOnesOwn(t *testing.T) {
	d, away := desk(vaulttest.NewMemory()), desk(vaulttest.NewMemory())
	tk := madeOn(t, away, ada)
	claim := accept(t, tk, 0, "a.txt", 1)
	at := tk.Snapshot().Seq
	if _, err := d.Import(ctx, sent(t, tk)); err != nil {
		t.Fatal(err)
	}
	accept(t, tk, 1, "b.txt", 1)
	second, err := d.Import(ctx, sent(t, tk))
	if err != nil {
		t.Fatal(err)
	}
	f, err := second.Fork(ctx, at, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, tk := range map[string]*task.Task{"the second file": second, "an alternative": f} {
		st := tk.Snapshot()
		if c := st.Claims[claim]; !c.Reported || c.Trust == state.Checked {
			t.Errorf("%s: the sender's check counts as one of a person here", name)
		}
		for _, s := range st.Sources {
			if s.Missing != "not_here" {
				t.Errorf("%s: the text of %s is not here, and nothing says so", name, s.Name)
			}
		}
		audited(t, tk)
	}
}

// A clock that is set to before 1970 is no reason not to save.
func TestAClockBefore1970(t *testing.T) {
	d := task.NewDesk(vaulttest.NewMemory(), clock.NewFake(time.Unix(-1_000_000, 0)), rand.Reader, "cairn test")
	tk := madeOn(t, d, ada)
	accept(t, tk, 0, "a.txt", 1)
	audited(t, tk)
}
