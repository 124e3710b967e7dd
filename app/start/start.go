// Package start decides who owns a home folder: this process, which then opens
// the vault and serves the socket, or another one, whose socket it uses.
package start

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"cairn/app/cli"
	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/socket"
	"cairn/engine"
)

const (
	// patience is how long a command waits for an owner that does not serve a
	// socket: it does one thing and is gone in a moment, or it is just opening the
	// vault, which a slow disk makes long.
	patience = 90 * time.Second
	sayAfter = 2 * time.Second // of waiting, the person is told why
	again    = 50 * time.Millisecond
)

// Service is a dto.Service that this process owns.
type Service interface {
	dto.Service
	// Drain ends what runs, saved, until ctx ends.
	Drain(ctx context.Context)
	// Close ends everything and closes the vault.
	Close() error
}

// Starter knows how to own a home.
type Starter struct {
	Version string
	Clock   engine.Clock
	Log     io.Writer
	// Lock takes the home's lock before anything there is touched: KindBusy when
	// another process holds it. The release is called last.
	Lock func(h home.Home) (release func() error, err error)
	// Open opens the vault and makes the service. short: for one command.
	Open func(ctx context.Context, h home.Home, short bool) (Service, error)
}

// Owner is a home that this process owns.
type Owner struct {
	Service Service
	server  *socket.Server
	release func() error
	once    sync.Once
	err     error
}

// Own takes the lock, opens the vault and, unless short, serves the socket.
// window says that this process shows a window, which show brings to the front.
func (s *Starter) Own(ctx context.Context, h home.Home, short bool, window bool, show func([]string)) (*Owner, error) {
	release, err := s.Lock(h)
	if err != nil {
		return nil, unusable(h, err)
	}
	o := &Owner{release: release}
	if o.Service, err = s.Open(ctx, h, short); err != nil {
		return nil, errors.Join(err, release())
	}
	if short {
		return o, nil
	}
	o.server, err = socket.Listen(h.Socket(), o.Service, socket.Hello{Version: s.Version, Window: window}, show)
	if err != nil {
		// Without its socket it still does everything but serve others.
		fmt.Fprintln(s.Log, "cairn: other commands can't reach this one:", err)
	}
	return o, nil
}

// unusable gives an error of the home folder that has no words of its own the
// three sentences; a full disk or another owner is told as what it is.
func unusable(h home.Home, err error) error {
	if k := engine.KindOf(err); k != engine.KindInternal {
		return err
	}
	return &engine.Error{
		Kind: engine.KindInternal, What: fmt.Sprintf("Cairn can't keep its records in %q.", h.Dir),
		Safe: "Nothing was changed.", Do: "Name a folder that you may write to with --home or CAIRN_HOME.", Err: err,
	}
}

// Close ends in the reverse order of Own. Others that watch a run in this process
// are waited for until ctx ends. A second call gives what the first gave.
func (o *Owner) Close(ctx context.Context) error {
	o.once.Do(func() {
		if o.server != nil {
			if err := o.server.Idle(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
				o.err = err
			}
		}
		o.err = errors.Join(o.err, o.Service.Close())
		if o.server != nil {
			o.err = errors.Join(o.err, o.server.Close())
		}
		o.err = errors.Join(o.err, o.release())
	})
	return o.err
}

// Connect owns the home for one command, or uses the owner's socket.
func (s *Starter) Connect(ctx context.Context, h home.Home, need cli.Need) (cli.Session, error) {
	begin, told := s.Clock.Awake(), false
	for {
		o, err := s.Own(ctx, h, need == cli.Short, false, nil)
		if err == nil {
			return cli.Session{Service: o.Service, Close: o.Close}, nil
		}
		if engine.KindOf(err) != engine.KindBusy {
			return cli.Session{}, err
		}
		client, _, derr := socket.Dial(ctx, h.Socket())
		if derr == nil {
			return cli.Session{Service: client, Close: func(context.Context) error { client.Close(); return nil }}, nil
		}
		if ctx.Err() != nil {
			return cli.Session{}, ctx.Err()
		}
		waited := s.Clock.Awake() - begin
		if waited > sayAfter && !told {
			told = true
			fmt.Fprintln(s.Log, "Waiting for another Cairn that is just opening or closing these records …")
		}
		if waited > patience {
			return cli.Session{}, errors.Join(&engine.Error{
				Kind: engine.KindBusy, What: "Another Cairn has these records open and does not answer.",
				Safe: "Nothing was changed.", Do: "Wait until it is done, or end it; use another folder with --home.", Err: derr,
			})
		}
		if err := s.Clock.Sleep(ctx, again); err != nil {
			return cli.Session{}, err
		}
	}
}

// Show asks a window that owns the home to show itself and open the files. ok is
// false when nobody owns it, or its owner is a command without a window.
func (s *Starter) Show(ctx context.Context, h home.Home, files []string) (ok bool, err error) {
	client, hello, err := socket.Dial(ctx, h.Socket())
	if err != nil {
		return false, err
	}
	defer client.Close()
	if !hello.Window {
		return false, nil
	}
	return true, client.Show(ctx, files)
}
