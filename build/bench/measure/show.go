package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"cairn/engine/clock"
	"cairn/engine/task"
)

// showCheckpoints is how many checkpoints the task has of which any is shown.
const showCheckpoints = 10_000

// showAny is how long the slowest of some checkpoints takes to be there, from the
// first to the newest of 10,000, in a task that is open: its state and its counts.
func showAny(ctx context.Context, m Machine) (_ float64, err error) {
	s, done, err := open(filepath.Join(m.Dir, "home"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	mk := newMaker()
	mk.blobs = s
	branch, err := begin(ctx, s, mk)
	if err != nil {
		return 0, err
	}
	reply := mk.hex(32)
	for len(mk.st.Checkpoints) < showCheckpoints {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		groups, err := mk.step([]string{reply, reply, reply})
		if err != nil {
			return 0, err
		}
		for _, g := range groups {
			if err := s.Append(ctx, branch, g); err != nil {
				return 0, err
			}
		}
		m.Note(fmt.Sprintf("making checkpoint %d of %d", len(mk.st.Checkpoints), showCheckpoints))
	}
	checkpoints := mk.st.Checkpoints
	t, err := task.NewDesk(s, clock.Real{}, rand.Reader, "bench").Open(ctx, branch)
	if err != nil {
		return 0, err
	}
	mk = nil // its memory is not the task's
	var c clock.Real
	var all []float64
	for i := range 21 {
		want := checkpoints[i*(len(checkpoints)-1)/20]
		var times []float64
		for range 3 {
			begun := c.Now()
			st, err := t.At(ctx, want.Seq)
			if err != nil {
				return 0, err
			}
			counts := st.Counts()
			times = append(times, since(c, begun))
			if want.Counts != nil && counts != *want.Counts {
				return 0, fmt.Errorf("checkpoint %d was shown with other counts", i)
			}
		}
		m.Note(fmt.Sprintf("line %d: %.0f ms", want.Seq, median(times)))
		all = append(all, median(times))
	}
	return slices.Max(all), nil
}
