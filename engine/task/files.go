package task

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"cairn/engine"
	"cairn/engine/ledger"
)

// fileRecord is what this machine remembers of one file; it never travels.
type fileRecord struct {
	Size   int64  `json:"size"`
	Time   int64  `json:"time"`   // modification time, Unix ms
	Source string `json:"source"` // source id
}

// shards spreads the records of a folder over many local records, because one
// local record is small and a folder may hold a hundred thousand files.
const shards = 256

// fileRecords are the records of a task's files by path, and which shards changed.
type fileRecords struct {
	of    [shards]map[string]fileRecord
	dirty [shards]bool
}

func shardOf(path string) int { return int(ledger.HashOf([]byte(path))[0]) }

// bytewise begins the key of a path that is not UTF-8, which JSON can't hold as it
// is; no absolute path begins like that.
const bytewise = "hex:"

func fileKey(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return bytewise + hex.EncodeToString([]byte(path))
}

func shardName(n int) string { return fmt.Sprintf("files/%02x", n) }

func (r *fileRecords) get(path string) (fileRecord, bool) {
	path = fileKey(path)
	rec, ok := r.of[shardOf(path)][path]
	return rec, ok
}

func (r *fileRecords) put(path string, rec fileRecord) {
	path = fileKey(path)
	n := shardOf(path)
	if r.of[n] == nil {
		r.of[n] = map[string]fileRecord{}
	}
	r.of[n][path], r.dirty[n] = rec, true
}

// keep forgets the files that were not seen. It says how many those are, and the
// sources that no other file of the folder holds: a file that was moved is not gone.
func (r *fileRecords) keep(seen map[string]bool) (files int, gone []string) {
	keys := map[string]bool{}
	for path := range seen {
		keys[fileKey(path)] = true
	}
	for n, of := range r.of {
		for path, rec := range of {
			if !keys[path] {
				delete(of, path)
				r.dirty[n] = true
				files++
				gone = append(gone, rec.Source)
			}
		}
	}
	here := r.sources()
	gone = slices.DeleteFunc(gone, func(id string) bool { return here[id] })
	slices.Sort(gone)
	return files, slices.Compact(gone)
}

// sources are the ids of the sources whose files were seen.
func (r *fileRecords) sources() map[string]bool {
	here := map[string]bool{}
	for _, of := range r.of {
		for _, rec := range of {
			here[rec.Source] = true
		}
	}
	return here
}

// fileRecords reads what this machine remembers. A shard that can't be read is
// empty: its files are read again, and give the same sources.
func (t *Task) fileRecords(ctx context.Context) (*fileRecords, error) {
	r := &fileRecords{}
	for n := range shards {
		b, err := t.desk.store.Local(ctx, t.Branch, shardName(n))
		switch {
		case err == nil:
			if json.Unmarshal(b, &r.of[n]) != nil {
				r.of[n] = nil
			}
		case engine.KindOf(err) != engine.KindNotFound:
			return nil, fmt.Errorf("read the list of files: %w", err)
		}
	}
	return r, nil
}

// putFileRecords writes the shards that changed.
func (t *Task) putFileRecords(ctx context.Context, r *fileRecords) error {
	for n := range shards {
		if !r.dirty[n] {
			continue
		}
		b, err := json.Marshal(r.of[n])
		if err != nil {
			return fmt.Errorf("encode the list of files: %w", err)
		}
		if err := t.desk.store.PutLocal(ctx, t.Branch, shardName(n), b); err != nil {
			return fmt.Errorf("store the list of files: %w", err)
		}
		r.dirty[n] = false
	}
	return nil
}
