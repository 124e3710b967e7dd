package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"cairn/engine/clock"
	"cairn/engine/task"
)

// openTime is how long it takes from nothing to the newest checkpoint of a task
// of 100,000 lines: the vault opened, the lines folded, the next step planned.
func openTime(ctx context.Context, m Machine) (float64, error) {
	home := filepath.Join(m.Dir, "home")
	branch, err := fill(ctx, m, home)
	if err != nil {
		return 0, err
	}
	m.Note("opening it")
	var times []float64
	for range 3 {
		ms, err := openOnce(ctx, home, branch)
		if err != nil {
			return 0, err
		}
		times = append(times, ms)
	}
	return median(times), nil
}

// fill makes the task of 100,000 lines and closes the vault.
func fill(ctx context.Context, m Machine, home string) (_ string, err error) {
	s, done, err := open(home)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	mk := newMaker()
	mk.blobs = s
	branch := ""
	err = lines(ctx, mk, 100_000, func(first bool, group [][]byte) (err error) {
		if first {
			branch, err = s.Begin(ctx, "", group)
			return err
		}
		if mk.st.Group%1000 == 0 {
			m.Note(fmt.Sprintf("making line %d of 100000", mk.st.Seq))
		}
		return s.Append(ctx, branch, group)
	})
	return branch, err
}

func openOnce(ctx context.Context, home, branch string) (_ float64, err error) {
	var c clock.Real
	begun := c.Now()
	s, done, err := open(home)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	t, err := task.NewDesk(s, c, rand.Reader, "bench").Open(ctx, branch)
	if err != nil {
		return 0, err
	}
	if err := t.Fault(); err != nil {
		return 0, err
	}
	if _, err := t.Next(); err != nil {
		return 0, err
	}
	return since(c, begun), nil
}
