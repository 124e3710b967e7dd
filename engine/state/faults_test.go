package state_test

import (
	"fmt"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"

	"pgregory.net/rapid"
)

// A property that can't fail says nothing. Each is given a fold with a fault that
// it is there to notice, and must notice it within as many ledgers as a test run has.
func TestPropertiesNoticeFaults(t *testing.T) {
	for name, p := range properties {
		f := faults[name]
		if f == nil {
			t.Errorf("no fault is planted for: %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			noticed, example := 0, error(nil)
			rapid.Check(t, func(t *rapid.T) {
				if err := p(t, func() *fold { return &fold{state.New(), f()} }); err != nil {
					noticed++
					example = err
				}
			})
			if noticed == 0 {
				t.Error("the planted fault was not noticed")
			} else {
				t.Logf("noticed in %d ledgers, e.g.: %.120s", noticed, example)
			}
		})
	}
}

type applier = func(*state.State, *ledger.Line) []state.Finding

// faults are broken ways to take a line, one for each property.
var faults = map[string]func() applier{
	// A record changes behind the kept hash.
	"the kept hash is the whole one": func() applier {
		return func(s *state.State, l *ledger.Line) []state.Finding {
			found := s.Apply(l)
			if l.Op.OpName() == "note" {
				for id, old := range s.Claims {
					c := *old
					c.Reason = "changed in passing"
					s.Claims[id] = &c
				}
			}
			return found
		}
	},
	// A copy of the state lacks something.
	"prefix and rest are the whole": func() applier {
		var first *state.State
		return func(s *state.State, l *ledger.Line) []state.Finding {
			if first == nil {
				first = s
			}
			if s != first {
				clear(s.Barren)
				clear(s.Overrides)
			}
			return s.Apply(l)
		}
	},
	// What is retracted is thrown away.
	"nothing vanishes": func() applier {
		return func(s *state.State, l *ledger.Line) []state.Finding {
			found := s.Apply(l)
			if op, ok := l.Op.(*ledger.Retract); ok && len(found) == 0 {
				delete(s.Claims, op.ID)
				delete(s.Notes, op.ID)
			}
			return found
		}
	},
	// Nobody asks who decided before.
	"a person's change outlives the model": func() applier { return asPerson },
	"a trial says what the line would":     func() applier { return asPerson },
	// Nothing goes stale.
	"nothing fresh rests on what is not": func() applier {
		return func(s *state.State, l *ledger.Line) []state.Finding {
			found := s.Apply(l)
			for id, old := range s.Claims {
				if old.IsStale {
					c := *old
					c.IsStale, c.Standing = false, state.Active
					s.Claims[id] = &c
				}
			}
			return found
		}
	},
	// An undo leaves a trace.
	"an undo of an undo changes nothing": func() applier {
		return func(s *state.State, l *ledger.Line) []state.Finding {
			found := s.Apply(l)
			if l.Op.OpName() == "undo" && len(found) == 0 {
				s.Passed[fmt.Sprintf("undone:%d", l.Seq)] = "passed"
			}
			return found
		}
	},
	// What something is called depends on what came before it.
	"what is apart commutes": func() applier {
		return func(s *state.State, l *ledger.Line) []state.Finding {
			if op, ok := l.Op.(*ledger.Assume); ok {
				c := *l
				c.Op = &ledger.Assume{Question: op.Question, Text: fmt.Sprintf("%s, the %d.", op.Text, len(s.Assumptions)+1)}
				l = &c
			}
			return s.Apply(l)
		}
	},
	// A line's number gets into the work.
	"log lines, times and names do not count": func() applier {
		return func(s *state.State, l *ledger.Line) []state.Finding {
			if op, ok := l.Op.(*ledger.Note); ok {
				c := *l
				c.Op = &ledger.Note{On: op.On, Text: fmt.Sprintf("%s (%d)", op.Text, l.Seq)}
				l = &c
			}
			return s.Apply(l)
		}
	},
}

// asPerson takes every line as if a person had written it.
func asPerson(s *state.State, l *ledger.Line) []state.Finding {
	c := *l
	if ledger.MayWrite(l.Op.OpName(), ledger.Person) {
		c.By = ledger.Person
	}
	return s.Apply(&c)
}
