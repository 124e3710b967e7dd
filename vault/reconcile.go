package vault

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// reconcile makes journals and store say the same. For a branch that both have,
// size and last chain value tell in constant time whether they do; whole compares
// every line instead. A branch whose lines the store can't give then does not keep
// the others from being mended; its error comes at the end.
func (s *Store) reconcile(whole bool, old *oldFiles, done *Opened) error {
	ids := make([]ledger.Hash, 0, len(s.branches))
	for id := range s.branches {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return bytes.Compare(ids[i][:], ids[j][:]) < 0 })
	var unread error
	for _, id := range ids {
		err := s.compare(s.branches[id], whole, old, done)
		if err == nil {
			continue
		}
		err = fmt.Errorf("compare branch %s: %w", id, err)
		if !whole || !errors.Is(err, errDamaged) {
			return err
		}
		unread = errors.Join(unread, err)
	}
	if unread != nil {
		return unread
	}
	return s.adopt(old, done)
}

// compare brings one branch of the store and its journal together.
func (s *Store) compare(r *branchRecord, whole bool, old *oldFiles, done *Opened) error {
	path := s.home.Journal(r.id.String())
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		if r.head.Seq < r.from {
			return nil // known only as damaged: there are no lines
		}
		done.say("The journal of a task was missing; it was written again from the store (%d lines).", r.head.Seq-r.from+1)
		return s.rewriteJournal(r)
	}
	if err != nil {
		return fileError("read a journal", err)
	}
	if !whole && info.Size() == r.size {
		at, ok, err := tailChain(path, info.Size())
		if err != nil {
			return err
		}
		if ok && at.Seq == r.head.Seq && at.Chain == r.head.Chain {
			return nil
		}
	}
	lines, torn, err := readJournal(path)
	if err != nil {
		return err
	}
	same, err := s.sameLines(r, lines)
	if err != nil {
		return err
	}
	have := int(r.head.Seq - r.from + 1)
	if same == have {
		r.size = int64(len(join(lines[:have])))
	}
	switch {
	case same == have && len(lines) == have && len(torn) == 0:
		return s.kv.put([]record{mustBranch(r)})
	case same == have:
		return s.ahead(r, lines[have:], torn, old, done)
	case same == len(lines):
		done.say("The journal of a task ended before line %d; it was completed from the store up to line %d.", r.from+int64(same), r.head.Seq)
		return s.rewriteJournal(r)
	default:
		return s.differ(r, lines, torn, same, done)
	}
}

// sameLines counts the leading lines that journal and store share.
func (s *Store) sameLines(r *branchRecord, lines [][]byte) (int, error) {
	n := 0
	for n < len(lines) && r.from+int64(n) <= r.head.Seq {
		batch, err := readPieces(s.kv, r.id, r.from+int64(n), r.head.Seq)
		if err != nil {
			return n, err
		}
		for _, p := range batch {
			for i, line := range p.lines {
				if p.before.Seq+1+int64(i) != r.from+int64(n) {
					continue
				}
				if n == len(lines) || !bytes.Equal(line, lines[n]) {
					return n, nil
				}
				n++
			}
		}
	}
	return n, nil
}

// ahead takes over the whole groups that only the journal has; the rest, part of
// a group that was never acknowledged, goes to a side file.
func (s *Store) ahead(r *branchRecord, extra [][]byte, torn []byte, old *oldFiles, done *Opened) error {
	n, after, bad := frame.Whole(r.head, extra)
	for planted(faultTornGroup) && n < len(extra) {
		h, err := frame.Parse(extra[n])
		if err != nil {
			break
		}
		if after, err = after.Step(h); err != nil {
			break
		}
		n++
	}
	rest := append(join(extra[n:]), torn...)
	if len(rest) > 0 {
		side, err := s.keepSide(r.id, after.Seq+1, rest)
		if err != nil {
			return err
		}
		// A group is journalled when the store has the one before it. So what comes after
		// all that the store has is one group that was not confirmed, of which a power cut
		// may have left some pages and not others.
		cutOff := n == 0 && !done.Rebuilt && oneGroup(extra)
		if bad != nil && !cutOff && linesFollow(extra[n:]) {
			r.damage = fmt.Sprintf("line %d of the journal does not fit the one before it; it and everything after it was moved to %s", after.Seq+1, side)
			done.say("A task is damaged: %s.", r.damage)
		} else {
			done.say("The last save of a task was cut off and had not been confirmed; its beginning (%d bytes after line %d) was moved to %s.", len(rest), after.Seq, side)
		}
	}
	if n > 0 {
		if !done.Rebuilt {
			done.say("Lines %d to %d of a task were in its journal and not yet in the store; they were taken over.", r.head.Seq+1, after.Seq)
		}
		if err := s.salvageNamed(extra[:n], old); err != nil {
			return err
		}
		if err := s.takeOver(r, extra[:n], after); err != nil {
			return err
		}
		if !done.Rebuilt { // told already
			if err := s.tellTexts(r.id, extra[:n], done); err != nil {
				return err
			}
		}
	}
	if len(rest) > 0 {
		if err := s.cutJournal(r); err != nil {
			return err
		}
	}
	if r.head.Seq < r.from {
		delete(s.branches, r.id) // nothing of it was ever acknowledged
		return remove(s.home.Journal(r.id.String()))
	}
	return s.kv.put([]record{mustBranch(r)})
}

// linesFollow reports whether readable lines come after the first: then what
// does not fit is not the torn end of a write.
func linesFollow(rest [][]byte) bool {
	for _, line := range rest[min(1, len(rest)):] {
		if _, err := frame.Parse(line); err == nil {
			return true
		}
	}
	return false
}

// oneGroup reports whether all lines that can be read are of the same group.
func oneGroup(lines [][]byte) bool {
	groups := map[int64]bool{}
	for _, line := range lines {
		if h, err := frame.Parse(line); err == nil && !h.Withheld {
			groups[h.Group] = true
		}
	}
	return len(groups) <= 1
}

// maxRebuilt is the size of line records written from a journal, in bytes:
// larger than a group, small enough to read one line out of the middle.
const maxRebuilt = 64 << 10

// takeOver puts lines of the journal into the store. The branch's record goes
// last, so until then a further start finds things as they were.
func (s *Store) takeOver(r *branchRecord, lines [][]byte, after frame.At) error {
	before := r.head
	r.head = after
	r.size += int64(len(join(lines)))
	records, err := groupRecords(s.kv, r, before, lines, maxRebuilt)
	if err != nil {
		return err
	}
	return s.kv.putAll(records)
}

// keepSide writes bytes to a named side file and gives its name for the report.
func (s *Store) keepSide(id ledger.Hash, seq int64, body []byte) (string, error) {
	path := freeName(s.home.Aside(), fmt.Sprintf("%s-line-%d", id, seq), ".part")
	if err := writeFile(path, body); err != nil {
		return "", err
	}
	return s.asideName(path), nil
}

// cutJournal ends a journal after the branch's newest line.
func (s *Store) cutJournal(r *branchRecord) error {
	f, err := os.OpenFile(s.home.Journal(r.id.String()), os.O_RDWR, 0)
	if err != nil {
		return fileError("cut a journal", err)
	}
	err = f.Truncate(r.size)
	if err == nil {
		err = f.Sync()
	}
	return fileError("cut a journal", errors.Join(err, f.Close()))
}

// rewriteJournal writes a branch's journal from the store.
func (s *Store) rewriteJournal(r *branchRecord) error {
	path := s.home.Journal(r.id.String())
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fileError("write a journal", err)
	}
	var size int64
	err = s.ownLines(r, func(line []byte) error {
		n, err := f.Write(append(line, '\n'))
		size += int64(n)
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fileError("write a journal", errors.Join(err, remove(tmp)))
	}
	if err := syncDir(s.home.Journals()); err != nil {
		return err
	}
	r.size = size
	return s.kv.put([]record{mustBranch(r)})
}

// ownLines calls fn for a branch's own lines as the store has them, and checks
// that they end in the branch's chain value.
func (s *Store) ownLines(r *branchRecord, fn func([]byte) error) error {
	var at frame.At
	for next := r.from; next <= r.head.Seq; {
		batch, err := readPieces(s.kv, r.id, next, r.head.Seq)
		if err != nil {
			return err
		}
		if next == r.from {
			at = batch[0].before
		}
		for _, p := range batch {
			for i, line := range p.lines {
				if p.before.Seq+1+int64(i) != next || next > r.head.Seq {
					continue
				}
				h, err := frame.Parse(line)
				if err == nil {
					at, err = at.Step(h)
				}
				if err != nil {
					return errors.Join(err, errDamaged)
				}
				if err := fn(line); err != nil {
					return err
				}
				next++
			}
		}
	}
	if r.head.Seq >= r.from && at.Chain != r.head.Chain {
		return fmt.Errorf("read branch %s: its lines end in another chain value: %w", r.id, errDamaged)
	}
	return nil
}

// mustBranch seals a branch record; its size is fixed and small.
func mustBranch(r *branchRecord) record {
	if len(r.damage) > 1000 {
		r.damage = strings.ToValidUTF8(r.damage[:1000], "")
	}
	key := branchKey(r.id)
	env, err := seal(kindBranch, key, r.encode())
	if err != nil {
		panic(err) // the compressor could not be made; nothing can be stored then
	}
	return record{key, env}
}

// journalIDs lists the journals there are; files with other names are not ours.
func (s *Store) journalIDs() ([]ledger.Hash, error) {
	names, err := filepath.Glob(filepath.Join(s.home.Journals(), "*"+journalExt))
	if err != nil {
		return nil, fmt.Errorf("list journals: %w", err)
	}
	sort.Strings(names)
	var out []ledger.Hash
	for _, name := range names {
		if id, err := ledger.ParseHash(strings.TrimSuffix(filepath.Base(name), journalExt)); err == nil {
			out = append(out, id)
		}
	}
	return out, nil
}
