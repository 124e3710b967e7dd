// Package engine is the root of Cairn's core: the contracts that the packages
// below it and the adapters around it (vault, app) share. It imports neither
// Wails nor Badger.
package engine

import (
	"context"
	"errors"
	"time"

	"cairn/engine/ledger"
)

// Clock is the only source of time. Persist wall times only.
type Clock interface {
	Now() time.Time
	// Awake is how long the machine was awake since some moment. It goes on evenly
	// when the clock is set or the machine sleeps: durations are measured with it.
	Awake() time.Duration
	// Sleep waits for d of awake time or until ctx ends; it returns ctx.Err().
	Sleep(ctx context.Context, d time.Duration) error
}

// Random fills p; used for nonces and salts only.
type Random interface{ Read(p []byte) (int, error) }

// Blobs holds bytes named by their SHA-256. Blob returns KindNotFound for a
// hash that was never stored and KindDamaged for bytes that fail their check.
type Blobs interface {
	PutBlob(ctx context.Context, body []byte) (ledger.Hash, error)
	Blob(ctx context.Context, h ledger.Hash) ([]byte, error)
	HasBlob(ctx context.Context, h ledger.Hash) (bool, error)
}

// Head is the newest durable line of a branch.
type Head struct {
	Seq, Group int64
	Chain      ledger.Hash
}

// Branch describes one branch of a task.
type Branch struct {
	ID     string // chain value of its first own line, hex
	Root   string // ID of the branch whose first line is the task or root line
	Parent string // branch it was forked from, "" for a root
	From   int64  // first own seq
	Head   Head
	Damage string // not empty: what is wrong with it, in plain words
}

// Store keeps ledgers and blobs. vault implements it; vault/vaulttest holds
// every implementation to the same behaviour.
type Store interface {
	Blobs
	// Begin makes a new branch from its first group and returns its id. With
	// parent "" the first line has seq 1; otherwise the first line continues the
	// parent's line From-1.
	Begin(ctx context.Context, parent string, group [][]byte) (string, error)
	// Append makes one whole group durable: journal, fsync, store, sync. When it
	// returns nil the group is saved. The lines must continue the head.
	Append(ctx context.Context, branch string, group [][]byte) error
	// Lines calls fn for each line from seq on, prefix of the parents included.
	Lines(ctx context.Context, branch string, from int64, fn func(seq int64, line []byte) error) error
	Branch(ctx context.Context, id string) (Branch, error)
	Branches(ctx context.Context) ([]Branch, error)
	// Local records never travel: folders, machine settings, open windows.
	Local(ctx context.Context, scope, name string) ([]byte, error) // KindNotFound
	PutLocal(ctx context.Context, scope, name string, value []byte) error
	// PutNamed stores a text that the saved line seq names already and that was
	// lost: durable when it returns.
	PutNamed(ctx context.Context, seq int64, body []byte) (ledger.Hash, error)
	// Draft is the unsynced text of the running call, outside the ledger.
	PutDraft(branch string, body []byte) error
	Draft(branch string) ([]byte, error)
	// Delete removes a branch and all that were forked from it, with the root the
	// whole task: lines, drafts, local records, blobs that no line names any more,
	// and every copy of them in the home folder. Begun, it is finished by the next
	// opening at the latest. It tells WithProgress of ctx how far it is.
	Delete(ctx context.Context, branch string) (Erased, error)
	// Weigh says what Delete would remove, and removes nothing.
	Weigh(ctx context.Context, branch string) (Erased, error)
}

// Erased says what Delete removed, or would remove.
type Erased struct {
	Branches, Lines, Blobs int
	Shared                 int // blobs that the branches name and that stay, because others name them
	Drafts, Locals         int
	Aside                  int // files and folders that a repair had set aside
	Backups                int // copies of the whole store that could not be kept
	Bytes                  int64
}

type progressKey struct{}

// WithProgress has a call of a Store that takes long tell how far it is. Both
// numbers are bytes, and only their proportion means something.
func WithProgress(ctx context.Context, fn func(done, total int64)) context.Context {
	return context.WithValue(ctx, progressKey{}, fn)
}

// Progress gives what WithProgress set; it may always be called.
func Progress(ctx context.Context) func(done, total int64) {
	if fn, ok := ctx.Value(progressKey{}).(func(done, total int64)); ok && fn != nil {
		return fn
	}
	return func(int64, int64) {}
}

// Kind is the closed set of error kinds that the window can explain.
type Kind string

const (
	KindUsage        Kind = "usage" // what was asked makes no sense; nothing was done
	KindNotFound     Kind = "not_found"
	KindBusy         Kind = "busy"    // another process or run holds it
	KindDamaged      Kind = "damaged" // bytes that fail their check
	KindDiskFull     Kind = "disk_full"
	KindReadOnly     Kind = "read_only"     // after a failed sync
	KindNewer        Kind = "newer"         // a format newer than this program
	KindModelAway    Kind = "model_away"    // Ollama does not answer
	KindModelMissing Kind = "model_missing" // Ollama has no such model
	KindModelFailed  Kind = "model_failed"  // the model or its runner gave an error or unusable reply
	KindRefused      Kind = "refused"       // a check refused it
	KindSource       Kind = "source"        // a folder or file can't be read
	KindVerification Kind = "verification"  // a hand-off file that does not hold
	KindCancelled    Kind = "cancelled"
	KindInternal     Kind = "internal"
)

// Error is what people see: what happened, what is safe, what to do next.
type Error struct {
	Kind Kind
	What string // "Ollama does not answer at 127.0.0.1:11434."
	Safe string // "Everything up to 14:03:22 is saved."
	Do   string // "Start Ollama, or use the built-in runtime."
	Err  error  // the cause, wrapped
}

func (e *Error) Error() string {
	s := e.What
	if e.Safe != "" {
		s += " " + e.Safe
	}
	if e.Do != "" {
		s += " " + e.Do
	}
	if s == "" && e.Err != nil {
		s = e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf gives the kind of err, KindInternal when it has none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) {
		return KindCancelled
	}
	return KindInternal
}
