package state

import (
	"maps"
	"slices"
	"sort"

	"cairn/engine/ledger"
)

// Rewound is the state as it was after an earlier line, made from the newest one by
// taking back the changes of every later line: they are kept for undo anyway, and
// taking them back is many times quicker than folding the lines before. l is that
// line; ended and imported are the ops of the lines that EndAndImport names for it. The
// result is to be looked at only: Apply and Try must not be called on it, and of the
// log it lacks what only a run needs (attempts, the running step). nil when l is not
// a line of this state.
func (s *State) Rewound(l *ledger.Line, ended *ledger.End, imported *ledger.Import) *State {
	if l.Withheld || l.Seq < 1 || l.Seq > s.Seq || int(l.Seq) > len(s.in.lines) {
		return nil
	}
	c := s.lightClone()
	mark := len(c.in.changes)
	if int(l.Seq) < len(c.in.lines) {
		mark = c.in.lines[l.Seq].start
	}
	for i := len(c.in.changes) - 1; i >= mark; i-- {
		c.restore(c.in.changes[i].key, c.in.changes[i].before)
	}
	c.in.changes, c.in.lines = c.in.changes[:mark:mark], c.in.lines[:l.Seq:l.Seq]
	c.inOrder()
	c.Seq, c.Group, c.At, c.Chain = l.Seq, l.Group, l.At, l.Prev.Extend(l.Hash)
	_, importSeq := s.EndAndImport(l.Seq)
	c.Ended, c.Imported, c.ImportSeq = ended, imported, importSeq
	c.Checkpoints = c.Checkpoints[:countUpTo(len(c.Checkpoints), l.Seq, func(i int) int64 { return c.Checkpoints[i].Seq })]
	c.Log = s.logAt(l.Seq)
	keys := c.keys()
	c.in.dirty = make(map[key]struct{}, len(keys)) // Hash, should somebody ask, begins anew
	for _, k := range keys {
		c.in.dirty[k] = struct{}{}
	}
	return c
}

// EndAndImport names the lines whose end and import stand after line seq, 0 for none:
// the state keeps the newest of each only.
func (s *State) EndAndImport(seq int64) (end, imported int64) {
	n := countUpTo(len(s.Log.Events), seq, func(i int) int64 { return s.Log.Events[i].Seq })
	for i := n - 1; i >= 0 && (end == 0 || imported == 0); i-- {
		switch e := s.Log.Events[i]; {
		case e.Op == "end" && end == 0:
			end = e.Seq
		case e.Op == "import" && imported == 0:
			imported = e.Seq
		}
	}
	for at := end + 1; end > 0 && at <= seq; at++ {
		if ledger.IsWork(s.in.lines[at-1].op) {
			end = 0
		}
	}
	return end, imported
}

// logAt is the log as it was, without what only a run needs.
func (s *State) logAt(seq int64) Log {
	g := Log{Attempts: map[string]int64{}, Names: s.Log.Names}
	g.Refusals = s.Log.Refusals[:countUpTo(len(s.Log.Refusals), seq, func(i int) int64 { return s.Log.Refusals[i].Seq })]
	g.Events = s.Log.Events[:countUpTo(len(s.Log.Events), seq, func(i int) int64 { return s.Log.Events[i].Seq })]
	g.CallsAt = s.Log.CallsAt[:countUpTo(len(s.Log.CallsAt), seq, func(i int) int64 { return s.Log.CallsAt[i].Seq })]
	for i := range g.CallsAt {
		call := &g.CallsAt[i]
		g.Calls++
		g.PromptN += call.PromptCount
		g.EvalN += call.EvalCount
		g.ModelMs += call.LoadMs + call.PromptMs + call.EvalMs
	}
	for n := int64(1); n <= seq; n++ {
		if s.in.lines[n-1].op == "finish" && len(s.changesOf(n)) > 0 {
			g.Steps++
		}
	}
	return g
}

// countUpTo counts the first of n things in order of their lines that are not after
// line seq.
func countUpTo(n int, seq int64, at func(int) int64) int {
	return sort.Search(n, func(i int) bool { return at(i) > seq })
}

// inOrder gives the lists of ids the order of first appearance again: what an undo
// had taken out came back at the end.
func (s *State) inOrder() {
	slices.SortStableFunc(s.FinishedKeys, func(a, b string) int {
		return int(s.Finished[a].Seq - s.Finished[b].Seq)
	})
}

// lightClone shares with s what rewinding does not change.
func (s *State) lightClone() *State {
	c := *s
	c.SourceIDs = slices.Clone(s.SourceIDs)
	c.QuestionIDs = slices.Clone(s.QuestionIDs)
	c.ClaimIDs = slices.Clone(s.ClaimIDs)
	c.AnswerIDs = slices.Clone(s.AnswerIDs)
	c.ReportIDs = slices.Clone(s.ReportIDs)
	c.FinishedKeys = slices.Clone(s.FinishedKeys)
	c.NoteIDs = slices.Clone(s.NoteIDs)
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
	in := *s.in
	in.rests = maps.Clone(s.in.rests)
	in.claimsOf = maps.Clone(s.in.claimsOf)
	in.answersOf = maps.Clone(s.in.answersOf)
	in.sameBasis = maps.Clone(s.in.sameBasis)
	in.dirty, in.buckets, in.hashed, in.hashing = nil, [256]bucket{}, false, new(hasher)
	c.in = &in
	return &c
}
