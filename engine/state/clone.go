package state

import (
	"maps"
	"slices"

	"cairn/engine/ledger"
)

// Clone gives a state that shares nothing that Apply changes: both go their own
// way from here. Records are shared, because no record is ever changed in place.
func (s *State) Clone() *State {
	c := *s
	c.SourceIDs = slices.Clone(s.SourceIDs)
	c.QuestionIDs = slices.Clone(s.QuestionIDs)
	c.ClaimIDs = slices.Clone(s.ClaimIDs)
	c.AnswerIDs = slices.Clone(s.AnswerIDs)
	c.ReportIDs = slices.Clone(s.ReportIDs)
	c.PlanIDs = slices.Clone(s.PlanIDs)
	c.FinishedKeys = slices.Clone(s.FinishedKeys)
	c.NoteIDs = slices.Clone(s.NoteIDs)
	c.Checkpoints = slices.Clone(s.Checkpoints)
	c.Sources = maps.Clone(s.Sources)
	c.Questions = maps.Clone(s.Questions)
	c.Claims = maps.Clone(s.Claims)
	c.Assumptions = maps.Clone(s.Assumptions)
	c.Tried = maps.Clone(s.Tried)
	c.Answers = maps.Clone(s.Answers)
	c.Reports = maps.Clone(s.Reports)
	c.Plan = maps.Clone(s.Plan)
	c.Finished = maps.Clone(s.Finished)
	c.Notes = maps.Clone(s.Notes)
	c.Found = maps.Clone(s.Found)
	c.Overrides = maps.Clone(s.Overrides)
	c.Passed = maps.Clone(s.Passed)
	c.Barren = maps.Clone(s.Barren)
	c.Read = make(map[string]map[string][]Interval, len(s.Read))
	for source, of := range s.Read {
		c.Read[source] = maps.Clone(of)
	}
	c.Log.Refusals = slices.Clone(s.Log.Refusals)
	c.Log.Events = slices.Clone(s.Log.Events)
	c.Log.CallsAt = slices.Clone(s.Log.CallsAt)
	c.Log.Attempts = maps.Clone(s.Log.Attempts)
	c.Log.Names = maps.Clone(s.Log.Names)
	c.in = s.in.clone()
	return &c
}

func (in *inner) clone() *inner {
	in.hashing.Lock()
	defer in.hashing.Unlock()
	c := *in
	c.hashing = new(hasher)
	c.lines = slices.Clone(in.lines)
	c.changes = slices.Clone(in.changes)
	c.rests = cloneLists(in.rests)
	c.mergedFrom = cloneLists(in.mergedFrom)
	c.claimsOf = cloneLists(in.claimsOf)
	c.answersOf = cloneLists(in.answersOf)
	c.sameBasis = cloneLists(in.sameBasis)
	c.rejected = cloneLists(in.rejected)
	c.quotes = maps.Clone(in.quotes)
	c.dirty = maps.Clone(in.dirty)
	c.origins = maps.Clone(in.origins)
	for i := range c.buckets {
		b := &c.buckets[i]
		b.ids, b.ends, b.data = slices.Clone(b.ids), slices.Clone(b.ends), slices.Clone(b.data)
	}
	return &c
}

// cloneLists copies the map and its lists.
func cloneLists[T any](m map[string][]T) map[string][]T {
	c := make(map[string][]T, len(m))
	for k, list := range m {
		c[k] = slices.Clone(list)
	}
	return c
}

// Begin starts the group after the last line.
func (s *State) Begin() *ledger.Builder { return ledger.NewBuilder(s.Seq, s.Group, s.Chain) }
