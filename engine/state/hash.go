package state

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"

	"cairn/engine/ledger"
)

// bucket holds the digests of the records whose id hashes to its number, as the
// bytes that its hash is of.
type bucket struct {
	ids  []string // sorted
	ends []int    // end of each id's bytes in data
	data []byte   // id and digest of each record, one after the other
	hash ledger.Hash
	made bool // hash is of data
}

// Hash is the state hash of DESIGN 3.3 over work, kept incrementally: only the
// records changed since the last call are hashed again. It changes no record, and
// several readers may call it at once.
func (s *State) Hash() ledger.Hash {
	s.in.hashing.Lock()
	defer s.in.hashing.Unlock()
	if len(s.in.dirty) == 0 && s.in.hashed {
		return s.in.hash
	}
	if len(s.in.dirty) < many {
		for k := range s.in.dirty {
			id := k.recordID()
			var digest ledger.Hash
			digest, s.in.hashing.room = s.digest(k, id, s.in.hashing.room)
			s.in.buckets[bucketOf(id)].set(id, digest)
		}
	} else {
		s.hashMany()
	}
	clear(s.in.dirty)
	s.in.hash, s.in.hashed = top(&s.in.buckets), true
	return s.in.hash
}

// many changed records are hashed on every processor: a whole ledger was folded,
// and a person waits for it.
const many = 4096

// hashMany brings all buckets up to date, each bucket by one goroutine. The
// records are only read.
func (s *State) hashMany() {
	var of [256][]key
	for k := range s.in.dirty {
		b := bucketOf(k.recordID())
		of[b] = append(of[b], k)
	}
	var work sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		work.Go(func() {
			var room []byte
			for b := first; b < len(of); b += workers {
				for _, k := range of[b] {
					id := k.recordID()
					var digest ledger.Hash
					digest, room = s.digest(k, id, room)
					s.in.buckets[b].set(id, digest)
				}
			}
		})
	}
	work.Wait()
}

// HashWhole computes the state hash from every record, without what Hash kept.
func (s *State) HashWhole() ledger.Hash {
	var buckets [256]bucket
	var room []byte
	var digest ledger.Hash
	for _, k := range s.keys() {
		id := k.recordID()
		digest, room = s.digest(k, id, room)
		buckets[bucketOf(id)].set(id, digest)
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

// hasher is held by the one who hashes; room is where records are written to be
// hashed, used again for the next.
type hasher struct {
	sync.Mutex
	room []byte
}

// digest of a record; zero for one that is not there. room is overwritten and
// given back, perhaps larger.
func (s *State) digest(k key, id string, room []byte) (ledger.Hash, []byte) {
	r := s.record(k, id)
	if r == nil {
		return ledger.Hash{}, room
	}
	b, err := ledger.AppendCanonical(room[:0], r)
	if err != nil {
		// Only text that is no UTF-8 has no canonical form, and no line holds such.
		b = fmt.Appendf(nil, "%+v", r)
	}
	return sha256.Sum256(b), b
}

func bucketOf(id string) byte {
	h := sha256.Sum256([]byte(id))
	return h[0]
}

// set stores a record's digest; a zero digest takes the record out.
func (b *bucket) set(id string, digest ledger.Hash) {
	i := sort.SearchStrings(b.ids, id)
	there := i < len(b.ids) && b.ids[i] == id
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	size := len(id) + len(digest)
	switch {
	case digest.IsZero() && !there:
		return
	case digest.IsZero():
		b.ids = slices.Delete(b.ids, i, i+1)
		b.ends = slices.Delete(b.ends, i, i+1)
		b.data = slices.Delete(b.data, start, start+size)
		b.move(i, -size)
	case there:
		copy(b.data[start+len(id):], digest[:])
	default:
		b.ids = slices.Insert(b.ids, i, id)
		b.ends = slices.Insert(b.ends, i, start)
		b.data = append(b.data, make([]byte, size)...)
		copy(b.data[start+size:], b.data[start:])
		copy(b.data[start:], id)
		copy(b.data[start+len(id):], digest[:])
		b.move(i, size)
	}
	b.made = false
}

// move shifts the ends from the i-th on.
func (b *bucket) move(i, by int) {
	for ; i < len(b.ends); i++ {
		b.ends[i] += by
	}
}

// top hashes the fold version and the 256 bucket hashes, making those that changed.
func top(buckets *[256]bucket) ledger.Hash {
	var all [8 + 256*sha256.Size]byte
	binary.BigEndian.PutUint64(all[:8], FoldVersion)
	for i := range buckets {
		b := &buckets[i]
		if !b.made {
			b.hash, b.made = sha256.Sum256(b.data), true
		}
		copy(all[8+i*sha256.Size:], b.hash[:])
	}
	return sha256.Sum256(all[:])
}
