//go:build window && !bindings

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/start"
	appwindow "cairn/app/window"
	"cairn/engine"
)

func init() { window = openWindow }

// openWindow owns the home before anything is shown. When another process owns
// it, its window is asked to show itself, and this start touches nothing.
func openWindow(ctx context.Context, s *start.Starter, h home.Home, files []string) error {
	release, err := s.Lock(h)
	if engine.KindOf(err) == engine.KindBusy {
		return showOther(ctx, s, h, files, err)
	}
	if err != nil {
		return err
	}
	return runWindow(ctx, s, h, files, release)
}

// showOther waits a little for the other one: it may be a command that is done in
// a moment, or a window that is just opening.
func showOther(ctx context.Context, s *start.Starter, h home.Home, files []string, busy error) error {
	begin := s.Clock.Awake()
	for {
		shown, err := s.Show(ctx, h, files)
		if shown && err == nil {
			fmt.Fprintln(os.Stderr, "Cairn is open already; its window was asked to show itself.")
			return nil
		}
		release, lerr := s.Lock(h)
		if lerr == nil {
			return runWindow(ctx, s, h, files, release)
		}
		waited := s.Clock.Awake() - begin
		if err == nil && !shown && waited > time.Second { // a command that takes longer
			return &engine.Error{
				Kind: engine.KindBusy, What: "Cairn is at work in a terminal with these records.", Safe: "It goes on there; nothing was touched.",
				Do: "Wait until it is done, or stop it with Ctrl-C there, and open the window again.", Err: busy,
			}
		}
		if waited > 15*time.Second {
			return busy
		}
		if err := s.Clock.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// runWindow shows the window and opens the vault behind it. release gives back the
// lock, which this start holds.
func runWindow(ctx context.Context, s *start.Starter, h home.Home, files []string, release func() error) error {
	assets, err := page()
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	show := make(chan []string, 8)
	held := *s
	held.Lock = func(home.Home) (func() error, error) { return release, nil }
	opened := make(chan *start.Owner, 1)
	var owner *start.Owner
	err = appwindow.Run(appwindow.Options{
		Assets: assets, Version: s.Version, Log: os.Stderr, Files: files, Show: show, SelfTest: os.Getenv("CAIRN_SELFTEST"),
		Open: func(open context.Context) (dto.Service, error) {
			defer close(opened)
			o, err := held.Own(open, h, false, true, func(files []string) {
				select {
				case show <- files:
				default: // it is being shown already
				}
			})
			if err != nil {
				return nil, err
			}
			opened <- o
			return o.Service, nil
		},
		Drain: func(drain context.Context) {
			if o := wait(drain, opened, &owner); o != nil {
				o.Service.Drain(drain)
			}
		},
	})
	// The window is gone. What runs has been told to end; three seconds more, and
	// the process ends whatever is still going on: what was saved is saved.
	last, stop := context.WithTimeout(context.Background(), 3*time.Second)
	defer stop()
	if o := wait(last, opened, &owner); o != nil {
		gone, cancel := context.WithCancel(context.Background())
		cancel() // nobody is waited for: with the window, everything ends
		if cerr := o.Close(gone); cerr != nil && err == nil {
			err = fmt.Errorf("close Cairn's records: %w", cerr)
		}
	}
	return err
}

// wait gives the owner once the vault is open, nil when it never opened.
func wait(ctx context.Context, opened <-chan *start.Owner, owner **start.Owner) *start.Owner {
	if *owner != nil {
		return *owner
	}
	select {
	case o := <-opened:
		*owner = o
	case <-ctx.Done():
	}
	return *owner
}
