package state_test

import (
	"fmt"
	"slices"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"
)

// desk is a small ledger with helpers that read well in tests.
type desk struct {
	*statetest.Ledger
	t        *testing.T
	source   string
	other    string
	question string
}

func newDesk(t *testing.T) *desk {
	d := &desk{Ledger: statetest.New(), t: t}
	q := &ledger.Question{Text: "Which data set is largest?"}
	d.do(ledger.Person, &ledger.Task{Goal: "Find out.", Nonce: statetest.Hex("n")[:32]}, q)
	for i := range 2 {
		d.do(ledger.Engine, &ledger.Source{Body: statetest.Hex("b", i), Bytes: 100, File: statetest.Hex("f", i), Name: fmt.Sprint(i), Sentences: 20, Table: statetest.Hex("t", i)})
	}
	d.question, d.source, d.other = ledger.QuestionID(*q), d.State.SourceIDs[0], d.State.SourceIDs[1]
	return d
}

// do writes one group that must have no finding.
func (d *desk) do(by ledger.By, ops ...ledger.Op) {
	d.t.Helper()
	seen := len(d.Findings)
	if err := d.Write(by, ops...); err != nil {
		d.t.Fatal(err)
	}
	if len(d.Findings) > seen {
		d.t.Fatalf("%s by %s: %+v", ops[0].OpName(), by, d.Findings[seen:])
	}
}

// refused writes one op that must have a finding with that code and no effect.
func (d *desk) refused(code string, by ledger.By, op ledger.Op) {
	d.t.Helper()
	before, seen := d.State.HashWhole(), len(d.Findings)
	if err := d.Write(by, op); err != nil {
		d.t.Fatal(err)
	}
	if len(d.Findings) != seen+1 || d.Findings[seen].Code != code {
		d.t.Fatalf("%s by %s: findings %+v, want %s", op.OpName(), by, d.Findings[seen:], code)
	}
	if d.Findings[seen].Seq != d.State.Seq-1 || d.Findings[seen].Message == "" {
		d.t.Errorf("the finding names line %d: %q", d.Findings[seen].Seq, d.Findings[seen].Message)
	}
	if d.State.HashWhole() != before {
		d.t.Errorf("a refused %s changed the state", op.OpName())
	}
}

func (d *desk) quoted(text string, from int64) *ledger.Claim {
	return &ledger.Claim{Basis: []string{ledger.Ref(d.source, from, from)}, Question: d.question, Text: text,
		Quotes: []ledger.Slice{{From: from, Source: d.source, Text: "Words.", To: from}}}
}

func (d *desk) claim(by ledger.By, c *ledger.Claim) string {
	d.t.Helper()
	d.do(by, c)
	return ledger.ClaimID(*c)
}

func (d *desk) derived(by ledger.By, text string, basis ...string) string {
	d.t.Helper()
	return d.claim(by, &ledger.Claim{Basis: ledger.SortBasis(basis), Question: d.question, Text: text})
}

func (d *desk) right(how, id string) {
	d.t.Helper()
	by := ledger.Engine
	if how == "person" {
		by = ledger.Person
	}
	d.do(by, &ledger.Check{How: how, ID: id, Verdict: "right"})
}

func (d *desk) trust(id string, want state.Trust) {
	d.t.Helper()
	if got := d.State.Claims[id].Trust; got != want {
		d.t.Errorf("claim %q: trust %d, want %d", d.State.Claims[id].Text, got, want)
	}
}

func (d *desk) standing(id string, want state.Standing) {
	d.t.Helper()
	if got := d.State.Claims[id].Standing; got != want {
		d.t.Errorf("claim %q: %s, want %s", d.State.Claims[id].Text, got, want)
	}
}

func TestTrustLadder(t *testing.T) {
	d := newDesk(t)
	stated := d.claim(ledger.Model, &ledger.Claim{Question: d.question, Text: "I think so."})
	d.trust(stated, state.Stated)
	d.right("model", stated)
	d.trust(stated, state.Stated) // agreed needs evidence
	a, b := d.claim(ledger.Model, d.quoted("A.", 1)), d.claim(ledger.Model, d.quoted("B.", 2))
	d.trust(a, state.Backed)
	c := d.derived(ledger.Model, "A and B.", a, b)
	d.trust(c, state.Backed)
	d.right("model", a)
	d.trust(a, state.Agreed)
	d.trust(c, state.Backed)
	d.right("person", c)
	d.trust(c, state.Backed) // never above the weakest basis
	d.right("person", a)
	d.trust(c, state.Backed)
	d.right("person", b)
	d.trust(c, state.Checked)
	d.do(ledger.Person, &ledger.Check{How: "person", ID: b, Verdict: "wrong"})
	d.trust(b, state.Backed)
	d.trust(c, state.Backed)
	d.standing(b, state.Contested)
	d.right("person", b)
	d.standing(b, state.Active)
	d.trust(c, state.Checked)
	d.do(ledger.Person, &ledger.Retract{ID: a, Reason: "no"})
	d.trust(c, state.Stated) // while an element of the basis does not stand
	d.standing(c, state.Stale)

	assumed := &ledger.Assume{Text: "Suppose so."}
	d.do(ledger.Model, assumed)
	e := d.derived(ledger.Model, "Then.", ledger.AssumeID(*assumed), b)
	d.trust(e, state.Stated)
	d.right("person", ledger.AssumeID(*assumed))
	d.trust(e, state.Backed)
	d.right("calculation", stated)
	d.trust(stated, state.Agreed) // a calculation backs it, and the model agreed
}

func TestStaleness(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	b := d.derived(ledger.Model, "B.", a)
	c := d.derived(ledger.Model, "C.", b)
	free := d.claim(ledger.Model, d.quoted("Free.", 2))
	answer := &ledger.Answer{Question: d.question, Sentences: []ledger.Sentence{{Text: "So.", Claims: []string{c}}}}
	report := &ledger.Report{Answers: []string{ledger.AnswerID(*answer)}}
	d.do(ledger.Model, answer)
	d.do(ledger.Engine, report)
	d.do(ledger.Model, &ledger.Close{ID: d.question, Claims: []string{c}})

	d.do(ledger.Model, &ledger.Quote{Claim: a, From: 3, Source: d.source, Stance: "context", Text: "More.", To: 3},
		&ledger.Note{On: a, Text: "Look."})
	d.standing(b, state.Active)
	d.do(ledger.Engine, &ledger.Retract{ID: a, Reason: "not found again"})
	d.standing(b, state.Stale)
	d.standing(c, state.Stale)
	d.standing(free, state.Active)
	q := d.State.Questions[d.question]
	if !q.Stale || !d.State.Answers[ledger.AnswerID(*answer)].IsStale || !d.State.CurrentReport().IsStale {
		t.Error("close, answer or report are not stale")
	}
	d.refused(state.CodeStanding, ledger.Engine, &ledger.Renew{ID: b}) // its basis is gone
	d.do(ledger.Engine, &ledger.Renew{ID: a})
	d.standing(b, state.Stale)
	d.refused(state.CodeStanding, ledger.Engine, &ledger.Renew{ID: c})
	d.do(ledger.Engine, &ledger.Renew{ID: b})
	d.right("model", c) // a check made later ends it too
	d.standing(c, state.Active)
	d.do(ledger.Engine, &ledger.Renew{ID: d.question})
	d.do(ledger.Model, answer)
	d.do(ledger.Engine, report)
	if d.State.Questions[d.question].Stale || d.State.Answers[ledger.AnswerID(*answer)].IsStale || d.State.CurrentReport().IsStale {
		t.Error("close, answer or report are still stale")
	}

	d.do(ledger.Person, &ledger.Scope{ID: d.source, State: "aside", Reason: "old"})
	for _, id := range []string{a, b, c, free} {
		d.standing(id, state.Stale)
		d.trust(id, state.Stated)
	}
	d.do(ledger.Person, &ledger.Scope{ID: d.source, State: "back"})
	d.standing(a, state.Stale)
	d.trust(a, state.Backed)
	d.do(ledger.Engine, &ledger.Renew{ID: a})
	d.standing(a, state.Active)
	d.do(ledger.Person, &ledger.Amend{Field: "goal", Text: "Another goal."})
	d.standing(a, state.Active)
	if !d.State.CurrentReport().IsStale {
		t.Error("another goal leaves the report current")
	}
	d.do(ledger.Person, &ledger.Erase{Blobs: []string{statetest.Hex("b", 0)}, Reason: "private"})
	d.standing(a, state.Stale)
}

func TestChangedFileIsNotStale(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	d.do(ledger.Engine, &ledger.Missing{ID: d.source, Reason: "changed"},
		&ledger.Source{Body: statetest.Hex("new"), Bytes: 3, File: statetest.Hex("newer"), Name: "0", Sentences: 2, Table: statetest.Hex("t"), Parent: d.source})
	d.standing(a, state.Active)
	d.trust(a, state.Backed)
	if src := d.State.Sources[d.source]; src.Newer == "" || src.Missing != "changed" || src.Readable() {
		t.Errorf("%+v", src)
	}
	d.do(ledger.Engine, &ledger.Source{Body: statetest.Hex("b", 0), Bytes: 100, File: statetest.Hex("f", 0), Name: "moved", Sentences: 20, Table: statetest.Hex("t", 0)})
	if src := d.State.Sources[d.source]; src.Missing != "" {
		t.Errorf("the same text does not lift missing: %+v", src)
	}
	d.refused(state.CodeObject, ledger.Engine, &ledger.Source{Body: statetest.Hex("b", 0), Bytes: 100, File: statetest.Hex("f", 0), Name: "0", Sentences: 21, Table: statetest.Hex("t", 9)})
}

func TestSticky(t *testing.T) {
	d := newDesk(t)
	for i, c := range []struct {
		what string
		hold func(id string)
	}{
		{"checked", func(id string) { d.right("person", id) }},
		{"accepted", func(id string) { d.do(ledger.Person, &ledger.Accept{ID: id}) }},
		{"retracted", func(id string) { d.do(ledger.Person, &ledger.Retract{ID: id, Reason: "no"}) }},
		{"edited", func(id string) {
			edited := d.quoted("Edited "+id, 20)
			d.do(ledger.Person, edited, &ledger.Supersede{ID: id, Into: ledger.ClaimID(*edited)})
		}},
	} {
		at := int64(1 + 3*i)
		id, mine := d.claim(ledger.Model, d.quoted(c.what, at)), d.claim(ledger.Model, d.quoted("Other "+c.what, at+1))
		c.hold(id)
		live := d.State.Claims[id].Live()
		for _, by := range []ledger.By{ledger.Model, ledger.Program, ledger.Engine} {
			for _, op := range []ledger.Op{&ledger.Retract{ID: id, Reason: "x"}, &ledger.Supersede{ID: id, Into: mine}, &ledger.Merge{ID: id, Into: mine}, &ledger.Renew{ID: id}} {
				if f := d.State.Try(ledger.Entry{By: by}, op); f == nil {
					t.Errorf("%s by a person, and %s may %s it", c.what, by, op.OpName())
				}
			}
		}
		if live {
			d.refused(state.CodeSticky, ledger.Model, &ledger.Retract{ID: id, Reason: "x"})
		} else {
			again := *d.quoted(c.what+", reworded", at)
			d.refused(state.CodeSticky, ledger.Model, &again)
			wider := again
			wider.Basis = ledger.SortBasis([]string{ledger.Ref(d.source, at, at), ledger.Ref(d.source, at+2, at+2)})
			wider.Quotes = nil
			for _, b := range wider.Basis {
				p, _ := ledger.ParseRef(b)
				wider.Quotes = append(wider.Quotes, ledger.Slice{From: p.From, Source: p.Source, Text: "Words.", To: p.To})
			}
			d.standing(d.claim(ledger.Model, &wider), state.Contested)
			d.standing(d.claim(ledger.Person, &again), state.Active)
		}
		d.do(ledger.Model, &ledger.Quote{Claim: id, From: 7, Source: d.source, Stance: "context", Text: "More.", To: 7}, &ledger.Note{On: id, Text: c.what})
	}

	item := ledger.Item{Kind: "read", Args: []string{"x"}}
	d.do(ledger.Person, &ledger.Plan{Add: []ledger.Item{item}})
	d.do(ledger.Model, &ledger.Plan{Add: []ledger.Item{{Kind: "read", Args: []string{"y"}}, {Kind: "read", Args: []string{"z"}}}})
	x, y, z := d.State.PlanIDs[0], d.State.PlanIDs[1], d.State.PlanIDs[2]
	d.refused(state.CodeSticky, ledger.Model, &ledger.Plan{Remove: []string{x}})
	d.refused(state.CodeSticky, ledger.Model, &ledger.Plan{Order: []string{y, x}})
	d.do(ledger.Model, &ledger.Plan{Order: []string{z, y}})
	if !slices.Equal(d.State.PlanIDs, []string{x, z, y}) {
		t.Errorf("plan %v", d.State.PlanIDs)
	}
	d.do(ledger.Person, &ledger.Plan{Remove: []string{z}})
	d.refused(state.CodeSticky, ledger.Model, &ledger.Plan{Add: []ledger.Item{{Kind: "read", Args: []string{"z"}}}})
}

func TestQuestionsThatAPersonDecided(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	d.do(ledger.Model, &ledger.Close{ID: d.question, Claims: []string{a}})
	d.do(ledger.Engine, &ledger.Reopen{ID: d.question}) // a model closed it
	d.do(ledger.Person, &ledger.Close{ID: d.question, Claims: []string{a}})
	d.refused(state.CodeSticky, ledger.Engine, &ledger.Reopen{ID: d.question})
	d.refused(state.CodeSticky, ledger.Model, &ledger.Close{ID: d.question, Claims: []string{a}})
	d.do(ledger.Person, &ledger.Retract{ID: a, Reason: "no"})
	d.do(ledger.Engine, &ledger.Reopen{ID: d.question}) // nothing that closed it stands
	d.do(ledger.Person, &ledger.Drop{ID: d.question, Reason: "not needed"})
	d.refused(state.CodeSticky, ledger.Engine, &ledger.Reopen{ID: d.question})
	d.refused(state.CodeSticky, ledger.Model, d.quoted("B.", 2))
	d.refused(state.CodeSticky, ledger.Model, &ledger.Answer{Question: d.question, Sentences: []ledger.Sentence{{Text: "So."}}})
	d.do(ledger.Model, &ledger.Question{Text: "Which data set is largest?"}) // on an existing id: no effect
	if q := d.State.Questions[d.question]; q.Status != state.Dropped {
		t.Errorf("a model's question brought a dropped one back: %+v", q)
	}
	d.do(ledger.Person, &ledger.Reopen{ID: d.question})
	d.do(ledger.Engine, &ledger.Park{ID: d.question, Reason: "nothing found"})
	d.do(ledger.Engine, &ledger.Reopen{ID: d.question})
	d.claim(ledger.Model, d.quoted("B.", 2))
}

func TestSupersedeAndMerge(t *testing.T) {
	d := newDesk(t)
	a, b := d.claim(ledger.Model, d.quoted("A.", 1)), d.claim(ledger.Model, d.quoted("B.", 2))
	d.do(ledger.Person, &ledger.Supersede{ID: a, Into: b})
	d.standing(a, state.Superseded)
	d.do(ledger.Person, &ledger.Supersede{ID: b, Into: a}) // editing back
	d.standing(a, state.Active)
	d.standing(b, state.Superseded)
	if d.State.Claims[a].Into != "" || d.State.Claims[b].Into != a {
		t.Error("into")
	}
	c := d.derived(ledger.Model, "C.", a)
	d.refused(state.CodeCycle, ledger.Person, &ledger.Supersede{ID: a, Into: c})
	d.refused(state.CodeCycle, ledger.Person, &ledger.Merge{ID: a, Into: c})

	e := newDesk(t)
	one, two := e.claim(ledger.Model, e.quoted("One.", 1)), e.claim(ledger.Model, e.quoted("Two.", 2))
	on := e.derived(ledger.Model, "On one.", one)
	e.do(ledger.Model, &ledger.Merge{ID: one, Into: two})
	e.standing(on, state.Active)
	if n := len(e.State.Claims[two].Evidence); n != 2 {
		t.Errorf("%d pieces of evidence after the merge", n)
	}
	if got := e.State.RestingOn(two); !slices.Equal(got, []string{on}) {
		t.Errorf("resting on two: %v", got)
	}
	e.refused(state.CodeCycle, ledger.Model, &ledger.Merge{ID: two, Into: on})
	e.do(ledger.Engine, &ledger.Retract{ID: two, Reason: "no"})
	e.standing(on, state.Stale)
	k := e.State.Claims[two].Evidence[1].ID
	if c := e.State.ClaimOfQuote(k); c == nil || c.ID != two {
		t.Error("the quote did not go along")
	}
}

func TestUndo(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	made := d.State.Seq - 1
	b := d.derived(ledger.Model, "B.", a)
	fresh := d.State.Hash()
	d.do(ledger.Person, &ledger.Retract{ID: a, Reason: "no"})
	retracted := d.State.Seq - 1
	d.refused(state.CodeSticky, ledger.Engine, &ledger.Undo{Line: retracted})
	d.do(ledger.Person, &ledger.Undo{Line: retracted})
	if d.State.Hash() != fresh {
		t.Error("the undo of a retraction is another state")
	}
	d.refused(state.CodeStanding, ledger.Person, &ledger.Undo{Line: retracted})
	d.do(ledger.Person, &ledger.Retract{ID: a, Reason: "no"})
	second := d.State.Seq - 1
	d.right("model", b)
	d.refused(state.CodeUndo, ledger.Person, &ledger.Undo{Line: second}) // b was made stale by it and checked since
	last := d.Findings[len(d.Findings)-1]
	if want := fmt.Sprintf("undo first: line %d", d.State.Seq-3); last.Message != want {
		t.Errorf("%q, want %q", last.Message, want)
	}
	d.refused(state.CodeForm, ledger.Person, &ledger.Undo{Line: 1})                   // the task
	d.refused(state.CodeForm, ledger.Person, &ledger.Undo{Line: made + 1})            // a checkpoint
	d.refused(state.CodeUnknown, ledger.Person, &ledger.Undo{Line: d.State.Seq + 50}) // to come

	c := d.claim(ledger.Model, d.quoted("C.", 3))
	d.do(ledger.Person, &ledger.Undo{Line: d.State.Seq - 1})
	d.standing(c, state.Retracted)
	if !d.State.Claims[c].Person {
		t.Error("a person's undo does not stick")
	}
	q := &ledger.Question{Text: "More?"}
	d.do(ledger.Person, q)
	d.do(ledger.Person, &ledger.Undo{Line: d.State.Seq - 1})
	if d.State.Questions[ledger.QuestionID(*q)].Status != state.Dropped {
		t.Error("the undo of a question leaves it open")
	}
	// A group is undone in reverse.
	edited := d.quoted("C, edited.", 3)
	x := d.claim(ledger.Model, d.quoted("X.", 8))
	d.do(ledger.Person, edited, &ledger.Supersede{ID: x, Into: ledger.ClaimID(*edited)})
	seq := d.State.Seq
	d.do(ledger.Person, &ledger.Undo{Line: seq - 1}, &ledger.Undo{Line: seq - 2})
	d.standing(x, state.Active)
	d.standing(ledger.ClaimID(*edited), state.Retracted)
}

func TestImportCapsWhatTheSenderSaid(t *testing.T) {
	d := newDesk(t)
	a := d.claim(ledger.Model, d.quoted("A.", 1))
	known := d.State.Seq
	b := d.claim(ledger.Model, d.quoted("B.", 2))
	d.right("person", a)
	d.right("person", b)
	d.trust(b, state.Checked)
	d.do(ledger.Engine, &ledger.Import{File: statetest.Hex("file"), Known: known})
	d.trust(a, state.Backed) // its quote was known here, its check was not
	d.trust(b, state.Stated)
	if !d.State.Claims[b].Reported || !d.State.Claims[b].Evidence[0].Reported || !d.State.Claims[b].Checks[0].Reported {
		t.Errorf("%+v", d.State.Claims[b])
	}
	d.do(ledger.Engine, &ledger.Check{How: "calculation", ID: d.State.Claims[b].Evidence[0].ID, Verdict: "passed"})
	d.trust(b, state.Backed)
	d.right("person", b)
	d.trust(b, state.Checked)
	d.do(ledger.Engine, &ledger.Import{File: statetest.Hex("back"), Known: d.State.Seq}) // the last import decides
	d.trust(a, state.Checked)
	if d.State.Hash() != d.State.HashWhole() {
		t.Error("hash")
	}
}

func TestReissuedLinesKeepTheirCap(t *testing.T) {
	d := newDesk(t)
	origin := &ledger.Origin{Chain: statetest.Hex("c"), Seq: 4}
	c := d.quoted("A.", 1)
	b := d.State.Begin()
	line, err := b.Add(ledger.Entry{By: ledger.Person, Origin: origin, Reported: true}, c, true)
	if err != nil {
		t.Fatal(err)
	}
	if f := d.State.Apply(line); f != nil {
		t.Fatal(f)
	}
	d.trust(ledger.ClaimID(*c), state.Stated)
}

func TestRootBeginsAgain(t *testing.T) {
	l := statetest.New()
	if err := l.Write(ledger.Engine, &ledger.Root{Nonce: statetest.Hex("r")[:32], Parent: statetest.Hex("p")}); err != nil {
		t.Fatal(err)
	}
	task := &ledger.Task{Goal: "Find out.", Nonce: statetest.Hex("n")[:32]}
	if err := l.Group(statetest.Act{By: ledger.Person, Op: task, Origin: &ledger.Origin{Chain: statetest.Hex("c"), Seq: 1}}); err != nil {
		t.Fatal(err)
	}
	if len(l.Findings) > 0 || l.State.Task.ID != ledger.TaskID(*task) || l.State.Root == nil {
		t.Errorf("%+v, %+v", l.Findings, l.State.Task)
	}
	if err := l.Write(ledger.Person, task); err != nil || len(l.Findings) != 1 {
		t.Errorf("a second task: %v, %+v", err, l.Findings)
	}
}
