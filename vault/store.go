package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"sync"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// Options are for tests and laboratories; the zero value is what Cairn uses,
// but for Probe.
type Options struct {
	// Hook is called at the Point… constants. An error it gives counts as the
	// error of the disk at that point.
	Hook func(point string) error
	// FreeSpace says how many bytes can still be written in a folder.
	FreeSpace func(dir string) (uint64, error)
	// Floor is the free space in bytes below which no group is taken; 0 is DefaultFloor.
	Floor uint64
	// Probe tries a copy of the store after an unclean end. Without it the copy
	// is tried in this process, which a panic on Badger's own goroutines ends.
	// The program uses ProbeChild.
	Probe Probe
}

// Points of a commit at which Options.Hook is called, in order; and of a
// deletion.
const (
	PointBlobs       = "blobs"        // before the texts are written
	PointBlobsDone   = "blobs-done"   // the texts are durable, no line names them
	PointJournalHalf = "journal-half" // half of the lines are written; only with a Hook
	PointJournal     = "journal"      // all lines written, not synced
	PointJournalDone = "journal-done" // the lines are durable
	PointVault       = "vault"        // before the store's transaction
	PointVaultDone   = "vault-done"   // durable everywhere, not yet acknowledged

	PointDelete        = "delete"         // what is deleted is noted, all is still there
	PointDeleteJournal = "delete-journal" // the journals are gone
	PointDeleteCopied  = "delete-copied"  // the new store is whole, the old one in place
	PointDeleteSwapped = "delete-swapped" // the new store is in place, the old one still there
)

// DefaultFloor is the free space in bytes below which no group is taken.
const DefaultFloor = 512 << 20

// openRoom is the free space needed to open at all: Badger writes through
// memory maps, where a full disk would end the process.
const openRoom = 64 << 20

// Store is the open vault. Its methods may be called by several goroutines;
// writes are done one after the other, reads beside them.
type Store struct {
	home Home
	o    Options

	w sync.Mutex // held by the one writer, for the whole of a write

	mu       sync.RWMutex // guards what follows; held briefly
	kv       *kv
	closed   bool
	broken   error // a sync failed: why nothing is written any more
	branches map[ledger.Hash]*branchRecord
	// waiting are texts that no line has named yet; they go to disk with the
	// group that names them, or when they are many. loose are those that went to
	// disk unnamed.
	waiting      map[ledger.Hash][]byte
	waitingBytes int
	loose        map[ledger.Hash]bool
	// orphaned are those of the waiting texts that may be a deleted task's: they
	// reach the disk with a line that names them, or never.
	orphaned map[ledger.Hash]bool
}

var _ engine.Store = (*Store)(nil)

// Home is the folder of this store.
func (s *Store) Home() Home { return s.home }

// Close ends the store and notes that it ended well. It waits for the call that
// is writing. A second call does nothing; every other call then gives an error.
func (s *Store) Close() error {
	s.w.Lock()
	defer s.w.Unlock()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	kv, broken := s.kv, s.broken
	s.mu.Unlock()
	if err := kv.close(); err != nil {
		return err
	}
	if broken != nil {
		return nil // the next start has to see that this one did not end well
	}
	if err := remove(s.home.starts()); err != nil {
		return err
	}
	return writeFile(s.home.clean(), []byte("clean\n"))
}

// store gives the open store, or why there is none.
func (s *Store) store(ctx context.Context) (*kv, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	return s.kv, nil
}

// read runs fn on the open store, again where Delete exchanged it meanwhile.
func (s *Store) read(ctx context.Context, fn func(*kv) error) error {
	for {
		kv, err := s.store(ctx)
		if err != nil {
			return err
		}
		if err := fn(kv); !errors.Is(err, errClosed) {
			return err
		}
		s.mu.RLock()
		same := s.kv == kv
		s.mu.RUnlock()
		if same {
			return errClosed
		}
	}
}

// writable is store, for a write; s.w is held. room is the free space that must
// remain, in bytes.
func (s *Store) writable(ctx context.Context, room uint64) (*kv, error) {
	kv, err := s.store(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	broken := s.broken
	s.mu.RUnlock()
	if broken != nil {
		return nil, readOnly(broken)
	}
	return kv, s.room(room)
}

// room refuses when less than n bytes are free.
func (s *Store) room(n uint64) error {
	free, err := s.o.FreeSpace(string(s.home))
	if err != nil {
		return err
	}
	if free < n && !planted(faultNoRoom) {
		return diskFull(fmt.Errorf("%d bytes free, %d needed", free, n))
	}
	return nil
}

// fail makes the store read-only after a failed sync and gives the error for
// the call. What reached the disk is not known and is not asked for: after a
// failed sync a read answers from memory.
func (s *Store) fail(doing string, err error) error {
	s.mu.Lock()
	if s.broken == nil {
		s.broken = fmt.Errorf("%s: %w", doing, err)
	}
	s.mu.Unlock()
	note := writeUnsynced(s.home.syncFailed(), []byte(doing+"\n"), false)
	if classified := fileError(doing, err); engine.KindOf(classified) == engine.KindDiskFull {
		return classified
	}
	return readOnly(errors.Join(fmt.Errorf("%s: %w", doing, err), note))
}

// hook calls the test's hook.
func (s *Store) hook(point string) error {
	if s.o.Hook == nil {
		return nil
	}
	return s.o.Hook(point)
}

// find gives a copy of a branch's record.
func (s *Store) find(id string) (*branchRecord, error) {
	h, err := ledger.ParseHash(id)
	if err != nil {
		return nil, notFound("branch " + id)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.branches[h]
	if !ok {
		return nil, notFound("branch " + id)
	}
	c := *r
	return &c, nil
}

// Branch implements engine.Store.
func (s *Store) Branch(ctx context.Context, id string) (engine.Branch, error) {
	if _, err := s.store(ctx); err != nil {
		return engine.Branch{}, err
	}
	r, err := s.find(id)
	if err != nil {
		return engine.Branch{}, err
	}
	return r.branch(), nil
}

// Branches implements engine.Store; the order is by id.
func (s *Store) Branches(ctx context.Context) ([]engine.Branch, error) {
	if _, err := s.store(ctx); err != nil {
		return nil, err
	}
	s.mu.RLock()
	out := make([]engine.Branch, 0, len(s.branches))
	for _, r := range s.branches {
		out = append(out, r.branch())
	}
	s.mu.RUnlock()
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, nil
}

// Local implements engine.Store.
func (s *Store) Local(ctx context.Context, scope, name string) ([]byte, error) {
	var value []byte
	err := s.read(ctx, func(kv *kv) (err error) {
		_, value, err = readLocal(kv, localKey(scope, name))
		return err
	})
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, notFound("local record " + name)
	}
	if err != nil {
		return nil, s.readError("The local record "+name+" is damaged.", err)
	}
	return value, nil
}

func readLocal(kv *kv, key []byte) (uint64, []byte, error) {
	payload, err := kv.get(kindLocal, key)
	if err != nil {
		return 0, nil, err
	}
	return decodeLocal(payload)
}

// PutLocal implements engine.Store. Half of the free-space floor is kept for
// it, so that a pause on a full disk can be noted.
func (s *Store) PutLocal(ctx context.Context, scope, name string, value []byte) error {
	if err := frame.Local(scope, name, value); err != nil {
		return usage(err)
	}
	s.w.Lock()
	defer s.w.Unlock()
	kv, err := s.writable(ctx, s.o.Floor/2)
	if err != nil {
		return err
	}
	key := localKey(scope, name)
	stamp, _, err := readLocal(kv, key) // a damaged one is replaced, its stamp starts again
	if err != nil && !errors.Is(err, badger.ErrKeyNotFound) && !errors.Is(err, errDamaged) {
		return err
	}
	env, err := seal(kindLocal, key, encodeLocal(stamp+1, value))
	if err != nil {
		return err
	}
	if err := kv.put([]record{{key, env}}); err != nil {
		return s.fail("save a local record", err)
	}
	return s.copyLocal(key, env)
}

// PutDraft implements engine.Store. An empty body takes the draft away.
func (s *Store) PutDraft(branch string, body []byte) error {
	if _, err := s.store(context.Background()); err != nil {
		return err
	}
	if _, err := s.find(branch); err != nil {
		return err
	}
	if len(body) == 0 {
		return remove(s.home.draft(branch))
	}
	return writeUnsynced(s.home.draft(branch), body, false)
}

// Draft implements engine.Store.
func (s *Store) Draft(branch string) ([]byte, error) {
	if _, err := s.store(context.Background()); err != nil {
		return nil, err
	}
	if _, err := s.find(branch); err != nil {
		return nil, err
	}
	body, err := os.ReadFile(s.home.draft(branch))
	if errors.Is(err, os.ErrNotExist) {
		return nil, notFound("draft")
	}
	return body, fileError("read a draft", err)
}

// readError gives an error of a read its kind, and notes damage so that the
// next start rebuilds the store.
func (s *Store) readError(what string, err error) error {
	if errors.Is(err, errDamaged) {
		return damaged(what, errors.Join(err, writeUnsynced(s.home.repair(), []byte("damage\n"), false)))
	}
	return err
}
