package vault

import (
	"context"
)

// Compacted says what a compaction did, in bytes of blocks of the store.
type Compacted struct {
	Before, After int64
	Dropped       int // texts that no saved line names
}

// Compact writes the store anew without what Badger keeps of replaced records, and
// without texts that no line names, and so gives their space back. Reads go on; what
// is to be saved waits. It needs as much free space as the store takes. A crash
// leaves the old store or the new one, whole.
func (s *Store) Compact(ctx context.Context, tell Progress) (Compacted, error) {
	s.w.Lock()
	defer s.w.Unlock()
	var c Compacted
	kv, err := s.writable(ctx, 0)
	if err != nil {
		return c, err
	}
	c.Before = diskUse(s.home.Vault())
	if err := s.room(openRoom + uint64(c.Before)); err != nil {
		return c, err
	}
	d, err := s.doom(kv, nil) // nobody: it knows which texts the lines name
	if err != nil {
		return c, err
	}
	s.hold(kv, d.kept)
	var n int64
	keep := func(key, env []byte) bool {
		n++
		tell.say("writing records", n, 0)
		k := kindOfKey(key)
		if (k != kindPart && k != kindHeld) || d.kept[hashOfKey(key)] {
			return true
		}
		// A damaged record stays one, and does not become absent.
		if _, err := unseal(k, key, env); err != nil {
			return true
		}
		if k == kindPart && string(key) == string(partKey(hashOfKey(key), 0)) {
			c.Dropped++
		}
		return false
	}
	if err := alive(ctx); err != nil {
		return c, err
	}
	if err := s.rewrite(kv, keep); err != nil {
		return c, s.fail("write the store anew", err)
	}
	c.After = diskUse(s.home.Vault())
	return c, nil
}
