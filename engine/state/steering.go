package state

import (
	"slices"

	"cairn/engine/ledger"
)

// plan adds, orders and removes planned steps, all or nothing.
func (s *State) plan(l *ledger.Line, op *ledger.Plan) *Finding {
	order := slices.Clone(s.PlanIDs)
	for _, item := range op.Add {
		id := ledger.ItemID(item)
		old := s.Plan[id]
		switch {
		case old == nil:
			s.putItem(&PlanItem{Meta: metaOf(l), ID: id, Kind: item.Kind, Serves: item.Serves, Args: item.Args})
		case !old.Removed:
			continue
		default:
			if f := old.sticky(l, "plan item"); f != nil {
				return f
			}
			r := *old
			r.Removed = false
			r.touch(l)
			s.putItem(&r)
		}
		order = append(order, id)
	}
	for _, id := range op.Remove {
		old := s.Plan[id]
		if old == nil {
			return refuse(CodeUnknown, "plan item %s is not recorded", id)
		}
		if old.Removed {
			return refuse(CodeStanding, "plan item %s is removed already", id)
		}
		if f := old.sticky(l, "plan item"); f != nil {
			return f
		}
		r := *old
		r.Removed = true
		r.touch(l)
		s.putItem(&r)
		order = slices.DeleteFunc(order, func(o string) bool { return o == id })
	}
	if f := s.reorder(l, order, op.Order); f != nil {
		return f
	}
	s.putPlan(order, false)
	return nil
}

// reorder puts the wanted items into the places that they hold among themselves.
func (s *State) reorder(l *ledger.Line, order, wanted []string) *Finding {
	if len(wanted) == 0 {
		return nil
	}
	var places []int
	for i, id := range order {
		if slices.Contains(wanted, id) {
			places = append(places, i)
		}
	}
	if len(places) != len(wanted) {
		return refuse(CodeUnknown, "the order names items that are not in the plan, or one twice")
	}
	for i, id := range wanted {
		if order[places[i]] == id {
			continue
		}
		if f := s.Plan[id].sticky(l, "plan item"); f != nil {
			return f
		}
	}
	for i, id := range wanted {
		order[places[i]] = id
	}
	return nil
}

func (s *State) finish(l *ledger.Line, op *ledger.Finish) *Finding {
	s.putStep(ledger.StepKey(op.Kind, op.Args, op.Inputs), &Done{Kind: op.Kind, Serves: op.Serves, Inputs: op.Inputs,
		Outcome: op.Outcome, Reason: op.Reason, Args: op.Args, Seq: l.Seq})
	if op.Kind == "plan" && op.Outcome != "parked" && s.PlanStale {
		s.putPlan(s.PlanIDs, false)
	}
	if op.Serves == "" {
		return nil
	}
	switch n := s.Barren[op.Serves]; {
	case op.Outcome == "nothing":
		putWord(s, kBarren, s.Barren, op.Serves, n+1)
	case n != 0:
		putWord(s, kBarren, s.Barren, op.Serves, 0)
	}
	return nil
}

func (s *State) found(op *ledger.Found) *Finding {
	if s.Questions[op.Question] == nil {
		return refuse(CodeUnknown, "question %s is not recorded", op.Question)
	}
	var ranges []Range
	if op.Part > 0 {
		ranges = slices.Clone(s.Found[op.Question])
	}
	for _, ref := range op.Ranges {
		p, ok := ledger.ParseRef(ref)
		if !ok {
			return refuse(CodeForm, "%q is no reference", ref)
		}
		if f := s.hasPlace(p.Source, p.From, p.To); f != nil {
			return f
		}
		ranges = append(ranges, p)
	}
	s.putFound(op.Question, ranges)
	return nil
}

func (s *State) read(op *ledger.Read) *Finding {
	spans := make([]Interval, 0, len(op.Ranges))
	for _, r := range op.Ranges {
		from, to, ok := ledger.ParseSpan(r)
		if !ok {
			return refuse(CodeForm, "%q is no run of sentences", r)
		}
		if f := s.hasPlace(op.Source, from, to); f != nil {
			return f
		}
		spans = append(spans, Interval{from, to})
	}
	for _, q := range op.Questions {
		if s.Questions[q] == nil {
			return refuse(CodeUnknown, "question %s is not recorded", q)
		}
		old := s.Read[op.Source][q]
		if merged := Union(old, spans); !slices.Equal(merged, old) {
			s.putRead(op.Source, q, merged)
		}
	}
	return nil
}

// Union gives the sentences of a or b as sorted intervals that neither overlap
// nor touch. It changes neither.
func Union(a, b []Interval) []Interval {
	all := make([]Interval, 0, len(a)+len(b))
	all = append(append(all, a...), b...)
	slices.SortFunc(all, func(x, y Interval) int {
		switch {
		case x.From < y.From:
			return -1
		case x.From > y.From:
			return 1
		}
		return 0
	})
	out := all[:0]
	for _, i := range all {
		if n := len(out); n > 0 && i.From <= out[n-1].To+1 {
			out[n-1].To = max(out[n-1].To, i.To)
			continue
		}
		out = append(out, i)
	}
	return out
}

func (s *State) check(l *ledger.Line, op *ledger.Check) *Finding {
	v := Verdict{Seq: l.Seq, By: l.By, Who: l.Who, How: op.How, Verdict: op.Verdict, Reason: op.Reason,
		Reported: l.Reported, marked: l.Reported}
	switch ledger.IDKind(op.ID) {
	case 0:
		putWord(s, kPassed, s.Passed, op.ID, op.Verdict)
		return nil
	case 'c':
		return s.checkClaim(l, op.ID, v)
	case 'k':
		return s.checkQuote(l, op.ID, v)
	}
	if !s.known(op.ID) {
		return refuse(CodeUnknown, "%s is not recorded", op.ID)
	}
	if op.ID[0] == 'm' && v.How == "person" {
		r := *s.Assumptions[op.ID]
		r.said = append(slices.Clone(r.said), v)
		r.settle()
		r.touch(l)
		s.putAssumption(&r)
		s.retrustOn(op.ID)
	} else if v.Good() && !v.Reported {
		s.checkOther(l, op.ID)
	}
	return nil
}

// checkClaim records the verdict; a good one ends staleness where the basis is
// fresh, a person's ends a contest, a bad one begins one.
func (s *State) checkClaim(l *ledger.Line, id string, v Verdict) *Finding {
	old := s.Claims[id]
	if old == nil {
		return refuse(CodeUnknown, "claim %s is not recorded", id)
	}
	c := *old
	c.Checks = append(slices.Clone(old.Checks), v)
	c.touch(l)
	if !v.Reported {
		switch {
		case v.Good():
			if c.IsStale && s.freshBasis(id) {
				c.IsStale = false
			}
			if v.How == "person" {
				c.IsContested = false
			}
			if v.How == "person" || v.How == "calculation" {
				c.Evidence = slices.Clone(c.Evidence)
				for i := range c.Evidence {
					c.Evidence[i].Reported, c.Evidence[i].cleared = false, l.Seq
				}
				c.Reported = false
			}
		case v.Bad():
			c.IsContested = true
		}
	}
	settle(&c)
	s.putClaim(&c)
	s.retrust(id)
	return nil
}

// checkQuote: the words were looked for in the source's text here.
func (s *State) checkQuote(l *ledger.Line, id string, v Verdict) *Finding {
	old := s.Claims[s.in.quotes[id]]
	i := -1
	if old != nil {
		i = slices.IndexFunc(old.Evidence, func(e Evidence) bool { return e.ID == id })
	}
	if i < 0 {
		return refuse(CodeUnknown, "quote %s is not recorded", id)
	}
	if v.Reported || !v.Good() && !v.Bad() {
		return nil
	}
	c := *old
	c.Evidence = slices.Clone(old.Evidence)
	if v.Good() {
		c.Evidence[i].Reported, c.Evidence[i].cleared = false, l.Seq
	} else {
		c.IsContested = true
	}
	settle(&c)
	c.LastBy, c.LastSeq = l.By, l.Seq
	s.putClaim(&c)
	s.retrust(c.ID)
	return nil
}

// checkOther: a good verdict on an answer, report or closed question ends its
// staleness where what it rests on is fresh.
func (s *State) checkOther(l *ledger.Line, id string) {
	switch id[0] {
	case 'q':
		if q := s.Questions[id]; q.Status == Closed && q.Stale && s.allFresh(q.Claims) {
			r := *q
			r.Stale = false
			s.putQuestion(&r)
		}
	case 'w':
		r := *s.Answers[id]
		if r.IsStale && r.Live() && s.freshBasis(id) {
			r.IsStale, r.Standing = false, Active
		}
		r.touch(l)
		s.putAnswer(&r)
	case 'o':
		r := *s.Reports[id]
		if r.IsStale && r.Live() && s.freshBasis(id) {
			r.IsStale, r.Standing = false, Active
		}
		r.touch(l)
		s.putReport(&r)
	}
}
