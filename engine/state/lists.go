package state

import (
	"slices"
	"sort"

	"cairn/engine/ledger"
)

// ClaimsOf gives a question's claims in order of appearance, retracted and
// superseded ones too; "" gives those without a question.
func (s *State) ClaimsOf(question string) []*Claim {
	ids := s.in.claimsOf[question]
	out := make([]*Claim, 0, len(ids))
	for _, id := range ids {
		if c := s.Claims[id]; c != nil {
			out = append(out, c)
		}
	}
	return out
}

// LiveClaims gives a question's claims that stand, in order of appearance.
func (s *State) LiveClaims(question string) []*Claim {
	return slices.DeleteFunc(s.ClaimsOf(question), func(c *Claim) bool { return !c.Live() })
}

// ClaimOfQuote gives the claim that a quote belongs to, nil for an unknown quote.
func (s *State) ClaimOfQuote(id string) *Claim { return s.Claims[s.in.quotes[id]] }

// SameBasis gives the claims made with exactly this question and basis (sorted).
func (s *State) SameBasis(question string, basis []string) []*Claim {
	var out []*Claim
	for _, id := range s.in.sameBasis[basisKey(question, basis)] {
		if c := s.Claims[id]; c != nil {
			out = append(out, c)
		}
	}
	return out
}

// RestingOn gives the ids of what rests directly on an object now: claims,
// closed questions, answers, reports; sorted.
func (s *State) RestingOn(id string) []string {
	var out []string
	for _, d := range SortedIDs(s.restingOn(id)) {
		on := false
		switch d[0] {
		case 'c':
			c := s.Claims[d]
			on = c != nil && c.Live() && s.names(c, id)
		case 'q':
			q := s.Questions[d]
			on = q != nil && q.Status == Closed && s.cites(q.Claims, id)
		case 'w':
			a := s.Answers[d]
			on = a != nil && a.Live()
		case 'o':
			r := s.Reports[d]
			on = r != nil && r.Live()
		}
		if on {
			out = append(out, d)
		}
	}
	return out
}

// StandsFor follows merges from a claim's id to the claim that stands for it.
func (s *State) StandsFor(id string) *Claim { return s.standsFor(id) }

// FreshBasis reports whether everything that a claim, answer or report rests on
// is active and not stale: what renew and a check that ends staleness need.
func (s *State) FreshBasis(id string) bool { return s.standing(id) != "" && s.freshBasis(id) }

// Shown is how many sentences of a source were shown for a question.
func (s *State) Shown(source, question string) int64 {
	var n int64
	for _, i := range s.Read[source][question] {
		n += i.To - i.From + 1
	}
	return n
}

// Cover is the completeness of a question over the readable sources.
func (s *State) Cover(question string) ledger.Cover {
	c := ledger.Cover{Question: question}
	for _, id := range s.SourceIDs {
		src := s.Sources[id]
		if !src.Readable() {
			continue
		}
		shown := min(s.Shown(id, question), src.Sentences)
		c.Shown += shown
		c.Left += src.Sentences - shown
	}
	return c
}

// Item is something open or to be checked, with the object to look at ("" when
// it sums up several) and how many it stands for.
type Item struct {
	Kind  string
	ID    string
	Count int
}

// Kinds of items, most important first.
const (
	ItemNote       = "note" // with for whom or by when
	ItemContested  = "contested"
	ItemStale      = "stale"
	ItemSaysMore   = "says_more" // flagged by a check
	ItemQuestion   = "question"  // open
	ItemParked     = "parked"
	ItemRefused    = "refused"
	ItemUnreadable = "unreadable"
	ItemUnchecked  = "unchecked"
)

// OpenItems lists what stands in the way of done, most important first: notes
// for somebody, contested, stale, flagged, open questions, parked ones.
func (s *State) OpenItems() []Item {
	out := s.notesForSomebody()
	out = append(out, s.claimItems()...)
	for _, id := range s.QuestionIDs {
		if q := s.Questions[id]; q.Status == Closed && q.Stale {
			out = append(out, Item{ItemStale, id, 1})
		}
	}
	for _, a := range s.AnswerIDs {
		if w := s.Answers[a]; w.Live() && w.IsStale {
			out = append(out, Item{ItemStale, a, 1})
		}
	}
	if r := s.CurrentReport(); r != nil && r.IsStale {
		out = append(out, Item{ItemStale, r.ID, 1})
	}
	sort.SliceStable(out, func(i, j int) bool { return rank(out[i].Kind) < rank(out[j].Kind) })
	for _, id := range s.QuestionIDs {
		if s.Questions[id].Status == Open {
			out = append(out, Item{ItemQuestion, id, 1})
		}
	}
	for _, id := range s.QuestionIDs {
		if s.Questions[id].Status == Parked {
			out = append(out, Item{ItemParked, id, 1})
		}
	}
	return out
}

func rank(kind string) int {
	return slices.Index([]string{ItemNote, ItemContested, ItemStale, ItemSaysMore}, kind)
}

// ToCheck lists what a person may want to check, most important first: notes for
// somebody, contested, stale, flagged claims one by one; then parked questions,
// refusals, unreadable sources and unchecked claims summed up.
func (s *State) ToCheck() []Item {
	out := s.OpenItems()
	out = slices.DeleteFunc(out, func(i Item) bool { return i.Kind == ItemQuestion || i.Kind == ItemParked })
	counts := s.Counts()
	add := func(kind string, n int64) {
		if n > 0 {
			out = append(out, Item{Kind: kind, Count: int(n)})
		}
	}
	add(ItemParked, counts.Parked)
	add(ItemRefused, int64(len(s.Log.Refusals)))
	add(ItemUnreadable, counts.Unreadable)
	add(ItemUnchecked, counts.Claims-counts.Checked)
	return out
}

// notesForSomebody gives the standing notes with for whom or by when, those with
// a date first, by date.
func (s *State) notesForSomebody() []Item {
	var notes []*Note
	for _, id := range s.NoteIDs {
		if n := s.Notes[id]; isLive(n.Standing) && (n.For != "" || n.Due != "") {
			notes = append(notes, n)
		}
	}
	sort.SliceStable(notes, func(i, j int) bool {
		a, b := notes[i].Due, notes[j].Due
		return a != "" && (b == "" || a < b)
	})
	out := make([]Item, len(notes))
	for i, n := range notes {
		out[i] = Item{ItemNote, n.ID, 1}
	}
	return out
}

// claimItems gives each live claim that is contested, stale or flagged, once. A
// flagged claim that a person checked is no longer listed.
func (s *State) claimItems() []Item {
	var out []Item
	for _, id := range s.ClaimIDs {
		c := s.Claims[id]
		switch {
		case !c.Live():
		case c.IsContested:
			out = append(out, Item{ItemContested, id, 1})
		case c.IsStale:
			out = append(out, Item{ItemStale, id, 1})
		case len(c.Flags) > 0 && c.Trust != Checked:
			out = append(out, Item{ItemSaysMore, id, 1})
		}
	}
	return out
}
