package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine/ledger"
)

// maxWaiting is how many bytes of texts wait in memory for the group that names
// them; more than that goes to disk at once.
const maxWaiting = 1 << 20

// PutBlob implements engine.Blobs. The text is durable when the group whose line
// names it is: a text that no line names is nothing that can be missed, and one
// sync for all texts of a group is cheaper than one for each. A text lives as
// long as a line names it.
func (s *Store) PutBlob(ctx context.Context, body []byte) (ledger.Hash, error) {
	h := ledger.HashOf(body)
	s.w.Lock()
	defer s.w.Unlock()
	kv, err := s.writable(ctx, s.o.Floor)
	if err != nil {
		return h, err
	}
	s.mu.RLock()
	_, waits := s.waiting[h]
	s.mu.RUnlock()
	if waits {
		return h, nil
	}
	if _, err := readBlob(kv, h); err == nil {
		return h, nil
	} else if !errors.Is(err, badger.ErrKeyNotFound) && !errors.Is(err, errDamaged) {
		return h, err
	}
	// Not there, or damaged: then it is written again and whole.
	s.mu.Lock()
	s.waiting[h] = slices.Clone(body)
	s.waitingBytes += len(body)
	spill := s.waitingBytes > maxWaiting
	s.mu.Unlock()
	if !spill {
		return h, nil
	}
	return h, s.spill(kv)
}

// spill writes all waiting texts to disk though no line names them yet.
func (s *Store) spill(kv *kv) error {
	s.mu.RLock()
	hashes := make([]ledger.Hash, 0, len(s.waiting))
	for h := range s.waiting {
		if !s.orphaned[h] {
			hashes = append(hashes, h)
		}
	}
	s.mu.RUnlock()
	if err := s.writeBlobs(kv, hashes); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range hashes {
		s.loose[h] = true
	}
	s.settle(hashes)
	return nil
}

// settle forgets waiting texts that are on disk; s.mu is held.
func (s *Store) settle(hashes []ledger.Hash) {
	for _, h := range hashes {
		if !s.orphaned[h] {
			s.waitingBytes -= len(s.waiting[h])
		}
		delete(s.waiting, h)
		delete(s.orphaned, h)
	}
}

// writeBlobs makes waiting texts durable.
func (s *Store) writeBlobs(kv *kv, hashes []ledger.Hash) error {
	var records []record
	size := 0
	flush := func() error {
		if err := kv.putAll(records); err != nil {
			return s.fail("save texts", err)
		}
		records, size = records[:0], 0
		return nil
	}
	for _, h := range hashes {
		s.mu.RLock()
		body := s.waiting[h]
		s.mu.RUnlock()
		parts := max(1, (len(body)+maxPart-1)/maxPart)
		for i := range parts {
			key := partKey(h, i)
			part := body[i*maxPart : min(len(body), (i+1)*maxPart)]
			env, err := seal(kindPart, key, encodePart(len(body), parts, part))
			if err != nil {
				return err
			}
			if size += len(env); size > maxTxn {
				if err := flush(); err != nil {
					return err
				}
				size = len(env)
			}
			records = append(records, record{key, env})
		}
	}
	return flush()
}

// readBlob reads a text from disk and checks it against its name.
func readBlob(kv *kv, h ledger.Hash) ([]byte, error) {
	payload, err := kv.get(kindPart, partKey(h, 0))
	if err != nil {
		return nil, err
	}
	total, parts, first, err := decodePart(payload)
	if err != nil {
		return nil, err
	}
	if parts < 1 || total < 0 || total > parts*maxPart {
		return nil, fmt.Errorf("read text: impossible numbers: %w", errDamaged)
	}
	body := slices.Grow(slices.Clone(first), total-min(total, len(first)))
	for i := 1; i < parts; i++ {
		payload, err := kv.get(kindPart, partKey(h, i))
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil, fmt.Errorf("read text: part %d of %d is missing: %w", i+1, parts, errDamaged)
		}
		if err != nil {
			return nil, err
		}
		_, _, part, err := decodePart(payload)
		if err != nil {
			return nil, err
		}
		body = append(body, part...)
	}
	if (len(body) != total || ledger.HashOf(body) != h) && !planted(faultUnchecked) {
		return nil, fmt.Errorf("read text: not the bytes it is named by: %w", errDamaged)
	}
	return body, nil
}

// Blob implements engine.Blobs. The bytes are the caller's.
func (s *Store) Blob(ctx context.Context, h ledger.Hash) ([]byte, error) {
	var body []byte
	err := s.read(ctx, func(kv *kv) (err error) {
		s.mu.RLock()
		waits, ok := s.waiting[h]
		s.mu.RUnlock()
		if ok {
			body = slices.Clone(waits)
			return nil
		}
		body, err = readBlob(kv, h)
		if errors.Is(err, badger.ErrKeyNotFound) {
			return s.absent(kv, h)
		}
		return err
	})
	if err != nil {
		return nil, s.readError("The stored text "+h.String()+" is damaged.", err)
	}
	return body, nil
}

// absent tells a text that was never here from one that is lost: a saved line
// named it, and it was here then; or another part of it is.
func (s *Store) absent(kv *kv, h ledger.Hash) error {
	if planted(faultMissingIsAbsent) {
		return notFound("text " + h.String())
	}
	held, err := kv.has(heldKey(h))
	if err != nil {
		return err
	}
	if !held {
		err = kv.each(partsPrefix(h), partsPrefix(h), func(_, _ []byte) (bool, error) {
			held = true
			return false, nil
		})
	}
	if err != nil {
		return err
	}
	if held {
		return s.readError("The stored text "+h.String()+" is lost.", fmt.Errorf("read text: missing though it was stored: %w", errDamaged))
	}
	return notFound("text " + h.String())
}

// HasBlob implements engine.Blobs. It does not read the text: a damaged one is
// there.
func (s *Store) HasBlob(ctx context.Context, h ledger.Hash) (bool, error) {
	var here bool
	err := s.read(ctx, func(kv *kv) (err error) {
		s.mu.RLock()
		_, here = s.waiting[h]
		s.mu.RUnlock()
		if !here {
			here, err = kv.has(partKey(h, 0))
		}
		return err
	})
	return here, err
}
