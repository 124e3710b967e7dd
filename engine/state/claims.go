package state

import (
	"slices"

	"cairn/engine/ledger"
)

func (s *State) claim(l *ledger.Line, op *ledger.Claim) *Finding {
	if op.Text == "" && len(op.Quotes) == 0 {
		return refuse(CodeForm, "a claim without text and quote")
	}
	id := ledger.ClaimID(*op)
	if old := s.Claims[id]; old != nil {
		for i := range op.Quotes {
			if i < len(old.Evidence) && old.Evidence[i].Slice.Text != op.Quotes[i].Text {
				return refuse(CodeObject, "claim %s is recorded with other quoted words", id)
			}
		}
		return nil
	}
	if f := s.asks(l, op.Question); f != nil {
		return f
	}
	for _, b := range op.Basis {
		if f := s.canRestOn(b); f != nil {
			return f
		}
	}
	c := &Claim{Meta: metaOf(l), ID: id, Question: op.Question, Text: op.Text, Basis: op.Basis, Flags: op.Flags,
		Standing: Active, Reported: l.Reported, marked: l.Reported}
	if op.Text == "" {
		c.IsQuote, c.Text = true, op.Quotes[0].Text
	}
	c.Evidence = make([]Evidence, 0, len(op.Quotes))
	for _, slice := range op.Quotes {
		c.Evidence = append(c.Evidence, Evidence{
			ID:    ledger.QuoteID(ledger.Quote{Claim: id, From: slice.From, Source: slice.Source, Stance: "supports", To: slice.To}),
			Slice: slice, Stance: "supports", Seq: l.Seq, By: l.By, Reported: l.Reported, marked: l.Reported,
		})
	}
	if l.By != ledger.Person {
		if f := s.wasRejected(c); f != nil {
			return f
		}
	}
	c.IsContested = c.IsContested || slices.Contains(op.Flags, "D18")
	c.IsStale = s.basisStale(c)
	settle(c)
	c.Trust = s.trustOf(c)
	s.indexClaim(c)
	s.putClaim(c)
	return nil
}

// asks looks at the question that something new is for.
func (s *State) asks(l *ledger.Line, question string) *Finding {
	if question == "" {
		return nil
	}
	q := s.Questions[question]
	if q == nil {
		return refuse(CodeUnknown, "question %s is not recorded", question)
	}
	if q.Status == Dropped {
		return q.held(l)
	}
	return nil
}

// canRestOn looks at one element of a basis.
func (s *State) canRestOn(b string) *Finding {
	if p, ok := ledger.ParseRef(b); ok {
		return s.hasPlace(p.Source, p.From, p.To)
	}
	switch ledger.IDKind(b) {
	case 'c':
		if s.Claims[b] != nil {
			return nil
		}
	case 'm':
		if s.Assumptions[b] != nil {
			return nil
		}
	}
	return refuse(CodeUnknown, "%s in the basis is not recorded", b)
}

func (s *State) hasPlace(source string, from, to int64) *Finding {
	src := s.Sources[source]
	if src == nil {
		return refuse(CodeUnknown, "source %s is not recorded", source)
	}
	if from < 1 || to < from || to > src.Sentences {
		return refuse(CodePlace, "source %s has no sentences %d to %d", source, from, to)
	}
	return nil
}

// wasRejected refuses the basis and question of a claim that a person retracted
// or superseded; other claims on the same sentences come in as contested.
func (s *State) wasRejected(c *Claim) *Finding {
	for _, id := range s.in.sameBasis[basisKey(c.Question, c.Basis)] {
		if old := s.Claims[id]; old != nil && old.rejected() {
			return refuse(CodeSticky, "a person retracted or replaced the claim %s with the same basis", id)
		}
	}
	for _, b := range c.Basis {
		p, ok := ledger.ParseRef(b)
		if !ok {
			continue
		}
		for _, r := range s.in.rejected[c.Question+"|"+p.Source] {
			if old := s.Claims[r.claim]; p.Overlaps(r.place) && old != nil && old.rejected() {
				c.IsContested = true
			}
		}
	}
	return nil
}

// rejected: a person took it back or put another in its place.
func (c *Claim) rejected() bool { return c.Person && !c.Live() }

// noteRejected keeps the places of a claim that a person rejected.
func (s *State) noteRejected(c *Claim) {
	for _, b := range c.Basis {
		if p, ok := ledger.ParseRef(b); ok {
			at := c.Question + "|" + p.Source
			if r := (rejection{c.ID, p}); !slices.Contains(s.in.rejected[at], r) {
				s.in.rejected[at] = append(s.in.rejected[at], r)
			}
		}
	}
}

func (s *State) quote(l *ledger.Line, op *ledger.Quote) *Finding {
	old := s.Claims[op.Claim]
	if old == nil {
		return refuse(CodeUnknown, "claim %s is not recorded", op.Claim)
	}
	if f := s.hasPlace(op.Source, op.From, op.To); f != nil {
		return f
	}
	id := ledger.QuoteID(*op)
	for i := range old.Evidence {
		if old.Evidence[i].ID == id {
			if old.Evidence[i].Slice.Text != op.Text {
				return refuse(CodeObject, "quote %s is recorded with other words", id)
			}
			return nil
		}
	}
	c := *old
	c.Evidence = append(slices.Clone(old.Evidence), Evidence{ID: id, Stance: op.Stance, Seq: l.Seq, By: l.By,
		Slice:    ledger.Slice{From: op.From, Level: op.Level, Source: op.Source, Text: op.Text, To: op.To},
		Reported: l.Reported, marked: l.Reported})
	if op.Stance == "contradicts" {
		c.IsContested = true
	}
	settle(&c)
	c.LastBy, c.LastSeq = l.By, l.Seq
	s.in.quotes[id] = c.ID
	addTo(s.in.rests, op.Source, c.ID)
	s.putClaim(&c)
	s.retrust(c.ID)
	return nil
}

func (s *State) merge(l *ledger.Line, op *ledger.Merge) *Finding {
	a, b := s.Claims[op.ID], s.Claims[op.Into]
	if a == nil || b == nil || a == b {
		return refuse(CodeUnknown, "a claim of this merge is not recorded")
	}
	if !a.Live() || !b.Live() {
		return refuse(CodeStanding, "only claims that stand are merged")
	}
	if f := a.sticky(l, "claim"); f != nil {
		return f
	}
	if f := b.sticky(l, "claim"); f != nil {
		return f
	}
	if s.RestsUpon(b.ID, a.ID) {
		return refuse(CodeCycle, "claim %s rests on %s", b.ID, a.ID)
	}
	from, into := *a, *b
	from.Standing, from.Merged, from.Into = Superseded, true, b.ID
	from.touch(l)
	into.Evidence = slices.Clone(b.Evidence)
	for _, e := range a.Evidence {
		e.ID = ledger.QuoteID(ledger.Quote{Claim: b.ID, From: e.Slice.From, Source: e.Slice.Source, Stance: e.Stance, To: e.Slice.To})
		if slices.ContainsFunc(into.Evidence, func(o Evidence) bool { return o.ID == e.ID }) {
			continue
		}
		into.Evidence = append(into.Evidence, e)
		s.in.quotes[e.ID] = b.ID
		addTo(s.in.rests, e.Slice.Source, b.ID)
	}
	into.touch(l)
	addTo(s.in.mergedFrom, b.ID, a.ID)
	s.putClaim(&from)
	s.putClaim(&into)
	s.retrust(b.ID)
	if into.IsStale {
		s.makeStale(b.ID)
	}
	return nil
}

func (s *State) accept(l *ledger.Line, op *ledger.Accept) *Finding {
	old := s.Claims[op.ID]
	if old == nil {
		return refuse(CodeUnknown, "claim %s is not recorded", op.ID)
	}
	if !old.Live() {
		return refuse(CodeStanding, "claim %s is %s", op.ID, old.Standing)
	}
	c := *old
	c.Accepted = true
	c.touch(l)
	s.putClaim(&c)
	return nil
}
