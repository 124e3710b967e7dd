package vault

import (
	"fmt"
	"os"

	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// stray is a journal of which the store knows nothing.
type stray struct {
	id    ledger.Hash
	lines [][]byte
	torn  []byte
	first frame.Header
}

// adopt takes over journals that the store does not know: after its loss, or
// after a crash in the middle of a branch's first save. Parents come before
// their forks.
func (s *Store) adopt(old *oldFiles, done *Opened) error {
	ids, err := s.journalIDs()
	if err != nil {
		return err
	}
	var left []stray
	for _, id := range ids {
		if _, ok := s.branches[id]; ok {
			continue
		}
		j, ok, err := s.stray(id, done)
		if err != nil {
			return err
		}
		if ok {
			left = append(left, j)
		}
	}
	rebuilt := len(left)
	for len(left) > 0 {
		var later []stray
		for _, j := range left {
			r, ok, err := s.placed(j)
			if err != nil {
				return err
			}
			if !ok {
				later = append(later, j)
				continue
			}
			if err := s.take(r, j, old, done); err != nil {
				return err
			}
		}
		if len(later) == len(left) {
			return s.orphans(later, old, done)
		}
		left = later
	}
	if done.Rebuilt && rebuilt > 0 {
		done.say("%d of %d histories were built again from the journals.", rebuilt, len(ids))
	}
	return nil
}

// stray reads an unknown journal. One in which not even the first line is right
// is moved aside, and listed as damaged where its name can be trusted.
func (s *Store) stray(id ledger.Hash, done *Opened) (stray, bool, error) {
	path := s.home.Journal(id.String())
	lines, torn, err := readJournal(path)
	if err != nil {
		return stray{}, false, err
	}
	j := stray{id: id, lines: lines, torn: torn}
	if len(lines) > 0 && begins(id, lines[0]) {
		j.first, err = frame.Parse(lines[0])
		return j, true, err
	}
	// Of a first save that was not confirmed a power cut may leave later pages only.
	if len(lines) == 0 || !done.Rebuilt && oneGroup(lines) {
		if rest := append(join(lines), torn...); len(rest) > 0 {
			side, err := s.keepSide(id, 1, rest)
			if err != nil {
				return j, false, err
			}
			done.say("The first save of a task was cut off and had not been confirmed; its beginning was moved to %s.", side)
		}
		return j, false, remove(path)
	}
	to := freeName(s.home.Aside(), id.String(), journalExt)
	if err := os.Rename(path, to); err != nil {
		return j, false, fileError("move a damaged journal", err)
	}
	r := &branchRecord{id: id, root: id, from: 1, damage: "the first line of its journal is not the one it was begun with; the file was moved to " + s.asideName(to)}
	done.say("A history is damaged: %s.", r.damage)
	s.branches[id] = r
	return j, false, s.kv.put([]record{mustBranch(r)})
}

// placed finds where a journal begins: at line 1, or after a line of a branch
// that is already in the store. ok is false when that branch is not there (yet).
func (s *Store) placed(j stray) (*branchRecord, bool, error) {
	r := &branchRecord{id: j.id, from: j.first.Seq}
	if j.first.Seq == 1 {
		r.root = r.id
		return r, j.first.Prev.IsZero(), nil
	}
	for _, p := range s.branches {
		if p.from > j.first.Seq-1 || p.head.Seq < j.first.Seq-1 {
			continue
		}
		at, err := s.place(s.kv, p.id, j.first.Seq-1)
		if err != nil {
			return nil, false, err
		}
		if at.Chain == j.first.Prev {
			r.parent, r.root, r.head = p.id, p.root, at
			return r, true, nil
		}
	}
	return r, false, nil
}

// take puts a placed journal into the store.
func (s *Store) take(r *branchRecord, j stray, old *oldFiles, done *Opened) error {
	s.branches[r.id] = r
	return s.ahead(r, j.lines, j.torn, old, done)
}

// orphans are forks whose parent is gone. Their own lines are kept and can be
// read; nothing can go on from them.
func (s *Store) orphans(left []stray, old *oldFiles, done *Opened) error {
	for _, j := range left {
		r := &branchRecord{id: j.id, root: j.id, from: j.first.Seq}
		r.head = frame.At{Seq: j.first.Seq - 1, Chain: j.first.Prev}
		r.damage = fmt.Sprintf("the history that it was forked from, up to line %d, is missing", j.first.Seq-1)
		done.say("A history is damaged: %s.", r.damage)
		if err := s.take(r, j, old, done); err != nil {
			return err
		}
	}
	return nil
}

// differ handles a journal and a store that have different lines in the same
// place. Where the journal's are whole and fit, both histories are kept, red.
// Where they are not, the journal is the damaged one.
func (s *Store) differ(r *branchRecord, lines [][]byte, torn []byte, same int, done *Opened) error {
	seq := r.from + int64(same)
	all := append(join(lines), torn...)
	side, err := s.keepSide(r.id, seq, all)
	if err != nil {
		return err
	}
	if same == 0 && !begins(r.id, lines[0]) {
		done.say("The journal of a task did not begin with the line that it is named by; the store has the right lines. The journal was written again, the old file is %s.", side)
		return s.rewriteJournal(r)
	}
	at, err := s.before(r, seq)
	if err != nil {
		return err
	}
	n, after, bad := frame.Whole(at, lines[same:])
	have := int(r.head.Seq - r.from + 1)
	first, ferr := frame.Parse(lines[same])
	if bad != nil || n == 0 || n < len(lines)-same || ferr != nil || first.Withheld || after == r.head {
		done.say("The journal of a task had a damaged line %d; the store has the right one. The journal was written again, the old file is %s.", seq, side)
		if len(lines) > have {
			if err := s.rewriteJournal(r); err != nil {
				return err
			}
			return s.beyond(r, lines[have:], done)
		}
		return s.rewriteJournal(r)
	}
	other := &branchRecord{root: r.root, parent: r.id, from: seq, head: at}
	if same == 0 {
		other.parent = r.parent
	}
	other.id = at.Chain.Extend(first.Hash)
	if same == 0 && r.parent.IsZero() {
		other.root = other.id
	}
	r.damage = fmt.Sprintf("journal and store had different lines from %d on; both are kept, this is the store's", seq)
	other.damage = fmt.Sprintf("journal and store had different lines from %d on; both are kept, this is the journal's", seq)
	done.say("Journal and store of a task had different lines from line %d on. Both are kept as histories of their own, and neither is continued.", seq)
	if err := s.takeOver(other, lines[same:], after); err != nil {
		return err
	}
	s.branches[other.id] = other
	if err := s.rewriteJournal(other); err != nil {
		return err
	}
	return s.rewriteJournal(r)
}

// begins tells whether a line is the one that a branch is named by.
func begins(id ledger.Hash, line []byte) bool {
	h, err := frame.Parse(line)
	return err == nil && !h.Withheld && h.Prev.Extend(h.Hash) == id
}

// before gives the place before line seq of r's own lines.
func (s *Store) before(r *branchRecord, seq int64) (frame.At, error) {
	if seq > r.from {
		return s.place(s.kv, r.id, seq-1)
	}
	batch, err := readPieces(s.kv, r.id, seq, seq)
	if err != nil {
		return frame.At{}, err
	}
	return batch[0].before, nil
}

// beyond takes over lines of a damaged journal that come after the store's
// newest line and continue it.
func (s *Store) beyond(r *branchRecord, extra [][]byte, done *Opened) error {
	n, after, _ := frame.Whole(r.head, extra)
	if n == 0 {
		return nil
	}
	done.say("Lines %d to %d of a task were in its journal and not yet in the store; they were taken over.", r.head.Seq+1, after.Seq)
	if err := s.takeOver(r, extra[:n], after); err != nil {
		return err
	}
	if err := s.tellTexts(r.id, extra[:n], done); err != nil {
		return err
	}
	return s.rewriteJournal(r)
}
