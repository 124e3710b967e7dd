package task

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"cairn/engine"
	"cairn/engine/ledger"
)

// shut is what keeps a document that was deleted for good from being read in again
// from the folder where its file still lies: digests only, which say nothing to
// who has not got the file. It never travels.
type shut struct {
	Salt    string                `json:"salt"`
	Sources []string              `json:"sources"`         // ids, which are digests
	Files   map[string]fileRecord `json:"files,omitempty"` // by digest of salt and path
}

const shutName = "erased"

func (s *shut) key(path string) string { return ledger.HashOf([]byte(s.Salt + path)).String() }

// file remembers where a file of the document lies, without its name.
func (s *shut) file(path string, rec fileRecord) {
	if s.Files == nil {
		s.Files = map[string]fileRecord{}
	}
	rec.Source = ""
	s.Files[s.key(path)] = rec
}

// out reports whether the file at path, or what was read from it, stays out. A file
// that stood where the document did stays out though it was changed.
func (s *shut) out(path string, source string) bool {
	if s == nil {
		return false
	}
	if _, ok := s.Files[s.key(path)]; ok {
		return true
	}
	return source != "" && slices.Contains(s.Sources, source)
}

// shut reads the record; a task of which nothing was deleted has an empty one.
func (t *Task) shut(ctx context.Context) (*shut, error) {
	var s shut
	b, err := t.desk.store.Local(ctx, t.Branch, shutName)
	if err == nil {
		err = json.Unmarshal(b, &s)
	} else if engine.KindOf(err) == engine.KindNotFound {
		err = nil
	}
	if err == nil && s.Salt == "" {
		s.Salt, err = t.desk.hex()
	}
	if err != nil {
		return nil, fmt.Errorf("read what was deleted for good: %w", err)
	}
	return &s, nil
}

func (t *Task) putShut(ctx context.Context, s *shut) error {
	slices.Sort(s.Sources)
	s.Sources = slices.Compact(s.Sources)
	b, err := json.Marshal(s)
	if err == nil {
		err = t.desk.store.PutLocal(ctx, t.Branch, shutName, b)
	}
	if err != nil {
		return fmt.Errorf("remember what was deleted for good: %w", err)
	}
	return nil
}
