package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/app"
	"cairn/app/dto"
	"cairn/engine"
)

// A file goes through many hands: each block is the exact beginning of the next,
// also after the program was closed in between, and with the log left out.
func TestManyHands(t *testing.T) {
	for name, withhold := range map[string]bool{"with the log": false, "without the log": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			s := b.start(false)
			f := b.form()
			f.Model, f.Start = "-", true
			id, err := s.Create(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			v := b.until(s, id, "candidates", state("needs_you"))
			p := v.Questions[0].Candidates[0].Place
			if _, err := s.AcceptCandidate(t.Context(), id, v.Questions[0].ID, p.Source, p.From, p.To); err != nil {
				t.Fatal(err)
			}
			before := ""
			for hand := range 4 {
				path := filepath.Join(t.TempDir(), "x.cairn.md")
				check, err := s.Export(t.Context(), id, path, withhold)
				if err != nil || !check.Good || check.Claims != 1 {
					t.Fatalf("hand %d exports: %+v, %v", hand, check, err)
				}
				body, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				now := block(t, string(body))
				if !strings.HasPrefix(now, before) || now == before {
					t.Fatalf("hand %d: the block before is not the exact beginning of this one", hand)
				}
				before = now
				id, s = nextHand(t, path)
			}
		})
	}
}

// nextHand takes a file over in another home, and closes and opens it again.
func nextHand(t *testing.T, path string) (string, *app.Service) {
	t.Helper()
	b := newBench(t, nil)
	s := b.start(true)
	p, err := s.PreviewImport(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.AcceptImport(t.Context(), p.Token, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(t.Context(), id, "And who says so?"); err != nil && !strings.Contains(err.Error(), "already") {
		t.Fatal(err)
	}
	b.end(s)
	return id, b.start(true)
}

// What imports had copied when the program ended, a task or an alternative of one
// that stays, is named by doctor, and gone after the next start, which says so.
func TestHalfAnImportIsRemoved(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(true)
	f := b.form()
	f.Model = "-"
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if f.Title = "another"; err == nil {
		_, err = s.Create(t.Context(), f)
	}
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := s.Tasks(t.Context())
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	whole := tasks[0].ID
	if whole == id {
		whole = tasks[1].ID
	}
	path := filepath.Join(t.TempDir(), "x.cairn.md")
	if _, err := s.Export(t.Context(), whole, path, false); err != nil {
		t.Fatal(err)
	}
	// Both go on; taken over here, the other's is an alternative.
	if _, err := s.Ask(t.Context(), whole, "And when?"); err != nil {
		t.Fatal(err)
	}
	other, abroad := nextHand(t, path)
	if _, err := abroad.Export(t.Context(), other, path, false); err != nil {
		t.Fatal(err)
	}
	p, err := s.PreviewImport(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := s.AcceptImport(t.Context(), p.Token, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.store.Branch(t.Context(), branch); err != nil || got.Parent != whole {
		t.Fatalf("not an alternative: %+v, %v", got, err)
	}
	b.end(s)
	for _, half := range []string{id, branch} {
		if err := b.store.PutLocal(t.Context(), "adopting", half, []byte("open:999999")); err != nil {
			t.Fatal(err)
		}
	}
	short := b.start(true)
	list, err := short.Doctor(t.Context())
	if err != nil || !slices.ContainsFunc(list, func(c dto.Check) bool {
		return !c.Good && strings.HasPrefix(c.Value, "2 imports were cut off") && c.Mend != ""
	}) {
		t.Errorf("%+v, %v", list, err)
	}
	b.end(short)
	s = b.start(false)
	for _, half := range []string{id, branch} {
		if _, err := b.store.Branch(t.Context(), half); engine.KindOf(err) != engine.KindNotFound {
			t.Errorf("half an import is still there: %v", err)
		}
		if _, err := s.View(t.Context(), half, 0); engine.KindOf(err) != engine.KindNotFound {
			t.Errorf("and can be seen: %v", err)
		}
	}
	if _, err := s.View(t.Context(), whole, 0); err != nil {
		t.Errorf("the task of the alternative: %v", err)
	}
	if said := b.log.String(); !strings.Contains(said, "2 imports were cut off") {
		t.Errorf("it is not said: %s", said)
	}
}

// The preview counts the sender's checks on what stands, not on what was taken back.
func TestPreviewCountsWhatStands(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	f := b.form()
	f.Model, f.Start = "-", true
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	v := b.until(s, id, "candidates", state("needs_you"))
	for i := range 2 {
		p := v.Questions[0].Candidates[i].Place
		claim, err := s.AcceptCandidate(t.Context(), id, v.Questions[0].ID, p.Source, p.From, p.To)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := s.Retract(t.Context(), id, claim, "not this one"); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "x.cairn.md")
	if _, err := s.Export(t.Context(), id, path, false); err != nil {
		t.Fatal(err)
	}
	other := newBench(t, nil)
	p, err := other.start(true).PreviewImport(t.Context(), path)
	if err != nil || p.Claims != 1 || p.Checked != 1 {
		t.Errorf("%d claims, %d of them checked (%v)", p.Claims, p.Checked, err)
	}
}

// A service that watches no folder still says that it is not there; work that is
// done stays done.
func TestFolderThatIsAway(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	f := b.form()
	f.Model, f.Start = "-", false
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "the folder", func(v dto.View) bool { return v.Counts.Sources == 5 && v.Status.State == "ready" })
	b.end(s)
	away := b.docs + " away"
	if err := os.Rename(b.docs, away); err != nil {
		t.Fatal(err)
	}
	short := b.start(true)
	v, err := short.View(t.Context(), id, 0)
	if err != nil || v.Status.State != "needs_you" || !strings.Contains(v.Status.Sentence, b.docs) || v.Counts.Sources != 5 {
		t.Errorf("%+v, %v", v.Status, err)
	}
	if list, err := short.Doctor(t.Context()); err != nil || !slices.ContainsFunc(list, func(c dto.Check) bool { return !c.Good && strings.Contains(c.Value, b.docs) }) {
		t.Errorf("doctor says %+v, %v", list, err)
	}
	b.end(short)
	if err := os.Rename(away, b.docs); err != nil {
		t.Fatal(err)
	}
	short = b.start(true)
	if v, err = short.View(t.Context(), id, 0); err != nil || v.Status.State != "ready" {
		t.Errorf("%+v, %v", v.Status, err)
	}
}
