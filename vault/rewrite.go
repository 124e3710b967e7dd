package vault

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// rewrite copies the records that keep wants into a new store and puts it in
// the old one's place. Reads go on meanwhile but for the moment of the change.
// s.w is held. A crash leaves either store whole; finishSwap sorts that out.
func (s *Store) rewrite(from *kv, keep func(key, env []byte) bool) error {
	dir := s.home.vaultNew()
	if err := remove(dir); err != nil {
		return err
	}
	if err := copyRecords(from, dir, keep); err != nil {
		return err
	}
	if err := s.hook(PointDeleteCopied); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := from.close(); err != nil {
		return err
	}
	if err := os.Rename(s.home.Vault(), s.home.vaultOld()); err != nil {
		return fileError("exchange the store", err)
	}
	if err := os.Rename(dir, s.home.Vault()); err != nil {
		return fileError("exchange the store", err)
	}
	if err := syncDir(string(s.home)); err != nil {
		return err
	}
	if err := s.hook(PointDeleteSwapped); err != nil {
		return err
	}
	if err := remove(s.home.vaultOld()); err != nil {
		return err
	}
	kv, err := openKV(s.home.Vault(), false)
	if err != nil {
		return err
	}
	s.kv = kv
	return nil
}

// copyRecords writes a whole new store, durable when it returns.
func copyRecords(from *kv, dir string, keep func(key, env []byte) bool) error {
	to, err := openKV(dir, true)
	if err != nil {
		return err
	}
	var batch []record
	size := 0
	err = from.each(nil, nil, func(key, env []byte) (bool, error) {
		if !keep(key, env) {
			return true, nil
		}
		if size+len(env) > maxTxn/2 || len(batch) == 500 {
			if err := to.put(batch); err != nil {
				return false, err
			}
			batch, size = batch[:0], 0
		}
		// Copied as it is: a damaged record stays one, and does not become absent.
		batch = append(batch, record{bytes.Clone(key), bytes.Clone(env)})
		size += len(env)
		return true, nil
	})
	if err == nil && len(batch) > 0 {
		err = to.put(batch)
	}
	if err = errors.Join(err, to.close()); err != nil {
		return err
	}
	return syncFiles(dir)
}

// syncFiles makes every file in a folder durable, and the folder.
func syncFiles(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fileError("sync a folder", err)
	}
	for _, e := range entries {
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			return fileError("sync a folder", err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fileError("sync a folder", err)
		}
	}
	return syncDir(dir)
}

// finishSwap puts the folders of the store right after a crash in rewrite. The
// new store is whole before the old one moves.
func (s *Store) finishSwap() error {
	if err := remove(s.home.probe()); err != nil {
		return err
	}
	if !exists(s.home.Vault()) {
		for _, whole := range []string{s.home.vaultNew(), s.home.vaultOld()} {
			if exists(s.home.vaultOld()) && exists(whole) {
				if err := os.Rename(whole, s.home.Vault()); err != nil {
					return fileError("exchange the store", err)
				}
				break
			}
		}
		if err := syncDir(string(s.home)); err != nil {
			return err
		}
	}
	return errors.Join(remove(s.home.vaultNew()), remove(s.home.vaultOld()))
}

// renew follows a failed sync: everything that is saved goes to new files,
// which are synced, before anything is written. After a failed sync the old
// files may be sound in memory only.
func (s *Store) renew(done *Opened) error {
	if err := s.rewrite(s.kv, func(_, _ []byte) bool { return true }); err != nil {
		return err
	}
	ids, err := s.journalIDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		path := s.home.Journal(id.String())
		body, err := os.ReadFile(path)
		if err != nil {
			return fileError("read a journal", err)
		}
		if err := writeFile(path, body); err != nil {
			return err
		}
	}
	done.say("The disk had reported an error while saving. Everything saved was copied to new files.")
	return errors.Join(remove(s.home.syncFailed()), syncDir(string(s.home)))
}

// salvageOld takes over from a store that was set aside the texts that journals
// name, and from it and the memtables of a crash local records.
func (s *Store) salvageOld(old *oldFiles, done *Opened) error {
	if done.Rebuilt || !done.Clean {
		n, err := s.localsBack()
		if err != nil {
			return err
		}
		if n > 0 && !done.Rebuilt {
			done.say("%d settings that were saved were not in the store any more; they were taken over from their copies.", n)
		}
	}
	none := func(ledger.Hash) bool { return false }
	if old.memtables != "" {
		n, err := salvage(s.kv, old.memtables, none)
		if err != nil {
			return err
		}
		old.needed = old.needed || n > 0
	}
	if old.store == "" {
		return nil
	}
	ids, err := s.journalIDs()
	if err != nil {
		return err
	}
	named := map[ledger.Hash]bool{}
	for _, id := range ids {
		lines, _, err := readJournal(s.home.Journal(id.String()))
		if err != nil {
			return err
		}
		for _, line := range lines {
			frame.Names(line, func(h ledger.Hash) { named[h] = true })
		}
	}
	n, err := salvage(s.kv, old.store, func(h ledger.Hash) bool { return named[h] })
	if err != nil {
		return err
	}
	done.say("%d records with texts and settings were still whole in the old store and were taken over.", n)
	return s.tellLost(old.store, named, done)
}

// salvageNamed looks in the memtables of a crash for texts that lines taken
// over from the journal name and the store misses.
func (s *Store) salvageNamed(lines [][]byte, old *oldFiles) error {
	if old.memtables == "" {
		return nil
	}
	named := map[ledger.Hash]bool{}
	for _, line := range lines {
		frame.Names(line, func(h ledger.Hash) { named[h] = true })
	}
	n, err := salvage(s.kv, old.memtables, func(h ledger.Hash) bool { return named[h] })
	old.needed = old.needed || n > 0
	return err
}
