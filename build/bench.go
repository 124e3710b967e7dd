package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/build/bench"
	"cairn/build/setup"
	"cairn/build/stage"
)

func benchCommand(flags *flag.FlagSet) func(context.Context, *tool) error {
	asJSON := flags.Bool("json", false, "print the figures as JSON")
	only := flags.String("only", "", "measure only the figure `NAME`")
	corpus := flags.String("corpus", os.Getenv("CAIRN_CORPUS"), "`folder` of the corpus")
	return func(ctx context.Context, t *tool) error {
		figures := bench.Figures()
		if *only != "" {
			i := slices.IndexFunc(figures, func(f bench.Figure) bool { return f.Name == *only })
			if i < 0 {
				return usageError{"There is no figure " + *only + "."}
			}
			figures = figures[i : i+1]
		}
		values, err := t.measure(ctx, figures, *corpus)
		if err != nil {
			return err
		}
		if *asJSON {
			out := json.NewEncoder(os.Stdout)
			out.SetIndent("", "  ")
			return out.Encode(values)
		}
		for _, v := range values {
			fmt.Println(v.Line())
			if !v.Measured {
				fmt.Fprintf(os.Stderr, "           %s: %s\n", v.Name, v.Reason)
			}
		}
		return nil
	}
}

// measure takes the figures one after the other, each in a process of its own:
// two at once would disturb each other.
func (t *tool) measure(ctx context.Context, figures []bench.Figure, corpus string) ([]bench.Value, error) {
	values := make([]bench.Value, len(figures))
	program := filepath.Join(t.place.Repo, "bin", "measure")
	var stages []stage.Stage
	if slices.ContainsFunc(figures, func(f bench.Figure) bool { return f.Name == "app_rss_mb" }) {
		stages = append(stages, setup.Packages(setup.Wants{Window: true, Tests: true}, keyboard()),
			setup.Modules(t.place), setup.Page(t.place), setup.Program(t.place, setup.Window))
	}
	if slices.ContainsFunc(figures, func(f bench.Figure) bool { return f.Name == langgraphFigure }) {
		stages = append(stages, setup.LangGraph(t.place))
	}
	if slices.ContainsFunc(figures, func(f bench.Figure) bool { return f.Why == "" }) {
		stages = append(stages, stage.Stage{Name: "measure", About: "build the measurements", Guess: 20 * time.Second,
			Run: func(ctx context.Context, p *stage.Progress) error {
				return setup.Command{Dir: t.place.Repo, Args: []string{"go", "build", "-o", program, "./build/bench/measure"}}.Run(ctx)
			}})
	}
	for i, f := range figures {
		if f.Why != "" {
			values[i] = f.Not(f.Why)
			continue
		}
		stages = append(stages, stage.Stage{Name: f.Name, About: "measure, goal " + f.Goal, Guess: 40 * time.Second,
			Run: func(ctx context.Context, p *stage.Progress) error {
				values[i] = t.take(ctx, p, f, program, corpus)
				p.Result(strings.ReplaceAll(values[i].Line(), "\t", " "))
				return ctx.Err()
			}})
	}
	_, err := t.runner.Run(ctx, stages)
	return values, err
}

// langgraphFigure is the one that needs packages of Python.
const langgraphFigure = "commit_vs_langgraph"

// take measures one figure.
func (t *tool) take(ctx context.Context, p *stage.Progress, f bench.Figure, program, corpus string) bench.Value {
	// Under the cache, not under the system's temporary folder: that one may
	// live in memory, where a sync costs nothing.
	dir, err := os.MkdirTemp(t.place.Cache, "bench-*")
	if err != nil {
		return f.Not("make a folder to measure in: " + err.Error())
	}
	defer os.RemoveAll(dir)
	args := []string{program, "-dir", dir, "-program", setup.Window.Path(t.place)}
	if f.Name == langgraphFigure {
		python, err := setup.Python(t.place)
		if err != nil {
			return f.Not(err.Error())
		}
		args = append(args, "-python", python)
	}
	last := ""
	cmd := setup.Command{
		Dir:  t.place.Repo,
		Env:  []string{"CAIRN_CORPUS=" + corpus},
		Args: append(args, f.Name),
		Line: func(text string) { last = text; p.Note(text) },
	}
	if err := cmd.Run(ctx); err != nil {
		if last == "" {
			last = err.Error()
		}
		return f.Not(last)
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(last), 64)
	if err != nil {
		return f.Not("the measurement gave no number but " + last)
	}
	return f.Measured(x)
}

// picturesFolder is where the pictures of the documentation lie.
func picturesFolder(p setup.Place) string { return filepath.Join(p.Repo, "docs", "pictures") }
