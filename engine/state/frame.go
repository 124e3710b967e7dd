package state

import (
	"slices"

	"cairn/engine/ledger"
)

// applyOther takes log and frame lines. They change no record of work; import
// alone changes what earlier checks and quotes count for.
func (s *State) applyOther(l *ledger.Line) []Finding {
	switch op := l.Op.(type) {
	case *ledger.Checkpoint:
		return s.checkpoint(l, op)
	case *ledger.Root:
		if l.Seq != 1 {
			return illFormed(l, "a root is the first line")
		}
		s.Root = op
		s.event(l, "root", "", 0)
	case *ledger.Import:
		if op.Known >= l.Seq {
			return illFormed(l, "the import says that more lines were known than are before it")
		}
		s.Imported, s.ImportSeq = op, l.Seq
		s.event(l, "import", "", 0)
		s.capReported()
	case *ledger.Fork:
		if n := len(s.Checkpoints); op.Parent != l.Prev.String() || n == 0 || s.Checkpoints[n-1].Seq != l.Seq-1 {
			return illFormed(l, "a fork follows a checkpoint of its parent and names its chain value")
		}
		s.event(l, "fork", op.Name, 0)
	case *ledger.Join:
		s.event(l, "join", op.Branch, 0)
	case *ledger.End:
		s.Ended = op
		s.event(l, "end", op.Outcome, 0)
	default:
		s.logLine(l)
	}
	return nil
}

func illFormed(l *ledger.Line, why string) []Finding {
	return []Finding{{Seq: l.Seq, Code: CodeForm, Message: why}}
}

func (s *State) checkpoint(l *ledger.Line, op *ledger.Checkpoint) []Finding {
	s.Checkpoints = append(s.Checkpoints, Checkpoint{Seq: l.Seq, At: l.At, Chain: s.Chain, Checkpoint: *op})
	if s.in.lazy || op.Fold != FoldVersion {
		return nil // compared later; or recomputed under other rules, which is not damage
	}
	if have := s.Hash().String(); have != op.State {
		return []Finding{{Seq: l.Seq, Code: CodeState,
			Message: "the checkpoint was made of another state than its lines give"}}
	}
	return nil
}

// Lazy takes checkpoints without comparing each state hash with the fold's: for
// opening a long ledger, whose chain names every line anyway. Eager compares the
// newest one and goes back to comparing each. An audit compares all of them.
func (s *State) Lazy() { s.in.lazy = true }

// Eager ends Lazy; see there.
func (s *State) Eager() []Finding {
	s.in.lazy = false
	n := len(s.Checkpoints)
	if n == 0 {
		return nil
	}
	c := s.Checkpoints[n-1]
	if c.Fold == FoldVersion && s.Hash().String() != c.State {
		return []Finding{{Seq: c.Seq, Code: CodeState, Message: "the newest checkpoint was made of another state than the lines give"}}
	}
	return nil
}

func (s *State) event(l *ledger.Line, op, reason string, asleep int64) {
	s.Log.Events = append(s.Log.Events, Event{Seq: l.Seq, At: l.At, Op: op, Reason: reason, Asleep: asleep})
}

func (s *State) logLine(l *ledger.Line) {
	g := &s.Log
	switch op := l.Op.(type) {
	case *ledger.Start:
		key := ledger.StepKey(op.Kind, op.Args, op.Inputs)
		g.Attempts[key]++
		g.LastStart = &Started{Seq: l.Seq, At: l.At, Kind: op.Kind, Serves: op.Serves, Args: op.Args, Inputs: op.Inputs, Attempt: op.Attempt}
	case *ledger.Call:
		g.Calls++
		g.PromptN += op.PromptCount
		g.EvalN += op.EvalCount
		g.ModelMs += op.LoadMs + op.PromptMs + op.EvalMs
		g.CallsAt = append(g.CallsAt, Called{Seq: l.Seq, At: l.At, Call: *op})
		if g.LastStart != nil {
			started := *g.LastStart
			started.Calls = append(slices.Clip(started.Calls), *op)
			g.LastStart = &started
		}
	case *ledger.Refuse:
		g.Refusals = append(g.Refusals, Refusal{Seq: l.Seq, At: l.At, Code: op.Code, Message: op.Message, Proposal: op.Proposal,
			Question: op.Question, Text: op.Text})
	case *ledger.Pause:
		s.event(l, "pause", op.Reason, 0)
	case *ledger.Wake:
		s.event(l, "wake", op.Reason, op.Asleep)
	case *ledger.Account:
		s.event(l, "account", op.Text, 0)
	case *ledger.Name:
		g.Names[op.Of] = op.Name
	}
}

// logFinish closes the running step in the log.
func (s *State) logFinish(op *ledger.Finish) {
	s.Log.Steps++
	s.Log.LastStart = nil
	delete(s.Log.Attempts, ledger.StepKey(op.Kind, op.Args, op.Inputs))
}

// capped is the rule of import: what stands on a line after the first known ones
// and before the import counts as reported by the sender. The last import decides.
func (s *State) capped(seq int64) bool {
	return s.Imported != nil && seq > s.Imported.Known && seq < s.ImportSeq
}

// capReported applies the newest import to everything.
func (s *State) capReported() {
	for _, id := range s.ClaimIDs {
		s.capClaim(id)
	}
	for id := range s.Assumptions {
		s.capAssumption(id)
	}
	s.retrustAll(s.ClaimIDs)
}

// capClaim applies it to one claim: all of them after an import, and those that an
// undo put back as they were before it.
func (s *State) capClaim(id string) {
	old := s.Claims[id]
	c := *old
	c.Evidence = slices.Clone(old.Evidence)
	c.Checks = slices.Clone(old.Checks)
	c.Reported = (c.marked || s.capped(c.Seq)) && !s.foundHere(&c)
	for i := range c.Evidence {
		e := &c.Evidence[i]
		e.Reported = (e.marked || s.capped(e.Seq)) && (e.cleared == 0 || s.capped(e.cleared))
	}
	for i := range c.Checks {
		v := &c.Checks[i]
		v.Reported = v.marked || s.capped(v.Seq)
	}
	if c.Reported != old.Reported || !slices.Equal(c.Evidence, old.Evidence) || !slices.Equal(c.Checks, old.Checks) {
		put(s, kClaim, s.Claims, &s.ClaimIDs, id, &c, true)
	}
}

// foundHere: a person or a calculation found the claim right, and not in a file.
func (s *State) foundHere(c *Claim) bool {
	for i := range c.Checks {
		if v := &c.Checks[i]; v.Good() && (v.How == "person" || v.How == "calculation") && !v.marked && !s.capped(v.Seq) {
			return true
		}
	}
	return false
}

func (s *State) capAssumption(id string) {
	old := s.Assumptions[id]
	a := *old
	a.said = slices.Clone(old.said)
	for i := range a.said {
		a.said[i].Reported = a.said[i].marked || s.capped(a.said[i].Seq)
	}
	if a.settle(); !slices.Equal(a.said, old.said) {
		put(s, kAssumption, s.Assumptions, nil, id, &a, true)
	}
}
