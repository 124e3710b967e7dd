package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// measure takes the figures one after the other: two at once would disturb
// each other.
func (t *tool) measure(ctx context.Context, figures []bench.Figure, corpus string) ([]bench.Value, error) {
	values := make([]bench.Value, len(figures))
	var stages []stage.Stage
	if slices.ContainsFunc(figures, func(f bench.Figure) bool { return f.Name == "app_rss_mb" }) {
		stages = append(stages, setup.Packages(setup.Wants{Window: true, Tests: true}, keyboard()),
			setup.Modules(t.place), setup.Page(t.place), setup.Program(t.place, setup.Window))
	}
	for i, f := range figures {
		stages = append(stages, stage.Stage{Name: f.Name, About: "measure, goal " + f.Goal, Guess: 30 * time.Second,
			Fresh: func(context.Context) (bool, string) {
				if f.Measure == nil {
					values[i] = bench.Take(ctx, f, bench.Machine{})
					return true, "not measured here"
				}
				return false, ""
			},
			Run: func(ctx context.Context, p *stage.Progress) error {
				// Under the cache, not under the system's temporary folder: that
				// one may live in memory, where a sync costs nothing.
				dir, err := os.MkdirTemp(t.place.Cache, "bench-*")
				if err != nil {
					return fmt.Errorf("make a folder to measure in: %w", err)
				}
				defer os.RemoveAll(dir)
				m := bench.Machine{Dir: dir, Corpus: corpus, Note: p.Note, Screen: onScreen}
				if _, err := os.Stat(setup.Window.Path(t.place)); err == nil {
					m.Program = setup.Window.Path(t.place)
				}
				values[i] = bench.Take(ctx, f, m)
				p.Result(strings.ReplaceAll(values[i].Line(), "\t", " "))
				return ctx.Err()
			}})
	}
	_, err := t.runner.Run(ctx, stages)
	return values, err
}

// picturesFolder is where the pictures of the documentation lie.
func picturesFolder(p setup.Place) string { return filepath.Join(p.Repo, "docs", "pictures") }
