package power

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// privateBus starts a message bus of the test's own.
func privateBus(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("no dbus-daemon on this machine")
	}
	cmd := exec.Command(path, "--session", "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("dbus-daemon does not start here: ", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Skip("dbus-daemon gives no address: ", err)
	}
	return strings.TrimSpace(address)
}

// fakeLogin hands out delays as logind does: the write end of a pipe, whose
// closing by the taker is seen at the read end.
type fakeLogin struct{ taken chan *os.File }

func (f *fakeLogin) Inhibit(what, who, why, mode string) (dbus.UnixFD, *dbus.Error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, dbus.MakeFailedError(err)
	}
	fd, err := syscall.Dup(int(w.Fd()))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return 0, dbus.MakeFailedError(err)
	}
	f.taken <- r
	// The bus sends a copy; this end must go so that only the taker holds it.
	go func() {
		time.Sleep(500 * time.Millisecond)
		_ = syscall.Close(fd)
	}()
	return dbus.UnixFD(fd), nil
}

func connect(t *testing.T, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func within[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

func TestLogind(t *testing.T) {
	address := privateBus(t)
	server := connect(t, address)
	login1 := &fakeLogin{taken: make(chan *os.File, 4)}
	if err := server.Export(login1, object, manager); err != nil {
		t.Fatal(err)
	}
	if _, err := server.RequestName(login, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	signals, ended := make(chan signal, 4), make(chan struct{})
	client := connect(t, address)
	go func() {
		defer close(ended)
		listenOn(ctx, client, signals)
	}()
	delay := within(t, "the delay to be taken", login1.taken)
	released := make(chan struct{})
	go func() {
		_, _ = delay.Read(make([]byte, 1)) // ends when nobody holds the other end
		close(released)
	}()
	emit := func(asleep bool) {
		if err := server.Emit(object, prepare, asleep); err != nil {
			t.Fatal(err)
		}
	}
	emit(true)
	s := within(t, "the notice of sleep", signals)
	if !s.asleep {
		t.Error("sleep was told as waking")
	}
	select {
	case <-released:
		t.Error("the delay was released before the hook was through")
	case <-time.After(700 * time.Millisecond):
	}
	close(s.done)
	within(t, "the delay to be released", released)
	emit(false)
	if s := within(t, "the notice of waking", signals); s.asleep {
		t.Error("waking was told as sleep")
	}
	within(t, "the delay to be taken again", login1.taken)
	stop()
	within(t, "the listener to end", ended)
}

// Without logind on the bus the listener still ends with its context and takes nothing.
func TestNoLogind(t *testing.T) {
	client := connect(t, privateBus(t))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		listenOn(ctx, client, make(chan signal))
	}()
	stop()
	within(t, "the listener to end", ended)
}
