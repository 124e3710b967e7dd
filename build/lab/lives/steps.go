package lives

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cairn/engine/model"
	"cairn/engine/run"
	"cairn/engine/state"
	"cairn/engine/task"
)

// runner works on a task with the model of the life.
func (m *machine) runner(t *task.Task, each func(r *run.Runner, n int)) *run.Runner {
	r := &run.Runner{Task: t, Clock: m.clock, Patience: time.Hour,
		Ready: func(context.Context) (model.Capability, error) { return capability(digestOf(1)), nil }}
	l := &liar{clock: m.clock, away: 7}
	if each != nil {
		l.each = func(n int) { each(r, n) }
	}
	r.Model = l
	return r
}

// run works some steps and is stopped: by the person, by the end of the program, or
// by the work's own end. Now and then the machine sleeps in the middle of a call.
func (t *turn) run(ctx context.Context) error {
	steps := 1 + t.dice.IntN(14)
	sleepAt := 0
	if t.dice.IntN(3) == 0 {
		sleepAt = 1 + t.dice.IntN(5)
	}
	why := pick(t.dice, []error{run.ErrStop, run.ErrQuit})
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := t.runner(t.task, func(r *run.Runner, n int) {
		if n == sleepAt {
			t.clock.Jump(8 * time.Hour)
			r.Woke(8 * time.Hour)
		}
	})
	r.Between = func(context.Context) error {
		if steps--; steps < 0 {
			stop(why)
		}
		return nil
	}
	_, err := r.Run(ctx)
	return notBefore(err)
}

// notBefore: a run that may not begin says so.
func notBefore(err error) error {
	if errors.Is(err, errDead) || err == nil {
		return err
	}
	return fmt.Errorf("run: %w", err)
}

// whole works to the end twice: without a break on a copy of the disk, and here with
// the process ended at up to two places. Both come to the same state.
func (t *turn) whole(ctx context.Context) error {
	d, ok := t.medium.(*disk)
	if !ok || d.left > 0 || d.fault != "" && d.fault != "step-lost" {
		t.medium.died()
		_, err := t.runner(t.task, nil).Run(ctx)
		return notBefore(err)
	}
	copied, err := d.twin(ctx)
	if err != nil {
		return err
	}
	other := &machine{life: t.life, name: "twin", medium: copied, random: &randomBytes{seed: t.Seed, name: "twin"}, acked: map[string]int64{}}
	other.start()
	smooth, err := other.desk.Open(ctx, t.task.Branch)
	if err != nil {
		return err
	}
	end, err := other.runner(smooth, nil).Run(ctx)
	if err != nil {

		return notBefore(err)
	}
	// A step that is interrupted three times is set aside, which is no unbroken run.
	crashes := int64(2)
	for _, n := range t.st.Log.Attempts {
		crashes = min(crashes, 2-n)
	}
	for ; crashes > 0; crashes-- {
		d.arm(1+t.dice.IntN(60), t.dice.IntN(2) == 0)
		_, err := t.runner(t.task, nil).Run(ctx)
		if !d.died() {
			if err != nil {
				return notBefore(err)
			}
			break
		}
		t.restart(ctx)
		if t.task, err = t.desk.Open(ctx, t.task.Branch); err != nil {
			return err
		}
	}
	last, err := t.runner(t.task, nil).Run(ctx)
	if err != nil {
		return notBefore(err)
	}
	a, b := smooth.Snapshot(), t.task.Snapshot()
	if a.Hash() != b.Hash() {
		t.fail("a run with breaks came to another state than one without: %s", differs(a, b))
	}
	if last.Outcome != end.Outcome {
		t.fail("a run with breaks ended %s %v, one without %s %v", last.Outcome, last.Reasons, end.Outcome, end.Reasons)
	}
	return nil
}

// differs names what differs between two states.
func differs(a, b *state.State) string {
	x, y := print(a), print(b)
	for key, value := range x {
		if y[key] != value {
			return fmt.Sprintf("%s is %q and %q", key, value, y[key])
		}
	}
	for key := range y {
		if _, ok := x[key]; !ok {
			return key + " is in one of them"
		}
	}
	return fmt.Sprintf("%d and %d finished steps, %d and %d lines", len(a.FinishedKeys), len(b.FinishedKeys), a.Seq, b.Seq)
}
