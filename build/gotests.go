package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"cairn/build/report"
	"cairn/build/setup"
	"cairn/build/stage"
)

// modelEnv are the variables that tests with a real model ask for. A test that
// skips for want of one names it in its reason; it runs again in the stage "real".
var modelEnv = regexp.MustCompile(`CAIRN_(OLLAMA|RUNTIME|STARTER|MODEL)\b`)

// goTest runs `go test -json` and reads its output as it comes.
func (t *tool) goTest(ctx context.Context, p *stage.Progress, total int, env []string, args ...string) (outcome, error) {
	g := report.NewGo()
	cmd := setup.Command{Dir: t.place.Repo, Env: env, Args: append([]string{"go", "test", "-json"}, args...)}
	cmd.Line = func(text string) {
		if failed := g.Line(text); failed != "" {
			p.Print("           FAILED " + strings.TrimPrefix(failed, "cairn/"))
		}
		if total > 0 {
			p.Count(int64(min(g.Done, total)), int64(total))
		}
		p.Note(strings.TrimPrefix(g.Now, "cairn/"))
	}
	err := cmd.Run(ctx)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	counts, failures, skips := g.Result()
	if err != nil && counts.Failed == 0 {
		return outcome{}, err
	}
	return outcome{counts, failures, skips}, nil
}

// packages lists the module's packages with tests.
func (t *tool) packages(ctx context.Context) ([]string, error) {
	out, err := setup.Command{Dir: t.place.Repo, Args: []string{"go", "list", "-e", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./..."}}.Output(ctx)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// race runs every Go test with the race detector. What was skipped for want of
// a real model is kept for the stage "real" and not counted here.
func (t *tool) race(long bool, forReal *[]report.Skip) func(context.Context, *stage.Progress) (outcome, error) {
	return func(ctx context.Context, p *stage.Progress) (outcome, error) {
		packages, err := t.packages(ctx)
		if err != nil {
			return outcome{}, err
		}
		packages = slices.DeleteFunc(packages, func(name string) bool { return name == windowTests })
		args := []string{"-race", "-timeout", "20m"}
		var env []string
		if long {
			args = []string{"-race", "-timeout", "90m"}
			env = []string{"CAIRN_LONG=1"}
		}
		o, err := t.goTest(ctx, p, len(packages), env, append(args, packages...)...)
		*forReal = []report.Skip{}
		o.skips = slices.DeleteFunc(o.skips, func(s report.Skip) bool {
			if modelEnv.MatchString(s.Why) {
				*forReal = append(*forReal, s)
				o.counts.Skipped--
				return true
			}
			return false
		})
		return o, err
	}
}

// real runs the tests that need the real runtime and the starter model.
func (t *tool) real(long bool, forReal *[]report.Skip) func(context.Context, *stage.Progress) (outcome, error) {
	return func(ctx context.Context, p *stage.Progress) (outcome, error) {
		packages, pattern, err := t.realTests(ctx, *forReal)
		if err != nil {
			return outcome{}, err
		}
		if len(packages) == 0 {
			p.Result("no test asks for a real model")
			return outcome{}, nil
		}
		p.Note("starting the runtime")
		served, err := setup.Serve(ctx, t.place, filepath.Join(t.place.Cache, "test-models"))
		if err != nil {
			return outcome{}, err
		}
		defer served.Stop()
		p.Note("importing the starter model")
		if err := setup.Import(ctx, t.place, served.Address); err != nil {
			return outcome{}, err
		}
		env := append(t.environment(), "CAIRN_OLLAMA=http://"+served.Address, "CAIRN_MODEL="+setup.StarterName,
			"CAIRN_TERMINAL_PROGRAM="+setup.Terminal.Path(t.place))
		if long {
			env = append(env, "CAIRN_LONG=1")
		}
		args := []string{"-count=1", "-p", "1", "-timeout", "40m", "-v"}
		if pattern != "" {
			args = append(args, "-run", pattern)
		}
		return t.goTest(ctx, p, len(packages), env, append(args, packages...)...)
	}
}

// realTests gives the packages and the pattern of tests for the stage "real":
// those just skipped, or, when nothing ran before, every test of the packages whose
// test files name one of the variables.
func (t *tool) realTests(ctx context.Context, skips []report.Skip) ([]string, string, error) {
	if skips != nil {
		var packages, names []string
		for _, s := range skips {
			top, _, _ := strings.Cut(s.Test, "/")
			packages, names = append(packages, s.Package), append(names, regexp.QuoteMeta(top))
		}
		slices.Sort(packages)
		slices.Sort(names)
		return slices.Compact(packages), "^(" + strings.Join(slices.Compact(names), "|") + ")$", nil
	}
	out, err := setup.Command{Dir: t.place.Repo, Args: []string{"go", "list", "-e", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", "./..."}}.Output(ctx)
	if err != nil {
		return nil, "", err
	}
	var packages []string
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); err != nil {
			return nil, "", fmt.Errorf("read what go list says: %w", err)
		}
		for _, file := range append(p.TestGoFiles, p.XTestGoFiles...) {
			body, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				return nil, "", fmt.Errorf("read a test file: %w", err)
			}
			if modelEnv.Match(body) {
				packages = append(packages, p.ImportPath)
				break
			}
		}
	}
	return packages, "", nil
}

// vitest runs the page's unit tests.
func (t *tool) vitest(ctx context.Context, p *stage.Progress) (outcome, error) {
	tmp, err := os.MkdirTemp("", "cairn-vitest-*")
	if err != nil {
		return outcome{}, fmt.Errorf("make a folder for the results: %w", err)
	}
	defer os.RemoveAll(tmp)
	file := filepath.Join(tmp, "vitest.json")
	run := setup.Command{
		Dir:  filepath.Join(t.place.Repo, "frontend"),
		Args: []string{"npm", "run", "--silent", "test", "--", "--reporter=json", "--outputFile=" + file},
	}
	runErr := run.Run(ctx)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return outcome{}, errors.Join(runErr, fmt.Errorf("read the results of vitest: %w", err))
	}
	counts, failures, skips, err := report.Vitest(body)
	if err == nil && runErr != nil && counts.Failed == 0 {
		err = runErr
	}
	return outcome{counts, failures, skips}, err
}

// guesses for stages that were never run here, on two cores.
const (
	guessRace    = 6 * time.Minute
	guessReal    = 3 * time.Minute
	guessVitest  = 20 * time.Second
	guessBrowser = time.Minute
	guessLab     = 4 * time.Minute
	guessWindow  = time.Minute
)
