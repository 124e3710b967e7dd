package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/vault"
)

// open opens a vault in a fresh home below the machine's folder.
func open(dir string) (*vault.Store, func() error, error) {
	home := vault.Home(dir)
	lock, err := vault.Lock(home)
	if err != nil {
		return nil, nil, err
	}
	s, _, err := vault.Open(home, lock, vault.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, lock.Release())
	}
	return s, func() error { return errors.Join(s.Close(), lock.Release()) }, nil
}

// since is the time that passed since t, in milliseconds.
func since(c clock.Real, t time.Time) float64 { return float64(c.Now().Sub(t)) / 1e6 }

// commitOverFsync is the median of a step group over the median of a bare write
// and fsync of the same bytes, taken in turns on the same disk.
func commitOverFsync(ctx context.Context, m Machine) (_ float64, err error) {
	const pairs = 600
	s, done, err := open(filepath.Join(m.Dir, "home"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	bare, err := os.OpenFile(filepath.Join(m.Dir, "bare"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, fmt.Errorf("make a file to write to: %w", err)
	}
	defer bare.Close()
	mk := newMaker()
	branch, err := begin(ctx, s, mk)
	if err != nil {
		return 0, err
	}
	var c clock.Real
	var commits, fsyncs []float64
	for i := range pairs {
		m.Note(fmt.Sprintf("pair %d of %d", i+1, pairs))
		groups, err := mk.step(nil)
		if err != nil {
			return 0, err
		}
		for _, g := range groups[:len(groups)-1] {
			if err := s.Append(ctx, branch, g); err != nil {
				return 0, err
			}
		}
		group := groups[len(groups)-1]
		var bytes []byte
		for _, line := range group {
			bytes = append(append(bytes, line...), '\n')
		}
		t := c.Now()
		if err := s.Append(ctx, branch, group); err != nil {
			return 0, err
		}
		commits = append(commits, since(c, t))
		t = c.Now()
		if _, err := bare.Write(bytes); err != nil {
			return 0, fmt.Errorf("write: %w", err)
		}
		if err := bare.Sync(); err != nil {
			return 0, fmt.Errorf("sync: %w", err)
		}
		fsyncs = append(fsyncs, since(c, t))
	}
	return median(commits) / median(fsyncs), nil
}

// begin records the maker's first group.
func begin(ctx context.Context, s *vault.Store, mk *maker) (string, error) {
	first, err := mk.begin()
	if err != nil {
		return "", err
	}
	return s.Begin(ctx, "", first)
}

// growth is how fast the folder grows on disk from step 1,000 to 3,000, over
// the bytes that had to be kept: replies, texts and slices, each once.
func growth(ctx context.Context, m Machine) (_ float64, err error) {
	const from, to = 1000, 3000
	home := filepath.Join(m.Dir, "home")
	s, done, err := open(home)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	mk := newMaker()
	branch, err := begin(ctx, s, mk)
	if err != nil {
		return 0, err
	}
	var disk, unique [2]int64
	for i := range to + 1 {
		m.Note(fmt.Sprintf("step %d of %d", i, to))
		if i == from || i == to {
			k := 0
			if i == to {
				k = 1
			}
			unique[k] = mk.unique + int64(i)*repliesPerStep*replyBytes
			if disk[k], err = blocks(home); err != nil {
				return 0, err
			}
		}
		var replies []string
		for range repliesPerStep {
			h, err := s.PutBlob(ctx, mk.reply())
			if err != nil {
				return 0, err
			}
			replies = append(replies, h.String())
		}
		groups, err := mk.step(replies)
		if err != nil {
			return 0, err
		}
		for _, g := range groups {
			if err := s.Append(ctx, branch, g); err != nil {
				return 0, err
			}
		}
	}
	return float64(disk[1]-disk[0]) / float64(unique[1]-unique[0]), nil
}

// lines makes a ledger of at least n lines, grouped.
func lines(ctx context.Context, mk *maker, n int64, put func(first bool, group [][]byte) error) error {
	group, err := mk.begin()
	if err != nil {
		return err
	}
	if err := put(true, group); err != nil {
		return err
	}
	reply := mk.hex(32)
	for mk.st.Seq < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		groups, err := mk.step([]string{reply, reply, reply})
		if err != nil {
			return err
		}
		for _, g := range groups {
			if err := put(false, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldRate is how many lines a second are decoded strictly and folded, with a
// state hash every 8 lines.
func foldRate(ctx context.Context, m Machine) (float64, error) {
	const wanted = 100_000
	m.Note("making 100,000 lines")
	var all [][]byte
	err := lines(ctx, newMaker(), wanted, func(_ bool, g [][]byte) error { all = append(all, g...); return nil })
	if err != nil {
		return 0, err
	}
	var rates []float64
	for i := range 3 {
		m.Note(fmt.Sprintf("folding them, %d of 3", i+1))
		rate, err := foldOnce(all)
		if err != nil {
			return 0, err
		}
		rates = append(rates, rate)
	}
	return slices.Max(rates), nil // other work on the machine can only slow it down
}

// foldOnce decodes and folds the lines and gives the lines per second.
func foldOnce(all [][]byte) (float64, error) {
	var c clock.Real
	runtime.GC()
	begun := c.Now()
	st := state.New()
	for i, raw := range all {
		line, err := ledger.Decode(raw)
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", i+1, err)
		}
		if found := st.Apply(line); len(found) > 0 && found[0].Code != "" {
			return 0, fmt.Errorf("line %d: %s", i+1, found[0].Message)
		}
		if i%8 == 7 {
			st.Hash()
		}
	}
	return float64(len(all)) / (since(c, begun) / 1000), nil
}
