package state

import (
	"fmt"

	"cairn/engine/ledger"
)

// Reissued is a line of another branch to be written here again, or the engine's
// question about what two persons decided differently.
type Reissued struct {
	Entry ledger.Entry // By and Who are the original's; Origin names it
	Op    ledger.Op
}

// joined are the ops that a join writes again; of the second kind only a person's.
var joined = map[string]bool{"source": true, "question": true, "claim": true, "quote": true, "close": true, "tried": true, "assume": true,
	"note": true, "read": true}
var joinedOfPersons = map[string]bool{"check": true, "retract": true, "supersede": true}

// Join says what a `join` of another branch writes here (DESIGN 3.2): of its lines,
// given in order, those that hold results and have an effect here, with their origin.
// there is the fold of that whole branch, of which lines are the part that this
// branch does not have. Equal ids fall together: what is here already is not written
// again, and a join goes on after the last line that an earlier one wrote, so one that
// was cut off can be repeated. A person beats a model; where
// a person here decided otherwise than a person there, nothing is changed and a
// question with both sides is asked. Neither state is changed.
func (s *State) Join(lines []*ledger.Line, there *State) []Reissued {
	j := joiner{here: s.Clone(), there: there, asked: map[string]bool{}}
	for i := len(lines) - 1; i >= 0; i-- {
		if l := lines[i]; !l.Withheld {
			if _, again := s.in.origins[*originOf(l)]; again {
				lines = lines[i+1:] // up to here an earlier join came
				break
			}
		}
	}
	for _, l := range lines {
		j.take(l)
	}
	return j.out
}

// originOf names the line that l is: itself, or the one that it is written after.
func originOf(l *ledger.Line) *ledger.Origin {
	if l.Origin != nil {
		return l.Origin
	}
	return &ledger.Origin{Chain: l.Chain(l.Prev).String(), Seq: l.Seq}
}

type joiner struct {
	here, there *State
	out         []Reissued
	asked       map[string]bool
}

func (j *joiner) take(l *ledger.Line) {
	if l.Withheld || l.Op == nil || j.there.in.lines[l.Seq-1].gone {
		return
	}
	name := l.Op.OpName()
	if !joined[name] && !(joinedOfPersons[name] && l.By == ledger.Person) || j.isGone(l.Op) {
		return
	}
	if l.By == ledger.Person {
		if both := j.otherwise(l.Op); both != "" {
			j.ask(both)
			return
		}
	}
	e := ledger.Entry{At: l.At, By: l.By, Who: l.Who, Origin: originOf(l), Reported: l.Reported || j.there.capped(l.Seq)}
	j.write(e, l.Op)
}

// write takes what has an effect here.
func (j *joiner) write(e ledger.Entry, op ledger.Op) {
	line, err := j.here.Begin().Add(e, op, true)
	if err != nil {
		return // it fills a line to the brim, and has no room for its origin
	}
	before := len(j.here.in.changes)
	if found := j.here.Apply(line); len(found) == 0 && len(j.here.in.changes) > before {
		j.out = append(j.out, Reissued{e, op})
	}
}

// isGone: what a model or the engine there took back or replaced is no result. What
// a person took back is: it must not come in again.
func (j *joiner) isGone(op ledger.Op) bool {
	id := ""
	switch o := op.(type) {
	case *ledger.Claim:
		id = ledger.ClaimID(*o)
	case *ledger.Assume:
		id = ledger.AssumeID(*o)
	case *ledger.Tried:
		id = ledger.TriedID(*o)
	case *ledger.Note:
		id = ledger.NoteID(*o)
	case *ledger.Quote:
		id = o.Claim
	case *ledger.Close:
		q := j.there.Questions[o.ID]
		return q == nil || q.Status != Closed
	default:
		return false
	}
	m := j.there.metaOfObject(id)
	return m == nil || !isLive(j.there.standing(id)) && !m.Person
}

// otherwise says how a person here decided otherwise than the person of this line,
// in the words of the question; "" when not.
func (j *joiner) otherwise(op ledger.Op) string {
	switch o := op.(type) {
	case *ledger.Retract:
		if m := j.here.metaOfObject(o.ID); m != nil && m.Person && isLive(j.here.standing(o.ID)) {
			return j.sides(o.ID, "kept it", "took it back")
		}
	case *ledger.Supersede:
		m := j.here.metaOfObject(o.ID)
		if m == nil || !m.Person {
			return ""
		}
		if c := j.here.Claims[o.ID]; c != nil && c.Into == o.Into {
			return ""
		}
		if isLive(j.here.standing(o.ID)) {
			return j.sides(o.ID, "kept it", "replaced it")
		}
		return j.sides(o.ID, "took it back or replaced it otherwise", "replaced it")
	case *ledger.Check:
		return j.otherVerdict(o)
	case *ledger.Close:
		q := j.here.Questions[o.ID]
		switch {
		case q == nil || !q.Person:
		case q.Status == Dropped:
			return fmt.Sprintf("Two people decided differently on the question “%s”: here it was dropped, there it was answered. Which holds?", q.Text)
		case q.Status == Closed && fmt.Sprint(q.Claims) != fmt.Sprint(SortedIDs(o.Claims)):
			return fmt.Sprintf("Two people answered the question “%s” with different claims. Which hold?", q.Text)
		}
	}
	return ""
}

func (j *joiner) otherVerdict(o *ledger.Check) string {
	c := j.here.Claims[o.ID]
	if c == nil {
		return ""
	}
	theirs := Verdict{Verdict: o.Verdict}
	if c.rejected() && theirs.Good() {
		return j.sides(o.ID, "took it back or replaced it", "found it right")
	}
	for i := len(c.Checks) - 1; i >= 0; i-- {
		switch mine := c.Checks[i]; {
		case mine.How != "person" || mine.Reported:
		case mine.Good() && theirs.Bad():
			return j.sides(o.ID, "found it right", "found it wrong")
		case mine.Bad() && theirs.Good():
			return j.sides(o.ID, "found it wrong", "found it right")
		default:
			return ""
		}
	}
	return ""
}

func (j *joiner) sides(id, here, there string) string {
	what, text := kindWords[ledger.IDKind(id)], ""
	switch {
	case j.here.Claims[id] != nil:
		text = j.here.Claims[id].Text
	case j.here.Assumptions[id] != nil:
		text = j.here.Assumptions[id].Text
	case j.here.Notes[id] != nil:
		text = j.here.Notes[id].Text
	case j.here.Tried[id] != nil:
		text = j.here.Tried[id].Approach
	}
	return fmt.Sprintf("Two people decided differently on the %s “%s”: one here %s, one there %s. Which holds?", what, shorten(text), here, there)
}

// shorten keeps a question that quotes a text within what a line takes.
func shorten(text string) string {
	const most = 1000
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

func (j *joiner) ask(text string) {
	if j.asked[text] {
		return
	}
	j.asked[text] = true
	j.write(ledger.Entry{By: ledger.Engine}, &ledger.Question{Text: text})
}
