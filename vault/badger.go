package vault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	badger "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// externalMagic marks the store as Cairn's; the low byte is the coarse format.
const externalMagic = 0xCA01

// formatFile is what the file `format` holds. A Cairn with a newer store writes its
// own before it makes the store.
var formatFile = fmt.Sprintf("cairn store %d\n", externalMagic&0xff)

const (
	memTable = 8 << 20
	maxTxn   = 1 << 20 // a transaction may hold 15 % of a memtable
)

// badgerOptions: see the decision record on the store's options for the reasons.
func badgerOptions(dir string, log *quiet) badger.Options {
	o := badger.DefaultOptions(dir).
		WithSyncWrites(!planted(faultNoSync)).
		WithMemTableSize(memTable).
		WithNumMemtables(2).
		WithNumLevelZeroTables(2).
		WithNumLevelZeroTablesStall(4).
		WithNumCompactors(2).
		WithValueLogFileSize(1 << 20). // never used, and pre-sized: as small as Badger takes
		WithBlockCacheSize(16 << 20).
		WithCompression(options.None). // values are compressed in their envelopes
		WithChecksumVerificationMode(options.NoVerification).
		WithVerifyValueChecksum(true).
		WithNumVersionsToKeep(1).
		WithDetectConflicts(true).
		WithMetricsEnabled(false).
		WithExternalMagic(externalMagic)
	o.Logger = log
	return o
}

// quiet keeps the last error that Badger only logs, for Stats; it prints nothing.
type quiet struct{ last atomic.Pointer[string] }

func (q *quiet) Errorf(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	q.last.Store(&s)
}
func (q *quiet) Warningf(string, ...any) {}
func (q *quiet) Infof(string, ...any)    {}
func (q *quiet) Debugf(string, ...any)   {}

// kv is an open Badger store whose values are envelopes. Reads may run at the
// same time; close waits for them.
type kv struct {
	dir string
	log *quiet

	mu     sync.RWMutex
	db     *badger.DB
	closed bool

	// reserved is the newest memtable file that has its blocks; writers only.
	reserved int
}

// record is one key with its envelope, or a deletion when value is nil.
type record struct{ key, value []byte }

// openKV opens the store in dir and makes it where there is none. A panic in
// Badger on this goroutine is an error; on one of its own it ends the process,
// which is why openings after a crash are tried elsewhere first.
func openKV(dir string, bulk bool) (*kv, error) {
	log := &quiet{}
	o := badgerOptions(dir, log)
	if bulk {
		o = o.WithSyncWrites(false)
	}
	return openWith(o, log)
}

// openTrial opens a copy of a store whose tables are also those of the store.
// Badger empties a table before it removes it, which would empty the store's as
// well: so nothing is merged here, however many tables there are.
func openTrial(dir string) (*kv, error) {
	const many = 1 << 20
	log := &quiet{}
	return openWith(badgerOptions(dir, log).WithNumCompactors(0).WithNumLevelZeroTables(many).WithNumLevelZeroTablesStall(many+1), log)
}

func openWith(o badger.Options, log *quiet) (s *kv, err error) {
	defer caught("open the store", &err)
	dir := o.Dir
	db, err := badger.Open(o)
	if err != nil {
		return nil, fileError("open the store", err)
	}
	s = &kv{dir: dir, log: log, db: db}
	if err := s.reserve(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := private(dir); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// caught turns a panic into an error: a damaged file must not end Cairn.
func caught(doing string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: Badger panicked: %v: %w", doing, p, errDamaged)
	}
}

func (s *kv) close() (err error) {
	defer caught("close the store", &err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if err := s.db.Close(); err != nil {
		return fileError("close the store", err)
	}
	return private(s.dir)
}

// view runs fn in a read transaction.
func (s *kv) view(fn func(*badger.Txn) error) (err error) {
	defer caught("read the store", &err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return s.db.View(fn)
}

// get gives the payload of a record. A key that is not there is
// badger.ErrKeyNotFound, a record that fails its check errDamaged.
func (s *kv) get(k kind, key []byte) (payload []byte, err error) {
	err = s.view(func(txn *badger.Txn) error {
		item, err := txn.Get(key)
		if err != nil {
			return err
		}
		env, err := item.ValueCopy(nil)
		if err != nil {
			return errors.Join(err, errDamaged)
		}
		payload, err = unseal(k, key, env)
		return err
	})
	return payload, err
}

func (s *kv) has(key []byte) (bool, error) {
	err := s.view(func(txn *badger.Txn) error { _, err := txn.Get(key); return err })
	if errors.Is(err, badger.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}

// put writes records in one synced transaction.
func (s *kv) put(records []record) (err error) {
	defer caught("write the store", &err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	for _, r := range records {
		if r.value == nil {
			err = txn.Delete(r.key)
		} else {
			err = txn.Set(r.key, r.value)
		}
		if err != nil {
			return fmt.Errorf("write the store: %w", err)
		}
	}
	if err := txn.Commit(); err != nil && !planted(faultIgnoredSync) {
		return fmt.Errorf("write the store: %w", err)
	}
	return s.reserve()
}

// putAll writes records in as many transactions as they need, in order.
func (s *kv) putAll(records []record) error {
	for len(records) > 0 {
		n, size := 0, 0
		for n < len(records) && (n == 0 || size+len(records[n].value) <= maxTxn) && n < 1000 {
			size += len(records[n].value)
			n++
		}
		if err := s.put(records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// each calls fn for the raw records with a prefix in key order, from start on;
// fn may not keep its arguments. It ends early, without error, when fn gives false.
func (s *kv) each(prefix, start []byte, fn func(key, env []byte) (bool, error)) error {
	return s.view(func(txn *badger.Txn) error {
		o := badger.DefaultIteratorOptions
		o.Prefix, o.PrefetchValues = prefix, false
		it := txn.NewIterator(o)
		defer it.Close()
		for it.Seek(start); it.Valid(); it.Next() {
			item, more := it.Item(), false
			err := item.Value(func(env []byte) (err error) {
				more, err = fn(item.Key(), env)
				return err
			})
			if err != nil || !more {
				return err
			}
		}
		return nil
	})
}

// floorKey gives the last key with the prefix that is not after start, nil for none.
func (s *kv) floorKey(prefix, start []byte) (key []byte, err error) {
	err = s.view(func(txn *badger.Txn) error {
		o := badger.DefaultIteratorOptions
		o.Reverse, o.PrefetchValues = true, false
		it := txn.NewIterator(o)
		defer it.Close()
		if it.Seek(start); it.ValidForPrefix(prefix) {
			key = it.Item().KeyCopy(nil)
		}
		return nil
	})
	return key, err
}

// reserve gives a memtable file its blocks as soon as it exists: Badger writes
// it through a memory map, where a full disk would end the process.
func (s *kv) reserve() error {
	if s.reserved == 0 {
		entries, err := filepath.Glob(filepath.Join(s.dir, "*.mem"))
		if err != nil {
			return fmt.Errorf("list memtables: %w", err)
		}
		for _, path := range entries {
			var n int
			if _, err := fmt.Sscanf(filepath.Base(path), "%d.mem", &n); err == nil {
				s.reserved = max(s.reserved, n-1)
			}
		}
	}
	for {
		path := filepath.Join(s.dir, fmt.Sprintf("%05d.mem", s.reserved+1))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fileError("reserve space for the store", err)
		}
		if !planted(faultNoFloor) {
			err = reserveBlocks(f, 2*memTable)
		}
		err = errors.Join(err, f.Chmod(0o600), f.Close())
		if err != nil {
			return fileError("reserve space for the store", err)
		}
		s.reserved++
	}
}

// checkMagic refuses a store that a newer Cairn, or another program, wrote,
// before Badger touches it. MANIFEST begins "Bdgr", external magic (2). No sum covers
// that, so the file `format` is the second witness: where it names this format, the
// manifest is damaged, which trying to open it finds.
func checkMagic(home Home) error {
	f, err := os.Open(filepath.Join(home.Vault(), badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fileError("open the store", err)
	}
	defer f.Close()
	head := make([]byte, 8)
	if n, _ := f.Read(head); n < len(head) || !bytes.HasPrefix(head, []byte("Bdgr")) {
		return nil // damaged: trying to open it finds that
	}
	if m := binary.BigEndian.Uint16(head[4:]); m>>8 == externalMagic>>8 && m > externalMagic {
		if said, err := os.ReadFile(home.format()); err == nil && string(said) == formatFile {
			return nil
		}
		return newer(fmt.Sprintf("store format %d", m&0xff))
	}
	return nil
}

// verifyTables has Badger check its own sums over all tables.
func (s *kv) verifyTables() (err error) {
	defer caught("check the tables", &err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return s.db.VerifyChecksum()
}
