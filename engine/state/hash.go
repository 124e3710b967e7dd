package state

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sort"

	"cairn/engine/ledger"
)

// bucket holds the digests of the records whose id hashes to its number.
type bucket struct {
	entries []entry // in id order
	hash    ledger.Hash
	made    bool // hash is of these entries
}

type entry struct {
	id     string
	digest ledger.Hash
}

// Hash is the state hash of DESIGN 3.3 over work, kept incrementally: only the
// records changed since the last call are hashed again. It changes no record.
func (s *State) Hash() ledger.Hash {
	for k := range s.in.dirty {
		id := k.recordID()
		s.in.buckets[bucketOf(id)].set(id, s.digest(k, id))
	}
	clear(s.in.dirty)
	return top(&s.in.buckets)
}

// HashWhole computes the state hash from every record, without what Hash kept.
func (s *State) HashWhole() ledger.Hash {
	var buckets [256]bucket
	for _, k := range s.keys() {
		id := k.recordID()
		buckets[bucketOf(id)].set(id, s.digest(k, id))
	}
	return top(&buckets)
}

// keys lists the records that exist.
func (s *State) keys() []key {
	keys := []key{{kTask, ""}, {kSettings, ""}, {kPlan, ""}}
	keys = addKeys(keys, kSource, s.Sources)
	keys = addKeys(keys, kQuestion, s.Questions)
	keys = addKeys(keys, kClaim, s.Claims)
	keys = addKeys(keys, kAssumption, s.Assumptions)
	keys = addKeys(keys, kTried, s.Tried)
	keys = addKeys(keys, kAnswer, s.Answers)
	keys = addKeys(keys, kReport, s.Reports)
	keys = addKeys(keys, kItem, s.Plan)
	keys = addKeys(keys, kStep, s.Finished)
	keys = addKeys(keys, kNote, s.Notes)
	keys = addKeys(keys, kFound, s.Found)
	keys = addKeys(keys, kOverride, s.Overrides)
	keys = addKeys(keys, kPassed, s.Passed)
	keys = addKeys(keys, kBarren, s.Barren)
	for source, of := range s.Read {
		for question := range of {
			keys = append(keys, key{kRead, source + "/" + question})
		}
	}
	return keys
}

func addKeys[V any](keys []key, k kind, m map[string]V) []key {
	for id := range m {
		keys = append(keys, key{k, id})
	}
	return keys
}

// digest of a record; zero for one that is not there.
func (s *State) digest(k key, id string) ledger.Hash {
	r := s.record(k, id)
	if r == nil {
		return ledger.Hash{}
	}
	b, err := ledger.Canonical(r)
	if err != nil {
		// Only text that is no UTF-8 has no canonical form, and no line holds such.
		b = fmt.Appendf(nil, "%+v", r)
	}
	return sha256.Sum256(b)
}

func bucketOf(id string) byte {
	h := sha256.Sum256([]byte(id))
	return h[0]
}

// set stores a record's digest; a zero digest takes the record out.
func (b *bucket) set(id string, digest ledger.Hash) {
	i := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].id >= id })
	there := i < len(b.entries) && b.entries[i].id == id
	switch {
	case digest.IsZero() && !there:
		return
	case digest.IsZero():
		b.entries = append(b.entries[:i], b.entries[i+1:]...)
	case there:
		if b.entries[i].digest == digest {
			return
		}
		b.entries[i].digest = digest
	default:
		b.entries = append(b.entries, entry{})
		copy(b.entries[i+1:], b.entries[i:])
		b.entries[i] = entry{id, digest}
	}
	b.made = false
}

// top hashes the fold version and the 256 bucket hashes, making those that changed.
func top(buckets *[256]bucket) ledger.Hash {
	var scratch []byte
	all := make([]byte, 8, 8+256*sha256.Size)
	binary.BigEndian.PutUint64(all, FoldVersion)
	for i := range buckets {
		b := &buckets[i]
		if !b.made {
			scratch = scratch[:0]
			for j := range b.entries {
				scratch = append(scratch, b.entries[j].id...)
				scratch = append(scratch, b.entries[j].digest[:]...)
			}
			b.hash, b.made = sha256.Sum256(scratch), true
		}
		all = append(all, b.hash[:]...)
	}
	return sha256.Sum256(all)
}
