// The program behind `go run ./build …`: it sets up a machine for Cairn, builds
// it, runs it, tests it and measures it. `go run ./build help` lists the commands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"cairn/build/setup"
	"cairn/build/stage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// tool is what every command works with.
type tool struct {
	place  setup.Place
	runner *stage.Runner
	out    stage.Output // progress, on stderr
	word   string       // the word after `lab`: which one
}

// command is one word after `go run ./build`.
type command struct {
	name  string
	about string
	flags func(*flag.FlagSet) func(context.Context, *tool) error
}

func commands() []command {
	return []command{
		{"run", "set everything up, build Cairn and start it", runCommand},
		{"setup", "set everything up and build Cairn, without starting it", setupCommand},
		{"test", "the same set-up, then every test", testCommand},
		{"bench", "measure and print the figures of the design", benchCommand},
		{"lab", "break things and look what is lost: lab NAME, lab all, or lab for the list", labCommand},
		{"pictures", "make the pictures in docs/pictures from the running program", picturesCommand},
	}
}

// usageError is wrong usage: exit 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// errTold is a failure that has been shown already: exit 1 without more words.
var errTold = errors.New("shown above")

func run(ctx context.Context, args []string) int {
	err := dispatch(ctx, args)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, usage.text+"\n\n"+help())
		return 2
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "Stopped. The next run goes on from what is already built.")
		return 1
	}
	if !errors.Is(err, errTold) {
		fmt.Fprintln(os.Stderr, "\n"+err.Error())
	}
	return 1
}

func dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usageError{"Say what to do."}
	}
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Println(help())
		return nil
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
		flags.Usage = func() {}
		flags.SetOutput(os.Stderr)
		do := c.flags(flags)
		rest, word := args[1:], ""
		if c.name == "lab" && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			rest, word = rest[1:], rest[0]
		}
		if err := flags.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				fmt.Println(help())
				return nil
			}
			return usageError{""}
		}
		if flags.NArg() > 0 {
			return usageError{"There is no argument " + flags.Arg(0) + " here."}
		}
		place, err := setup.Find()
		if err != nil {
			return err
		}
		out := stage.NewOutput(os.Stderr, int(os.Stderr.Fd()))
		return do(ctx, &tool{
			place: place, out: out, word: word,
			runner: &stage.Runner{Out: out, Times: stage.LoadTimes(filepath.Join(place.Cache, "times.json"))},
		})
	}
	return usageError{"There is no command " + args[0] + "."}
}

func help() string {
	var b strings.Builder
	b.WriteString("Usage: go run ./build COMMAND [flags]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.about)
		flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
		c.flags(flags)
		flags.VisitAll(func(f *flag.Flag) {
			kind, about := flag.UnquoteUsage(f)
			fmt.Fprintf(&b, "            --%s: %s\n", strings.TrimSpace(f.Name+" "+kind), about)
		})
	}
	b.WriteString("  help      this text\n\n")
	b.WriteString("What is fetched and where things lie stands in README.md. CAIRN_CACHE names another cache folder.")
	return b.String()
}
