package power

import (
	"context"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	login   = "org.freedesktop.login1"
	object  = "/org/freedesktop/login1"
	manager = "org.freedesktop.login1.Manager"
	prepare = manager + ".PrepareForSleep"
	// hold is how long sleep is held up for saving; the system allows about 5 s.
	hold = 2 * time.Second
)

// listen passes on what logind says about sleep. Without a system bus or logind
// it returns at once and nobody is told: the detector does without.
func listen(ctx context.Context, out chan<- signal) {
	conn, err := dbus.ConnectSystemBus(dbus.WithContext(ctx))
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }() // a private connection; nothing was written through it
	listenOn(ctx, conn, out)
}

func listenOn(ctx context.Context, conn *dbus.Conn, out chan<- signal) {
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(manager), dbus.WithMatchMember("PrepareForSleep")); err != nil {
		return
	}
	in := make(chan *dbus.Signal, 16)
	conn.Signal(in)
	delay := inhibit(ctx, conn)
	defer func() { release(delay) }()
	for {
		select {
		case <-ctx.Done():
			return
		case s, ok := <-in:
			if !ok {
				return // the bus went away
			}
			if s.Name != prepare || len(s.Body) != 1 {
				continue
			}
			asleep, isBool := s.Body[0].(bool)
			if !isBool {
				continue
			}
			tell(ctx, out, asleep)
			if asleep {
				release(delay)
				delay = nil
			} else if delay == nil {
				delay = inhibit(ctx, conn)
			}
		}
	}
}

// tell passes the notice on and, before sleep, waits until the hook is through.
func tell(ctx context.Context, out chan<- signal, asleep bool) {
	s := signal{asleep: asleep, done: make(chan struct{})}
	select {
	case out <- s:
	case <-ctx.Done():
		return
	}
	if !asleep {
		return
	}
	t := time.NewTimer(hold)
	defer t.Stop()
	select {
	case <-s.done:
	case <-t.C:
	case <-ctx.Done():
	}
}

// inhibit asks for a short delay before sleep; nil where that is not possible.
func inhibit(ctx context.Context, conn *dbus.Conn) *os.File {
	var fd dbus.UnixFD
	err := conn.Object(login, object).CallWithContext(ctx, manager+".Inhibit", 0,
		"sleep:shutdown", "Cairn", "save the checkpoint", "delay").Store(&fd)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "inhibitor")
}

func release(f *os.File) {
	if f != nil {
		_ = f.Close() // closing is the release; there is nothing else to do
	}
}
