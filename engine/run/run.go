// Package run works through a task step by step: gather, work, serialize, audit,
// commit (DESIGN 4). It is the only caller of a model. Whatever a model returns
// is a proposal; what is written was checked by engine/audit and committed by
// engine/task.
package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/planner"
	"cairn/engine/state"
	"cairn/engine/task"
)

// Phase says honestly what a run is doing.
type Phase string

// The phases of a run.
const (
	Starting  Phase = "starting"
	Loading   Phase = "loading"
	Reading   Phase = "reading"
	Thinking  Phase = "thinking"
	Writing   Phase = "writing"
	Checking  Phase = "checking"
	Saving    Phase = "saving"
	Searching Phase = "searching"
	Waiting   Phase = "waiting" // for Ollama
	Asleep    Phase = "asleep"
)

// Sink is told what happens, from the run's goroutine; it must not block.
type Sink interface {
	// Phase: what is being done, for which step; err is what is waited out.
	Phase(p Phase, step planner.Step, err error)
	// Text is the next piece of the running call's text, for display only; reset
	// says that a call begins.
	Text(piece string, reset bool)
	// Saved: a group is durable.
	Saved()
}

// Runner works on one task. One Runner runs at a time for a task.
type Runner struct {
	Task   *task.Task
	Model  model.Chatter // nil: no model
	Clock  engine.Clock
	Sink   Sink
	NumCtx int // context size of every request; 0 = model.DefaultNumCtx

	// Ready probes the model before the first call and after a sleep, and gives
	// what it found. nil: the model is used as it is.
	Ready func(ctx context.Context) (model.Capability, error)
	// Between is called between steps, where new sources may join. May be nil.
	Between func(ctx context.Context) error
	// Patience is how long an absent Ollama is waited for before the run ends as
	// stuck; 0 = for ever.
	Patience time.Duration

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the running call
	slept  time.Duration

	ready  bool          // the model was probed since the start or the last sleep
	waited time.Duration // for an absent Ollama
}

// Causes for which a run ends before its work does.
var (
	// ErrStop: the person stopped it. The task waits for "Go on".
	ErrStop = errors.New("stopped by the person")
	// ErrQuit: the program ends. The task goes on at the next start.
	ErrQuit  = errors.New("the program ends")
	errSlept = errors.New("the machine slept")
)

// Reasons of `end` that come from a run, beside the planner's.
const (
	ReasonPerson       = "person"
	ReasonBudget       = "budget"
	ReasonModelAway    = "model_away"
	ReasonModelMissing = "model_missing"
	ReasonModelFailed  = "model_failed"
)

// Run works until the task is done, stuck, waits for a person, or ctx ends (give
// ErrStop or ErrQuit as its cause). What is finished is saved; the outcome is in
// the ledger. The error is nil for each of these endings; otherwise it says what
// kept the run from writing its record.
func (r *Runner) Run(ctx context.Context) (ledger.End, error) {
	if err := r.Task.Fault(); err != nil {
		return ledger.End{}, err
	}
	err := r.audit(ctx)
	if err == nil {
		err = r.wake(ctx)
	}
	if err != nil && ctx.Err() == nil {
		return ledger.End{}, err
	}
	begun := r.Clock.Awake()
	failed := 0
	for {
		if err := ctx.Err(); err != nil {
			return r.stopped(ctx)
		}
		if r.Between != nil {
			if err := r.whenRoom(ctx, func() error { return r.Between(ctx) }); err != nil && ctx.Err() == nil {
				return ledger.End{}, err
			}
		}
		step, err := r.Task.Next()
		if err != nil {
			return ledger.End{}, fmt.Errorf("plan the next step: %w", err)
		}
		switch step.Kind {
		case planner.Done:
			return r.end(ctx, ledger.End{Outcome: "done"})
		case planner.Stuck, planner.Person:
			return r.end(ctx, ledger.End{Outcome: "stuck", Reasons: step.Reasons})
		}
		if r.over(begun) && step.Kind == planner.Read {
			return r.end(ctx, ledger.End{Outcome: "stopped", Reasons: []string{ReasonBudget}})
		}
		err = r.step(ctx, step)
		switch {
		case err == nil:
			failed = 0
		case ctx.Err() != nil:
			return r.stopped(ctx)
		case errors.Is(err, errParked):
			if failed++; failed >= 3 {
				return r.end(ctx, ledger.End{Outcome: "stuck", Reasons: []string{ReasonModelFailed}})
			}
		case engine.KindOf(err) == engine.KindModelAway:
			return r.end(ctx, ledger.End{Outcome: "stuck", Reasons: []string{ReasonModelAway}})
		case engine.KindOf(err) == engine.KindModelMissing:
			return r.end(ctx, ledger.End{Outcome: "stuck", Reasons: []string{ReasonModelMissing}})
		case errors.Is(err, errModel):
			return r.end(ctx, ledger.End{Outcome: "stuck", Reasons: []string{ReasonModelFailed}})
		default:
			return ledger.End{}, err
		}
	}
}

// errParked: the step ended without a usable reply and is parked.
var errParked = errors.New("the step was parked")

// errModel: the model can't be used at all.
var errModel = errors.New("the model can't be used")

// over: time can only end a run; what is planned never depends on it. The budget is
// awake time: a sleep does not eat it, and setting the clock does not change it.
func (r *Runner) over(begun time.Duration) bool {
	var budget int64
	_ = r.Task.Read(func(st *state.State) error { budget = st.Settings.Budget; return nil })
	return budget > 0 && r.Clock.Awake()-begun > time.Duration(budget)*time.Second
}

// wake records that an interrupted step is taken up again.
func (r *Runner) wake(ctx context.Context) error {
	reason := ""
	_ = r.Task.Read(func(st *state.State) error {
		if st.Log.LastStart == nil {
			return nil
		}
		for _, e := range st.Log.Events {
			if e.Op == "fork" && e.Seq > st.Log.LastStart.Seq {
				return nil // that step goes on in the branch that this one began from
			}
		}
		reason = "killed"
		if n := len(st.Log.Events); n > 0 && st.Log.Events[n-1].Seq > st.Log.LastStart.Seq {
			switch e := st.Log.Events[n-1]; {
			case e.Op == "pause" && e.Reason == "quit":
				reason = "closed"
			case e.Op == "pause":
				reason = "stopped"
			case e.Op == "wake":
				reason = ""
			}
		}
		return nil
	})
	if reason == "" {
		return nil
	}
	return r.commit(ctx, []task.Entry{engineSays(&ledger.Wake{Reason: reason})}, nil)
}

// stopped records why the run ends before its work does.
func (r *Runner) stopped(ctx context.Context) (ledger.End, error) {
	end := ledger.End{Outcome: "stopped", Reasons: []string{ReasonPerson}}
	keep := context.WithoutCancel(ctx)
	if errors.Is(context.Cause(ctx), ErrQuit) {
		return ledger.End{Outcome: "stopped", Reasons: []string{"quit"}},
			r.save(keep, []task.Entry{engineSays(&ledger.Pause{Reason: "quit"})}, nil)
	}
	if err := r.save(keep, []task.Entry{engineSays(&ledger.Pause{Reason: "person"})}, nil); err != nil {
		return end, err
	}
	return end, r.save(keep, []task.Entry{engineSays(&end)}, nil)
}

func (r *Runner) end(ctx context.Context, end ledger.End) (ledger.End, error) {
	same := false
	_ = r.Task.Read(func(st *state.State) error {
		same = st.Ended != nil && st.Ended.Outcome == end.Outcome && slices.Equal(st.Ended.Reasons, end.Reasons)
		return nil
	})
	if same { // asked to run again, and nothing changed
		return end, nil
	}
	return end, r.commit(context.WithoutCancel(ctx), []task.Entry{engineSays(&end)}, nil) // it is so, also when a stop comes now
}

// Woke tells the run that the machine slept for d: the running call is given up
// and made again, because its connection may hang for ever.
func (r *Runner) Woke(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slept += d
	if r.cancel != nil {
		r.cancel(errSlept)
	}
}

func (r *Runner) phase(p Phase, s planner.Step, err error) {
	if r.Sink != nil {
		r.Sink.Phase(p, s, err)
	}
}

func engineSays(op ledger.Op) task.Entry { return task.Entry{By: ledger.Engine, Op: op} }
