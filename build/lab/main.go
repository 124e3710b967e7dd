package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"sort"
	"strings"
	"syscall"

	"cairn/vault"
)

func main() { os.Exit(program(os.Args[1:])) }

// labs are all laboratories, in the order in which `all` runs them.
func labs() []Lab {
	return []Lab{crashLab(), powerLab(), rotLab(), ioerrLab(), fullLab(), livesLab(), clockLab()}
}

// children are started by the labs: by name, with their arguments.
var children = map[string]func(args []string) int{
	"child-write": childWrite,
	"child-judge": childJudge,
	"child-probe": vault.ProbeMain,
}

// usage is wrong usage.
type usage string

func (u usage) Error() string { return string(u) }

func program(args []string) int {
	if len(args) > 0 && children[args[0]] != nil {
		return children[args[0]](args[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, args)
	var wrong usage
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintln(os.Stderr, err)
		list(os.Stderr)
		return 2
	case !errors.Is(err, errBad):
		fmt.Fprintln(os.Stderr, "lab:", err)
	}
	return 1
}

// errBad: the run's last line says what is wrong.
var errBad = errors.New("the laboratory found something")

func command(ctx context.Context, args []string) error {
	name := "list"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	n := flags.Int("n", 0, "`number` of trials")
	seed := flags.Uint64("seed", 0, "seed of the first trial; 0 takes one by chance")
	fault := flags.String("break", "", "plant a `fault`, with which the lab must fail")
	short := flags.Bool("short", false, "make as few trials as every run of the tests does")
	if err := flags.Parse(args); err != nil {
		return usage("")
	}
	if flags.NArg() > 0 || *n < 0 {
		return usage("The laboratory takes a name, --n or --short, --seed and --break.")
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	o := Options{N: *n, Seed: *seed, Break: *fault, Program: exe}
	switch name {
	case "list":
		list(os.Stdout)
		return nil
	case "all":
		return all(ctx, o)
	}
	i := slices.IndexFunc(labs(), func(l Lab) bool { return l.Name == name })
	if i < 0 {
		return usage("There is no lab " + name + ".")
	}
	l := labs()[i]
	if *short {
		l.Usual = l.Short
	}
	return one(ctx, l, o)
}

// one runs a lab and prints its last line.
func one(ctx context.Context, l Lab, o Options) error {
	if why := l.Missing(); why != "" {
		fmt.Printf("lab %s: not run here: %s\n", l.Name, why)
		return errBad
	}
	if o.N == 0 {
		o.N = l.Usual
	}
	if o.Seed == 0 {
		o.Seed = l.seed()
	}
	if err := plant(l, o.Break); err != nil {
		return err
	}
	p, err := l.run(ctx, o, os.Stderr)
	if p != nil {
		report(os.Stderr, p)
		fmt.Println(p.Line(o.Seed))
	}
	if err != nil {
		return err
	}
	if !p.Good() {
		return errBad
	}
	return nil
}

// seed of a run for which none was given.
func (l Lab) seed() uint64 {
	if l.Ordered {
		return 1
	}
	return uint64(1 + rand.Uint32())
}

// plant switches a fault on, for this process and its children.
func plant(l Lab, fault string) error {
	if fault == "" {
		return nil
	}
	if !canPlant {
		return usage("Faults can be planted only in a program that was built with the tag lab.")
	}
	if !slices.ContainsFunc(l.Faults, func(f Fault) bool { return f.Name == fault }) {
		return usage("The lab " + l.Name + " has no fault " + fault + ".")
	}
	if err := os.Setenv(vault.PlantedEnv, fault); err != nil {
		return fmt.Errorf("plant the fault: %w", err)
	}
	return nil
}

// all runs each lab's short version and every planted fault, which must fail. It
// prints a line for each: passed, failed or skipped, and what it was.
func all(ctx context.Context, o Options) error {
	bad := false
	say := func(verdict, what, detail string) {
		bad = bad || verdict == "failed"
		fmt.Printf("%s\t%s\t%s\n", verdict, what, detail)
	}
	for _, l := range labs() {
		if why := l.Missing(); why != "" {
			say("skipped", l.Name, why)
			continue
		}
		for _, f := range append([]Fault{{}}, l.Faults...) {
			run := o
			run.N, run.Break = l.Short, f.Name
			if run.Seed == 0 {
				run.Seed = l.seed()
			}
			if o.N > 0 {
				run.N = o.N
			}
			if err := plant(l, f.Name); err != nil {
				return err
			}
			p, err := l.run(ctx, run, io.Discard)
			if uerr := os.Unsetenv(vault.PlantedEnv); uerr != nil {
				return fmt.Errorf("take the fault out: %w", uerr)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			what := strings.TrimSpace(l.Name + " " + f.Name)
			switch {
			case err != nil:
				say("failed", what, err.Error())
			case f.Name == "" && !p.Good():
				say("failed", what, p.Line(run.Seed)+": "+strings.Join(p.Failures[:min(3, len(p.Failures))], "; "))
			case f.Name != "" && len(p.Failures) == 0:
				say("failed", what, "the planted fault was not found: "+p.Line(run.Seed))
			case f.Name != "":
				say("passed", what, "found: "+p.Failures[0])
			default:
				say("passed", what, p.Line(run.Seed))
			}
		}
	}
	if bad {
		return errBad
	}
	return nil
}

// report says how often each kind of trial landed.
func report(w io.Writer, p *Progress) {
	var kinds []string
	for k := range p.kinds {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	for _, k := range kinds {
		fmt.Fprintf(w, "  %-28s landed %d\n", k, p.kinds[k])
	}
}

func list(w io.Writer) {
	fmt.Fprintln(w, "Usage: go run ./build lab NAME [--n N | --short] [--seed S] [--break FAULT], or: lab all")
	for _, l := range labs() {
		fmt.Fprintf(w, "  %-7s %s (%d; short %d, long %d)\n", l.Name, l.About, l.Usual, l.Short, l.Long)
		for _, f := range l.Faults {
			fmt.Fprintf(w, "            --break %-20s %s\n", f.Name, f.About)
		}
	}
}
