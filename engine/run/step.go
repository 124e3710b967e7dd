package run

import (
	"context"
	"fmt"
	"slices"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/state"
	"cairn/engine/task"
)

// outcome is what a step brings to its last group.
type outcome struct {
	entries []task.Entry
	result  string // done, nothing, parked
	reason  string
}

// step runs one step: a start group, the groups of its calls, and the group that
// closes it with what was accepted, what was refused, and the checkpoint.
func (r *Runner) step(ctx context.Context, s planner.Step) error {
	if s.Kind == planner.Read || s.Kind == planner.Answer {
		if err := r.prepare(ctx); err != nil {
			return err
		}
		// Settings may have changed with the probe; the step itself has not.
	}
	attempt, poisoned := r.attempts(s)
	if poisoned {
		return r.close(ctx, s, outcome{result: "parked", reason: "interrupted_three_times"})
	}
	if err := r.commit(ctx, []task.Entry{engineSays(&ledger.Start{
		Kind: s.Kind, Args: s.Args, Serves: s.Serves, Inputs: s.Inputs, Attempt: attempt,
	})}, nil); err != nil {
		return err
	}
	var out outcome
	var err error
	switch s.Kind {
	case planner.Plan:
		r.phase(Checking, s, nil)
		out, err = r.plan()
	case planner.Search:
		r.phase(Searching, s, nil)
		out, err = r.search(ctx, s)
	case planner.Read:
		out, err = r.read(ctx, s)
	case planner.Answer:
		out, err = r.answer(ctx, s)
	case planner.Report:
		r.phase(Checking, s, nil)
		out = outcome{entries: []task.Entry{engineSays(&ledger.Report{Answers: s.Args})}, result: "done"}
	default:
		return fmt.Errorf("there is no step kind %q", s.Kind)
	}
	if err != nil {
		return err
	}
	return r.close(ctx, s, out)
}

// close commits the end of a step. If a person changed the inputs meanwhile the
// outcome is outdated: nothing of it is written, and the step is planned anew.
func (r *Runner) close(ctx context.Context, s planner.Step, out outcome) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.phase(Saving, s, nil)
	outdated := false
	entries := append(slices.Clone(out.entries), engineSays(&ledger.Finish{
		Kind: s.Kind, Args: s.Args, Serves: s.Serves, Inputs: s.Inputs, Outcome: out.result, Reason: out.reason,
	}))
	err := r.whenRoom(ctx, func() (err error) {
		if outdated, err = r.outdated(s); err != nil || outdated {
			return err // also after a wait, in which a person may have been faster
		}
		return r.save(ctx, entries, &ledger.NextStep{Kind: s.Kind, Args: s.Args, Serves: s.Serves})
	})
	if err != nil || outdated {
		return err
	}
	if out.reason == ReasonModelFailed {
		return errParked
	}
	return nil
}

// outdated takes the inputs' hash again: the step must still be one that the
// planner would take, with the same inputs.
func (r *Runner) outdated(s planner.Step) (bool, error) {
	outdated := true
	err := r.Task.Read(func(st *state.State) error {
		same, err := planner.Current(st, r.Task.Library(), s)
		outdated = !same
		return err
	})
	return outdated, err
}

// attempts counts the starts of a step that no finish followed. After three
// without a finished call between, the step is parked: it may be what kills us.
func (r *Runner) attempts(s planner.Step) (attempt int64, poisoned bool) {
	_ = r.Task.Read(func(st *state.State) error {
		attempt = st.Log.Attempts[s.Key()] + 1
		last := st.Log.LastStart
		poisoned = attempt > 3 && last != nil && len(last.Calls) == 0
		return nil
	})
	return attempt, poisoned
}

// plan writes down the order of work: the questions as the person wrote them.
func (r *Runner) plan() (outcome, error) {
	var add []ledger.Item
	err := r.Task.Read(func(st *state.State) error {
		planned := map[string]bool{}
		for _, id := range st.PlanIDs {
			planned[id] = true
		}
		for _, id := range st.QuestionIDs {
			if st.Questions[id].Status == state.Dropped {
				continue
			}
			for _, kind := range []string{planner.Search, planner.Read, planner.Answer} {
				it := ledger.Item{Kind: kind, Args: []string{id}, Serves: id}
				if !planned[ledger.ItemID(it)] {
					add = append(add, it)
				}
			}
		}
		if it := (ledger.Item{Kind: planner.Report}); !planned[ledger.ItemID(it)] {
			add = append(add, it)
		}
		return nil
	})
	if err != nil || len(add) == 0 {
		return outcome{result: "nothing"}, err
	}
	out := outcome{result: "done"}
	for part := range slices.Chunk(add, 100) {
		out.entries = append(out.entries, engineSays(&ledger.Plan{Add: part}))
	}
	return out, nil
}

// perDocument is how many passages of one document a search lists for a
// question; exhaustive reading adds the others by itself.
const perDocument = 12

// search ranks the passages of every document for a question.
func (r *Runner) search(ctx context.Context, s planner.Step) (outcome, error) {
	var text string
	err := r.Task.Read(func(st *state.State) error {
		q := st.Questions[s.Serves]
		if q == nil {
			return &engine.Error{Kind: engine.KindNotFound, What: "The question is gone."}
		}
		text = q.Text
		return nil
	})
	if err != nil {
		return outcome{}, err
	}
	index, err := r.Task.Library().Index(ctx, r.sources())
	if err != nil {
		return outcome{}, err
	}
	var ranges []string
	for _, h := range index.Passages(text, perDocument, 0) {
		ranges = append(ranges, ledger.Ref(h.Source, h.From, h.To))
	}
	out := outcome{result: "done"}
	if len(ranges) == 0 {
		out.result = "nothing"
		out.entries = []task.Entry{engineSays(&ledger.Found{Question: s.Serves})}
		return out, nil
	}
	for i, part := range slices.Collect(slices.Chunk(ranges, 1000)) {
		out.entries = append(out.entries, engineSays(&ledger.Found{Question: s.Serves, Part: int64(i), Ranges: part}))
	}
	return out, nil
}

// sources copies the records of the sources that can be read now.
func (r *Runner) sources() (out []*state.Source) {
	_ = r.Task.Read(func(st *state.State) error {
		for _, s := range planner.Readable(st) {
			copied := *s
			out = append(out, &copied)
		}
		return nil
	})
	return out
}
