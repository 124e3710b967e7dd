package vault

import (
	"fmt"
	"os"

	"github.com/gofrs/flock"

	"cairn/engine"
)

// HomeLock is held by the one process that owns a home folder, from before it
// opens anything there until after everything is closed.
type HomeLock struct {
	home Home
	file *flock.Flock
}

// Lock makes the folder where it is missing and takes its lock. It gives
// KindBusy at once when another process holds it, and then has changed nothing.
// The kernel frees the lock of a process that died.
func Lock(home Home) (*HomeLock, error) {
	if home == "" {
		return nil, fmt.Errorf("lock home: no folder named")
	}
	if err := os.MkdirAll(string(home), 0o700); err != nil {
		return nil, fileError("make Cairn's folder", err)
	}
	f := flock.New(home.Lock(), flock.SetPermissions(0o600))
	held, err := f.TryLock()
	if err != nil {
		return nil, fileError("lock Cairn's folder", err)
	}
	if !held {
		return nil, &engine.Error{
			Kind: engine.KindBusy,
			What: "Cairn is already running with this folder.",
			Safe: "Nothing was changed.",
			Do:   "Use the window that is open, or another folder with --home.",
		}
	}
	return &HomeLock{home: home, file: f}, nil
}

// Release gives the lock back; the store must be closed before. A second call
// does nothing.
func (l *HomeLock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("unlock Cairn's folder: %w", err)
	}
	return nil
}
