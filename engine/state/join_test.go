package state_test

import (
	"strings"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"

	"pgregory.net/rapid"
)

// fork gives two desks that go on from the same lines.
func fork(t *testing.T, common func(d *desk)) (here, there *desk, from int64) {
	t.Helper()
	here, there = newDesk(t), newDesk(t)
	common(here)
	common(there)
	if here.State.Chain != there.State.Chain {
		t.Fatal("the same calls gave other lines")
	}
	return here, there, here.State.Seq
}

// join writes what Join says, and gives the ops.
func (d *desk) join(there *desk, from int64) []state.Reissued {
	d.t.Helper()
	out := d.State.Join(decodeAll(d.t, there.Lines)[from:], there.State)
	for _, r := range out {
		seen := len(d.Findings)
		if err := d.Group(statetest.Act{By: r.Entry.By, Op: r.Op, Origin: r.Entry.Origin, Reported: r.Entry.Reported}); err != nil {
			d.t.Fatal(err)
		}
		if len(d.Findings) > seen {
			d.t.Fatalf("%s: %+v", r.Op.OpName(), d.Findings[seen:])
		}
	}
	if again := d.State.Join(decodeAll(d.t, there.Lines)[from:], there.State); len(again) > 0 {
		d.t.Errorf("a second join writes %d lines: %+v", len(again), again[0].Op)
	}
	return out
}

func TestJoin(t *testing.T) {
	var a, b string
	here, there, from := fork(t, func(d *desk) {
		a, b = d.claim(ledger.Model, d.quoted("A.", 1)), d.claim(ledger.Model, d.quoted("B.", 2))
	})
	mine := here.claim(ledger.Model, here.quoted("Same.", 3))
	c := there.claim(ledger.Model, there.quoted("C.", 4))
	there.claim(ledger.Model, there.quoted("Same.", 3))
	gone := there.claim(ledger.Model, there.quoted("Gone.", 5))
	undone := there.claim(ledger.Model, there.quoted("Undone.", 6))
	there.do(ledger.Person, &ledger.Undo{Line: there.State.Seq - 1})
	there.do(ledger.Engine, &ledger.Retract{ID: gone, Reason: "not found again"})
	there.do(ledger.Engine, &ledger.Retract{ID: b, Reason: "not found again"}) // not a person's: stays here
	there.do(ledger.Person, &ledger.Retract{ID: a, Reason: "no"})
	there.right("person", c)
	there.right("model", c) // a model looks again here
	there.do(ledger.Model, &ledger.Close{ID: there.question, Claims: []string{c}})
	there.do(ledger.Model, &ledger.Plan{Add: []ledger.Item{{Kind: "read"}}})
	there.do(ledger.Engine, &ledger.Finish{Kind: "read", Inputs: statetest.Hex("i"), Outcome: "done"})
	there.do(ledger.Engine, &ledger.Found{Question: there.question, Ranges: []string{ledger.Ref(there.source, 1, 2)}})
	there.do(ledger.Engine, &ledger.Read{Questions: []string{there.question}, Ranges: []string{"1-9"}, Source: there.source})
	out := here.join(there, from)
	for _, r := range out {
		switch r.Op.OpName() {
		case "plan", "finish", "found", "undo":
			t.Errorf("%s was written again", r.Op.OpName())
		}
		if r.Entry.Origin == nil || r.Entry.Origin.Seq <= from {
			t.Errorf("%s has no origin, or another line's: %+v", r.Op.OpName(), r.Entry)
		}
	}
	here.standing(a, state.Retracted) // a person beats a model
	here.standing(b, state.Active)
	here.standing(c, state.Active)
	here.trust(c, state.Checked)
	here.standing(mine, state.Active)
	if here.State.Claims[gone] != nil || here.State.Claims[undone] != nil {
		t.Error("what was taken back there came in")
	}
	if q := here.State.Questions[here.question]; q.Status != state.Closed || here.State.Shown(here.source, here.question) != 9 {
		t.Errorf("%+v, %d shown", q, here.State.Shown(here.source, here.question))
	}
	if by := here.State.Claims[c].By; by != ledger.Model {
		t.Errorf("by is %s", by)
	}
}

func TestJoinOfTwoPersons(t *testing.T) {
	var a, b, c, d1 string
	here, there, from := fork(t, func(d *desk) {
		a, b = d.claim(ledger.Model, d.quoted("A.", 1)), d.claim(ledger.Model, d.quoted("B.", 2))
		c, d1 = d.claim(ledger.Model, d.quoted("C.", 3)), d.claim(ledger.Model, d.quoted("D.", 4))
	})
	here.right("person", a)
	there.do(ledger.Person, &ledger.Retract{ID: a, Reason: "no"})
	here.do(ledger.Person, &ledger.Check{How: "person", ID: b, Verdict: "wrong"})
	there.right("person", b)
	here.do(ledger.Person, &ledger.Retract{ID: c, Reason: "no"})
	edited := there.quoted("C, edited.", 3)
	there.do(ledger.Person, edited, &ledger.Supersede{ID: c, Into: ledger.ClaimID(*edited)})
	here.do(ledger.Person, &ledger.Drop{ID: here.question})
	there.do(ledger.Person, &ledger.Close{ID: there.question, Claims: []string{d1}})
	before := len(here.State.QuestionIDs)
	out := here.join(there, from)
	asked := 0
	for _, r := range out {
		if q, ok := r.Op.(*ledger.Question); ok {
			asked++
			if r.Entry.By != ledger.Engine || !strings.HasPrefix(q.Text, "Two people ") {
				t.Errorf("%+v", r)
			}
		}
	}
	if asked != 4 || len(here.State.QuestionIDs) != before+4 {
		t.Errorf("%d questions were asked: %+v", asked, out)
	}
	here.standing(a, state.Active)
	here.standing(b, state.Contested)
	here.standing(c, state.Retracted)
	if here.State.Questions[here.question].Status != state.Dropped {
		t.Error("a person's drop was undone by a join")
	}
}

func TestJoinCarriesTheCap(t *testing.T) {
	here, there, from := fork(t, func(d *desk) {})
	c := there.claim(ledger.Model, there.quoted("C.", 4))
	there.right("person", c)
	there.do(ledger.Engine, &ledger.Import{File: statetest.Hex("f"), Known: from})
	for _, r := range here.join(there, from) {
		if !r.Entry.Reported {
			t.Errorf("%s is not reported", r.Op.OpName())
		}
	}
	here.trust(c, state.Stated)
}

// TestJoinHolds: whatever two branches hold, a join takes nothing from a person
// here, has no finding, and a second join adds nothing.
func TestJoinHolds(t *testing.T) {
	written, ledgers := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		ledgers++
		w := newWorld(t, "", true)
		w.grow(rapid.IntRange(0, 10).Draw(t, "common"))
		common := len(w.Lines)
		there := &world{Ledger: w.Ledger.Copy(), t: t, whole: true, drawn: 1 << 32}
		w.grow(rapid.IntRange(0, 20).Draw(t, "here"))
		there.grow(rapid.IntRange(0, 20).Draw(t, "there"))
		lines := there.lines()[common:]
		before, hash := w.State.Clone(), w.State.Hash()
		out := w.State.Join(lines, there.State)
		if w.State.Hash() != hash {
			t.Fatal("asking changed the state")
		}
		for _, r := range out {
			seen := len(w.Findings)
			w.must(statetest.Act{By: r.Entry.By, Op: r.Op, Origin: r.Entry.Origin, Reported: r.Entry.Reported})
			if len(w.Findings) > seen {
				t.Fatalf("%s: %+v", r.Op.OpName(), w.Findings[seen:])
			}
			written++
		}
		if err := allThere(before, w.State, false); err != nil {
			t.Fatal(err)
		}
		if err := wellFounded(w.State); err != nil {
			t.Fatal(err)
		}
		if again := w.State.Join(lines, there.State); len(again) > 0 {
			t.Fatalf("a second join writes %s %+v", again[0].Op.OpName(), again[0].Op)
		}
	})
	if written < ledgers/2 {
		t.Errorf("only %d lines were written again in %d joins", written, ledgers)
	}
}
