package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"cairn/engine"
)

// Watcher says that something in a folder may have changed. It never says what:
// the receiver scans again and decides by content.
type Watcher struct {
	Dir   string
	Clock engine.Clock
	Every time.Duration // look again without an event; default 1 minute
	Quiet time.Duration // wait for this long without events before telling; default 400 ms
}

// A stream of events that does not end is told after this many quiet times.
const mostQuiet = 8

// Run watches Dir and the folders in it until ctx ends, and returns ctx.Err().
// It calls changed after events, and after each time Every where names, sizes or
// times of files differ; calls never overlap, and thousands of events make one.
// A folder that is gone is no error: it is looked for again. Where the system
// gives no events, or no more of them, looking again remains.
func (w *Watcher) Run(ctx context.Context, changed func()) error {
	every, quiet := w.Every, w.Quiet
	if every <= 0 {
		every = time.Minute
	}
	if quiet <= 0 {
		quiet = 400 * time.Millisecond
	}
	dirty := make(chan struct{}, 1)
	tree := watchTree(w.Dir, dirty)
	defer tree.close()
	tick := make(chan struct{})
	ticking := make(chan struct{})
	go func() {
		defer close(ticking)
		for w.Clock.Sleep(ctx, every) == nil {
			select {
			case tick <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}()
	defer func() { <-ticking }()
	last := fingerprint(ctx, w.Dir)
	calm, limit := stopped(), stopped()
	defer calm.Stop()
	defer limit.Stop()
	pending := false
	tell := func() {
		pending = false
		calm.Stop()
		limit.Stop()
		last = fingerprint(ctx, w.Dir)
		if ctx.Err() == nil {
			changed()
		}
	}
	// A clock that does not really wait must not make a busy loop.
	breath := time.NewTicker(20 * time.Millisecond)
	defer breath.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-dirty:
			if !pending {
				pending = true
				limit.Reset(mostQuiet * quiet)
			}
			calm.Reset(quiet)
		case <-calm.C:
			tell()
		case <-limit.C:
			tell()
		case <-tick:
			tree.add(w.Dir) // it may have come back
			if fingerprint(ctx, w.Dir) != last {
				tell()
			}
			<-breath.C
		}
	}
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// fingerprint of what Scan finds: equal where nothing changed.
func fingerprint(ctx context.Context, dir string) [sha256.Size]byte {
	files, err := Scan(ctx, dir)
	h := sha256.New()
	if err != nil {
		fmt.Fprint(h, engine.KindOf(err), err.Error())
	}
	for _, f := range files {
		fmt.Fprintf(h, "%q %d %d %s\n", f.Rel, f.Size, f.ModTime.UnixNano(), f.Skip)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// folderTree watches a folder and every folder in it, which the system does not
// do by itself.
type folderTree struct {
	fs    *fsnotify.Watcher // nil: no events on this system
	dirty chan<- struct{}
	done  chan struct{}
}

func watchTree(dir string, dirty chan<- struct{}) *folderTree {
	t := &folderTree{dirty: dirty, done: make(chan struct{})}
	var err error
	if t.fs, err = fsnotify.NewBufferedWatcher(4096); err != nil {
		t.fs = nil // no events: looking again at times remains
		close(t.done)
		return t
	}
	t.add(dir)
	go t.pump()
	return t
}

// add watches dir and the folders in it. What can't be watched is left to the
// next look.
func (t *folderTree) add(dir string) {
	if t.fs == nil {
		return
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return
	}
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil //nolint:nilerr // see above
		}
		if path != root && skipName(e.Name()) {
			return filepath.SkipDir
		}
		if err := t.fs.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return filepath.SkipAll // no more watches to be had
		}
		return nil
	})
}

func (t *folderTree) pump() {
	defer close(t.done)
	for {
		select {
		case e, ok := <-t.fs.Events:
			if !ok {
				return
			}
			if skipName(filepath.Base(e.Name)) || e.Op == fsnotify.Chmod {
				continue
			}
			if e.Has(fsnotify.Create) {
				// A deep folder made at once gives one event: walk it now.
				if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
					t.add(e.Name)
				}
			}
		case _, ok := <-t.fs.Errors: // overflow: something was missed
			if !ok {
				return
			}
		}
		select {
		case t.dirty <- struct{}{}:
		default:
		}
	}
}

func (t *folderTree) close() {
	if t.fs != nil {
		_ = t.fs.Close()
	}
	<-t.done
}
