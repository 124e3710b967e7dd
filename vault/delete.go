package vault

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// Delete implements engine.Store. It removes the journals, drafts, local records
// and texts that no other branch names, everything that was set aside unless it
// is plainly another task's, and then writes the store anew from what is left and
// removes the old files: Badger only marks records as deleted. What it can't
// reach: blocks that the disk has freed, and copies outside the folder. It needs
// as much free space as the store takes. A crash in the middle is made up for at
// the next start.
func (s *Store) Delete(ctx context.Context, branch string) (engine.Erased, error) {
	s.w.Lock()
	defer s.w.Unlock()
	var e engine.Erased
	kv, err := s.writable(ctx, 0)
	if err != nil {
		return e, err
	}
	r, err := s.find(branch)
	if err != nil {
		return e, err
	}
	if err := s.room(openRoom + uint64(diskUse(s.home.Vault()))); err != nil {
		return e, err
	}
	// Before the first byte goes, it is known that the others' lines can be read.
	d, err := s.doom(kv, s.below(r.id))
	if err != nil {
		return e, err
	}
	var note strings.Builder
	for _, id := range d.ids {
		note.WriteString(id.String() + "\n")
	}
	if err := writeFile(s.home.deleting(), []byte(note.String())); err != nil {
		return e, err
	}
	if err := s.hook(PointDelete); err != nil {
		return e, fileError("delete a task", err)
	}
	return s.purge(kv, d, engine.Progress(ctx))
}

// Weigh implements engine.Store. Saving goes on meanwhile; what is saved then may
// not be counted.
func (s *Store) Weigh(ctx context.Context, branch string) (e engine.Erased, err error) {
	if _, err := s.store(ctx); err != nil {
		return e, err
	}
	r, err := s.find(branch)
	if err != nil {
		return e, err
	}
	err = s.read(ctx, func(kv *kv) error {
		e = engine.Erased{}
		d, err := s.doom(kv, s.below(r.id))
		if err != nil {
			return err
		}
		if _, err := s.traces(d, &e); err != nil {
			return err
		}
		if err := s.weighBackups(ctx, d, &e); err != nil {
			return err
		}
		return kv.each(nil, nil, func(key, env []byte) (bool, error) {
			d.count(key, env, &e)
			return true, alive(ctx)
		})
	})
	return e, err
}

// below lists a branch and all that were forked from it; of a root that is the
// whole task.
func (s *Store) below(id ledger.Hash) []ledger.Hash {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := []ledger.Hash{id}
	for i := 0; i < len(ids); i++ {
		for other, r := range s.branches {
			if r.parent == ids[i] {
				ids = append(ids, other)
			}
		}
	}
	return ids
}

// doomed is what a deletion removes.
type doomed struct {
	ids   []ledger.Hash
	gone  map[ledger.Hash]bool // the same, as a set
	kept  map[ledger.Hash]bool // what the lines of other branches name
	named map[ledger.Hash]bool // what the lines that go name
	lines map[ledger.Hash]bool // hashes of the lines that go
}

// doom looks at every line: which texts the others name, and what to recognise
// copies of the lines by that go.
func (s *Store) doom(kv *kv, ids []ledger.Hash) (*doomed, error) {
	d := &doomed{ids: ids, gone: map[ledger.Hash]bool{}, kept: map[ledger.Hash]bool{}, named: map[ledger.Hash]bool{}, lines: map[ledger.Hash]bool{}}
	for _, id := range ids {
		d.gone[id] = true
	}
	err := kv.each(kindLines.prefix(), kindLines.prefix(), func(key, env []byte) (bool, error) {
		goes := d.gone[branchOfKey(key)]
		payload, err := unseal(kindLines, key, env)
		var p piece
		if err == nil {
			p, err = decodePiece(seqOfKey(key), payload)
		}
		switch {
		case err != nil && goes:
			return true, nil // what is damaged goes as well
		case err != nil:
			return false, s.readError("A saved line of another task is damaged, so nothing was deleted.", err)
		}
		for _, line := range p.lines {
			d.line(line, goes)
		}
		return true, nil
	})
	return d, err
}

// erasing marks a line that says which texts were deleted: it keeps none of them.
var erasing = []byte(`"op":"erase"`)

func (d *doomed) line(line []byte, goes bool) {
	into := d.kept
	if goes {
		into = d.named
		d.lines[ledger.HashOf(line)] = true
	}
	if bytes.Contains(line, erasing) {
		return
	}
	frame.Names(line, func(h ledger.Hash) { into[h] = true })
}

// count adds a record to e if it goes, and says whether it stays.
func (d *doomed) count(key, env []byte, e *engine.Erased) (stays bool) {
	k := kindOfKey(key)
	switch {
	case k == kindBranch && d.gone[branchOfKey(key)]:
		e.Branches++
	case k == kindLines && d.gone[branchOfKey(key)]:
		if payload, err := unseal(k, key, env); err == nil {
			if p, err := decodePiece(seqOfKey(key), payload); err == nil {
				e.Lines += len(p.lines)
			}
			e.Bytes += int64(len(payload))
		}
	case k == kindPart && !d.kept[hashOfKey(key)]:
		if bytes.Equal(key, partKey(hashOfKey(key), 0)) {
			e.Blobs++
		}
		e.Bytes += int64(len(env))
	case k == kindHeld && !d.kept[hashOfKey(key)]:
	case k == kindLocal && namesAny(key, d.ids):
		e.Locals++
	default:
		if h := hashOfKey(key); k == kindPart && d.named[h] && bytes.Equal(key, partKey(h, 0)) {
			e.Shared++
		}
		return true
	}
	return false
}

// purge removes branches for good and ends the note of it. s.w is held.
func (s *Store) purge(kv *kv, d *doomed, progress func(done, total int64)) (engine.Erased, error) {
	var e engine.Erased
	s.hold(kv, d.kept)
	if err := s.purgeFiles(d, &e); err != nil {
		return e, err
	}
	if err := s.hook(PointDeleteJournal); err != nil {
		return e, fileError("delete a task", err)
	}
	total := max(1, diskUse(s.home.Vault()))
	done, told := int64(0), int64(0)
	keep := func(key, env []byte) bool {
		if done += int64(len(env)); done-told > total/100 {
			told = done
			progress(min(done, total-1), total)
		}
		return d.count(key, env, &e)
	}
	if err := s.rewrite(kv, keep); err != nil {
		return e, s.fail("write the store anew", err)
	}
	s.mu.Lock()
	for id := range d.gone {
		delete(s.branches, id)
	}
	s.mu.Unlock()
	err := errors.Join(remove(s.home.deleting()), syncDir(string(s.home)))
	progress(total, total)
	return e, err
}

// hold takes texts that this process stored and no line has named yet back into
// memory: they may be a running task's, whose next line will name them, or the
// deleted task's, and then no line ever will. So they go to disk with the line
// that names them, and not before.
func (s *Store) hold(kv *kv, kept map[ledger.Hash]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := range s.loose {
		if body, err := readBlob(kv, h); err == nil && !kept[h] {
			s.waiting[h] = body
		}
		delete(s.loose, h)
	}
	s.orphaned = make(map[ledger.Hash]bool, len(s.waiting))
	for h := range s.waiting {
		s.orphaned[h] = true
	}
	s.waitingBytes = 0
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
	d, err := s.doom(s.kv, ids)
	if err != nil {
		return err
	}
	if _, err := s.purge(s.kv, d, func(int64, int64) {}); err != nil {
		return err
	}
	done.say("A deletion that had been interrupted was finished.")
	return nil
}
