// Package stage runs the named pieces of work of `go run ./build …` one after
// the other and says, for each, what it does, how long it took and how long is
// left. The estimates are what the same stage took on this machine before.
package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cairn/engine/clock"
)

// Stage is one named piece of work.
type Stage struct {
	Name  string        // short and stable: estimates are kept under it
	About string        // what it does, as a sentence part: "build the page"
	Guess time.Duration // how long it takes on two cores when nothing is remembered
	// Fresh reports that nothing has to be done, and why in a few words.
	// nil means that the stage always runs.
	Fresh func(ctx context.Context) (bool, string)
	// Ask may talk to a person before the work begins, while no progress is
	// shown. An error ends the stage. It may be nil.
	Ask func(ctx context.Context, say func(string)) error
	// Run does the work. It may call p as often as it likes.
	Run func(ctx context.Context, p *Progress) error
}

// Result is what became of a stage.
type Result struct {
	Name    string
	Skipped bool // Fresh said that nothing had to be done
	Took    time.Duration
	Note    string
	Err     error
}

// Runner runs stages and keeps their durations.
type Runner struct {
	Out   Output
	Times *Times
	Clock clock.Real
}

// Run runs the stages in order and stops at the first that fails, whose error
// it returns. A stage that was not needed costs nothing and is not remembered.
func (r *Runner) Run(ctx context.Context, stages []Stage) ([]Result, error) {
	var results []Result
	for i, s := range stages {
		res := r.one(ctx, i, stages)
		results = append(results, res)
		if res.Err != nil {
			return results, fmt.Errorf("%s: %w", s.Name, res.Err)
		}
	}
	return results, nil
}

// All runs every stage even when one fails, and joins what failed.
func (r *Runner) All(ctx context.Context, stages []Stage) ([]Result, error) {
	var results []Result
	var errs []error
	for i, s := range stages {
		if ctx.Err() != nil {
			return results, errors.Join(append(errs, ctx.Err())...)
		}
		res := r.one(ctx, i, stages)
		results = append(results, res)
		if res.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Name, res.Err))
		}
	}
	return results, errors.Join(errs...)
}

func (r *Runner) one(ctx context.Context, i int, stages []Stage) Result {
	s := stages[i]
	if s.Fresh != nil {
		if ok, why := s.Fresh(ctx); ok {
			r.Out.Fresh(s, why)
			return Result{Name: s.Name, Skipped: true, Note: why}
		}
	}
	if s.Ask != nil {
		if err := s.Ask(ctx, r.Out.Line); err != nil {
			return Result{Name: s.Name, Err: err}
		}
	}
	own := r.Times.Estimate(s.Name, s.Guess)
	var rest time.Duration
	for _, later := range stages[i+1:] {
		if later.Fresh != nil {
			if ok, _ := later.Fresh(ctx); ok {
				continue
			}
		}
		rest += r.Times.Estimate(later.Name, later.Guess)
	}
	begun := r.Clock.Now()
	p := newProgress(r.Out, r.Clock, s, begun, own, rest)
	r.Out.Begin(s, own, own+rest)
	err := s.Run(ctx, p)
	p.stop()
	took := r.Clock.Now().Sub(begun)
	note := p.lastResult()
	r.Out.End(s, took, note, err)
	if err == nil {
		r.Times.Remember(s.Name, took)
	}
	return Result{Name: s.Name, Took: took, Note: note, Err: err}
}
