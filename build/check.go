package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cairn/build/report"
	"cairn/build/setup"
	"cairn/build/stage"
)

// check is one stage of the tests. It gives its counts and what failed; an
// error means that the stage itself could not be run.
type check struct {
	name  string
	about string
	guess time.Duration
	run   func(context.Context, *stage.Progress) (outcome, error)
}

// outcome is what a test stage found.
type outcome struct {
	counts   report.Counts
	failures []string
	skips    []report.Skip
}

// lint is a tool that says nothing, or nothing bad, when all is well. It counts
// as one test.
func (t *tool) lint(name, about string, guess time.Duration, cmd setup.Command, bad func(out string) bool) check {
	return check{name, about, guess, func(ctx context.Context, p *stage.Progress) (outcome, error) {
		var all []string
		cmd.Line = func(text string) { all = append(all, text) }
		err := cmd.Run(ctx)
		if ctx.Err() != nil {
			return outcome{}, ctx.Err()
		}
		out := strings.Join(all, "\n")
		if err == nil && (bad == nil || !bad(out)) {
			return outcome{counts: report.Counts{Passed: 1}}, nil
		}
		if out == "" && err != nil {
			out = err.Error()
		}
		return outcome{counts: report.Counts{Failed: 1}, failures: []string{name + "\n" + out}}, nil
	}}
}

// lints are the linters of Go and of the page.
func (t *tool) lints() []check {
	goes := func(args ...string) setup.Command { return setup.Command{Dir: t.place.Repo, Args: args} }
	page := func(args ...string) setup.Command {
		return setup.Command{Dir: filepath.Join(t.place.Repo, "frontend"), Args: append([]string{"npm", "run", "--silent"}, args...)}
	}
	tags := strings.Join(setup.Window.BuildTags(), ",")
	said := func(out string) bool { return strings.TrimSpace(out) != "" }
	return []check{
		t.lint("gofmt", "look at the format of the Go code", 2*time.Second, goes(append([]string{"gofmt", "-l"}, goFolders(t.place.Repo)...)...), said),
		t.lint("vet", "go vet", 40*time.Second, goes("go", "vet", "./..."), nil),
		t.lint("vet-w", "go vet, with the window", 30*time.Second, goes("go", "vet", "-tags", tags, ".", "./app/..."), nil),
		t.lint("static", "staticcheck", 60*time.Second, goes("go", "tool", "staticcheck", "./..."), nil),
		t.lint("static-w", "staticcheck, with the window", 20*time.Second, goes("go", "tool", "staticcheck", "-tags", tags, ".", "./app/..."), nil),
		{"bindings", "compare the page's bindings with the program", 30 * time.Second, t.bindings},
		t.lint("svelte", "svelte-check", 20*time.Second, page("check"), nil),
		t.lint("eslint", "eslint", 20*time.Second, page("lint"), nil),
		t.lint("prettier", "look at the format of the page's code", 10*time.Second, page("format:check"), nil),
	}
}

// goFolders are the root's own Go files and the folders of Go code: gofmt knows
// nothing of go.mod's ignore.
func goFolders(repo string) []string {
	paths, err := filepath.Glob(filepath.Join(repo, "*.go"))
	if err != nil {
		return []string{"."}
	}
	for _, dir := range []string{"app", "build", "engine", "vault"} {
		if _, err := os.Stat(filepath.Join(repo, dir)); err == nil {
			paths = append(paths, dir)
		}
	}
	return paths
}

// bindings generates the page's bindings again, in a copy, and compares.
func (t *tool) bindings(ctx context.Context, p *stage.Progress) (outcome, error) {
	tmp, err := os.MkdirTemp("", "cairn-bindings-*")
	if err != nil {
		return outcome{}, fmt.Errorf("make a folder for the bindings: %w", err)
	}
	defer os.RemoveAll(tmp)
	program := filepath.Join(tmp, "cairn")
	build := setup.Command{Dir: t.place.Repo, Args: []string{"go", "build", "-tags", "window,bindings,webkit2_41", "-o", program, "."}}
	if err := build.Run(ctx); err != nil {
		return outcome{}, err
	}
	body, err := os.ReadFile(filepath.Join(t.place.Repo, "wails.json"))
	if err != nil {
		return outcome{}, fmt.Errorf("read wails.json: %w", err)
	}
	if err := stage.WriteFile(filepath.Join(tmp, "wails.json"), body, 0o600); err != nil {
		return outcome{}, err
	}
	if err := os.MkdirAll(filepath.Join(tmp, "frontend"), 0o700); err != nil {
		return outcome{}, fmt.Errorf("make a folder for the bindings: %w", err)
	}
	if err := (setup.Command{Dir: tmp, Args: []string{program}}).Run(ctx); err != nil {
		return outcome{}, fmt.Errorf("write the bindings: %w", err)
	}
	kept := filepath.Join(t.place.Repo, "frontend", "wailsjs", "go")
	var diff bytes.Buffer
	cmd := exec.CommandContext(ctx, "diff", "-r", "-u", kept, filepath.Join(tmp, "frontend", "wailsjs", "go"))
	cmd.Stdout, cmd.Stderr = &diff, &diff
	if err := cmd.Run(); err != nil {
		return outcome{counts: report.Counts{Failed: 1}, failures: []string{
			"bindings: frontend/wailsjs is not what the program generates\n" + diff.String()}}, nil
	}
	return outcome{counts: report.Counts{Passed: 1}}, nil
}
