package task

import (
	"context"
	"errors"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
)

// Extractor reads one file in a child process. source.Worker is the real one.
type Extractor interface {
	Extract(ctx context.Context, path string) (source.Document, error)
}

// Scanner lists the files of a folder. source.Scan is the real one.
type Scanner func(ctx context.Context, dir string) ([]source.File, error)

// Taken is what one intake did.
type Taken struct {
	Files      int // in the folder whose bytes are known
	New        int // sources that joined
	Unreadable int // of these
	Gone       int // known files that are no longer there
	Restored   int // sources whose lost text was read again, the same bytes
	Lost       int // sources whose lost text could not be
	// Refused says of single files why they could not be read or recorded; the
	// others were.
	Refused []error
}

// Group sizes of an intake: a group is saved after so many files or so long, so
// that an interrupted intake keeps what it finished.
const (
	intakeFiles = 25
	intakeEvery = 2 * time.Second
	// intakeRemember: new files after which this machine's memory of them is saved.
	// A file that it does not remember is read again and gives the same source.
	intakeRemember = 500
)

// Folder gives the folder of the task's documents on this machine, "" when none.
func (t *Task) Folder(ctx context.Context) (string, error) {
	b, err := t.desk.store.Local(ctx, t.Branch, "folder")
	if engine.KindOf(err) == engine.KindNotFound && err != nil {
		return "", nil
	}
	return string(b), err
}

// SetFolder remembers the folder. It is a local record, not a line.
func (t *Task) SetFolder(ctx context.Context, dir string) error {
	return t.desk.store.PutLocal(ctx, t.Branch, "folder", []byte(dir))
}

// Intake brings the task up to date with its folder: new and changed files are
// extracted and join as sources, unreadable ones with their reason. It is
// repeatable: the same bytes are the same source. progress may be nil.
func (t *Task) Intake(ctx context.Context, scan Scanner, ex Extractor, progress func(done, total int, name string)) (Taken, error) {
	var taken Taken
	if err := t.Held(); err != nil {
		return taken, err // a text that was read now would outlive the task
	}
	dir, err := t.Folder(ctx)
	if err != nil {
		return taken, err
	}
	lost, err := t.lost(ctx)
	if err != nil {
		return taken, err
	}
	var files []source.File
	if dir != "" {
		files, err = scan(ctx, dir)
	}
	if err != nil || dir == "" {
		taken.Lost = len(lost)
		return taken, errors.Join(err, t.sayLost(ctx, lost))
	}
	records, err := t.fileRecords(ctx)
	if err != nil {
		return taken, err
	}
	shut, err := t.shut(ctx)
	if err != nil {
		return taken, err
	}
	in := intake{task: t, records: records, shut: shut, lost: lost, taken: &taken, from: map[string]source.File{}, last: t.desk.clock.Awake()}
	seen := map[string]bool{}
	for i, f := range files {
		seen[f.Path] = true
		if progress != nil {
			progress(i, len(files), name(f.Name))
		}
		if shut.out(f.Path, "") {
			continue // it was deleted for good
		}
		if r, ok := records.get(f.Path); ok && r.Size == f.Size && r.Time == f.ModTime.UnixMilli() && !in.wanted(r.Source) {
			continue
		}
		doc, err := in.read(ctx, ex, f)
		if err != nil {
			return taken, err
		}
		switch doc.Reason {
		case unread:
			continue
		case source.Vanished: // as if it had never been listed
			delete(seen, f.Path)
			continue
		}
		if err := in.add(ctx, f, doc, &taken); err != nil {
			return taken, err
		}
		if taken.New%intakeRemember == intakeRemember-1 {
			// Remembered is only what is saved: another process would skip the rest.
			if err := in.flush(ctx); err != nil {
				return taken, err
			}
			if err := t.putFileRecords(ctx, records); err != nil {
				return taken, err
			}
		}
	}
	if err := in.settle(ctx, &taken); err != nil {
		return taken, err
	}
	left, gone := records.keep(seen)
	taken.Gone = left
	if err := in.gone(ctx, gone); err != nil {
		return taken, err
	}
	if err := in.flush(ctx); err != nil {
		return taken, err
	}
	for path := range seen {
		if r, ok := records.get(path); ok && t.fileOf(r.Source) != "" {
			taken.Files++
		}
	}
	taken.Lost = len(in.lost)
	if err := t.sayLost(ctx, in.lost); err != nil {
		return taken, err
	}
	return taken, t.putFileRecords(ctx, records)
}

// intake collects the lines of one group.
type intake struct {
	task    *Task
	records *fileRecords
	shut    *shut            // what was deleted for good
	lost    map[string]int64 // sources without their texts, with their seqs
	taken   *Taken
	lines   []Entry
	from    map[string]source.File // the files of the sources among lines
	failed  []failed
	row     int           // how many failed one after the other
	works   bool          // at least one file was read
	last    time.Duration // awake
}

func (in *intake) add(ctx context.Context, f source.File, doc source.Document, taken *Taken) error {
	op := ledger.Source{
		Name: name(doc.Name), Title: plain(doc.Title), Media: doc.Media,
		Extractor: doc.Extractor, Reason: doc.Reason,
	}
	if !doc.File.IsZero() {
		op.File = doc.File.String()
	}
	if doc.Reason == "" {
		op.Body = ledger.HashOf(doc.Body).String()
	}
	if in.shut.out(f.Path, ledger.SourceID(op)) {
		in.shut.file(f.Path, fileRecord{Size: f.Size, Time: f.ModTime.UnixMilli()})
		return in.task.putShut(ctx, in.shut)
	}
	if doc.Reason == "" {
		op.Body, op.Table = ledger.HashOf(doc.Body).String(), ledger.HashOf(doc.Table.Encode()).String()
		op.Bytes, op.Sentences = int64(len(doc.Body)), doc.Table.Len()
		if err := in.store(ctx, f.Name, ledger.SourceID(op), doc, taken); err != nil {
			return err
		}
	}
	id := ledger.SourceID(op)
	if old, ok := in.records.get(f.Path); ok && old.Source != id && in.known(old.Source) {
		op.Parent = old.Source // a newer version; what rests on the old one stays checkable
	}
	in.records.put(f.Path, fileRecord{Size: f.Size, Time: f.ModTime.UnixMilli(), Source: id})
	if in.isNew(id) {
		in.from[id] = f
		in.lines = append(in.lines, Entry{By: ledger.Engine, Op: &op})
		taken.New++
		if op.Reason != "" {
			taken.Unreadable++
		}
	}
	now := in.task.desk.clock.Awake()
	if len(in.lines) >= intakeFiles || now-in.last >= intakeEvery {
		in.last = now
		return in.flush(ctx)
	}
	return nil
}

// gone records that the files of these sources are no longer in the folder. Their
// texts and what was quoted from them stay.
func (in *intake) gone(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if !in.current(id) {
			continue
		}
		in.lines = append(in.lines, Entry{By: ledger.Engine, Op: &ledger.Missing{ID: id, Reason: "gone"}})
		if len(in.lines) >= intakeFiles {
			if err := in.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// current: the source has its text here, and nothing newer took its place.
func (in *intake) current(id string) bool {
	in.task.mu.RLock()
	defer in.task.mu.RUnlock()
	s := in.task.state.Sources[id]
	return s != nil && s.Body != "" && s.Missing == "" && s.Newer == ""
}

// isNew: the id is not in the task, or its text was missing here and is back.
func (in *intake) isNew(id string) bool {
	for _, e := range in.lines {
		if op, ok := e.Op.(*ledger.Source); ok && ledger.SourceID(*op) == id {
			return false
		}
	}
	fresh := true
	in.task.mu.RLock()
	defer in.task.mu.RUnlock()
	if s := in.task.state.Sources[id]; s != nil {
		fresh = s.Missing != ""
	}
	return fresh
}

// known: the source is on record, and nothing newer took its place yet.
func (in *intake) known(id string) bool {
	in.task.mu.RLock()
	defer in.task.mu.RUnlock()
	s := in.task.state.Sources[id]
	return s != nil && s.Newer == ""
}

// FilesHere gives the source ids whose files are in the folder, as last seen.
func (t *Task) FilesHere(ctx context.Context) (map[string]bool, error) {
	records, err := t.fileRecords(ctx)
	if err != nil {
		return nil, err
	}
	return records.sources(), nil
}

// LiftMissing records again, from what is stored here, each source that an
// import brought without its text and whose text this vault has.
func (t *Task) LiftMissing(ctx context.Context) error {
	var lines []Entry
	err := t.Read(func(st *state.State) error {
		for _, id := range st.SourceIDs {
			s := st.Sources[id]
			if s.Missing == "" || s.Body == "" {
				continue
			}
			here, err := t.has(ctx, s)
			if err != nil {
				return err
			}
			if here {
				lines = append(lines, Entry{By: ledger.Engine, Op: &ledger.Source{
					Body: s.Body, Bytes: s.Bytes, Extractor: s.Extractor, File: s.File, Media: s.Media,
					Name: s.Name, Parent: s.Parent, Sentences: s.Sentences, Table: s.Table, Title: s.Title}})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.Commit(ctx, lines, nil)
}

func (t *Task) has(ctx context.Context, s *state.Source) (bool, error) {
	for _, hash := range []string{s.Body, s.Table} {
		h, err := ledger.ParseHash(hash)
		if err != nil {
			return false, err
		}
		if ok, err := t.desk.store.HasBlob(ctx, h); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
