//go:build window

package window

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/servicetest"
	"cairn/engine"
)

// screen is a shell without a screen.
type screen struct {
	mu     sync.Mutex
	events []dto.Event
	choice string
	shown  int
	heard  chan dto.Event
}

func (s *screen) Emit(e dto.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	if s.heard != nil {
		s.heard <- e
	}
}
func (s *screen) Dialog(dialog, string) (string, error) { return s.choice, nil }
func (s *screen) Show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown++
}
func (s *screen) Reload() {}
func (s *screen) Quit()   {}

func started(t *testing.T, opt Options, sh shell) *App {
	t.Helper()
	c := newCore(opt)
	t.Cleanup(c.end)
	c.start(sh)
	return &App{core: c}
}

func opens(s dto.Service) func(context.Context) (dto.Service, error) {
	return func(context.Context) (dto.Service, error) { return s, nil }
}

func TestPanicBecomesAnError(t *testing.T) {
	fake := &servicetest.Fake{Answer: func(string, []any) (any, error) { panic("boom") }}
	a := started(t, Options{Open: opens(fake)}, &screen{})
	fake.Answer = func(method string, _ []any) (any, error) {
		if method == "Watch" {
			return nil, nil
		}
		panic("boom")
	}
	_, err := a.Tasks()
	if p := problem.Of(err); p.Kind != string(engine.KindInternal) || p.What == "" {
		t.Errorf("the page gets %+v", p)
	}
}

func TestEmptyListsAreNeverNull(t *testing.T) {
	a := started(t, Options{Open: opens(&servicetest.Fake{})}, &screen{})
	v, err := a.View("x", 0)
	if err != nil || v.Questions == nil || v.Status.Reasons == nil {
		t.Errorf("%+v, %v", v, err)
	}
}

// A vault that does not open is a page that says so, not a dead window.
func TestVaultThatDoesNotOpen(t *testing.T) {
	sh := &screen{heard: make(chan dto.Event, 4)}
	a := started(t, Options{Version: "cairn 9", Open: func(context.Context) (dto.Service, error) {
		return nil, &engine.Error{Kind: engine.KindNewer, What: "A newer Cairn wrote these records.", Do: "Install it."}
	}}, sh)
	set, err := a.Setup()
	if err != nil || set.Stage != "error" || set.Error == nil || set.Error.Do != "Install it." || set.Version != "cairn 9" {
		t.Errorf("setup is %+v, %v", set, err)
	}
	if _, err := a.Tasks(); engine.KindOf(err) != engine.KindNewer {
		t.Errorf("tasks give %v", err)
	}
	if e := <-sh.heard; e.Kind != "setup" || e.Setup.Stage != "error" {
		t.Errorf("the page hears %+v", e)
	}
}

func TestPathsComeFromDialogs(t *testing.T) {
	sh := &screen{choice: "/chosen/x.cairn.md"}
	fake := &servicetest.Fake{}
	a := started(t, Options{Open: opens(fake)}, sh)
	if _, err := a.Export("t", "/etc/passwd", false); engine.KindOf(err) != engine.KindUsage {
		t.Errorf("a typed path gives %v", err)
	}
	if _, err := a.PreviewImport("/etc/passwd"); engine.KindOf(err) != engine.KindUsage {
		t.Errorf("a typed path gives %v", err)
	}
	path, err := a.ChooseSave("x.cairn.md")
	if err != nil || path != sh.choice {
		t.Fatalf("%q, %v", path, err)
	}
	if _, err := a.Export("t", path, false); err != nil {
		t.Errorf("a chosen path gives %v", err)
	}
}

// A file opened before the page listens is given to it when it does, once.
func TestFileBeforeThePage(t *testing.T) {
	sh := &screen{}
	a := started(t, Options{Open: opens(&servicetest.Fake{}), Files: []string{"/a/b.cairn.md", "/a/picture.png"}}, sh)
	early, err := a.WindowReady(Seen{})
	if err != nil || len(early) != 1 || early[0].Kind != "open_file" || early[0].Text != "/a/b.cairn.md" {
		t.Fatalf("early events are %+v, %v", early, err)
	}
	if again, _ := a.WindowReady(Seen{}); len(again) != 0 {
		t.Errorf("given twice: %+v", again)
	}
	if _, err := a.PreviewImport("/a/b.cairn.md"); err != nil {
		t.Errorf("a file that was double-clicked gives %v", err)
	}
}

func TestSecondStartShows(t *testing.T) {
	show := make(chan []string)
	sh := &screen{heard: make(chan dto.Event, 4)}
	a := started(t, Options{Open: opens(&servicetest.Fake{}), Show: show}, sh)
	if _, err := a.WindowReady(Seen{}); err != nil {
		t.Fatal(err)
	}
	show <- []string{"/a/c.cairn.md"}
	if e := <-sh.heard; e.Kind != "open_file" || e.Text != "/a/c.cairn.md" {
		t.Errorf("the page hears %+v", e)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.shown != 1 {
		t.Errorf("shown %d times", sh.shown)
	}
}

func TestEventsReachThePage(t *testing.T) {
	fake := &servicetest.Fake{Events: []dto.Event{{Kind: "tasks"}, {Task: "a", Seq: 1, Kind: "status", Status: &dto.Status{}}}}
	sh := &screen{heard: make(chan dto.Event, 4)}
	started(t, Options{Open: opens(fake)}, sh)
	<-sh.heard
	if e := <-sh.heard; e.Status == nil || e.Status.Reasons == nil {
		t.Errorf("the page hears %+v", e)
	}
}

// Quitting drains, never for longer than it may, and a second request goes through.
func TestQuit(t *testing.T) {
	drained := make(chan struct{})
	c := newCore(Options{Open: opens(&servicetest.Fake{}), Drain: func(ctx context.Context) {
		close(drained)
		<-ctx.Done() // hangs for as long as it may
	}})
	defer c.end()
	begin := time.Now()
	first := make(chan bool, 1)
	go func() { first <- c.beforeClose() }()
	<-drained
	if c.beforeClose() {
		t.Error("the second request was held up")
	}
	if time.Since(begin) > time.Second {
		t.Error("the second request waited")
	}
	if <-first {
		t.Error("quitting was prevented")
	}
	if d := time.Since(begin); d > drainWait+2*time.Second {
		t.Errorf("quitting took %v", d)
	}
}

func TestErrorsKeepTheirParts(t *testing.T) {
	want := &engine.Error{Kind: engine.KindDiskFull, What: "w.", Safe: "s.", Do: "d.", Err: errors.New("inner")}
	a := started(t, Options{Open: opens(&servicetest.Fake{Answer: func(m string, _ []any) (any, error) {
		if m == "Watch" {
			return nil, nil
		}
		return nil, want
	}})}, &screen{})
	_, err := a.Ask("t", "q")
	if p := problem.Of(err); p != (dto.Problem{Kind: "disk_full", What: "w.", Safe: "s.", Do: "d."}) {
		t.Errorf("the page gets %+v", p)
	}
}
