package run

import (
	"context"
	"errors"
	"fmt"
	"math"

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
		ReadRate: rounded(c.ReadRate), WriteRate: rounded(c.WriteRate), TokenBytes: tenths(c.TokenBytes),
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

// rounded brings a rate to two steps per octave: two measurements of the same
// machine differ a little, and the work must not.
func rounded(f float64) int64 {
	if !(f > 0) || math.IsInf(f, 1) {
		return 0
	}
	return max(1, int64(math.Round(math.Exp2(math.Round(2*math.Log2(f))/2))))
}

// tenths brings bytes per token to a tenth of a byte, in bytes per 100 tokens.
func tenths(f float64) int64 { return int64(math.Round(f*10)) * 10 }

// errUnusable: the model answered, but not with anything that can be used.
var errUnusable = errors.New("the reply could not be used")
