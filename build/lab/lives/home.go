package lives

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/vault"
)

// home is a medium on a real disk: the vault itself. A crash leaves what a killed
// process leaves; a crash inside a commit may leave half a group in a journal.
type home struct {
	dir  string // of the life; each start works in a copy of what the last one left
	n    int
	now  vault.Home
	s    *vault.Store
	lock *vault.HomeLock

	left  int
	dead  bool
	taken bool // a copy was taken at the moment of the crash
}

func newHome(dir string) (*home, error) {
	h := &home{dir: dir}
	h.now = h.name(0)
	return h, h.open()
}

func (h *home) name(n int) vault.Home {
	return vault.Home(filepath.Join(h.dir, fmt.Sprintf("home-%d", n)))
}

func (h *home) open() (err error) {
	if h.lock, err = vault.Lock(h.now); err != nil {
		return fmt.Errorf("lock a home: %w", err)
	}
	h.s, _, err = vault.Open(h.now, h.lock, vault.Options{
		FreeSpace: func(string) (uint64, error) { return 1 << 40, nil },
		Hook: func(string) error {
			if h.dead {
				return errDead
			}
			if h.left == 0 {
				return nil
			}
			if h.left--; h.left > 0 {
				return nil
			}
			h.dead = true
			return errors.Join(errDead, h.take())
		},
	})
	if err != nil {
		return errors.Join(fmt.Errorf("open a home: %w", err), h.lock.Release())
	}
	return nil
}

// take copies the folder as the ended process leaves it. A process ends in one
// moment and copying takes many, in which the store goes on in the background: a
// copy is taken again until nothing was made, grew or went meanwhile.
func (h *home) take() error {
	h.n++
	h.taken = true
	to := string(h.name(h.n))
	for range 200 {
		before, err := h.list()
		if err == nil {
			err = os.CopyFS(to, os.DirFS(string(h.now)))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a file may go while it is copied
			return fmt.Errorf("copy a home: %w", err)
		}
		after, lerr := h.list()
		if err == nil && lerr == nil && before == after {
			return nil
		}
		if err := os.RemoveAll(to); err != nil {
			return fmt.Errorf("copy a home: %w", err)
		}
		if err := (clock.Real{}).Sleep(context.Background(), 10*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("copy a home: it never stands still")
}

// list says which files there are, how long, and when they were written.
func (h *home) list() (string, error) {
	var b strings.Builder
	err := filepath.WalkDir(string(h.now), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return b.String(), err
}

func (h *home) store() engine.Store { return h.s }

func (h *home) arm(n int, _ bool) { h.left = n }

func (h *home) died() bool {
	h.left = 0
	return h.dead
}

func (h *home) gone() bool { return h.dead }

func (h *home) restart() error {
	if !h.taken {
		if err := h.take(); err != nil {
			return err
		}
	}
	// The old process is gone, so how its store ends is nobody's matter.
	_ = h.s.Close()
	_ = h.lock.Release()
	if err := os.RemoveAll(string(h.now)); err != nil {
		return err
	}
	h.now, h.dead, h.taken, h.left = h.name(h.n), false, false, 0
	return h.open()
}

func (h *home) close() error { return errors.Join(h.s.Close(), h.lock.Release(), os.RemoveAll(h.dir)) }
