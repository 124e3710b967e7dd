// Command cairn runs long research tasks on a local model and keeps a checked
// record of where they stand. Without arguments it opens its window, where it was
// built with one; with a command it works in the terminal.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"cairn/app"
	"cairn/app/cli"
	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/sample"
	"cairn/app/start"
	"cairn/engine/clock"
	"cairn/engine/run"
	"cairn/engine/source"
	"cairn/vault"
)

// version is set by the linker for a release.
var version = "0.1.0"

// probeCommand is the hidden command that tries to open a copy of a store.
const probeCommand = "vault-probe"

func main() { os.Exit(program(os.Args)) }

// program dispatches. What runs as a child of this program comes before
// everything else: it must touch neither home nor window.
func program(args []string) int {
	switch {
	case source.IsWorker(args):
		if err := source.RunWorker(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "cairn worker:", err)
			return cli.Failed
		}
		return cli.Good
	case len(args) > 1 && args[1] == probeCommand:
		return vault.ProbeMain(args[2:])
	case bindings != nil:
		return bindings()
	}
	// The first signal ends what runs, saved; a second one ends the process at once.
	ctx, stop := signals()
	defer stop()
	s := starter()
	env := cli.Env{
		Args: arguments(args[1:]), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Screen: term.IsTerminal(int(os.Stderr.Fd())), Version: "cairn " + version,
		Now:     func() time.Time { return clock.Real{}.Now().Local() },
		Connect: s.Connect,
		Verify: func(path string) (dto.Verification, error) {
			body, err := app.ReadFile(path)
			if err != nil {
				return dto.Verification{}, err
			}
			return app.Verify(body), nil
		},
		Sample: func(h home.Home) (dto.NewTask, error) {
			form, err := sample.Form()
			if err != nil {
				return form, err
			}
			form.Folder, err = sample.Unpack(h.Sample())
			return form, err
		},
	}
	if exe, err := os.Executable(); err == nil {
		env.Vault = closedVault(vault.Options{Probe: vault.ProbeChild(exe, probeCommand)})
	}
	if window != nil {
		env.Window = func(ctx context.Context, h home.Home, files []string) error { return window(ctx, s, h, files) }
	}
	return cli.Run(ctx, env)
}

// sameSignal is how long after the first signal another one counts as the same.
const sameSignal = 300 * time.Millisecond

// signals gives a context that the first signal ends. Ctrl-C is the person's stop;
// SIGTERM is the end of the program (a shutdown, a service manager), after which
// what ran goes on at the next start: its cause is run.ErrQuit.
func signals() (context.Context, func()) {
	ctx, end := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-got:
			if s == syscall.SIGTERM {
				end(run.ErrQuit)
			} else {
				end(run.ErrStop)
			}
			// One end can arrive twice, to the process and to its group.
			time.Sleep(sameSignal)
			signal.Stop(got)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		end(nil)
	}
}

// window opens the window; nil in a program that was built without one.
var window func(ctx context.Context, s *start.Starter, h home.Home, files []string) error

// bindings writes what the page calls; nil but in a program built for that.
var bindings func() int

// arguments takes out what is meant for somebody else; see main_dev.go.
var arguments = func(args []string) []string { return args }

// starter wires vault, engine and app: lock, vault, service, in this order.
func starter() *start.Starter {
	var lock *vault.HomeLock // of the one home that this process owns
	return &start.Starter{
		Version: "cairn " + version, Clock: clock.Real{}, Log: os.Stderr,
		Lock: func(h home.Home) (func() error, error) {
			l, err := vault.Lock(vault.Home(h.Dir))
			if err != nil {
				return nil, err
			}
			lock = l
			return l.Release, nil
		},
		Open: func(ctx context.Context, h home.Home, short bool) (start.Service, error) {
			exe, err := os.Executable()
			if err != nil {
				return nil, fmt.Errorf("find this program: %w", err)
			}
			place, first := home.Look(h.Dir), !vault.Home(h.Dir).Records()
			store, found, err := vault.Open(vault.Home(h.Dir), lock, vault.Options{Probe: vault.ProbeChild(exe, probeCommand)})
			if err != nil {
				return nil, err
			}
			notices := append(slices.Clone(found.Report), place.Warnings()...)
			told := notices
			if !first {
				told = found.Report // where the folder stands is said once; doctor and window keep saying it
			}
			for _, line := range told {
				fmt.Fprintln(os.Stderr, "cairn:", line)
			}
			service, err := app.New(ctx, app.Config{
				Store: store, Clock: clock.Real{}, Random: rand.Reader, Home: h, Version: "cairn " + version,
				Log: os.Stderr, Short: short, Health: health(store, found, place),
				Vault: &keeper{store, clock.Real{}, notices},
			})
			if err != nil {
				return nil, errors.Join(err, store.Close())
			}
			return &owned{service, store}, nil
		},
	}
}

// where is doctor's look at the place of the records.
func where(place home.Place) dto.Check {
	if bad := place.Warnings(); len(bad) > 0 {
		return dto.Check{Name: "Place", Value: bad[0], Mend: strings.Join(append(bad[1:], "Move the folder to a disk of this computer that nothing synchronises."), " ")}
	}
	c := dto.Check{Name: "Place", Value: "no network drive or synchronised folder, as far as the system tells", Good: true}
	if place.Insensitive {
		c.Value += "; names that differ in capitals only are the same file here, which is no danger to the records"
	}
	return c
}

// owned closes the vault after the service that works on it.
type owned struct {
	*app.Service
	store *vault.Store
}

func (o *owned) Close() error { return errors.Join(o.Service.Close(), o.store.Close()) }

// health is doctor's look at the vault.
func health(store *vault.Store, found vault.Opened, place home.Place) func(context.Context) []dto.Check {
	return func(ctx context.Context) []dto.Check {
		c := dto.Check{Name: "Store", Good: true}
		wrong, err := store.Check(ctx)
		switch {
		case err != nil:
			c.Good, c.Value = false, err.Error()
		case len(wrong) > 0:
			c.Good, c.Value = false, wrong[0]
			if len(wrong) > 1 {
				c.Value = fmt.Sprintf("%s And %d more.", c.Value, len(wrong)-1)
			}
		default:
			c.Value = "every record and journal was read and is whole"
		}
		switch {
		case c.Good:
		case store.Mends():
			c.Mend = "Close Cairn and open it again: journal and store are then compared line by line and what is damaged in one is written again from the other. The damaged copy stays in the folder aside."
		default:
			c.Mend = "Opening again does not change this. What can be read is kept: go on from a checkpoint before the damage, or import a good copy."
		}
		out := []dto.Check{c, where(place)}
		for _, line := range found.Report {
			out = append(out, dto.Check{Name: "At opening", Value: line, Good: true})
		}
		return out
	}
}
