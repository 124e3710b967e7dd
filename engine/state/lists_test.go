package state_test

import (
	"slices"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"
)

func TestOpenItemsAndToCheck(t *testing.T) {
	d := newDesk(t)
	flagged := d.quoted("Flagged.", 1)
	flagged.Flags = []string{"D22"}
	f := d.claim(ledger.Model, flagged)
	basis := d.claim(ledger.Model, d.quoted("Basis.", 2))
	stale := d.derived(ledger.Model, "Stale.", basis)
	contested := d.claim(ledger.Model, d.quoted("Contested.", 3))
	fine := d.claim(ledger.Model, d.quoted("Fine.", 4))
	d.do(ledger.Model, &ledger.Quote{Claim: contested, From: 9, Source: d.source, Stance: "contradicts", Text: "No.", To: 9})
	d.do(ledger.Engine, &ledger.Retract{ID: basis, Reason: "not found again"})
	parked := &ledger.Question{Text: "Parked?"}
	d.do(ledger.Person, parked)
	d.do(ledger.Engine, &ledger.Park{ID: ledger.QuestionID(*parked), Reason: "nothing found"})
	late, soon, plain := &ledger.Note{Text: "Late.", For: "Ana", Due: "2026-05"}, &ledger.Note{Text: "Soon.", Due: "2026-01"}, &ledger.Note{Text: "Only a note."}
	d.do(ledger.Person, late, soon, plain)
	d.do(ledger.Engine, &ledger.Refuse{Code: "D5", Message: "no", Proposal: "claim"})
	d.do(ledger.Engine, &ledger.Source{Name: "scan.pdf", File: statetest.Hex("scan"), Reason: "no_text"})

	var got []string
	for _, i := range d.State.OpenItems() {
		got = append(got, i.ID)
	}
	want := []string{ledger.NoteID(*soon), ledger.NoteID(*late), contested, stale, f, d.question, ledger.QuestionID(*parked)}
	if !slices.Equal(got, want) {
		t.Errorf("open items %v, want %v", got, want)
	}
	if c := d.State.Checkpoints[len(d.State.Checkpoints)-1]; !slices.Equal(c.Open, want) {
		t.Errorf("the checkpoint's open items %v", c.Open)
	}
	counts := map[string]int{}
	for _, i := range d.State.ToCheck() {
		counts[i.Kind] += i.Count
	}
	for kind, n := range map[string]int{state.ItemNote: 2, state.ItemContested: 1, state.ItemStale: 1, state.ItemSaysMore: 1, state.ItemParked: 1,
		state.ItemRefused: 1, state.ItemUnreadable: 1, state.ItemUnchecked: 4, state.ItemQuestion: 0} {
		if counts[kind] != n {
			t.Errorf("to check: %d %s, want %d", counts[kind], kind, n)
		}
	}
	d.right("person", f)
	if slices.ContainsFunc(d.State.ToCheck(), func(i state.Item) bool { return i.ID == f }) {
		t.Error("a checked claim is still flagged")
	}
	c := d.State.Counts()
	if c.Claims != 4 || c.Checked != 1 || c.Contested != 1 || c.Stale != 1 || c.Open != 1 || c.Parked != 1 || c.Questions != 2 || c.Sources != 2 || c.Unreadable != 1 {
		t.Errorf("%+v", c)
	}
	live := d.State.LiveClaims(d.question)
	if len(live) != 4 || live[3].ID != fine || len(d.State.ClaimsOf(d.question)) != 5 {
		t.Errorf("%d live of %d", len(live), len(d.State.ClaimsOf(d.question)))
	}
	if same := d.State.SameBasis(d.question, d.State.Claims[fine].Basis); len(same) != 1 || same[0].ID != fine {
		t.Errorf("same basis: %v", same)
	}
}

func TestReadingAndSteps(t *testing.T) {
	d := newDesk(t)
	read := func(spans ...string) {
		d.do(ledger.Engine, &ledger.Read{Questions: []string{d.question}, Ranges: spans, Source: d.source})
	}
	read("1-3", "7-9")
	read("4-6", "12-12")
	if got := d.State.Read[d.source][d.question]; !slices.Equal(got, []state.Interval{{From: 1, To: 9}, {From: 12, To: 12}}) {
		t.Errorf("read %v", got)
	}
	if c := d.State.Cover(d.question); c.Shown != 10 || c.Left != 30 || d.State.Shown(d.source, d.question) != 10 {
		t.Errorf("%+v", c)
	}
	before := d.State.Hash()
	read("2-5")
	if d.State.Hash() != before {
		t.Error("reading again what was read changes the state")
	}
	d.refused(state.CodePlace, ledger.Engine, &ledger.Read{Questions: []string{d.question}, Ranges: []string{"20-21"}, Source: d.source})

	d.do(ledger.Engine, &ledger.Found{Question: d.question, Ranges: []string{ledger.Ref(d.source, 5, 6), ledger.Ref(d.other, 1, 2)}},
		&ledger.Found{Question: d.question, Part: 1, Ranges: []string{ledger.Ref(d.source, 1, 1)}})
	if n := len(d.State.Found[d.question]); n != 3 {
		t.Errorf("%d found", n)
	}
	d.do(ledger.Engine, &ledger.Found{Question: d.question, Ranges: []string{ledger.Ref(d.source, 5, 6)}})
	if n := len(d.State.Found[d.question]); n != 1 {
		t.Errorf("%d found after a new search", n)
	}
	finish := func(inputs, outcome string) {
		d.do(ledger.Engine, &ledger.Finish{Inputs: statetest.Hex(inputs), Kind: "read", Outcome: outcome, Serves: d.question})
	}
	finish("a", "nothing")
	finish("b", "nothing")
	if n := d.State.Barren[d.question]; n != 2 {
		t.Errorf("%d fruitless steps", n)
	}
	finish("c", "done")
	if n := d.State.Barren[d.question]; n != 0 || len(d.State.FinishedKeys) != 3 {
		t.Errorf("%d fruitless steps, %d finished", n, len(d.State.FinishedKeys))
	}
}

func TestSettingsAndReasons(t *testing.T) {
	d := newDesk(t)
	d.do(ledger.Person, &ledger.Set{Depth: "quick", Budget: 600, Model: "a:1b", Digest: "d", Trial: true})
	d.do(ledger.Engine, &ledger.Set{ReadRate: 40})
	if s := d.State.Settings; s.Depth != "quick" || s.Budget != 600 || s.Model != "a:1b" || !s.Trial || s.ReadRate != 40 || s.Digest != "d" {
		t.Errorf("%+v", s)
	}
	d.do(ledger.Person, &ledger.Set{Model: "b:7b", Budget: -1})
	if s := d.State.Settings; s.Trial || s.Digest != "" || s.Budget != 0 || s.ReadRate != 40 {
		t.Errorf("%+v", s)
	}
	d.do(ledger.Engine, &ledger.Check{How: "model", ID: "model:b", Verdict: "passed"})
	d.do(ledger.Person, &ledger.Override{ID: "step:x", Why: "never mind"})
	if d.State.Passed["model:b"] != "passed" || d.State.Overrides["step:x"] != "never mind" {
		t.Errorf("%v %v", d.State.Passed, d.State.Overrides)
	}
	d.do(ledger.Person, &ledger.Amend{Field: "constraints", List: []string{"Only papers."}}, &ledger.Amend{Field: "title", Text: "Data"})
	if d.State.Task.Title != "Data" || !slices.Equal(d.State.Task.Constraints, []string{"Only papers."}) || d.State.PlanStale {
		t.Errorf("%+v", d.State.Task)
	}
	d.do(ledger.Engine, &ledger.End{Outcome: "stopped"})
	if d.State.Ended == nil {
		t.Error("the end is not noted")
	}
	d.do(ledger.Person, &ledger.Set{Depth: "thorough"})
	if d.State.Ended != nil {
		t.Error("the end is terminal")
	}
}

func TestAnswersTakeTheirPlace(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	say := func(text string, partial bool) *ledger.Answer {
		return &ledger.Answer{Question: d.question, Partial: partial, Sentences: []ledger.Sentence{{Text: text, Claims: []string{a}}}}
	}
	first, second := say("One.", true), say("Two.", false)
	d.do(ledger.Model, first)
	d.do(ledger.Model, second)
	q := func() string { return d.State.Questions[d.question].Answer }
	if q() != ledger.AnswerID(*second) || d.State.Answers[ledger.AnswerID(*first)].Standing != state.Superseded {
		t.Error("the second answer is not the current one")
	}
	d.do(ledger.Model, say("One.", false)) // the first words again
	if q() != ledger.AnswerID(*first) || d.State.Answers[q()].Partial {
		t.Error("an answer written again does not stand again")
	}
	mine := say("Mine.", false)
	d.do(ledger.Person, mine)
	d.refused(state.CodeSticky, ledger.Model, say("Three.", false))
	d.do(ledger.Person, &ledger.Retract{ID: ledger.AnswerID(*mine), Reason: "no"})
	if q() != "" {
		t.Error("a retracted answer is current")
	}
	d.do(ledger.Model, say("Three.", false))
}
