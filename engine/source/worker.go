package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cairn/engine/ledger"
)

// Limits of one extraction. The zero value of a field means its default.
type Limits struct {
	Timeout time.Duration // wall time of one file; 30 s
	Memory  int64         // bytes of resident memory of the child; 512 MiB
	Files   int           // files after which the child is replaced; 100
}

func (l Limits) withDefaults() Limits {
	if l.Timeout <= 0 {
		l.Timeout = 30 * time.Second
	}
	if l.Memory <= 0 {
		l.Memory = 512 << 20
	}
	if l.Files <= 0 {
		l.Files = 100
	}
	return l
}

// Worker extracts documents in child processes: the same program, started again
// with WorkerArgs. A child serves many files; one that is ended, dies or has
// served enough is replaced. Worker is safe for concurrent use. Its fields must
// not change after the first Extract.
type Worker struct {
	Command  []string // program and arguments of the child
	Cache    string   // private folder for compiled PDFium, "" for none; made (0700) when absent. Without it the first PDF of each child costs seconds
	Limits   Limits
	Parallel int // children at the same time; default 1

	once  sync.Once
	slots chan struct{}
	mu    sync.Mutex
	idle  []*child
}

// WorkerArgs are the arguments that make the program the child's side.
var WorkerArgs = []string{"worker", "extract"}

// NewWorker uses the running program as the child.
func NewWorker(cache string) (*Worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the running program: %w", err)
	}
	return &Worker{Command: append([]string{exe}, WorkerArgs...), Cache: cache}, nil
}

// IsWorker reports whether args (os.Args) ask for the child's side. A TestMain
// whose tests start workers asks this first, calls RunWorker and returns.
func IsWorker(args []string) bool {
	return len(args) >= 3 && args[1] == WorkerArgs[0] && args[2] == WorkerArgs[1]
}

// Extract reads the file at path. What is wrong with the file is the document's
// Reason; an error means that no worker could be started or that ctx ended.
// Then nothing is known about the file.
func (w *Worker) Extract(ctx context.Context, path string) (Document, error) {
	w.once.Do(func() { w.slots = make(chan struct{}, max(w.Parallel, 1)) })
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-ctx.Done():
		return Document{}, fmt.Errorf("extract %s: %w", filepath.Base(path), ctx.Err())
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Document{}, fmt.Errorf("extract %s: %w", filepath.Base(path), err)
	}
	limits := w.Limits.withDefaults()
	var end ending
	for attempt := 0; attempt < 2; attempt++ {
		c, err := w.take(limits)
		if err != nil {
			return Document{}, err
		}
		var doc Document
		doc, end = c.serve(ctx, abs, limits)
		w.put(c, limits, end)
		switch {
		case end.err != nil:
			return Document{}, fmt.Errorf("extract %s: %w", filepath.Base(path), end.err)
		case !end.dead:
			return doc, nil
		case end.ours:
			return w.killed(abs, end.reason)
		}
		// It died by itself. Once may be an accident of the system (a fresh
		// child tries again), twice is the file's doing.
	}
	return w.killed(abs, end.reason)
}

// killed is the document of a file whose child did not survive it.
func (w *Worker) killed(path, reason string) (Document, error) {
	d := Document{Name: filepath.Base(path), Reason: reason}
	var head []byte
	var err error
	d.File, d.Bytes, head, err = hashFile(path)
	if err != nil {
		d.Reason, d.File, d.Bytes = Denied, ledger.Hash{}, 0
		if errors.Is(err, fs.ErrNotExist) {
			d.Reason = Vanished
		}
		return d, nil
	}
	d.Media, _ = kindOfFile(d.Name, head)
	return d, nil
}

// take gives an idle child or starts one.
func (w *Worker) take(limits Limits) (*child, error) {
	w.mu.Lock()
	if n := len(w.idle); n > 0 {
		c := w.idle[n-1]
		w.idle = w.idle[:n-1]
		w.mu.Unlock()
		return c, nil
	}
	w.mu.Unlock()
	if w.Cache != "" {
		if err := os.MkdirAll(w.Cache, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder for compiled code: %w", err)
		}
	}
	return startChild(w.Command, w.Cache, limits)
}

// put keeps a child for the next file, or ends it.
func (w *Worker) put(c *child, limits Limits, end ending) {
	if end.dead || end.err != nil || end.spent || c.served >= limits.Files {
		c.close()
		return
	}
	w.mu.Lock()
	w.idle = append(w.idle, c)
	w.mu.Unlock()
}

// Close ends the children that are idle; one that still reads ends with its
// Extract's context. The worker can be used again afterwards.
func (w *Worker) Close() error {
	w.mu.Lock()
	idle := w.idle
	w.idle = nil
	w.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
	return nil
}
