package state_test

import (
	"slices"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"
)

// The sentences of DESIGN 3.2, 3.3 and 3.6 that the other tests do not hold, one by one.

func TestAPersonsUndoHolds(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	b := d.derived(ledger.Model, "B.", a)
	fresh := d.State.Hash()
	d.do(ledger.Model, &ledger.Retract{ID: a, Reason: "no use"})
	d.do(ledger.Person, &ledger.Undo{Line: d.State.Seq - 1})
	kept := d.State.Seq - 1
	d.standing(a, state.Active)
	d.standing(b, state.Active)
	if !d.State.Claims[a].Person || d.State.Claims[b].Person || d.State.Hash() == fresh {
		t.Error("the person's decision is not in the state, or it holds what merely rests on the claim")
	}
	d.refused(state.CodeSticky, ledger.Model, &ledger.Retract{ID: a, Reason: "still no use"})
	d.refused(state.CodeSticky, ledger.Engine, &ledger.Undo{Line: kept})
	d.do(ledger.Person, &ledger.Undo{Line: kept})
	d.standing(a, state.Retracted)

	item := ledger.Item{Kind: "read", Args: []string{"x"}}
	d.do(ledger.Model, &ledger.Plan{Add: []ledger.Item{item}})
	d.do(ledger.Model, &ledger.Plan{Remove: []string{ledger.ItemID(item)}})
	d.do(ledger.Person, &ledger.Undo{Line: d.State.Seq - 1})
	d.refused(state.CodeSticky, ledger.Model, &ledger.Plan{Remove: []string{ledger.ItemID(item)}})

	// An open question is open to everybody: a close is never sticky there.
	c := d.claim(ledger.Model, d.quoted("C.", 3))
	d.do(ledger.Model, &ledger.Close{ID: d.question, Claims: []string{c}})
	d.do(ledger.Person, &ledger.Undo{Line: d.State.Seq - 1})
	d.do(ledger.Model, &ledger.Close{ID: d.question, Claims: []string{c}})
}

func TestUndoKeepsTheCapOfAnImport(t *testing.T) {
	d := newDesk(t)
	known := d.State.Seq
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	d.do(ledger.Model, &ledger.Retract{ID: a, Reason: "no"})
	retracted := d.State.Seq - 1
	m := &ledger.Assume{Text: "Suppose."}
	d.do(ledger.Person, m)
	d.do(ledger.Engine, &ledger.Import{File: statetest.Hex("file"), Known: known})
	d.do(ledger.Person, &ledger.Undo{Line: retracted})
	if c := d.State.Claims[a]; !c.Live() || !c.Reported || !c.Evidence[0].Reported || c.Trust != state.Stated {
		t.Errorf("an undo lifted what the import capped: %+v", c)
	}
	if d.State.Assumptions[ledger.AssumeID(*m)].Checked {
		t.Error("the sender's word on an assumption counts as the reader's")
	}
	d.do(ledger.Person, &ledger.Check{How: "person", ID: ledger.AssumeID(*m), Verdict: "right"})
	if !d.State.Assumptions[ledger.AssumeID(*m)].Checked {
		t.Error("a later check does not count in full")
	}
	d.do(ledger.Person, &ledger.Check{How: "person", ID: ledger.AssumeID(*m), Verdict: "wrong"})
	if d.State.Assumptions[ledger.AssumeID(*m)].Checked {
		t.Error("a person found it wrong, and it counts as checked")
	}
}

func TestReissuedAssumptionIsReported(t *testing.T) {
	d := newDesk(t)
	m := &ledger.Assume{Text: "Suppose."}
	act := statetest.Act{By: ledger.Person, Op: m, Origin: &ledger.Origin{Chain: statetest.Hex("c"), Seq: 4}, Reported: true}
	if err := d.Group(act); err != nil {
		t.Fatal(err)
	}
	if d.State.Assumptions[ledger.AssumeID(*m)].Checked {
		t.Error("a reported assumption counts as checked")
	}
}

func TestDroppedQuestionTakesNoMore(t *testing.T) {
	d := newDesk(t)
	d.do(ledger.Person, &ledger.Drop{ID: d.question})
	for _, op := range []ledger.Op{&ledger.Question{Text: "A part of it?", Parent: d.question}, &ledger.Assume{Text: "So.", Question: d.question},
		&ledger.Tried{Approach: "a", Outcome: "b", Question: d.question}, d.quoted("A.", 1),
		&ledger.Answer{Question: d.question, Sentences: []ledger.Sentence{{Text: "So."}}}, &ledger.Close{ID: d.question, Claims: []string{"c" + statetest.Hex("x")[:32]}}} {
		d.refused(state.CodeSticky, ledger.Model, op)
		d.refused(state.CodeSticky, ledger.Program, op)
	}
	d.do(ledger.Person, &ledger.Question{Text: "A part of it?", Parent: d.question})
	d.do(ledger.Model, &ledger.Note{On: d.question, Text: "Notes are never refused."})
}

func TestRevivedClaimBringsItsStaleness(t *testing.T) {
	d := newDesk(t)
	base := d.claim(ledger.Model, d.quoted("Base.", 1))
	m, n := d.derived(ledger.Model, "M.", base), d.claim(ledger.Model, d.quoted("N.", 2))
	on := d.derived(ledger.Model, "On M.", m)
	d.do(ledger.Model, &ledger.Merge{ID: m, Into: n})
	d.do(ledger.Engine, &ledger.Retract{ID: base, Reason: "no"})
	d.standing(on, state.Active) // it rests on N now
	other := d.claim(ledger.Model, d.quoted("Other.", 3))
	d.do(ledger.Model, &ledger.Supersede{ID: other, Into: m})
	d.standing(m, state.Stale)
	d.standing(on, state.Stale) // and on M again
}

func TestMergeIntoAStaleClaim(t *testing.T) {
	d := newDesk(t)
	base := d.claim(ledger.Model, d.quoted("Base.", 1))
	into, from := d.derived(ledger.Model, "Into.", base), d.claim(ledger.Model, d.quoted("From.", 2))
	on := d.derived(ledger.Model, "On from.", from)
	d.do(ledger.Engine, &ledger.Retract{ID: base, Reason: "no"})
	d.do(ledger.Model, &ledger.Merge{ID: from, Into: into})
	d.standing(on, state.Stale)
}

func TestFrameLinesThatDoNotFit(t *testing.T) {
	d := newDesk(t)
	before := d.State.Hash()
	for why, op := range map[string]ledger.Op{
		"a fork of another place":     &ledger.Fork{Nonce: statetest.Hex("n")[:32], Parent: statetest.Hex("elsewhere")},
		"a root in the middle":        &ledger.Root{Nonce: statetest.Hex("n")[:32], Parent: statetest.Hex("elsewhere")},
		"an import that knows more":   &ledger.Import{File: statetest.Hex("f"), Known: d.State.Seq + 50},
		"an import that knows itself": &ledger.Import{File: statetest.Hex("f"), Known: d.State.Seq + 1},
	} {
		c := d.State.Clone()
		line, err := c.Begin().Add(ledger.Entry{By: ledger.Person}, op, true)
		if err != nil {
			t.Fatal(err)
		}
		if f := c.Apply(line); len(f) != 1 || f[0].Code != state.CodeForm || c.Hash() != before || c.Imported != nil || c.Root != nil {
			t.Errorf("%s: %+v", why, f)
		}
	}
	d.do(ledger.Person, &ledger.Fork{Nonce: statetest.Hex("n")[:32], Parent: d.State.Chain.String()})
	line, err := d.State.Begin().Add(ledger.Entry{By: ledger.Person}, &ledger.Fork{Nonce: statetest.Hex("m")[:32], Parent: d.State.Chain.String()}, true)
	if err != nil {
		t.Fatal(err)
	}
	if f := d.State.Apply(line); len(f) != 1 || f[0].Code != state.CodeForm {
		t.Errorf("a fork that follows no checkpoint: %+v", f)
	}
}

func TestWhatIsNotTouched(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	d.do(ledger.Person, &ledger.Amend{Field: "goal", Text: "Another."})
	d.standing(a, state.Active) // amending the goal makes plan and report stale only
	if !d.State.PlanStale {
		t.Error("the plan is not stale")
	}
	d.do(ledger.Person, &ledger.Amend{Field: "constraints", List: []string{" as  typed "}})
	if got := d.State.Task.Constraints; !slices.Equal(got, []string{" as  typed "}) {
		t.Errorf("not verbatim: %q", got)
	}
	for _, op := range []ledger.Op{&ledger.Amend{Field: "title", Text: "x"}, &ledger.Erase{Blobs: []string{statetest.Hex("x")}, Reason: "r"},
		&ledger.Scope{ID: d.source, State: "aside"}, &ledger.Drop{ID: d.question}, &ledger.Accept{ID: a}, &ledger.Override{ID: "model:x", Why: "y"}} {
		for _, by := range []ledger.By{ledger.Model, ledger.Program, ledger.Engine} {
			if f := d.State.Try(ledger.Entry{By: by}, op); f == nil {
				t.Errorf("%s may %s", by, op.OpName())
			}
		}
	}
	for _, by := range []ledger.By{ledger.Model, ledger.Program} {
		if f := d.State.Try(ledger.Entry{By: by}, &ledger.Park{ID: d.question, Reason: "x"}); f == nil {
			t.Errorf("%s may park", by)
		}
	}
}

// TestModelsProposals: the list of 3.2, and nothing else.
func TestModelsProposals(t *testing.T) {
	want := []string{"answer", "assume", "claim", "close", "merge", "note", "plan", "question", "quote", "retract", "supersede", "tried"}
	var got []string
	for _, op := range ledger.Ops() {
		if ledger.MayPropose(op) {
			got = append(got, op)
			if !ledger.MayWrite(op, ledger.Model) || !ledger.MayWrite(op, ledger.Program) {
				t.Errorf("%s may be proposed and not written", op)
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("proposed may be %v, want %v", got, want)
	}
}

func TestMergedByAPersonCountsAsReplaced(t *testing.T) {
	d := newDesk(t)
	a, b := d.claim(ledger.Model, d.quoted("A.", 1)), d.claim(ledger.Model, d.quoted("B.", 2))
	d.do(ledger.Person, &ledger.Merge{ID: a, Into: b})
	d.refused(state.CodeSticky, ledger.Model, d.quoted("A, again.", 1))
	wider := d.quoted("A, wider.", 1)
	wider.Basis = []string{ledger.Ref(d.source, 1, 2)}
	wider.Quotes[0].To = 2
	d.standing(d.claim(ledger.Model, wider), state.Contested)
}

// TestExistingIDsHaveNoEffect: what is said again in the same words is the same
// object, whatever became of it and whoever says it.
func TestExistingIDsHaveNoEffect(t *testing.T) {
	d := newDesk(t)
	claim, m, r := d.quoted("A.", 1), &ledger.Assume{Text: "Suppose."}, &ledger.Tried{Approach: "a", Outcome: "b"}
	n, item := &ledger.Note{Text: "Look."}, &ledger.Plan{Add: []ledger.Item{{Kind: "read"}}}
	quote := &ledger.Quote{Claim: ledger.ClaimID(*claim), From: 2, Source: d.source, Stance: "context", Text: "Words.", To: 2}
	ops := []ledger.Op{claim, m, r, n, item, quote}
	d.do(ledger.Model, ops...)
	for range 2 {
		before := d.State.Hash()
		for _, by := range []ledger.By{ledger.Model, ledger.Program, ledger.Engine, ledger.Person} {
			d.do(by, ops...)
		}
		if d.State.Hash() != before {
			t.Error("saying it again changed something")
		}
		// Once more, now that a person took it all back but the plan.
		if d.State.Claims[ledger.ClaimID(*claim)].Live() {
			for _, id := range []string{ledger.ClaimID(*claim), ledger.AssumeID(*m), ledger.TriedID(*r), ledger.NoteID(*n)} {
				d.do(ledger.Person, &ledger.Retract{ID: id, Reason: "no"})
			}
		}
	}
}

// TestParkedStaysOpen: parked is open and unworked; a close takes it from there.
func TestParkedStaysOpen(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	d.do(ledger.Engine, &ledger.Park{ID: d.question, Reason: "barren"})
	if c := d.State.Counts(); c.Parked != 1 || c.Closed+c.Dropped != 0 {
		t.Errorf("%+v", c)
	}
	d.do(ledger.Model, &ledger.Close{ID: d.question, Claims: []string{a}})
	d.refused(state.CodeStanding, ledger.Engine, &ledger.Park{ID: d.question, Reason: "again"})
	// Its claims gone, the engine reopens it in the same group.
	d.do(ledger.Engine, &ledger.Retract{ID: a, Reason: "not found again"}, &ledger.Reopen{ID: d.question, Reason: "none of its claims stands"})
	if q := d.State.Questions[d.question]; q.Status != state.Open || q.Stale || len(q.Claims) > 0 {
		t.Errorf("%+v", q)
	}
}

// TestCheckNeedsAFreshBasis: neither renew nor a check ends staleness while a basis is
// not active or stale; a check of the basis first does.
func TestCheckNeedsAFreshBasis(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	b := d.derived(ledger.Model, "B.", a)
	c := d.derived(ledger.Model, "C.", b)
	d.do(ledger.Person, &ledger.Scope{ID: d.source, State: "aside"})
	d.right("person", c)
	d.standing(c, state.Stale)
	d.trust(c, state.Stated)
	d.do(ledger.Person, &ledger.Scope{ID: d.source, State: "back"})
	d.right("person", c)
	d.standing(c, state.Stale) // b is stale still
	d.right("person", a)
	d.right("person", b)
	d.right("person", c)
	d.standing(c, state.Active)
	d.trust(c, state.Checked)
}

// TestKeptByAnUndoStaysKept: a person undid what came after; then nobody else takes
// away what the person went back to.
func TestKeptByAnUndoStaysKept(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	first := &ledger.Answer{Question: d.question, Sentences: []ledger.Sentence{{Text: "One.", Claims: []string{a}}}}
	d.do(ledger.Model, first)
	made := d.State.Seq - 1
	d.do(ledger.Model, &ledger.Answer{Question: d.question, Sentences: []ledger.Sentence{{Text: "Two.", Claims: []string{a}}}})
	d.do(ledger.Person, &ledger.Undo{Line: d.State.Seq - 1})
	if w := d.State.Answers[ledger.AnswerID(*first)]; !w.Live() || !w.Person {
		t.Fatalf("%+v", w)
	}
	d.refused(state.CodeSticky, ledger.Engine, &ledger.Undo{Line: made})
	d.do(ledger.Person, &ledger.Undo{Line: made})
}
