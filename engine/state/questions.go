package state

import (
	"slices"

	"cairn/engine/ledger"
)

func (s *State) question(l *ledger.Line, op *ledger.Question) *Finding {
	id := ledger.QuestionID(*op)
	if s.Questions[id] != nil {
		return nil
	}
	if f := s.asks(l, op.Parent); f != nil {
		return f
	}
	q := &Question{Meta: metaOf(l), ID: id, Text: op.Text, Parent: op.Parent, Status: Open, Place: int64(len(s.QuestionIDs)) + 1}
	q.Person = false // asking is not answering: it sticks when a person drops or closes it
	s.putQuestion(q)
	return nil
}

// held refuses what a model or program does to a question that a person dropped
// or closed; the engine is held back only from what the op's own case says.
func (q *Question) held(l *ledger.Line) *Finding {
	if q.Person && (l.By == ledger.Model || l.By == ledger.Program) {
		return refuse(CodeSticky, "a person dropped or closed this question")
	}
	return nil
}

func (s *State) close(l *ledger.Line, op *ledger.Close) *Finding {
	old := s.Questions[op.ID]
	if old == nil {
		return refuse(CodeUnknown, "question %s is not recorded", op.ID)
	}
	if f := old.held(l); f != nil {
		return f
	}
	if old.Status == Dropped || old.Status == Closed && !old.Stale && l.By != ledger.Person {
		return refuse(CodeStanding, "question %s is %s", op.ID, old.Status)
	}
	if old.Person && l.By != ledger.Person {
		return refuse(CodeSticky, "a person closed this question")
	}
	claims := SortedIDs(op.Claims)
	for _, id := range claims {
		if c := s.Claims[id]; c == nil {
			return refuse(CodeUnknown, "claim %s is not recorded", id)
		} else if !c.Live() {
			return refuse(CodeStanding, "claim %s is %s", id, c.Standing)
		}
	}
	q := *old
	q.Status, q.Reason, q.Claims = Closed, op.Reason, claims
	q.Stale = slices.ContainsFunc(claims, func(id string) bool { return s.Claims[id].IsStale })
	q.touch(l)
	for _, id := range claims {
		addTo(s.in.rests, id, q.ID)
	}
	s.putQuestion(&q)
	return nil
}

func (s *State) drop(l *ledger.Line, op *ledger.Drop) *Finding {
	old := s.Questions[op.ID]
	if old == nil {
		return refuse(CodeUnknown, "question %s is not recorded", op.ID)
	}
	if old.Status == Dropped {
		return refuse(CodeStanding, "question %s is dropped already", op.ID)
	}
	q := *old
	q.Status, q.Reason, q.Stale = Dropped, op.Reason, false
	q.touch(l)
	s.putQuestion(&q)
	return nil
}

func (s *State) park(l *ledger.Line, op *ledger.Park) *Finding {
	if old := s.Plan[op.ID]; old != nil {
		if old.Removed {
			return refuse(CodeStanding, "plan item %s is removed", op.ID)
		}
		i := *old
		i.Parked = op.Reason
		s.putItem(&i)
		return nil
	}
	old := s.Questions[op.ID]
	if old == nil {
		return refuse(CodeUnknown, "%s is not recorded", op.ID)
	}
	if old.Status != Open && old.Status != Parked {
		return refuse(CodeStanding, "question %s is %s", op.ID, old.Status)
	}
	q := *old
	q.Status, q.Reason = Parked, op.Reason
	q.touch(l)
	s.putQuestion(&q)
	return nil
}

func (s *State) reopen(l *ledger.Line, op *ledger.Reopen) *Finding {
	if old := s.Plan[op.ID]; old != nil {
		if old.Removed || old.Parked == "" {
			return refuse(CodeStanding, "plan item %s is not parked", op.ID)
		}
		i := *old
		i.Parked = ""
		s.putItem(&i)
		return nil
	}
	old := s.Questions[op.ID]
	if old == nil {
		return refuse(CodeUnknown, "%s is not recorded", op.ID)
	}
	if old.Status == Open {
		return refuse(CodeStanding, "question %s is open already", op.ID)
	}
	if l.By != ledger.Person && old.Person && (old.Status == Dropped || s.anyStands(old.Claims)) {
		return refuse(CodeSticky, "a person dropped or closed this question")
	}
	q := *old
	q.Status, q.Reason, q.Claims, q.Stale = Open, op.Reason, nil, false
	q.touch(l)
	q.Person = false
	s.putQuestion(&q)
	if s.Barren[q.ID] != 0 {
		putWord(s, kBarren, s.Barren, q.ID, 0)
	}
	return nil
}

// anyStands reports whether one of the claims is live.
func (s *State) anyStands(claims []string) bool {
	return slices.ContainsFunc(claims, func(id string) bool {
		c := s.standsFor(id)
		return c != nil && c.Live()
	})
}

// SortedIDs gives ids sorted and each once, in a new list.
func SortedIDs(ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	out := slices.Clone(ids)
	slices.Sort(out)
	return slices.Compact(out)
}
