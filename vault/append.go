package vault

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// Begin implements engine.Store. The first line must not be a withheld one. A
// branch that is already here is refused with KindUsage, and its id is given.
func (s *Store) Begin(ctx context.Context, parent string, group [][]byte) (string, error) {
	s.w.Lock()
	defer s.w.Unlock()
	kv, err := s.writable(ctx, s.o.Floor)
	if err != nil {
		return "", err
	}
	seq, before, err := frame.First(group)
	if err != nil {
		return "", usage(err)
	}
	r := &branchRecord{from: seq}
	if parent == "" {
		if seq != 1 {
			return "", usage(fmt.Errorf("begin branch: line %d without a parent", seq))
		}
	} else if err := s.under(kv, r, parent); err != nil {
		return "", err
	}
	if r.head.Chain != before {
		return "", usage(fmt.Errorf("begin branch: line %d does not continue its parent", seq))
	}
	end, err := frame.Check(r.head, group)
	if err != nil {
		return "", usage(err)
	}
	r.id = before.Extend(ledger.HashOf(group[0]))
	if _, err := s.find(r.id.String()); err == nil {
		return r.id.String(), usage(fmt.Errorf("begin branch: %s is already here", r.id))
	}
	if parent == "" {
		r.root = r.id
	}
	return r.id.String(), s.commit(kv, r, group, end)
}

// under fills in where a branch that starts with line r.from leaves its parent.
func (s *Store) under(kv *kv, r *branchRecord, parent string) error {
	p, err := s.find(parent)
	if err != nil {
		return err
	}
	if r.from < 2 || r.from > p.head.Seq+1 {
		return usage(fmt.Errorf("begin branch: the parent has no line %d", r.from-1))
	}
	r.parent, r.root = p.id, p.root
	owner, err := s.owner(p, r.from-1)
	if err != nil {
		return err
	}
	r.head, err = s.place(kv, owner, r.from-1)
	return err
}

// Append implements engine.Store. A damaged branch takes no more lines; a fork
// from its last good checkpoint does. ctx counts until the writing begins.
func (s *Store) Append(ctx context.Context, branch string, group [][]byte) error {
	s.w.Lock()
	defer s.w.Unlock()
	kv, err := s.writable(ctx, s.o.Floor)
	if err != nil {
		return err
	}
	r, err := s.find(branch)
	if err != nil {
		return err
	}
	if r.damage != "" {
		return &engine.Error{
			Kind: engine.KindDamaged,
			What: "This history is damaged: " + r.damage,
			Safe: "Its lines can still be read.",
			Do:   "Start an alternative from its last good checkpoint.",
		}
	}
	end, err := frame.Check(r.head, group)
	if err != nil {
		return usage(err)
	}
	return s.commit(kv, r, group, end)
}

// commit makes a checked group durable: texts, journal, store. r is the caller's
// copy of the branch's record, still at the place before the group.
func (s *Store) commit(kv *kv, r *branchRecord, group [][]byte, end frame.At) error {
	named := s.namedBy(group)
	if err := s.hook(PointBlobs); err != nil {
		return fileError("save texts", err)
	}
	if len(named) > 0 && !planted(faultBlobAfterLine) {
		if err := s.writeBlobs(kv, named); err != nil {
			return err
		}
	}
	if err := s.hook(PointBlobsDone); err != nil {
		return fileError("save texts", err)
	}
	size, err := s.writeJournal(r, group)
	if err != nil {
		return err
	}
	if err := s.hook(PointVault); err != nil {
		return s.fail("save lines", err)
	}
	before := r.head
	r.head, r.size = end, r.size+size
	records, err := groupRecords(kv, r, before, group, maxPiece)
	if err != nil {
		return s.fail("save lines", err)
	}
	if err := kv.put(records); err != nil {
		return s.fail("save lines", err)
	}
	if planted(faultBlobAfterLine) {
		if err := errors.Join(s.hook(PointVaultDone), s.writeBlobs(kv, named)); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.branches[r.id] = r
	s.settle(named)
	for _, line := range group {
		frame.Names(line, func(h ledger.Hash) { delete(s.loose, h) })
	}
	s.mu.Unlock()
	if err := s.hook(PointVaultDone); err != nil {
		return s.fail("save lines", err)
	}
	return nil
}

// namedBy gives the waiting texts that a group names, in its order.
func (s *Store) namedBy(group [][]byte) []ledger.Hash {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.waiting) == 0 {
		return nil
	}
	var out []ledger.Hash
	seen := map[ledger.Hash]bool{}
	for _, line := range group {
		frame.Names(line, func(h ledger.Hash) {
			if _, ok := s.waiting[h]; ok && !seen[h] {
				seen[h] = true
				out = append(out, h)
			}
		})
	}
	return out
}

// groupRecords are the records of lines that follow `before` and end at r.head:
// the lines, which texts they hold on to, and the branch.
func groupRecords(kv *kv, r *branchRecord, before frame.At, lines [][]byte, most int) ([]record, error) {
	ps, _, err := pieces(before, lines, most)
	if err != nil {
		return nil, err
	}
	var out []record
	add := func(k kind, key, payload []byte) error {
		env, err := seal(k, key, payload)
		out = append(out, record{key, env})
		return err
	}
	for _, p := range ps {
		if err := add(kindLines, linesKey(r.id, p.before.Seq+1), p.encode()); err != nil {
			return nil, err
		}
	}
	held, err := holds(kv, lines)
	if err != nil {
		return nil, err
	}
	for _, h := range held {
		seq := binary.BigEndian.AppendUint64(nil, uint64(before.Seq+1))
		if err := add(kindHeld, heldKey(h), seq); err != nil {
			return nil, err
		}
	}
	return out, add(kindBranch, branchKey(r.id), r.encode())
}

// holds gives the texts that lines name, that are here, and that no earlier
// line held on to.
func holds(kv *kv, lines [][]byte) ([]ledger.Hash, error) {
	var out []ledger.Hash
	seen := map[ledger.Hash]bool{}
	var first error
	for _, line := range lines {
		frame.Names(line, func(h ledger.Hash) {
			if seen[h] || first != nil {
				return
			}
			seen[h] = true
			here, err := kv.has(partKey(h, 0))
			if err == nil && here {
				here, err = kv.has(heldKey(h))
				if err == nil && !here {
					out = append(out, h)
				}
			}
			first = err
		})
	}
	return out, first
}
