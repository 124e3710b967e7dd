package vault

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// Delete implements engine.Store. It removes the task's journals, drafts, local
// records and texts that no other task names, and all stores and logs that were
// set aside, because they may hold the task and can't be opened to tell. Then it
// writes the store anew from what is left and removes the old files: Badger only
// marks records as deleted. What it can't reach: blocks that the disk has
// freed, backups, and exported files. It needs as much free space as the store
// takes. A crash in the middle is made up for at the next start.
func (s *Store) Delete(ctx context.Context, root string) (engine.Erased, error) {
	s.w.Lock()
	defer s.w.Unlock()
	var e engine.Erased
	kv, err := s.writable(ctx, 0)
	if err != nil {
		return e, err
	}
	r, err := s.find(root)
	if err != nil {
		return e, err
	}
	if r.root != r.id {
		return e, notFound("task " + root)
	}
	if err := s.room(openRoom + uint64(diskUse(s.home.Vault()))); err != nil {
		return e, err
	}
	ids := s.family(r.id)
	var note strings.Builder
	for _, id := range ids {
		note.WriteString(id.String() + "\n")
	}
	if err := writeFile(s.home.deleting(), []byte(note.String())); err != nil {
		return e, err
	}
	if err := s.hook(PointDelete); err != nil {
		return e, fileError("delete a task", err)
	}
	return s.purge(kv, ids)
}

// family lists a task's branches.
func (s *Store) family(root ledger.Hash) []ledger.Hash {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var ids []ledger.Hash
	for id, r := range s.branches {
		if r.root == root {
			ids = append(ids, id)
		}
	}
	return ids
}

// purge removes branches for good and ends the note of it. s.w is held.
func (s *Store) purge(kv *kv, ids []ledger.Hash) (engine.Erased, error) {
	var e engine.Erased
	gone := map[ledger.Hash]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	kept, err := s.namesKept(kv, gone)
	if err != nil {
		return e, err
	}
	s.hold(kv, kept)
	if err := s.purgeFiles(ids); err != nil {
		return e, err
	}
	if err := s.hook(PointDeleteJournal); err != nil {
		return e, fileError("delete a task", err)
	}
	keep := func(key, env []byte) bool {
		k := kindOfKey(key)
		switch {
		case k == kindBranch && gone[branchOfKey(key)]:
			e.Branches++
		case k == kindLines && gone[branchOfKey(key)]:
			if payload, err := unseal(k, key, env); err == nil {
				e.Lines += bytes.Count(payload, []byte{'\n'})
				e.Bytes += int64(len(payload))
			}
		case k == kindPart && !kept[hashOfKey(key)]:
			if bytes.Equal(key, partKey(hashOfKey(key), 0)) {
				e.Blobs++
			}
			e.Bytes += int64(len(env))
		case k == kindHeld && !kept[hashOfKey(key)]:
		case k == kindLocal && namesAny(key, ids):
		default:
			return true
		}
		return false
	}
	if err := s.rewrite(kv, keep); err != nil {
		return e, s.fail("write the store anew", err)
	}
	s.mu.Lock()
	for id := range gone {
		delete(s.branches, id)
	}
	s.mu.Unlock()
	return e, errors.Join(remove(s.home.deleting()), syncDir(string(s.home)))
}

// namesKept collects every hash that a line of the remaining branches names.
func (s *Store) namesKept(kv *kv, gone map[ledger.Hash]bool) (map[ledger.Hash]bool, error) {
	kept := map[ledger.Hash]bool{}
	err := kv.each(kindLines.prefix(), kindLines.prefix(), func(key, env []byte) (bool, error) {
		if gone[branchOfKey(key)] {
			return true, nil
		}
		payload, err := unseal(kindLines, key, env)
		if err != nil {
			return false, s.readError("A saved line of another task is damaged, so nothing was deleted.", err)
		}
		p, err := decodePiece(seqOfKey(key), payload)
		if err != nil {
			return false, s.readError("A saved line of another task is damaged, so nothing was deleted.", err)
		}
		for _, line := range p.lines {
			frame.Names(line, func(h ledger.Hash) { kept[h] = true })
		}
		return true, nil
	})
	return kept, err
}

// hold takes texts that this process stored and no line has named yet back into
// memory: they may be a running task's, whose next line will name them, or the
// deleted task's, and then no line ever will.
func (s *Store) hold(kv *kv, kept map[ledger.Hash]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := range s.loose {
		if body, err := readBlob(kv, h); err == nil && !kept[h] {
			s.waiting[h] = body
			s.waitingBytes += len(body)
		}
		delete(s.loose, h)
	}
}

func namesAny(key []byte, ids []ledger.Hash) bool {
	for _, id := range ids {
		if bytes.Contains(key, []byte(id.String())) {
			return true
		}
	}
	return false
}

// purgeFiles removes the plain files of branches and everything set aside that
// may hold something of them.
func (s *Store) purgeFiles(ids []ledger.Hash) error {
	entries, err := os.ReadDir(s.home.Aside())
	if err != nil {
		return fileError("list what was set aside", err)
	}
	var paths []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, "vault-") || strings.HasPrefix(name, "memtables-") || namesAny([]byte(name), ids) {
			paths = append(paths, filepath.Join(s.home.Aside(), name))
		}
	}
	locals, err := s.localsOf(ids)
	if err != nil {
		return err
	}
	paths = append(paths, locals...)
	for _, id := range ids {
		j, d := s.home.Journal(id.String()), s.home.draft(id.String())
		paths = append(paths, j, j+".tmp", d, d+".tmp")
	}
	for _, p := range paths {
		if err := remove(p); err != nil {
			return err
		}
	}
	return errors.Join(syncDir(s.home.Journals()), syncDir(s.home.drafts()), syncDir(s.home.Aside()))
}

// finishDelete goes on with a deletion that a crash interrupted.
func (s *Store) finishDelete(done *Opened) error {
	note, err := os.ReadFile(s.home.deleting())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fileError("read what was being deleted", err)
	}
	var ids []ledger.Hash
	for line := range strings.FieldsSeq(string(note)) {
		id, err := ledger.ParseHash(line)
		if err != nil {
			return damaged("The note of what was being deleted is damaged.", err)
		}
		ids = append(ids, id)
	}
	s.w.Lock()
	defer s.w.Unlock()
	if _, err := s.purge(s.kv, ids); err != nil {
		return err
	}
	done.say("A deletion that had been interrupted was finished.")
	return nil
}
