// Command measure takes one figure of the design and prints its value. It is
// built and run by `go run ./build bench`, once for each figure.
//
//	measure -dir FOLDER [-program FILE] NAME
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"

	"cairn/engine/source"
)

// Machine is what the measurements need of the place where they run.
type Machine struct {
	Dir     string // an empty folder on a real disk
	Program string // the built program with its window, "" when there is none
	Python  string // a Python with LangGraph's packages, "" when there is none
}

// Note says what is being done.
func (Machine) Note(text string) { fmt.Fprintln(os.Stderr, text) }

// measures are the figures that this version can take.
var measures = map[string]func(context.Context, Machine) (float64, error){
	"commit_x_fsync": commitOverFsync,
	"audit_full_s":   auditFull, "audit_step_ms": auditStep, "export_s": export, "verify_s": verify,
	"vault_rss_mb":        vaultMemory,
	"growth_x_unique":     growth,
	"commit_vs_langgraph": commitOverLangGraph,
	"step_cpu_ms":         stepCPU,
	"fold_lines_per_s":    foldRate,
	"show_any_ms":         showAny,
	"open_ms":             openTime,
	"app_rss_mb":          appMemory,
}

func main() {
	if source.IsWorker(os.Args) {
		if err := source.RunWorker(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fake := flag.Bool("fake", false, "serve the scripted model (for this program's own use)")
	held := flag.String("hold", "", "open the vault in this `folder` and print the memory (for this program's own use)")
	dir := flag.String("dir", "", "empty `folder` to work in")
	program := flag.String("program", "", "the built program")
	python := flag.String("python", "", "a Python with LangGraph's packages")
	flag.Parse()
	if *fake {
		if err := serveFake(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if *held != "" {
		if err := hold(ctx, *held); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	measure := measures[flag.Arg(0)]
	if *dir == "" || measure == nil {
		fmt.Fprintln(os.Stderr, "usage: measure -dir FOLDER [-program FILE] NAME")
		os.Exit(2)
	}
	x, err := measure(ctx, Machine{Dir: *dir, Program: *program, Python: *python})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(x)
}

// notHere says why a figure can't be measured on this machine.
func notHere(why string) error { return errors.New("not possible here: " + why) }

// median gives the middle of xs.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(xs))
	if len(s)%2 == 1 {
		return s[len(s)/2]
	}
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}
