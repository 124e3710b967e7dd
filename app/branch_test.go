package app_test

import (
	"strings"
	"testing"

	"cairn/engine"
)

// An alternative is a row of its own in the list; what is found in it is taken over,
// once.
func TestBranchAndJoin(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(true)
	form := b.form()
	form.Model = "-"
	id, err := s.Create(t.Context(), form)
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.Branch(t.Context(), id, 0, "What if not?")
	if err != nil || other == id {
		t.Fatalf("%q, %v", other, err)
	}
	if tasks, err := s.Tasks(t.Context()); err != nil || len(tasks) != 2 {
		t.Errorf("%d rows in the list, %v", len(tasks), err)
	}
	if _, err := s.Branch(t.Context(), id, 1, ""); engine.KindOf(err) != engine.KindUsage {
		t.Errorf("a branch at a line that is no checkpoint: %v", err)
	}
	if _, err := s.Ask(t.Context(), other, "Who paid for all this?"); err != nil {
		t.Fatal(err)
	}
	said, err := s.Join(t.Context(), id, other)
	if err != nil || !strings.HasPrefix(said, "Taken over:") {
		t.Fatalf("%q, %v", said, err)
	}
	v, err := s.View(t.Context(), id, 0)
	if err != nil || v.Questions[len(v.Questions)-1].Text != "Who paid for all this?" {
		t.Errorf("the question was not taken over: %v", err)
	}
	if _, err := s.Join(t.Context(), id, other); engine.KindOf(err) != engine.KindRefused {
		t.Errorf("a second join: %v", err)
	}
}
