package vault

import (
	"context"
	"fmt"

	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// span is a run of lines that one branch owns.
type span struct {
	id          ledger.Hash
	first, last int64
}

// spans gives the runs that make up a branch, from its first line to its newest.
func (s *Store) spans(r *branchRecord) ([]span, error) {
	out := []span{{r.id, r.from, r.head.Seq}}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for from := r.from; !r.parent.IsZero(); from = r.from {
		p, ok := s.branches[r.parent]
		if !ok {
			return nil, damaged("The branch that "+r.id.String()+" was forked from is missing.", errDamaged)
		}
		r = p
		if r.from < from {
			out = append(out, span{r.id, r.from, from - 1})
		} else { // forked before the parent's own first line: the parent has none of it
			r = &branchRecord{id: r.id, parent: r.parent, from: from}
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out, nil
}

// owner gives the branch that owns line seq of r: r or one of its parents.
func (s *Store) owner(r *branchRecord, seq int64) (ledger.Hash, error) {
	spans, err := s.spans(r)
	if err != nil {
		return ledger.Hash{}, err
	}
	for _, sp := range spans {
		if seq >= sp.first && seq <= sp.last {
			return sp.id, nil
		}
	}
	return ledger.Hash{}, usage(fmt.Errorf("branch %s has no line %d", r.id, seq))
}

// Lines implements engine.Store. fn may keep the lines it is given and may call
// the store. A record that is missing or fails its check ends the reading with
// KindDamaged; fn has then had every line before it.
func (s *Store) Lines(ctx context.Context, branch string, from int64, fn func(seq int64, line []byte) error) error {
	if _, err := s.store(ctx); err != nil {
		return err
	}
	r, err := s.find(branch)
	if err != nil {
		return err
	}
	spans, err := s.spans(r)
	if err != nil {
		return err
	}
	for _, sp := range spans {
		if sp.first = max(sp.first, from); sp.first > sp.last {
			continue
		}
		if err := s.span(ctx, sp, fn); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) span(ctx context.Context, sp span, fn func(int64, []byte) error) error {
	for next := sp.first; next <= sp.last; {
		var batch []piece
		err := s.read(ctx, func(kv *kv) (err error) {
			batch, err = readPieces(kv, sp.id, next, sp.last)
			return err
		})
		if err != nil {
			return s.readError(fmt.Sprintf("The saved line %d is damaged.", next), err)
		}
		for _, p := range batch {
			for i, line := range p.lines {
				seq := p.before.Seq + 1 + int64(i)
				if seq < next || seq > sp.last {
					continue
				}
				if err := alive(ctx); err != nil {
					return err
				}
				if err := fn(seq, line); err != nil {
					return err
				}
				next++
			}
		}
	}
	return nil
}

// batchBytes is how much is read from the store between calls back.
const batchBytes = 1 << 20

// readPieces reads records of a branch from the one that has line next, in
// order and without a gap, until about batchBytes or past line last.
func readPieces(kv *kv, id ledger.Hash, next, last int64) ([]piece, error) {
	start, err := kv.floorKey(linesPrefix(id), linesKey(id, next))
	if err != nil {
		return nil, err
	}
	if start == nil {
		return nil, fmt.Errorf("read lines: line %d is missing: %w", next, errDamaged)
	}
	var out []piece
	size, want := 0, next
	bad := kv.each(linesPrefix(id), start, func(key, env []byte) (bool, error) {
		first := seqOfKey(key)
		payload, err := unseal(kindLines, key, env)
		if err != nil {
			return false, fmt.Errorf("lines from %d: %w", first, err)
		}
		if size += len(payload); len(env) == envSize+len(key)+len(payload) {
			payload = append([]byte(nil), payload...) // not compressed: the bytes are Badger's
		}
		p, err := decodePiece(first, payload)
		if err != nil {
			return false, err
		}
		end := first + int64(len(p.lines))
		if first > want || end <= want || (len(out) > 0 && first != want) {
			return false, fmt.Errorf("read lines: line %d is missing: %w", want, errDamaged)
		}
		out, want = append(out, p), end
		return size < batchBytes && want <= last, nil
	})
	if len(out) > 0 {
		return out, nil // what is wrong after them comes up again when it is its turn
	}
	if bad == nil {
		bad = fmt.Errorf("read lines: line %d is missing: %w", next, errDamaged)
	}
	return nil, bad
}

// place gives the place after line seq, which branch id owns.
func (s *Store) place(kv *kv, id ledger.Hash, seq int64) (frame.At, error) {
	batch, err := readPieces(kv, id, seq, seq)
	if err != nil {
		return frame.At{}, s.readError(fmt.Sprintf("The saved line %d is damaged.", seq), err)
	}
	at := batch[0].before
	for _, line := range batch[0].lines {
		h, err := frame.Parse(line)
		if err != nil {
			return at, err
		}
		if at, err = at.Step(h); err != nil {
			return at, err
		}
		if at.Seq == seq {
			break
		}
	}
	return at, nil
}
