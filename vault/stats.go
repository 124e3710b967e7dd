package vault

import (
	"context"
	"io/fs"
	"path/filepath"
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
