package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cairn/build/report"
	"cairn/build/setup"
	"cairn/build/stage"
)

// labCommand builds the laboratory with the tag under which faults can be planted,
// and hands it everything else that was typed.
func labCommand(flags *flag.FlagSet) func(context.Context, *tool) error {
	n := flags.String("n", "", "`number` of trials")
	seed := flags.String("seed", "", "`seed` of the first trial, which repeats a failure")
	fault := flags.String("break", "", "plant a `fault`, with which the lab must fail")
	short := flags.Bool("short", false, "make as few trials as every run of the tests does")
	return func(ctx context.Context, t *tool) error {
		name := t.word
		if name == "" {
			name = "list"
		}
		program, err := t.buildLab(ctx, t.needsOfLab(name))
		if err != nil {
			return err
		}
		args := []string{name}
		for flag, value := range map[string]string{"--n": *n, "--seed": *seed, "--break": *fault} {
			if value != "" {
				args = append(args, flag, value)
			}
		}
		if *short {
			args = append(args, "--short")
		}
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 10 * time.Second
		cmd.Env = append(os.Environ(), "CAIRN_LAB_DIR="+t.place.Cache)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if cmd.Run() != nil {
			return errTold
		}
		return nil
	}
}

// needsOfLab are the packages that a lab needs beside Go.
func (t *tool) needsOfLab(name string) []stage.Stage {
	if name == "list" {
		return nil
	}
	return []stage.Stage{setup.Packages(setup.Wants{Lab: true}, keyboard()), setup.Modules(t.place)}
}

func (t *tool) buildLab(ctx context.Context, before []stage.Stage) (string, error) {
	program := filepath.Join(t.place.Repo, "bin", "lab")
	_, err := t.runner.Run(ctx, append(before, stage.Stage{Name: "lab-build", About: "build the laboratory", Guess: 20 * time.Second,
		Run: func(ctx context.Context, _ *stage.Progress) error {
			return setup.Command{Dir: t.place.Repo, Args: []string{"go", "build", "-tags", "lab", "-o", program, "./build/lab"}}.Run(ctx)
		}}))
	return program, err
}

// lab runs the short version of every laboratory, and every planted fault, which a
// laboratory must find.
func (t *tool) lab(ctx context.Context, p *stage.Progress) (outcome, error) {
	program := filepath.Join(t.place.Repo, "bin", "lab")
	build := setup.Command{Dir: t.place.Repo, Args: []string{"go", "build", "-tags", "lab", "-o", program, "./build/lab"}}
	if err := build.Run(ctx); err != nil {
		return outcome{}, err
	}
	var o outcome
	cmd := setup.Command{Dir: t.place.Repo, Env: []string{"CAIRN_LAB_DIR=" + t.place.Cache}, Args: []string{program, "all"}}
	cmd.Line = func(text string) {
		f := strings.SplitN(text, "\t", 3)
		if len(f) != 3 {
			return
		}
		p.Note(f[1])
		switch f[0] {
		case "passed":
			o.counts.Passed++
		case "skipped":
			o.counts.Skipped++
			o.skips = append(o.skips, report.Skip{Package: "lab", Test: f[1], Why: f[2]})
		default:
			o.counts.Failed++
			o.failures = append(o.failures, "lab "+f[1]+"\n"+f[2])
		}
	}
	err := cmd.Run(ctx)
	if err != nil && o.counts.Failed > 0 {
		err = nil // told above
	}
	return o, err
}
