package state

import (
	"slices"
	"strconv"
	"strings"

	"cairn/engine/ledger"
)

// ReasonUndone is the reason of what an undo took back because its line made it.
const ReasonUndone = "undone"

// notUndone are the work ops that stay: what they did can't be taken back.
var notUndone = map[string]bool{"task": true, "source": true, "erase": true, "missing": true}

// undo puts back what a line changed, where no later line touched the same
// records; what the line made becomes retracted. A line and the line that undid
// it cancel out, so a group is undone in reverse, and an undo can be undone.
func (s *State) undo(l *ledger.Line, op *ledger.Undo) *Finding {
	if op.Line >= l.Seq || op.Line < 1 {
		return refuse(CodeUnknown, "line %d is not before this one", op.Line)
	}
	target := &s.in.lines[op.Line-1]
	switch {
	case !ledger.IsWork(target.op) || notUndone[target.op]:
		return refuse(CodeForm, "line %d (%s) can't be undone", op.Line, target.op)
	case target.gone:
		return refuse(CodeStanding, "line %d is undone already", op.Line)
	case target.by == ledger.Person && l.By != ledger.Person:
		return refuse(CodeSticky, "only a person undoes what a person did")
	}
	records := s.madeBy(op.Line)
	if len(records) == 0 {
		return refuse(CodeStanding, "line %d changed nothing", op.Line)
	}
	if later := s.laterThan(op.Line, records); len(later) > 0 {
		names := make([]string, len(later))
		for i, n := range later {
			names[i] = strconv.FormatInt(n, 10)
		}
		return refuse(CodeUndo, "undo first: line %s", strings.Join(names, ", "))
	}
	if l.By != ledger.Person && slices.ContainsFunc(records, s.heldSince) {
		return refuse(CodeSticky, "a person decided since to keep what line %d did", op.Line)
	}
	s.takeBack(l, op.Line, records)
	for _, c := range records {
		if c.kind == kClaim && s.onItself(c.id) {
			return refuse(CodeCycle, "claim %s would rest on itself", c.id)
		}
	}
	target.gone = true
	if target.undid > 0 {
		s.in.lines[target.undid-1].gone = false
	}
	s.in.lines[l.Seq-1].undid = op.Line
	return nil
}

// heldSince: a person holds the record now and did not before the change. A person's
// undo of a later line holds what it put back, and cancels out with that line, so no
// line in force says it.
func (s *State) heldSince(c change) bool {
	now := metaOfRecord(s.current(c.key))
	before := metaOfRecord(c.before)
	return now != nil && now.Person && (before == nil || !before.Person)
}

// metaOfRecord is nil for a record that nobody can hold.
func metaOfRecord(r any) *Meta {
	switch r := r.(type) {
	case *Claim:
		return &r.Meta
	case *Assumption:
		return &r.Meta
	case *Attempted:
		return &r.Meta
	case *Answer:
		return &r.Meta
	case *Report:
		return &r.Meta
	case *Note:
		return &r.Meta
	case *PlanItem:
		return &r.Meta
	case *Question:
		return &r.Meta
	}
	return nil
}

// unmarkUndo takes back the marks that undo set, after a trial.
func (s *State) unmarkUndo(line int64) {
	target := &s.in.lines[line-1]
	target.gone = false
	if target.undid > 0 {
		s.in.lines[target.undid-1].gone = true
	}
}

// changesOf gives a line's changes.
func (s *State) changesOf(line int64) []change {
	end := len(s.in.changes)
	if int(line) < len(s.in.lines) {
		end = s.in.lines[line].start
	}
	return s.in.changes[s.in.lines[line-1].start:end]
}

// madeBy gives each record that the line touched, with its value before,
// derived changes left out.
func (s *State) madeBy(line int64) []change {
	var out []change
	seen := map[key]bool{}
	for _, c := range s.changesOf(line) {
		if !c.derived && !seen[c.key] {
			seen[c.key] = true
			out = append(out, c)
		}
	}
	return out
}

// laterThan names the lines after line that touched one of the records and are
// in force, newest first.
func (s *State) laterThan(line int64, records []change) []int64 {
	keys := make(map[key]bool, len(records))
	for _, c := range records {
		keys[c.key] = true
	}
	var out []int64
	for n := int64(len(s.in.lines)); n > line; n-- {
		info := &s.in.lines[n-1]
		if info.gone || info.undid > line {
			continue
		}
		for _, c := range s.changesOf(n) {
			if !c.derived && keys[c.key] {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// takeBack restores records, newest change first.
func (s *State) takeBack(l *ledger.Line, line int64, records []change) {
	var claims, others []string
	kept := l.By == ledger.Person && s.in.lines[line-1].by != ledger.Person
	for i := len(records) - 1; i >= 0; i-- {
		c := records[i]
		if c.before == nil && s.retractMade(l, c.key) {
			continue
		}
		now := s.current(c.key)
		s.changed(c.key, now, false)
		s.restore(c.key, c.before)
		if kept {
			s.keep(l, line, c.key, now)
		}
		switch c.kind {
		case kClaim:
			s.capClaim(c.id)
			claims = append(claims, c.id)
		case kAssumption:
			s.capAssumption(c.id)
			others = append(others, c.id)
		case kSource:
			others = append(others, c.id)
		case kAnswer:
			s.currentAnswer(s.Answers[c.id].Question)
		case kQuestion:
			s.currentAnswer(c.id)
		}
	}
	for _, id := range claims {
		s.retrust(id)
	}
	for _, id := range others {
		s.retrustOn(id)
	}
	// What came back may rest on something gone or stale now, and so may what came
	// to rest on it meanwhile.
	for _, c := range records {
		s.restale(c.id)
		if active, fresh := s.objectState(c.key); !active || !fresh {
			s.makeStale(c.id)
		}
	}
}

// keep makes a person's undo of another's line stick: what that line did to an
// object, and not merely to what rests on it, is not done again by a model. was is
// the record before the undo.
func (s *State) keep(l *ledger.Line, line int64, k key, was any) {
	switch k.kind {
	case kClaim:
		if r, old := *s.Claims[k.id], was.(*Claim); old.LastSeq == line || old.Live() != r.Live() {
			r.touch(l)
			s.putClaim(&r)
		}
	case kAssumption:
		if r, old := *s.Assumptions[k.id], was.(*Assumption); old.LastSeq == line || old.Live() != r.Live() {
			r.touch(l)
			s.putAssumption(&r)
		}
	case kTried:
		r := *s.Tried[k.id]
		r.touch(l)
		s.putTried(&r)
	case kAnswer:
		if r, old := *s.Answers[k.id], was.(*Answer); old.LastSeq == line || old.Live() != r.Live() {
			r.touch(l)
			s.putAnswer(&r)
		}
	case kReport:
		if r, old := *s.Reports[k.id], was.(*Report); old.LastSeq == line || old.Live() != r.Live() {
			r.touch(l)
			s.putReport(&r)
		}
	case kNote:
		r := *s.Notes[k.id]
		r.touch(l)
		s.putNote(&r)
	case kItem:
		if r, old := *s.Plan[k.id], was.(*PlanItem); old.Removed != r.Removed {
			r.touch(l)
			s.putItem(&r)
		}
	case kQuestion: // an open one is open to everybody
		if r, old := *s.Questions[k.id], was.(*Question); old.LastSeq == line && (r.Status == Closed || r.Status == Dropped) {
			r.touch(l)
			s.putQuestion(&r)
		}
	}
}

// objectState is elementState for a record that others may rest on.
func (s *State) objectState(k key) (active, fresh bool) {
	switch k.kind {
	case kSource:
		src := s.Sources[k.id]
		on := src != nil && src.Aside == "" && src.Missing != erased
		return on, on
	case kClaim, kAssumption, kAnswer:
		return s.elementState(k.id)
	}
	return true, true
}

// retractMade makes what a line created retracted; false for records that have
// no standing and simply go.
func (s *State) retractMade(l *ledger.Line, k key) bool {
	const reason = ReasonUndone
	switch k.kind {
	case kClaim, kAssumption, kTried, kNote, kAnswer, kReport:
		s.setStanding(l, k.id, Retracted, "", reason)
		s.makeStale(k.id)
	case kQuestion:
		q := *s.Questions[k.id]
		q.Status, q.Reason, q.Stale = Dropped, reason, false
		q.touch(l)
		s.putQuestion(&q)
	case kItem:
		i := *s.Plan[k.id]
		i.Removed = true
		i.touch(l)
		s.putItem(&i)
	default:
		return false
	}
	return true
}

// current gives a record's value as a change keeps it.
func (s *State) current(k key) any {
	switch k.kind {
	case kTask:
		return s.Task
	case kSettings:
		return s.Settings
	case kPlan:
		return planRecord{s.PlanIDs, s.PlanStale}
	case kSource:
		return boxed(s.Sources, k.id)
	case kQuestion:
		return boxed(s.Questions, k.id)
	case kClaim:
		return boxed(s.Claims, k.id)
	case kAssumption:
		return boxed(s.Assumptions, k.id)
	case kTried:
		return boxed(s.Tried, k.id)
	case kAnswer:
		return boxed(s.Answers, k.id)
	case kReport:
		return boxed(s.Reports, k.id)
	case kItem:
		return boxed(s.Plan, k.id)
	case kStep:
		return boxed(s.Finished, k.id)
	case kNote:
		return boxed(s.Notes, k.id)
	case kFound:
		return boxed(s.Found, k.id)
	case kRead:
		source, question := splitRead(k.id)
		return boxed(s.Read[source], question)
	case kOverride:
		return boxed(s.Overrides, k.id)
	case kPassed:
		return boxed(s.Passed, k.id)
	case kBarren:
		return boxed(s.Barren, k.id)
	}
	return nil
}

func boxed[V any](m map[string]V, id string) any {
	if v, there := m[id]; there {
		return v
	}
	return nil
}
