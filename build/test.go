package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/build/report"
	"cairn/build/setup"
	"cairn/build/stage"
)

// windowTests is the package of tests that drive the real window. It needs a
// screen and a built program, and so has a stage of its own.
const windowTests = "cairn/build/windowtest"

func testCommand(flags *flag.FlagSet) func(context.Context, *tool) error {
	only := flags.String("only", "", "run only these `stages`, with commas between them; \"list\" names them")
	long := flags.Bool("long", false, "also the tests that take long")
	return func(ctx context.Context, t *tool) error {
		checks, needs := t.checks(*long)
		if *only == "list" {
			for _, c := range checks {
				fmt.Printf("%-9s %s\n", c.name, c.about)
			}
			return nil
		}
		checks, err := pick(checks, *only)
		if err != nil {
			return err
		}
		var counts report.Counts
		// The closing line is written whatever happens, the set-up failing included.
		defer func() {
			fmt.Printf("%d passed, %d failed, %d skipped\n", counts.Passed, counts.Failed, counts.Skipped)
		}()
		if _, err := t.runner.Run(ctx, t.testSetup(ctx, checks, needs)); err != nil {
			counts.Failed++
			t.out.Line("\nThe set-up for the tests: " + err.Error() + "\n")
			return errTold
		}
		counts, err = t.runChecks(ctx, checks)
		return err
	}
}

// checks are all test stages in order, quick ones first, and what those that
// need more than packages and modules need.
func (t *tool) checks(long bool) (checks []check, needs map[string]need) {
	forReal := new([]report.Skip)
	guess := guessRace
	if long {
		guess = 40 * time.Minute
	}
	checks = append(t.lints(),
		check{"unit", "unit tests of the page", guessVitest, t.vitest},
		check{"go", "Go tests with the race detector", guess, t.race(long, forReal)},
		check{"lab", "short laboratories, and every planted fault", guessLab, t.lab},
		check{"browser", "the page in a real browser", guessBrowser, t.browser},
		check{"window", "the real window on a screen without a monitor", guessWindow, t.window},
		check{"real", "tests with the real runtime and the starter model", guessReal, t.real(long, forReal)},
	)
	return checks, map[string]need{
		"vet-w": {page: true}, "static-w": {page: true}, "static": {}, "vet": {}, "gofmt": {none: true},
		"browser": {page: true, dev: true}, "window": {page: true, window: true, terminal: true},
		"lab": {lab: true}, "go": {page: true, terminal: true}, "real": {runtime: true, terminal: true},
	}
}

// need is what a test stage needs to be built first.
type need struct{ none, page, window, dev, terminal, runtime, lab bool }

// testSetup gives the set-up stages for the chosen tests. The runtime and the
// model come last: they take longest, and everything else fails sooner.
func (t *tool) testSetup(ctx context.Context, checks []check, needs map[string]need) []stage.Stage {
	var all need
	some := false
	for _, c := range checks {
		n := needs[c.name]
		some = some || !n.none
		all.page = all.page || n.page
		all.window = all.window || n.window
		all.dev = all.dev || n.dev
		all.terminal = all.terminal || n.terminal
		all.runtime = all.runtime || n.runtime
		all.lab = all.lab || n.lab
	}
	if !some {
		return nil
	}
	stages := []stage.Stage{
		setup.Packages(setup.Wants{Window: true, Runtime: all.runtime, Tests: all.window || all.dev, Lab: all.lab}, keyboard()),
		setup.Modules(t.place),
	}
	for _, s := range []struct {
		want  bool
		stage func() stage.Stage
	}{
		{all.page, func() stage.Stage { return setup.Page(t.place) }},
		{all.terminal, func() stage.Stage { return setup.Program(t.place, setup.Terminal) }},
		{all.window, func() stage.Stage { return setup.Program(t.place, setup.Window) }},
		{all.dev, func() stage.Stage { return setup.Program(t.place, setup.Dev) }},
		{all.runtime, func() stage.Stage { return setup.BuildRuntime(t.place) }},
		{all.runtime, func() stage.Stage { return setup.Starter(t.place) }},
	} {
		if s.want {
			stages = append(stages, s.stage())
		}
	}
	return stages
}

func pick(checks []check, only string) ([]check, error) {
	if only == "" {
		return checks, nil
	}
	var picked []check
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(checks, func(c check) bool { return c.name == name })
		if i < 0 {
			return nil, usageError{"There is no test stage " + name + "; --only list names them."}
		}
		picked = append(picked, checks[i])
	}
	return picked, nil
}

// runChecks runs every stage, also after a failure, shows what failed in full
// and sums up.
func (t *tool) runChecks(ctx context.Context, checks []check) (report.Counts, error) {
	outcomes := make([]outcome, len(checks))
	var stages []stage.Stage
	for i, c := range checks {
		stages = append(stages, stage.Stage{Name: c.name, About: c.about, Guess: c.guess,
			Run: func(ctx context.Context, p *stage.Progress) error {
				o, err := c.run(ctx, p)
				if err != nil {
					o.counts.Failed++
					o.failures = append(o.failures, c.name+" could not be run\n"+err.Error())
				}
				outcomes[i] = o
				p.Result(fmt.Sprintf("%d passed, %d failed, %d skipped", o.counts.Passed, o.counts.Failed, o.counts.Skipped))
				if o.counts.Failed > 0 {
					return errTold
				}
				return nil
			}})
	}
	_, err := t.runner.All(ctx, stages)
	var sum report.Counts
	for i, o := range outcomes {
		for _, f := range o.failures {
			t.out.Line("\n===== " + checks[i].name + ": " + strings.TrimRight(f, "\n"))
		}
		sum.Add(o.counts)
	}
	t.skipped(outcomes)
	if ctx.Err() != nil {
		return sum, errors.Join(ctx.Err(), err)
	}
	if sum.Failed > 0 {
		return sum, errTold
	}
	return sum, err
}

// skipped names what did not run, by reason.
func (t *tool) skipped(outcomes []outcome) {
	by := map[string][]string{}
	for _, o := range outcomes {
		for _, s := range o.skips {
			by[s.Why] = append(by[s.Why], filepath.Base(s.Package)+"."+s.Test)
		}
	}
	reasons := make([]string, 0, len(by))
	for why := range by {
		reasons = append(reasons, why)
	}
	slices.Sort(reasons)
	for _, why := range reasons {
		tests := by[why]
		text := strings.Join(tests[:min(3, len(tests))], ", ")
		if len(tests) > 3 {
			text += fmt.Sprintf(" and %d more", len(tests)-3)
		}
		t.out.Line(fmt.Sprintf("skipped    %s: %s", text, why))
	}
}
