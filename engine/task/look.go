package task

import (
	"context"

	"cairn/engine/state"
)

// Looked is what differs in a folder from what was taken in from it.
type Looked struct {
	Changed, Gone []string // ids of sources
	New           int      // files that were never taken in
}

// None: nothing differs.
func (l Looked) None() bool { return len(l.Changed)+len(l.Gone)+l.New == 0 }

// Look compares the folder with what was taken in and records nothing: that is for
// the next intake. A file of the same size and another time is compared by the hash
// of its bytes, which hash gives. A folder that can't be used is an error. Of a file
// whose bytes are at another place too, the document is not gone.
func (t *Task) Look(ctx context.Context, scan Scanner, hash func(path string) (string, error)) (Looked, error) {
	var out Looked
	dir, err := t.Folder(ctx)
	if err != nil || dir == "" {
		return out, err
	}
	files, err := scan(ctx, dir)
	if err != nil {
		return out, err
	}
	records, err := t.fileRecords(ctx)
	if err != nil {
		return out, err
	}
	shut, err := t.shut(ctx)
	if err != nil {
		return out, err
	}
	seen, changed := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		seen[f.Path] = true
		if shut.out(f.Path, "") {
			continue
		}
		switch r, ok := records.get(f.Path); {
		case !ok:
			out.New++
		case r.Size != f.Size:
			changed[r.Source] = true
		case f.Skip != "": // it is never opened
		case r.Time != f.ModTime.UnixMilli():
			if h, err := hash(f.Path); err != nil || h != t.fileOf(r.Source) {
				changed[r.Source] = true // also one that can't be read any more
			}
		}
	}
	_, left := records.keep(seen)
	gone := map[string]bool{}
	for _, id := range left {
		gone[id] = true
	}
	err = t.Read(func(st *state.State) error {
		for _, id := range st.SourceIDs {
			s := st.Sources[id]
			switch {
			case s.Missing != "" || s.Newer != "":
			case gone[id]:
				out.Gone = append(out.Gone, id)
			case changed[id]:
				out.Changed = append(out.Changed, id)
			}
		}
		return nil
	})
	return out, err
}

// fileOf is the hash of the file that the source was read from, "" when there is none.
func (t *Task) fileOf(id string) string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if s := t.state.Sources[id]; s != nil {
		return s.File
	}
	return ""
}
