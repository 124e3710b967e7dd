package vault

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// purgeFiles removes the plain files of branches that go, and every other file
// of the folder that may hold something of them.
func (s *Store) purgeFiles(d *doomed, e *engine.Erased) error {
	paths, err := s.traces(d, e)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := remove(p); err != nil {
			return err
		}
	}
	if err := s.purgeBackups(context.Background(), d, e); err != nil {
		return err
	}
	return errors.Join(syncDir(s.home.Journals()), syncDir(s.home.drafts()), syncDir(s.home.Aside()))
}

// traces lists these files and counts them.
func (s *Store) traces(d *doomed, e *engine.Erased) ([]string, error) {
	var paths []string
	for _, find := range []func(*doomed, *engine.Erased) ([]string, error){s.tracesAside, s.tracesOfJournals, s.tracesOfDrafts} {
		found, err := find(d, e)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	locals, err := s.localsOf(d.ids)
	return append(paths, locals...), err
}

// tracesAside: stores and logs of stores may hold anything and can't be opened to
// tell. Of other files those stay that are plainly another task's.
func (s *Store) tracesAside(d *doomed, e *engine.Erased) ([]string, error) {
	entries, err := os.ReadDir(s.home.Aside())
	if err != nil {
		return nil, fileError("list what was set aside", err)
	}
	var paths []string
	for _, f := range entries {
		path := filepath.Join(s.home.Aside(), f.Name())
		stays := !namesAny([]byte(f.Name()), d.ids)
		switch {
		case !stays:
		case f.IsDir():
			stays = strings.HasPrefix(f.Name(), "home-") && d.othersHome(path)
		default:
			body, err := os.ReadFile(path)
			if err != nil {
				return nil, fileError("read what was set aside", err)
			}
			stays = d.others(body, s.named(f.Name()))
		}
		if !stays {
			e.Aside++
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// tracesOfJournals: beside the journals themselves, halves of rewritten ones and
// copies that somebody made.
func (s *Store) tracesOfJournals(d *doomed, _ *engine.Erased) ([]string, error) {
	entries, err := os.ReadDir(s.home.Journals())
	if err != nil {
		return nil, fileError("list the journals", err)
	}
	var paths []string
	for _, f := range entries {
		path := filepath.Join(s.home.Journals(), f.Name())
		id, err := ledger.ParseHash(strings.TrimSuffix(f.Name(), journalExt))
		known := err == nil && strings.HasSuffix(f.Name(), journalExt)
		switch {
		case known && d.gone[id], namesAny([]byte(f.Name()), d.ids):
			paths = append(paths, path)
		case known || f.IsDir():
			// another branch's, which opening compared with the store; or not ours
		default:
			body, err := os.ReadFile(path)
			if err != nil {
				return nil, fileError("read a file beside the journals", err)
			}
			if !d.others(body, false) {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

// tracesOfDrafts: those of the branches that go, and of branches that are no more.
func (s *Store) tracesOfDrafts(d *doomed, e *engine.Erased) ([]string, error) {
	entries, err := os.ReadDir(s.home.drafts())
	if err != nil {
		return nil, fileError("list the drafts", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var paths []string
	for _, f := range entries {
		id, err := ledger.ParseHash(strings.TrimSuffix(f.Name(), ".tmp"))
		if err == nil && s.branches[id] != nil && !d.gone[id] {
			continue
		}
		if err == nil && d.gone[id] {
			e.Drafts++
		}
		paths = append(paths, filepath.Join(s.home.drafts(), f.Name()))
	}
	return paths, nil
}

// othersHome reports whether records that a restore had set aside plainly hold
// other branches only: their journals tell.
func (d *doomed) othersHome(dir string) bool {
	old := Home(dir)
	entries, err := os.ReadDir(old.Journals())
	if err != nil || len(entries) == 0 {
		return false
	}
	for _, f := range entries {
		id, err := ledger.ParseHash(strings.TrimSuffix(f.Name(), journalExt))
		if err != nil || d.gone[id] {
			return false
		}
		body, err := os.ReadFile(filepath.Join(old.Journals(), f.Name()))
		if err != nil || !d.others(body, false) {
			return false
		}
	}
	return true
}

// named reports whether a file set aside is named after a branch that is here.
func (s *Store) named(file string) bool {
	id, err := ledger.ParseHash(file[:min(len(file), 64)])
	s.mu.RLock()
	defer s.mu.RUnlock()
	return err == nil && s.branches[id] != nil
}

// others reports whether a file plainly holds other branches' lines only: every
// line can be read and is none of those that go. A last line that was cut off is
// taken for what the lines before it are, and alone for what the name says.
func (d *doomed) others(body []byte, named bool) bool {
	for known := named; len(body) > 0; known = true {
		line, rest, ended := bytes.Cut(body, []byte{'\n'})
		h, err := frame.Parse(line)
		switch {
		case err != nil && (ended || !known):
			return false
		case err != nil:
			return bytes.HasPrefix(line, []byte(`{"`)) && !bytes.ContainsRune(line, 0)
		case d.lines[h.Hash]:
			return false
		}
		body = rest
	}
	return true
}

func namesAny(key []byte, ids []ledger.Hash) bool {
	for _, id := range ids {
		if bytes.Contains(key, []byte(id.String())) {
			return true
		}
	}
	return false
}
