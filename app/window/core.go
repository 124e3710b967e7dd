//go:build window

package window

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
)

const (
	readyWait = 30 * time.Second // how long a bound method waits for the vault
	drainWait = 3 * time.Second  // how long quitting waits for what runs
)

// core is the window's life without Wails: opening, waiting, forwarding events,
// the files that a person named. App's methods and the hooks call it.
type core struct {
	opt Options
	ctx context.Context // ends with the window
	end context.CancelFunc

	opened chan struct{} // closed when open has finished, well or not

	mu       sync.Mutex
	shell    shell
	service  dto.Service
	err      error
	paths    map[string]bool
	early    []dto.Event // files to open that came before the page listened
	listens  bool
	quitting bool
	loads    int
}

func newCore(opt Options) *core {
	ctx, end := context.WithCancel(context.Background())
	c := &core{opt: opt, ctx: ctx, end: end, shell: nobody{}, opened: make(chan struct{}), paths: map[string]bool{}}
	for _, f := range opt.Files {
		c.openFile(f)
	}
	return c
}

// start opens the service behind the window and forwards its events.
func (c *core) start(s shell) {
	c.mu.Lock()
	c.shell = s
	c.mu.Unlock()
	go c.open()
	if c.opt.Show != nil {
		go c.watchShow()
	}
}

func (c *core) open() {
	defer func() {
		if v := recover(); v != nil {
			c.set(nil, problem.Caught(v))
		}
	}()
	s, err := c.opt.Open(c.ctx)
	c.set(s, err)
	if err != nil {
		c.report(err)
		p := problem.Of(err)
		c.emit(dto.Event{Kind: "setup", Setup: &dto.Setup{Stage: "error", Sentence: p.What, Error: &p, LeftS: -1, Models: []dto.Model{}}})
		return
	}
	// Watch ends with the window; an error other than that is worth a line.
	if err := s.Watch(c.ctx, "", c.emit); err != nil && c.ctx.Err() == nil {
		c.report(fmt.Errorf("watch events: %w", err))
	}
}

func (c *core) set(s dto.Service, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.service == nil && c.err == nil {
		c.service, c.err = s, err
		close(c.opened)
	}
}

// ready waits for the vault.
func (c *core) ready() (dto.Service, error) {
	wait, stop := context.WithTimeout(c.ctx, readyWait)
	defer stop()
	select {
	case <-c.opened:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.service, c.err
	case <-wait.Done():
		return nil, &engine.Error{
			Kind: engine.KindBusy, What: "Cairn is still opening its records.",
			Safe: "Nothing is lost.", Do: "Wait a little and try again.", Err: wait.Err(),
		}
	}
}

func (c *core) emit(e dto.Event) {
	c.mu.Lock()
	s := c.shell
	c.mu.Unlock()
	s.Emit(dto.Whole(e))
}

// pageReady is the page's sign of life; it takes over the early events.
func (c *core) pageReady(seen Seen) []dto.Event {
	c.mu.Lock()
	early := c.early
	c.early, c.listens = nil, true
	c.loads++
	c.mu.Unlock()
	if c.opt.SelfTest != "" {
		c.selfTest(seen)
	}
	return early
}

// openFile queues a hand-off file that came from outside the page.
func (c *core) openFile(path string) {
	if !strings.HasSuffix(strings.ToLower(path), ".md") {
		return
	}
	c.remember(path)
	e := dto.Event{Kind: "open_file", Text: path}
	c.mu.Lock()
	listens := c.listens
	if !listens {
		c.early = append(c.early, e)
	}
	c.mu.Unlock()
	if listens {
		c.emit(e)
	}
}

func (c *core) watchShow() {
	for {
		select {
		case <-c.ctx.Done():
			return
		case files, ok := <-c.opt.Show:
			if !ok {
				return
			}
			c.mu.Lock()
			s := c.shell
			c.mu.Unlock()
			s.Show()
			for _, f := range files {
				c.openFile(f)
			}
		}
	}
}

func (c *core) choose(kind dialog, name string) (path string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = problem.Caught(v)
		}
	}()
	c.mu.Lock()
	s := c.shell
	c.mu.Unlock()
	path, err = s.Dialog(kind, name)
	if err != nil {
		return "", &engine.Error{Kind: engine.KindInternal, What: "The system's file dialog did not open.", Safe: "Nothing was changed.", Do: "Try again, or use the command line.", Err: err}
	}
	if path != "" {
		c.remember(path)
	}
	return path, nil
}

func (c *core) remember(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths[filepath.Clean(path)] = true
}

// chosen reports whether a person named this path in this window.
func (c *core) chosen(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return typedPaths || c.paths[filepath.Clean(path)]
}

// beforeClose drains what runs, for at most drainWait, and never opens a dialog.
// A second request while draining goes through at once.
func (c *core) beforeClose() (prevent bool) {
	c.mu.Lock()
	again := c.quitting
	c.quitting = true
	c.mu.Unlock()
	if !again && c.opt.Drain != nil {
		ctx, stop := context.WithTimeout(context.Background(), drainWait)
		defer stop()
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.opt.Drain(ctx)
		}()
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
	return false
}

func (c *core) report(err error) {
	if c.opt.Log != nil {
		fmt.Fprintln(c.opt.Log, "cairn:", full(err))
	}
}

// full is the error with the chain below it, for the log.
func full(err error) string {
	s := err.Error()
	for e := err; e != nil; {
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		if e = u.Unwrap(); e != nil && !strings.Contains(s, e.Error()) {
			s += ": " + e.Error()
		}
	}
	return s
}

func base(path string) string { return filepath.Base(filepath.Clean(path)) }
