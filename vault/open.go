package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine"
	"cairn/engine/ledger"
)

// Opened says what opening found.
type Opened struct {
	// Clean: the last process ended well, or there was none.
	Clean bool
	// Rebuilt: the store was made anew from the journals.
	Rebuilt bool
	// Report has a plain sentence for everything that was mended, moved or lost.
	Report []string
}

func (o *Opened) say(format string, args ...any) {
	o.Report = append(o.Report, fmt.Sprintf(format, args...))
}

// Open opens the vault in a home folder whose lock this process holds, and mends
// what a crash or damage left: after it journals and store say the same. It
// gives KindNewer, having changed nothing, for what a newer Cairn wrote, and
// KindDiskFull where there is no room to open safely.
func Open(home Home, lock *HomeLock, o Options) (*Store, Opened, error) {
	var done Opened
	if lock == nil || lock.home != home || !lock.file.Locked() {
		return nil, done, fmt.Errorf("open vault: the folder's lock is not held")
	}
	if o.FreeSpace == nil {
		o.FreeSpace = freeSpace
	}
	if o.Floor == 0 {
		o.Floor = DefaultFloor
	}
	if o.Probe == nil {
		o.Probe = probeHere
	}
	s := &Store{
		home:     home,
		o:        o,
		branches: map[ledger.Hash]*branchRecord{},
		waiting:  map[ledger.Hash][]byte{},
		loose:    map[ledger.Hash]bool{},
	}
	if err := s.open(context.Background(), &done); err != nil {
		if s.kv != nil {
			err = errors.Join(err, s.kv.close())
		}
		if done.Clean && engine.KindOf(err) == engine.KindNewer { // nothing was done: leave it as it was
			err = errors.Join(err, remove(home.starts()), writeFile(home.clean(), []byte("clean\n")))
		}
		return nil, done, err
	}
	return s, done, nil
}

func (s *Store) open(ctx context.Context, done *Opened) error {
	if err := s.room(openRoom); err != nil {
		return err
	}
	if err := finishRestore(s.home); err != nil {
		return err
	}
	for _, dir := range []string{string(s.home), s.home.Journals(), s.home.drafts(), s.home.locals(), s.home.Aside()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fileError("make Cairn's folders", err)
		}
	}
	if err := s.finishSwap(); err != nil {
		return err
	}
	if err := checkMagic(s.home); err != nil {
		return err
	}
	var old oldFiles
	had := exists(s.home.Vault())
	done.Clean = !had || exists(s.home.clean())
	if had && !done.Clean {
		if err := s.afterCrash(ctx, &old, done); err != nil {
			return err
		}
	}
	if err := s.begin(); err != nil {
		return err
	}
	if err := s.load(&old, done); err != nil {
		return err
	}
	if exists(s.home.syncFailed()) {
		if err := s.renew(done); err != nil {
			return err
		}
	}
	// Before the store is given up, the journals take from it what they miss.
	repair := exists(s.home.repair())
	err := s.reconcile(repair || exists(s.home.compare()), &old, done)
	switch {
	case done.Rebuilt:
	case errors.Is(err, errDamaged): // the store opens, but its lines can't be read
		err = s.rebuild(&old, done, "saved lines in it can't be read")
	case err == nil && repair:
		err = s.rebuild(&old, done, "a saved record did not pass its check")
	}
	if err != nil {
		return err
	}
	return s.settleOpen(&old, done)
}

// rebuild sets the open store aside and makes a new one from the journals.
func (s *Store) rebuild(old *oldFiles, done *Opened, why string) error {
	if err := s.kv.close(); err != nil {
		return err
	}
	if err := s.setAside(old, done, why); err != nil {
		return err
	}
	if err := s.load(old, done); err != nil {
		return err
	}
	return s.reconcile(false, old, done)
}

// settleOpen ends an opening: deletions under way are finished, and copies that
// turned out not to be needed removed.
func (s *Store) settleOpen(old *oldFiles, done *Opened) error {
	if err := s.finishDelete(done); err != nil {
		return err
	}
	if old.memtables != "" && !old.needed {
		if err := remove(old.memtables); err != nil {
			return err
		}
	}
	if said, err := os.ReadFile(s.home.format()); err != nil || string(said) != formatFile {
		if err := writeFile(s.home.format(), []byte(formatFile)); err != nil {
			return err
		}
	}
	return errors.Join(remove(s.home.compare()), remove(s.home.repair()), remove(s.home.rebuilding()))
}

// oldFiles are copies of Badger files to look through for what is missing.
type oldFiles struct {
	store     string // a store that was set aside
	memtables string // memtables as a crash left them
	needed    bool   // something was missing, so the copies are kept
}

// begin notes that a process is at work: until a good end the next one has to
// look closer.
func (s *Store) begin() error {
	n := s.startsBefore()
	if err := writeUnsynced(s.home.starts(), []byte(strconv.Itoa(n+1)+"\n"), true); err != nil {
		return err
	}
	if err := remove(s.home.clean()); err != nil {
		return err
	}
	return syncDir(string(s.home))
}

// startsBefore is how often Cairn was started since the last good end.
func (s *Store) startsBefore() int {
	b, err := os.ReadFile(s.home.starts())
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || n < 0 {
		return 1
	}
	return n
}

// afterCrash keeps the memtables as they are, because opening cuts them, and
// tries the store on a copy. A store that ended a start before is read whole.
func (s *Store) afterCrash(ctx context.Context, old *oldFiles, done *Opened) error {
	mems, err := filepath.Glob(filepath.Join(s.home.Vault(), "*.mem"))
	if err != nil {
		return fmt.Errorf("list memtables: %w", err)
	}
	if len(mems) > 0 {
		old.memtables = freeName(s.home.Aside(), "memtables", "")
		if err := os.Mkdir(old.memtables, 0o700); err != nil {
			return fileError("keep a copy of the store's logs", err)
		}
		for _, m := range mems {
			if err := copySparse(m, filepath.Join(old.memtables, filepath.Base(m))); err != nil {
				return err
			}
		}
	}
	err = s.try(ctx, s.startsBefore() > 1)
	if errors.Is(err, errDamaged) {
		return s.setAside(old, done, "it can't be opened any more")
	}
	return err
}

// setAside moves the store out of the way; it is never deleted. One that was itself
// still being built from another leaves that one to build from.
func (s *Store) setAside(old *oldFiles, done *Opened, why string) error {
	to := freeName(s.home.Aside(), "vault", "")
	source, err := s.rebuildsFrom()
	if err != nil {
		return err
	}
	if source == "" {
		source = to
		// What is built from it may be cut off; the next start then goes on from it.
		if err := writeFile(s.home.rebuilding(), []byte(filepath.Base(to)+"\n")); err != nil {
			return err
		}
	}
	if err := os.Rename(s.home.Vault(), to); err != nil {
		return fileError("set the store aside", err)
	}
	if err := errors.Join(syncDir(s.home.Aside()), syncDir(string(s.home))); err != nil {
		return err
	}
	old.store, old.needed, done.Rebuilt = source, true, true
	s.branches = map[ledger.Hash]*branchRecord{}
	done.say("The store was set aside because %s. It is kept in %s, and a new one was built from the journals.", why, s.asideName(to))
	return nil
}

// rebuildsFrom is the store that a start before set aside and did not finish to build
// again, "" for none.
func (s *Store) rebuildsFrom() (string, error) {
	name, err := os.ReadFile(s.home.rebuilding())
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fileError("read which store was set aside", err)
	}
	dir := filepath.Join(s.home.Aside(), filepath.Base(strings.TrimSpace(string(name))))
	if !exists(dir) { // it had not been moved yet
		return "", nil
	}
	return dir, nil
}

// asideName is how a report names a file in the home folder.
func (s *Store) asideName(path string) string {
	rel, err := filepath.Rel(string(s.home), path)
	if err != nil {
		return filepath.Base(path)
	}
	return filepath.ToSlash(rel)
}

// load opens the store and reads the branches; one that can't be opened or read
// is set aside, once.
func (s *Store) load(old *oldFiles, done *Opened) error {
	fresh := !exists(s.home.Vault())
	if fresh && old.store == "" && s.haveJournals() {
		done.Rebuilt = true
		done.say("The store was missing and was built again from the journals: tasks, claims, quotes, checkpoints and history are back. What the model was asked and replied, word for word, was only in the store and is gone. Texts of documents are read again from their files.")
	}
	if err := s.resumeRebuild(old, done); err != nil {
		return err
	}
	if !fresh && old.store == "" {
		if err := tablesListed(s.home.Vault(), done.Clean); errors.Is(err, errDamaged) {
			if err := s.setAside(old, done, "it can't be opened any more"); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	kv, branches, err := openStored(s.home.Vault())
	if err != nil && errors.Is(err, errDamaged) && !fresh && old.store == "" {
		if err := s.setAside(old, done, "it can't be opened any more"); err != nil {
			return err
		}
		kv, branches, err = openStored(s.home.Vault())
	}
	if err != nil {
		return err
	}
	s.kv, s.branches = kv, branches
	return s.salvageOld(old, done)
}

// resumeRebuild finds the store that a start before set aside, when the new one was
// not finished.
func (s *Store) resumeRebuild(old *oldFiles, done *Opened) error {
	if old.store != "" {
		return nil
	}
	dir, err := s.rebuildsFrom()
	if err != nil || dir == "" {
		return err
	}
	old.store, old.needed, done.Rebuilt = dir, true, true
	done.say("Building a new store from the journals had been cut off; it was done again. The old one is kept in %s.", s.asideName(dir))
	return nil
}

func (s *Store) haveJournals() bool {
	names, err := filepath.Glob(filepath.Join(s.home.Journals(), "*"+journalExt))
	return err == nil && len(names) > 0
}

func openStored(dir string) (*kv, map[ledger.Hash]*branchRecord, error) {
	kv, err := openKV(dir, false)
	if err != nil {
		// Badger has no kinds for its errors. What is not the disk or the
		// format is taken for damage: the store is only moved, never lost.
		if diskFault(err) {
			return nil, nil, unreadable(err)
		}
		if k := engine.KindOf(err); k == engine.KindInternal && !errors.Is(err, os.ErrPermission) {
			err = fmt.Errorf("%w: %w", errDamaged, err)
		}
		return nil, nil, err
	}
	branches, err := readBranches(kv)
	if err == nil {
		err = checkStored(kv)
	}
	if errors.Is(err, errEmpty) {
		err = writeFormat(kv)
	}
	if err != nil {
		return nil, nil, errors.Join(err, kv.close())
	}
	return kv, branches, nil
}

// errEmpty: the store has no records at all, not even its format.
var errEmpty = errors.New("empty store")

func writeFormat(kv *kv) error {
	key := metaKey("format")
	env, err := seal(kindMeta, key, encodeFormat())
	if err != nil {
		return err
	}
	if err := kv.put([]record{{key, env}}); err != nil {
		return err
	}
	return syncDir(filepath.Dir(kv.dir))
}

// checkStored refuses a store in a later format; one that has records but no
// format is damaged.
func checkStored(kv *kv) error {
	payload, err := kv.get(kindMeta, metaKey("format"))
	if errors.Is(err, badger.ErrKeyNotFound) {
		err = errEmpty
		scan := kv.each(nil, nil, func(_, _ []byte) (bool, error) {
			err = fmt.Errorf("read format record: missing: %w", errDamaged)
			return false, nil
		})
		return errors.Join(err, scan)
	}
	if err != nil {
		return err
	}
	return checkFormat(payload)
}

func readBranches(kv *kv) (map[ledger.Hash]*branchRecord, error) {
	out := map[ledger.Hash]*branchRecord{}
	err := kv.each(kindBranch.prefix(), kindBranch.prefix(), func(key, env []byte) (bool, error) {
		payload, err := unseal(kindBranch, key, env)
		if err != nil {
			return false, err
		}
		r, err := decodeBranch(branchOfKey(key), bytes.Clone(payload))
		if err != nil {
			return false, err
		}
		out[r.id] = r
		return true, nil
	})
	return out, err
}
