package vault

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine/ledger"
)

// maxCopied is the largest local record, as an envelope, of which a copy stands
// beside the store. Larger ones (what is remembered of a folder's files) are made
// again from the folder.
const maxCopied = 16 << 10

// copyLocal keeps a copy of a small local record as a file: no journal holds local
// records, and without its folder a task could not get its texts back after the
// store is lost. It is not synced; the store has the record.
func (s *Store) copyLocal(key, env []byte) error {
	if len(env) > maxCopied {
		return remove(s.home.local(key))
	}
	return writeUnsynced(s.home.local(key), env, false)
}

// local is the file with the copy of a local record.
func (h Home) local(key []byte) string {
	sum := sha256.Sum256(key)
	return filepath.Join(h.locals(), hex.EncodeToString(sum[:16]))
}

// localsBack takes over the copies of local records into a store that was made
// anew, and gives how many.
func (s *Store) localsBack() (int, error) {
	entries, err := os.ReadDir(s.home.locals())
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fileError("read the settings of tasks", err)
	}
	n := 0
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(s.home.locals(), e.Name()))
		if err != nil {
			return n, fileError("read the settings of tasks", err)
		}
		got, err := salvageBytes(s.kv, body, func(ledger.Hash) bool { return false })
		if n += got; err != nil {
			return n, err
		}
	}
	return n, nil
}

// localsOf lists the copies of local records that name one of the branches, and
// those that can't be read.
func (s *Store) localsOf(ids []ledger.Hash) ([]string, error) {
	entries, err := os.ReadDir(s.home.locals())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError("list the settings of tasks", err)
	}
	var paths []string
	for _, e := range entries {
		path := filepath.Join(s.home.locals(), e.Name())
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, fileError("read the settings of tasks", err)
		}
		if _, key, _, _, err := readEnvelope(body); err != nil || namesAny(key, ids) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// PutNamed implements engine.Store: no group has to name the text, because line
// seq does already.
func (s *Store) PutNamed(ctx context.Context, seq int64, body []byte) (ledger.Hash, error) {
	h := ledger.HashOf(body)
	s.w.Lock()
	defer s.w.Unlock()
	kv, err := s.writable(ctx, s.o.Floor)
	if err != nil {
		return h, err
	}
	if _, err := readBlob(kv, h); err == nil {
		return h, nil
	} else if !errors.Is(err, badger.ErrKeyNotFound) && !errors.Is(err, errDamaged) {
		return h, err
	}
	s.mu.Lock()
	if _, waits := s.waiting[h]; !waits {
		s.waiting[h] = body
		s.waitingBytes += len(body)
	}
	s.mu.Unlock()
	err = s.writeBlobs(kv, []ledger.Hash{h})
	s.mu.Lock()
	s.settle([]ledger.Hash{h})
	s.mu.Unlock()
	if err != nil {
		return h, err
	}
	env, err := seal(kindHeld, heldKey(h), binary.BigEndian.AppendUint64(nil, uint64(seq)))
	if err != nil {
		return h, err
	}
	if err := kv.put([]record{{heldKey(h), env}}); err != nil {
		return h, s.fail("save texts", err)
	}
	return h, nil
}
