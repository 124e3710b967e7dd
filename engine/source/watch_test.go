package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"cairn/engine/clock"
)

// still is a clock whose Sleep lasts until the test says so.
type still struct {
	clock.Real
	go_ chan struct{}
}

func (s still) Sleep(ctx context.Context, _ time.Duration) error {
	select {
	case <-s.go_:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type watched struct {
	dir   string
	wake  chan struct{}
	calls atomic.Int64
	told  chan struct{}
}

func watching(t *testing.T, quiet time.Duration) *watched {
	t.Helper()
	w := &watched{dir: t.TempDir(), wake: make(chan struct{}), told: make(chan struct{}, 1000)}
	put(t, w.dir, "first.txt")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	watcher := &Watcher{Dir: w.dir, Clock: still{go_: w.wake}, Quiet: quiet}
	go func() {
		ended <- watcher.Run(ctx, func() {
			w.calls.Add(1)
			w.told <- struct{}{}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Errorf("Run returned %v", err)
		}
	})
	w.wake <- struct{}{} // the first look: from here on the watch stands
	w.wake <- struct{}{}
	return w
}

func put(t *testing.T, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *watched) expect(t *testing.T, what string) {
	t.Helper()
	select {
	case <-w.told:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s was not told", what)
	}
}

func TestWatch(t *testing.T) {
	w := watching(t, 30*time.Millisecond)
	put(t, w.dir, "new.txt")
	w.expect(t, "a new file")
	put(t, w.dir, "a", "b", "c", "deep.txt") // folders made at once
	w.expect(t, "a file in new folders")
	put(t, w.dir, "a", "b", "c", "second.txt")
	w.expect(t, "a file in a folder that came later")
	if err := os.Rename(filepath.Join(w.dir, "new.txt"), filepath.Join(w.dir, "other.txt")); err != nil {
		t.Fatal(err)
	}
	w.expect(t, "a new name")
	if err := os.RemoveAll(filepath.Join(w.dir, "a")); err != nil {
		t.Fatal(err)
	}
	w.expect(t, "a removed folder")
}

// Thousands of events make few calls.
func TestWatchManyEvents(t *testing.T) {
	w := watching(t, 100*time.Millisecond)
	for i := range 2000 {
		put(t, w.dir, fmt.Sprintf("f%d.txt", i))
	}
	w.expect(t, "many files")
	for range 20 { // what is still to come has had its time
		select {
		case <-w.told:
		case <-time.After(50 * time.Millisecond):
		}
	}
	if n := w.calls.Load(); n > 40 {
		t.Errorf("2000 events made %d calls", n)
	}
}

// Hidden and temporary files are nobody's business. A look without an event
// finds what events missed, and nothing where nothing changed.
func TestWatchLooksAgain(t *testing.T) {
	w := watching(t, 10*time.Millisecond)
	put(t, w.dir, ".hidden")
	put(t, w.dir, "~$lock.docx")
	put(t, w.dir, "export.cairn.md")
	w.wake <- struct{}{}
	w.wake <- struct{}{}
	if n := w.calls.Load(); n != 0 {
		t.Errorf("%d calls for files that are left out", n)
	}
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	w.expect(t, "the folder's end")
	for drained := false; !drained; {
		select {
		case <-w.told:
		case <-time.After(100 * time.Millisecond):
			drained = true
		}
	}
	put(t, w.dir, "back.txt") // no watch stands on it now
	w.wake <- struct{}{}
	w.expect(t, "the folder's return")
	put(t, w.dir, "more.txt")
	w.expect(t, "a file after the folder's return")
}

// A clock that does not wait must not keep the machine busy.
func TestWatchWithFakeClock(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	fake := clock.NewFake(time.Unix(0, 0))
	began := fake.Now()
	_ = (&Watcher{Dir: dir, Clock: fake, Every: time.Second}).Run(ctx, func() { t.Error("nothing changed") })
	if n := fake.Now().Sub(began) / time.Second; n > 40 {
		t.Errorf("%d looks in 200 ms", n)
	}
}
