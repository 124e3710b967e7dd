package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cairn/engine/ledger"
)

// Stats says what the vault holds and what it takes on disk, in bytes of blocks.
type Stats struct {
	Branches                       int
	Lines                          int64
	Journals, Vault, Aside, Drafts int64
	Free                           uint64
	ReadOnly                       bool
	LastStoreError                 string // what Badger last logged as an error
}

// Stats adds up sizes; it walks the folders.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	kv, err := s.store(ctx)
	if err != nil {
		return Stats{}, err
	}
	st := Stats{
		Journals: diskUse(s.home.Journals()),
		Vault:    diskUse(s.home.Vault()),
		Aside:    diskUse(s.home.Aside()),
		Drafts:   diskUse(s.home.drafts()),
	}
	if last := kv.log.last.Load(); last != nil {
		st.LastStoreError = *last
	}
	s.mu.RLock()
	st.ReadOnly = s.broken != nil
	for _, r := range s.branches {
		st.Branches++
		st.Lines += r.head.Seq - r.from + 1
	}
	s.mu.RUnlock()
	st.Free, err = s.o.FreeSpace(string(s.home))
	return st, err
}

// diskUse is what the files under dir take on disk. Files that go away
// meanwhile count as nothing.
func diskUse(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // gone meanwhile
		}
		if info, err := d.Info(); err == nil {
			n += onDisk(info)
		}
		return nil
	})
	return n
}

// Check reads everything: every record against its sum, every branch's chain,
// and every journal against the store. It gives a sentence for each thing that
// is wrong. It is for `doctor`; it takes as long as reading the folder. It changes
// neither: what an opening can mend is noted, and the next one mends it (Mends).
func (s *Store) Check(ctx context.Context) ([]string, error) {
	kv, err := s.store(ctx)
	if err != nil {
		return nil, err
	}
	var wrong []string
	var texts, held []ledger.Hash
	var repair, compare bool
	err = kv.each(nil, nil, func(key, env []byte) (bool, error) {
		if err := alive(ctx); err != nil {
			return false, err
		}
		k := kindOfKey(key)
		if _, err := unseal(k, key, env); err != nil {
			repair = true
			wrong = append(wrong, fmt.Sprintf("A record of kind %d fails its check: %v.", k, err))
			return true, nil
		}
		switch h := hashOfKey(key); {
		case k == kindHeld:
			held = append(held, h)
		case k == kindPart && bytes.Equal(key, partKey(h, 0)):
			texts = append(texts, h)
		}
		return true, nil
	})
	if err != nil {
		return wrong, err
	}
	// An iterator passes over a block that it can't read without a word.
	if err := kv.verifyTables(); err != nil {
		repair = true
		wrong = append(wrong, fmt.Sprintf("A table of the store fails its check: %v.", err))
	}
	for _, h := range texts {
		if _, err := readBlob(kv, h); err != nil {
			repair = repair || errors.Is(err, errDamaged)
			wrong = append(wrong, fmt.Sprintf("Text %s: %v.", h, err))
		}
	}
	for _, h := range held {
		if here, err := kv.has(partKey(h, 0)); (err != nil || !here) && !planted(faultMissingIsAbsent) {
			wrong = append(wrong, fmt.Sprintf("Text %s is lost.", h))
		}
	}
	s.w.Lock()
	defer s.w.Unlock()
	s.mu.RLock()
	records := make(map[ledger.Hash]*branchRecord, len(s.branches))
	for id, r := range s.branches {
		records[id] = r
	}
	s.mu.RUnlock()
	for id, r := range records {
		if err := alive(ctx); err != nil {
			return wrong, err
		}
		if r.damage != "" {
			wrong = append(wrong, fmt.Sprintf("History %s: %s.", id, r.damage))
		}
		if err := s.checkJournal(r); err != nil {
			repair = repair || errors.Is(err, errDamaged)
			compare = compare || errors.Is(err, errJournal)
			wrong = append(wrong, fmt.Sprintf("History %s: %v.", id, err))
		}
	}
	if compare {
		err = writeUnsynced(s.home.compare(), []byte("journal\n"), false)
	}
	if repair {
		err = errors.Join(err, writeUnsynced(s.home.repair(), []byte("damage\n"), false))
	}
	return wrong, err
}

// Mends tells whether the next opening has something to mend that Check or a read
// has found: a journal is then written again from the store where they differ, a
// store with damaged records is built again from the journals.
func (s *Store) Mends() bool { return exists(s.home.compare()) || exists(s.home.repair()) }

// errJournal: a journal does not say what the store says.
var errJournal = errors.New("journal and store differ")

// checkJournal compares a branch's journal, line for line, with the store.
func (s *Store) checkJournal(r *branchRecord) error {
	if r.head.Seq < r.from || planted(faultJournalIgnored) {
		return nil
	}
	lines, torn, err := readJournal(s.home.Journal(r.id.String()))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: the journal is missing", errJournal)
	}
	if err != nil {
		return err
	}
	n := 0
	err = s.ownLines(r, func(line []byte) error {
		if n >= len(lines) || string(lines[n]) != string(line) {
			return fmt.Errorf("%w: line %d of the journal is not the saved one", errJournal, r.from+int64(n))
		}
		n++
		return nil
	})
	if err == nil && (n != len(lines) || len(torn) > 0) {
		err = fmt.Errorf("%w: the journal goes on after line %d", errJournal, r.head.Seq)
	}
	return err
}
