package state

import (
	"fmt"

	"cairn/engine/ledger"
)

// Codes of findings, beside the D-numbers of the audit.
const (
	CodeChain    = "D21"      // the line does not continue the ledger
	CodeState    = "state"    // a checkpoint's state hash is not the fold's
	CodeObject   = "D9"       // the same id with different content
	CodeUnknown  = "unknown"  // an object that is not there
	CodeStanding = "standing" // not possible in the object's present standing
	CodeSticky   = "sticky"   // a person's correction outlives the model
	CodeCycle    = "D13"      // something would rest on itself
	CodePlace    = "place"    // sentences that the source does not have
	CodeUndo     = "undo"     // other lines have to be undone first
	CodeForm     = "form"     // makes no sense here
)

// Fold folds lines from the beginning of a ledger. It never fails: an op that
// can't be applied has no effect and gives a finding with its seq.
func Fold(lines []*ledger.Line) (*State, []Finding) {
	s := New()
	var findings []Finding
	for _, l := range lines {
		findings = append(findings, s.Apply(l)...)
	}
	return s, findings
}

// Apply takes the next line. A line that does not continue the chain, and an op
// that can't be applied, has no effect on work and gives a finding; an op of the
// second kind still counts as a line. A checkpoint whose state hash differs from
// the fold's (under the same fold version) gives CodeState.
func (s *State) Apply(l *ledger.Line) []Finding {
	if l.Withheld {
		s.Seq++
		s.Chain = s.Chain.Extend(l.Hash)
		s.in.lines = append(s.in.lines, lineInfo{start: len(s.in.changes)})
		return nil
	}
	if l.Op == nil || l.Seq != s.Seq+1 || l.Prev != s.Chain {
		return []Finding{{Seq: l.Seq, Code: CodeChain, Message: fmt.Sprintf("line %d does not continue line %d", l.Seq, s.Seq)}}
	}
	s.Seq, s.Group, s.At = l.Seq, l.Group, l.At
	s.Chain = s.Chain.Extend(l.Hash)
	op := l.Op.OpName()
	s.in.lines = append(s.in.lines, lineInfo{op: op, by: l.By, start: len(s.in.changes)})
	if !ledger.IsWork(op) {
		return s.applyOther(l)
	}
	if f := s.applyWork(l); f != nil {
		return []Finding{*f}
	}
	s.Ended = nil
	if l.Origin != nil {
		s.in.origins[*l.Origin] = struct{}{}
	}
	if finish, ok := l.Op.(*ledger.Finish); ok {
		s.logFinish(finish)
	}
	return nil
}

// Try says what Apply would find if a line with this op came next, and changes
// nothing. nil means that the op can be written.
func (s *State) Try(e ledger.Entry, op ledger.Op) *Finding {
	name := op.OpName()
	if !ledger.MayWrite(name, e.By) {
		return &Finding{Seq: s.Seq + 1, Code: CodeForm, Message: fmt.Sprintf("%s may not be written by %q", name, e.By)}
	}
	if !ledger.IsWork(name) {
		return nil
	}
	l := &ledger.Line{Op: op, Head: ledger.Head{Seq: s.Seq + 1, Group: s.Group, At: e.At, By: e.By, Who: e.Who,
		Origin: e.Origin, Reported: e.Reported}}
	mark := len(s.in.changes)
	s.in.lines = append(s.in.lines, lineInfo{op: name, by: e.By, start: mark})
	f := s.applyWork(l)
	s.rollback(mark)
	if undo, ok := op.(*ledger.Undo); ok && f == nil {
		s.unmarkUndo(undo.Line)
	}
	s.in.lines = s.in.lines[:len(s.in.lines)-1]
	return f
}

// applyWork carries out one op of work, or leaves everything as it was.
func (s *State) applyWork(l *ledger.Line) *Finding {
	mark := len(s.in.changes)
	f := s.dispatch(l)
	if f != nil {
		f.Seq = l.Seq
		s.rollback(mark)
	}
	return f
}

func (s *State) dispatch(l *ledger.Line) *Finding {
	first := s.Task.ID == "" && l.Op.OpName() != "task"
	if first {
		return refuse(CodeForm, "a ledger begins with its task")
	}
	switch op := l.Op.(type) {
	case *ledger.Task:
		return s.task(l, op)
	case *ledger.Amend:
		return s.amend(l, op)
	case *ledger.Set:
		return s.set(op)
	case *ledger.Source:
		return s.source(l, op)
	case *ledger.Missing:
		return s.missing(l, op)
	case *ledger.Scope:
		return s.scope(l, op)
	case *ledger.Question:
		return s.question(l, op)
	case *ledger.Close:
		return s.close(l, op)
	case *ledger.Drop:
		return s.drop(l, op)
	case *ledger.Park:
		return s.park(l, op)
	case *ledger.Reopen:
		return s.reopen(l, op)
	case *ledger.Claim:
		return s.claim(l, op)
	case *ledger.Quote:
		return s.quote(l, op)
	case *ledger.Retract:
		return s.retract(l, op)
	case *ledger.Supersede:
		return s.supersede(l, op)
	case *ledger.Merge:
		return s.merge(l, op)
	case *ledger.Renew:
		return s.renew(l, op)
	case *ledger.Assume:
		return s.assume(l, op)
	case *ledger.Tried:
		return s.tried(l, op)
	case *ledger.Answer:
		return s.answer(l, op)
	case *ledger.Report:
		return s.report(l, op)
	case *ledger.Plan:
		return s.plan(l, op)
	case *ledger.Finish:
		return s.finish(l, op)
	case *ledger.Found:
		return s.found(op)
	case *ledger.Read:
		return s.read(op)
	case *ledger.Check:
		return s.check(l, op)
	case *ledger.Override:
		putWord(s, kOverride, s.Overrides, op.ID, op.Why)
		return nil
	case *ledger.Note:
		return s.note(l, op)
	case *ledger.Undo:
		return s.undo(l, op)
	case *ledger.Erase:
		return s.erase(l, op)
	case *ledger.Accept:
		return s.accept(l, op)
	}
	return refuse(CodeForm, "unknown op %q", l.Op.OpName())
}

func refuse(code, format string, args ...any) *Finding {
	return &Finding{Code: code, Message: fmt.Sprintf(format, args...)}
}

// metaOf begins the meta of what a line makes.
func metaOf(l *ledger.Line) Meta {
	return Meta{By: l.By, Who: l.Who, Seq: l.Seq, LastBy: l.By, LastSeq: l.Seq, Person: l.By == ledger.Person}
}

// touch notes who changed a record last; a person's touch sticks.
func (m *Meta) touch(l *ledger.Line) {
	m.LastBy, m.LastSeq = l.By, l.Seq
	if l.By == ledger.Person {
		m.Person = true
	}
}

// sticky refuses what anybody but a person does to what a person holds.
func (m *Meta) sticky(l *ledger.Line, what string) *Finding {
	if m.Person && l.By != ledger.Person {
		return refuse(CodeSticky, "a person wrote, edited, checked or retracted this %s; only a person changes that", what)
	}
	return nil
}
