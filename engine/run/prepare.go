package run

import (
	"context"
	"errors"
	"fmt"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/planner"
	"cairn/engine/state"
	"cairn/engine/task"
)

// prepare makes sure that the model is there and records how fast it is, once a
// run and after each sleep. Its figures enter the work rounded, and again only
// when they are off by more than a factor of two: plans must not flutter.
func (r *Runner) prepare(ctx context.Context) error {
	if r.ready {
		return nil
	}
	if r.Model == nil {
		return &engine.Error{Kind: engine.KindModelAway, What: "There is no model runtime.", Safe: "Everything so far is saved.",
			Do: "Start Ollama, or go on without a model: accept the sentences that search found."}
	}
	if r.Ready == nil {
		r.ready = true
		return nil
	}
	for {
		r.phase(Loading, planner.Step{}, nil)
		found, err := r.Ready(ctx)
		if err == nil {
			r.ready, r.waited = true, 0
			return r.adopt(ctx, found)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if engine.KindOf(err) == engine.KindModelMissing {
			return err
		}
		if engine.KindOf(err) != engine.KindModelAway {
			return fmt.Errorf("%w: %w", errModel, err)
		}
		if err := r.wait(ctx, planner.Step{}, err); err != nil {
			return err
		}
	}
}

// measured writes what the probe found into the work, if it is new.
func (r *Runner) measured(ctx context.Context, c model.Capability) error {
	now := ledger.Set{
		Context: int64(c.NumCtx), Trial: c.Trial,
		ReadRate: rounded(c.ReadRate), WriteRate: rounded(c.WriteRate), TokenBytes: rounded(c.TokenBytes * 100),
	}
	var set ledger.Set
	_ = r.Task.Read(func(st *state.State) error {
		old := st.Settings
		if old.Digest != c.Digest {
			set.Model, set.Digest, set.Trial = old.Model, c.Digest, now.Trial
		}
		if old.Context != now.Context {
			set.Context = now.Context
		}
		for _, f := range []struct {
			old, now int64
			into     *int64
		}{{old.ReadRate, now.ReadRate, &set.ReadRate}, {old.WriteRate, now.WriteRate, &set.WriteRate}, {old.TokenBytes, now.TokenBytes, &set.TokenBytes}} {
			if f.now > 0 && (f.old == 0 || f.now > 2*f.old || 2*f.now < f.old) {
				*f.into = f.now
			}
		}
		return nil
	})
	if set == (ledger.Set{}) {
		return nil
	}
	return r.commit(ctx, []task.Entry{engineSays(&set)}, nil)
}

// rounded keeps two leading digits.
func rounded(f float64) int64 {
	n, unit := int64(f+0.5), int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// errUnusable: the model answered, but not with anything that can be used.
var errUnusable = errors.New("the reply could not be used")
