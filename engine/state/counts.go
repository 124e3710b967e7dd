package state

import (
	"slices"

	"cairn/engine/ledger"
)

// Counts of the state, as a checkpoint carries them.
func (s *State) Counts() ledger.Counts {
	var c ledger.Counts
	for _, r := range s.Claims {
		if !r.Live() {
			continue
		}
		c.Claims++
		if r.Trust == Checked {
			c.Checked++
		}
		if r.IsContested {
			c.Contested++
		}
		if r.IsStale {
			c.Stale++
		}
	}
	for _, q := range s.Questions {
		c.Questions++
		switch q.Status {
		case Open:
			c.Open++
		case Parked:
			c.Parked++
		case Closed:
			c.Closed++
		case Dropped:
			c.Dropped++
		}
	}
	for _, r := range s.Sources {
		switch {
		case r.Readable():
			c.Sources++
		case r.Body == "" && r.Newer == "":
			c.Unreadable++
		}
	}
	c.Steps = int64(len(s.Finished))
	return c
}

// tally adds up what happened to one claim or question between two states.
type tally struct {
	sum ledger.Sum
	ids []string
}

func (t *tally) claim(id string, before, after *Claim) {
	switch {
	case before == nil && after == nil || before == after:
		return
	case after == nil:
		t.sum.Lost++
	case before == nil:
		t.sum.Claims++
		t.sum.Quotes += int64(len(after.Evidence))
		if !after.Live() {
			t.left(after)
		}
	default:
		t.sum.Quotes += max(0, int64(len(after.Evidence)-len(before.Evidence)))
		switch {
		case before.Live() && !after.Live():
			t.left(after)
		case !before.Live() && after.Live():
			t.sum.Restored++
		}
	}
	t.ids = append(t.ids, id)
}

func (t *tally) left(c *Claim) {
	switch {
	case c.Standing == Retracted:
		t.sum.Retracted++
	case c.Merged:
		t.sum.Merged++
	default:
		t.sum.Superseded++
	}
}

func (t *tally) question(id string, before, after *Question) {
	if before == after {
		return
	}
	if after == nil {
		t.sum.Lost++
		t.ids = append(t.ids, id)
		return
	}
	was := QuestionStatus("")
	if before != nil {
		was = before.Status
	}
	if was == after.Status {
		return
	}
	if was == "" || after.Status == Open {
		t.sum.Opened++
	}
	switch after.Status {
	case Closed:
		t.sum.Closed++
	case Dropped:
		t.sum.Dropped++
	case Parked:
		t.sum.Parked++
	}
	t.ids = append(t.ids, id)
}

func (t *tally) result() (ledger.Sum, []string) {
	slices.Sort(t.ids)
	t.sum.IDs = t.ids
	var more []string
	if len(t.ids) > ledger.MaxSumIDs {
		t.sum.IDs, more = t.ids[:ledger.MaxSumIDs], t.ids[ledger.MaxSumIDs:]
	}
	return t.sum, more
}

// Sum is promise 4 between an earlier state of the same ledger and this one.
// more holds the ids beyond the first 256, for a blob; Sum.More is not set.
func (s *State) Sum(before *State) (sum ledger.Sum, more []string) {
	var t tally
	for id, c := range s.Claims {
		t.claim(id, before.Claims[id], c)
	}
	for id, c := range before.Claims {
		if s.Claims[id] == nil {
			t.claim(id, c, nil)
		}
	}
	for id, q := range s.Questions {
		t.question(id, before.Questions[id], q)
	}
	for id, q := range before.Questions {
		if s.Questions[id] == nil {
			t.question(id, q, nil)
		}
	}
	return t.result()
}

// SumSince is Sum since the line seq, from the changes of the lines after it.
func (s *State) SumSince(seq int64) (sum ledger.Sum, more []string) {
	var t tally
	seen := map[key]bool{}
	if seq < 0 || int(seq) >= len(s.in.lines) {
		return t.result()
	}
	for _, c := range s.in.changes[s.in.lines[seq].start:] {
		if seen[c.key] {
			continue
		}
		seen[c.key] = true
		switch c.kind {
		case kClaim:
			before, _ := c.before.(*Claim)
			t.claim(c.id, before, s.Claims[c.id])
		case kQuestion:
			before, _ := c.before.(*Question)
			t.question(c.id, before, s.Questions[c.id])
		}
	}
	return t.result()
}

// Checkpoint fills the parts of a checkpoint that follow from the fold, for a
// group whose lines began after the line since: parent, state hash, fold version,
// counts, sum, open items. The caller adds app, gate, next and the rest.
func (s *State) Checkpoint(since int64) (c ledger.Checkpoint, more []string) {
	counts := s.Counts()
	sum, more := s.SumSince(since)
	c.Fold, c.State, c.Sum = FoldVersion, s.Hash().String(), &sum
	if counts != (ledger.Counts{}) {
		c.Counts = &counts
	}
	if n := len(s.Checkpoints); n > 0 {
		c.Parent = s.Checkpoints[n-1].Seq
	}
	for _, item := range s.OpenItems() {
		if len(c.Open) == ledger.MaxOpen {
			break
		}
		if item.ID != "" && !slices.Contains(c.Open, item.ID) {
			c.Open = append(c.Open, item.ID)
		}
	}
	return c, more
}

// LastOp is the op of the newest line of work, "" before the first.
func (s *State) LastOp() string {
	for i := len(s.in.lines) - 1; i >= 0; i-- {
		if op := s.in.lines[i].op; ledger.IsWork(op) {
			return op
		}
	}
	return ""
}
