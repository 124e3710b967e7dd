package run

import (
	"context"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/task"
)

// roomEvery is how often a full disk is looked at again.
const roomEvery = 5 * time.Second

// commit makes entries durable. On a full disk the run says so, waits, and goes on
// by itself when there is room again: nothing that it has in hand is given up.
func (r *Runner) commit(ctx context.Context, entries []task.Entry, step *ledger.NextStep) error {
	return r.whenRoom(ctx, func() error { return r.save(ctx, entries, step) })
}

// save is commit without the waiting, for a run that ends.
func (r *Runner) save(ctx context.Context, entries []task.Entry, step *ledger.NextStep) error {
	if err := r.Task.Commit(ctx, entries, step); err != nil {
		return err
	}
	if r.Sink != nil {
		r.Sink.Saved()
	}
	return nil
}

// whenRoom does something that writes, again and again while the disk is full, until
// ctx ends; its error is then that of the disk. A refusal for want of room has
// written nothing, so repeating it is safe.
func (r *Runner) whenRoom(ctx context.Context, do func() error) error {
	waited := false
	for {
		err := do()
		if err == nil || engine.KindOf(err) != engine.KindDiskFull {
			if waited {
				r.phase(Saving, planner.Step{}, nil)
			}
			return err
		}
		waited = true
		r.phase(Waiting, planner.Step{}, err)
		if r.Clock.Sleep(ctx, roomEvery) != nil {
			return err
		}
	}
}
