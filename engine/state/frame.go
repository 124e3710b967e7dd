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
			return []Finding{{Seq: l.Seq, Code: CodeForm, Message: "a root is the first line"}}
		}
		s.Root = op
		s.event(l, "root", "", 0)
	case *ledger.Import:
		s.Imported, s.ImportSeq = op, l.Seq
		s.event(l, "import", "", 0)
		s.capReported(op.Known, l.Seq)
	case *ledger.Fork:
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

// capReported is the rule of import: what stands on a line after the first known
// ones and before the import counts as reported by the sender. The last import
// decides.
func (s *State) capReported(known, at int64) {
	capped := func(seq int64) bool { return seq > known && seq < at }
	for _, id := range s.ClaimIDs {
		old := s.Claims[id]
		c := *old
		c.Evidence = slices.Clone(old.Evidence)
		c.Checks = slices.Clone(old.Checks)
		c.Reported = c.marked || capped(c.Seq)
		for i := range c.Evidence {
			e := &c.Evidence[i]
			e.Reported = (e.marked || capped(e.Seq)) && (e.cleared == 0 || capped(e.cleared))
		}
		for i := range c.Checks {
			v := &c.Checks[i]
			v.Reported = v.marked || capped(v.Seq)
		}
		put(s, kClaim, s.Claims, &s.ClaimIDs, id, &c, true)
	}
	s.retrustAll(s.ClaimIDs)
}
