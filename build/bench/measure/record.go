package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"cairn/engine/audit"
	"cairn/engine/clock"
	"cairn/engine/handoff"
	"cairn/engine/state"
	"cairn/engine/task"
)

// The record that audits and hand-offs are measured on.
const (
	recordLines   = 10_000
	recordSources = 200
)

// withRecord makes a task of 10,000 lines and 200 sources in a vault, opens it and
// calls fn.
func withRecord(ctx context.Context, m Machine, fn func(*task.Task) (float64, error)) (_ float64, err error) {
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
	reply, err := s.PutBlob(ctx, mk.reply())
	if err != nil {
		return 0, err
	}
	r := reply.String()
	for mk.st.Seq < recordLines {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var groups [][][]byte
		if int64(mk.sources)*recordLines < mk.st.Seq*recordSources {
			group, err := mk.addSource()
			if err != nil {
				return 0, err
			}
			groups = append(groups, group)
		}
		step, err := mk.step([]string{r, r, r})
		if err != nil {
			return 0, err
		}
		for _, g := range append(groups, step...) {
			if err := s.Append(ctx, branch, g); err != nil {
				return 0, err
			}
		}
		m.Note(fmt.Sprintf("making line %d of %d", mk.st.Seq, recordLines))
	}
	if mk.sources < recordSources*9/10 {
		return 0, fmt.Errorf("the record has only %d sources", mk.sources)
	}
	t, err := task.NewDesk(s, clock.Real{}, rand.Reader, "bench").Open(ctx, branch)
	if err != nil {
		return 0, err
	}
	if err := t.Fault(); err != nil {
		return 0, err
	}
	return fn(t)
}

// auditFull is the audit of everything, as before a run: the lines folded anew, the
// invariants, and every quote held against its stored text.
func auditFull(ctx context.Context, m Machine) (float64, error) {
	return withRecord(ctx, m, func(t *task.Task) (float64, error) {
		var c clock.Real
		var times []float64
		for range 3 {
			begun := c.Now()
			report, err := audit.Audit(ctx, t.Snapshot(), t.Blobs(), audit.Options{
				Lines: func(fn func(int64, []byte) error) error { return t.Lines(ctx, 1, fn) },
			})
			if err != nil {
				return 0, err
			}
			if report.Breached() || report.Sources == 0 || report.Slices == 0 {
				return 0, fmt.Errorf("the record does not pass its audit: %v", report.Sentences())
			}
			times = append(times, since(c, begun)/1000)
		}
		return median(times), nil
	})
}

// auditStep is the audit of what one step proposes: six findings against the record.
func auditStep(ctx context.Context, m Machine) (float64, error) {
	return withRecord(ctx, m, func(t *task.Task) (float64, error) {
		st := t.Snapshot()
		in := audit.Context{State: st, Slice: func(source string, from, to int64) (string, error) {
			text, err := t.Library().Text(ctx, st.Sources[source])
			if err != nil {
				return "", err
			}
			return text.Slice(from, to), nil
		}}
		var c clock.Real
		var times []float64
		for n := range 100 {
			source := st.SourceIDs[n%len(st.SourceIDs)]
			in.Shown = func(string) []state.Interval { return []state.Interval{{From: 1, To: perSource}} }
			// The step has read the text already, to show it.
			if _, err := in.Slice(source, 1, 1); err != nil {
				return 0, err
			}
			begun := c.Now()
			for i := range int64(claimsPerStep) {
				from := 200 + 2*i
				text, err := in.Slice(source, from, from)
				if err != nil {
					return 0, err
				}
				v := audit.CheckFinding(in, audit.Finding{Question: st.QuestionIDs[0], Source: source, From: from, To: from + 1, Text: text})
				if v.Refusal != nil {
					return 0, fmt.Errorf("the finding was refused: %s", v.Refusal.Message)
				}
			}
			times = append(times, since(c, begun))
		}
		return median(times), nil
	})
}

// export is the making of a hand-off file with its whole history.
func export(ctx context.Context, m Machine) (float64, error) {
	return withRecord(ctx, m, func(t *task.Task) (float64, error) {
		return seconds(func() error {
			body, err := t.HandOff(ctx, false)
			if err == nil && len(body) == 0 {
				err = errors.New("the file is empty")
			}
			return err
		})
	})
}

// verify is the checking of such a file by somebody who has nothing else.
func verify(ctx context.Context, m Machine) (float64, error) {
	return withRecord(ctx, m, func(t *task.Task) (float64, error) {
		body, err := t.HandOff(ctx, false)
		if err != nil {
			return 0, err
		}
		return seconds(func() error {
			_, err := handoff.Verify(body)
			return err
		})
	})
}

// seconds is the median of three times that fn takes.
func seconds(fn func() error) (float64, error) {
	var c clock.Real
	var times []float64
	for range 3 {
		begun := c.Now()
		if err := fn(); err != nil {
			return 0, err
		}
		times = append(times, since(c, begun)/1000)
	}
	return median(times), nil
}
