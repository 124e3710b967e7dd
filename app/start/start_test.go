package start

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/app/cli"
	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/servicetest"
	"cairn/engine"
	"cairn/engine/clock"
)

// service records how it ended.
type service struct {
	servicetest.Fake
	mu     sync.Mutex
	closed int
}

func (s *service) Drain(context.Context) {}

func (s *service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}

// building is one home with its lock, as processes share it.
type building struct {
	mu     sync.Mutex
	held   bool
	opened int
	log    bytes.Buffer
	last   *service
}

func (b *building) starter(c engine.Clock) *Starter {
	return &Starter{
		Version: "9", Clock: c, Log: &b.log,
		Lock: func(home.Home) (func() error, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.held {
				return nil, &engine.Error{Kind: engine.KindBusy, What: "Cairn is already running with this folder."}
			}
			b.held = true
			return func() error {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.held = false
				return nil
			}, nil
		},
		Open: func(context.Context, home.Home, bool) (Service, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.opened++
			b.last = &service{}
			b.last.Answer = func(method string, _ []any) (any, error) {
				if method == "Tasks" {
					return []dto.TaskSummary{{ID: "a", Title: "T"}}, nil
				}
				return nil, nil
			}
			return b.last, nil
		},
	}
}

func newHome(t *testing.T) home.Home {
	return home.Home{Dir: filepath.Join(t.TempDir(), "h")}
}

// A second process opens nothing: it uses the socket of the first.
func TestSecondUsesTheSocket(t *testing.T) {
	b, h := &building{}, newHome(t)
	s := b.starter(clock.Real{})
	first, err := s.Own(t.Context(), h, false, true, func([]string) {})
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Connect(t.Context(), h, cli.Long)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := second.Service.Tasks(t.Context())
	if err != nil || len(tasks) != 1 || tasks[0].Title != "T" {
		t.Errorf("through the socket: %v, %v", tasks, err)
	}
	if b.opened != 1 {
		t.Errorf("the vault was opened %d times", b.opened)
	}
	if err := second.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.last.closed != 0 {
		t.Error("the second process closed the first one's service")
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.held || b.last.closed != 1 {
		t.Errorf("after the end: held %v, closed %d times", b.held, b.last.closed)
	}
}

// A window that is asked to show itself hears of the files; a command that owns
// the home has no window to show.
func TestShow(t *testing.T) {
	b, h := &building{}, newHome(t)
	s := b.starter(clock.Real{})
	got := make(chan []string, 1)
	first, err := s.Own(t.Context(), h, false, true, func(files []string) { got <- files })
	if err != nil {
		t.Fatal(err)
	}
	ok, err := s.Show(t.Context(), h, []string{"x.cairn.md"})
	if !ok || err != nil {
		t.Fatalf("shown %v, %v", ok, err)
	}
	if files := <-got; len(files) != 1 || files[0] != "x.cairn.md" {
		t.Errorf("files are %v", files)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	command, err := s.Own(t.Context(), h, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Show(t.Context(), h, nil); ok || err != nil {
		t.Errorf("a command without a window was shown: %v, %v", ok, err)
	}
	if err := command.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A command waits for a short one that has no socket and is gone in a moment.
func TestWaitsForAShortOne(t *testing.T) {
	b, h := &building{}, newHome(t)
	s := b.starter(clock.Real{})
	short, err := s.Connect(t.Context(), h, cli.Short)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(200 * time.Millisecond)
		_ = short.Close(context.Background())
	}()
	next, err := s.Connect(t.Context(), h, cli.Short)
	if err != nil {
		t.Fatal(err)
	}
	if b.opened != 2 {
		t.Errorf("opened %d times, want twice, one after the other", b.opened)
	}
	if err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// One that holds the lock and never answers is named, after a while.
func TestSilentOwner(t *testing.T) {
	b, h := &building{held: true}, newHome(t)
	_, err := b.starter(clock.NewFake(time.Unix(0, 0))).Connect(t.Context(), h, cli.Short)
	if engine.KindOf(err) != engine.KindBusy || b.opened != 0 {
		t.Errorf("error %v, opened %d", err, b.opened)
	}
	if n := strings.Count(b.log.String(), "Waiting for another Cairn"); n != 1 {
		t.Errorf("the wait was told %d times: %s", n, b.log.String())
	}
}

// An owner that ends waits for those who watch a run in it, unless it is told to go.
func TestCloseWaitsForWatchers(t *testing.T) {
	b, h := &building{}, newHome(t)
	s := b.starter(clock.Real{})
	first, err := s.Own(t.Context(), h, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.last.Events = []dto.Event{{Kind: "tasks"}}
	other, err := s.Connect(t.Context(), h, cli.Long)
	if err != nil {
		t.Fatal(err)
	}
	watch, stop := context.WithCancel(t.Context())
	watching := make(chan struct{}, 1)
	go func() { _ = other.Service.Watch(watch, "a", func(dto.Event) { watching <- struct{}{} }) }()
	<-watching
	closed := make(chan error, 1)
	go func() { closed <- first.Close(t.Context()) }()
	select {
	case <-closed:
		t.Fatal("the owner left while somebody followed a run in it")
	case <-time.After(200 * time.Millisecond):
	}
	stop()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A folder that can't be used is told in three sentences; a full disk as such.
func TestImpossibleHome(t *testing.T) {
	h := newHome(t)
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("mkdir x: no such file or directory"), h.Dir},
		{&engine.Error{Kind: engine.KindDiskFull, What: "The disk is full."}, "The disk is full."},
	} {
		s := (&building{}).starter(clock.Real{})
		s.Lock = func(home.Home) (func() error, error) { return nil, c.err }
		_, err := s.Own(t.Context(), h, true, false, nil)
		var e *engine.Error
		if !errors.As(err, &e) || !strings.Contains(e.What, c.want) || strings.Contains(e.What, "mkdir") || !errors.Is(err, c.err) {
			t.Errorf("%v is told as %v", c.err, err)
		}
	}
}

// A vault that does not open gives the lock back.
func TestOpenFails(t *testing.T) {
	b, h := &building{}, newHome(t)
	s := b.starter(clock.Real{})
	s.Open = func(context.Context, home.Home, bool) (Service, error) { return nil, errors.New("no") }
	if _, err := s.Own(t.Context(), h, true, false, nil); err == nil || b.held {
		t.Errorf("error %v, lock held %v", err, b.held)
	}
}
