package task

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/handoff"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// segmentsName is the local record that says where the parts of the file lie that a
// task was imported from.
const segmentsName = "segments"

// keptBlock says where the block of an imported file lies and how long its
// segments are, in bytes.
type keptBlock struct {
	Block string `json:"block"`
	Sizes []int  `json:"sizes"`
}

// HandOff makes the task's hand-off file; withhold leaves out its log lines.
func (t *Task) HandOff(ctx context.Context, withhold bool) ([]byte, error) {
	sources := map[string]*state.Source{}
	_ = t.Read(func(st *state.State) error {
		for id, src := range st.Sources {
			copied := *src
			sources[id] = &copied
		}
		return nil
	})
	segments, err := t.segments(ctx)
	if err != nil {
		return nil, err
	}
	return handoff.Export(handoff.Input{
		Lines: func(fn func(int64, []byte) error) error { return t.Lines(ctx, 1, fn) },
		Texts: func(source string) (handoff.Text, error) {
			src := sources[source]
			if src == nil {
				return handoff.Text{}, &engine.Error{Kind: engine.KindNotFound, What: "There is no such source in this task."}
			}
			text, err := t.library.Text(ctx, src)
			if err != nil {
				return handoff.Text{}, err
			}
			return handoff.Text{Body: text.Body, Table: &text.Table}, nil
		},
		Withhold: withhold, Segments: segments, App: t.desk.app,
	})
}

// segments are the parts of the file that a task was imported from, which every
// later export begins with. Its block is kept whole under the hash that the
// `import` line names; where it is cut stands in a local record.
func (t *Task) segments(ctx context.Context) ([][]byte, error) {
	body, err := t.desk.store.Local(ctx, t.Branch, segmentsName)
	if engine.KindOf(err) == engine.KindNotFound && err != nil {
		return nil, nil
	}
	var kept keptBlock
	var hash ledger.Hash
	var block []byte
	if err == nil {
		err = json.Unmarshal(body, &kept)
	}
	if err == nil {
		hash, err = ledger.ParseHash(kept.Block)
	}
	if err == nil {
		block, err = t.desk.store.Blob(ctx, hash)
	}
	if err != nil {
		return nil, fmt.Errorf("read what this task was imported from: %w", err)
	}
	var out [][]byte
	for _, size := range kept.Sizes {
		if size < 0 || size > len(block) {
			return nil, fmt.Errorf("read what this task was imported from: a part of %d bytes in %d", size, len(block))
		}
		out, block = append(out, block[:size]), block[size:]
	}
	return out, nil
}

// Import takes over a file that was read and whose preview a person accepted: as a
// new task, or as an alternative of the one whose beginning this machine has, from
// where both part. Nothing is run; everything in it is the sender's. Begun again
// after a crash it goes on where it was.
func (d *Desk) Import(ctx context.Context, p *handoff.Parsed) (*Task, error) {
	if len(p.Lines) == 0 {
		return nil, usage("This file holds no lines.", "Ask the sender for it again.")
	}
	groups, err := groupsOf(p.Lines)
	if err != nil {
		return nil, err
	}
	root := ledger.Hash{}.Extend(ledger.HashOf(p.Lines[0])).String() // a first line is never withheld
	parent, known, err := d.shared(ctx, root, groups)
	if err != nil {
		return nil, err
	}
	first, lines := 0, int64(0)
	for ; lines < known; first++ {
		lines += int64(len(groups[first]))
	}
	if first == len(groups) {
		return nil, &engine.Error{Kind: engine.KindRefused, What: "Everything in this file is here already.",
			Safe: "Nothing was changed.", Do: "Open the task in the list."}
	}
	if first, err = d.beginning(ctx, groups, first); err != nil {
		return nil, err
	}
	if known, err = d.own(ctx, parent, known); err != nil {
		return nil, err
	}
	return d.Adopt(ctx, parent, groups[first:], func(t *Task) error { return t.closeImport(ctx, p, known) })
}

// own counts the leading lines that this machine has of itself: those that came with
// an earlier file stay that sender's.
func (d *Desk) own(ctx context.Context, parent string, known int64) (int64, error) {
	if known == 0 {
		return 0, nil
	}
	t, err := d.Open(ctx, parent)
	if err != nil {
		return 0, fmt.Errorf("look at the task that is here: %w", err)
	}
	_ = t.Read(func(st *state.State) error {
		if st.Imported != nil {
			known = min(known, st.Imported.Known)
		}
		return nil
	})
	return known, nil
}

// beginning finds the group with which an alternative of imported lines can begin:
// the given one, or the next before it that begins with a line that was not
// withheld, for a branch is named by its first line, and that names no branch yet.
func (d *Desk) beginning(ctx context.Context, groups [][][]byte, first int) (int, error) {
	for ; first >= 0; first-- {
		f, err := ledger.DecodeFrame(groups[first][0])
		if err != nil {
			return 0, fmt.Errorf("read imported line: %w", err)
		}
		if f.Withheld {
			continue
		}
		id := f.Prev.Extend(f.Hash).String()
		_, err = d.store.Branch(ctx, id)
		if engine.KindOf(err) == engine.KindNotFound && err != nil {
			return first, nil
		}
		if err != nil {
			return 0, err
		}
		half, err := d.HalfTaken(ctx, id)
		if half || err != nil {
			return first, err
		}
	}
	return 0, &engine.Error{Kind: engine.KindUsage, What: "This file goes on from a task that is here, but where both part its sender left lines out.",
		Safe: "Nothing was changed.", Do: "Ask for the file with its calls and refusals."}
}

// shared finds the branch that has the most of the file's leading groups, "" where
// none has the first, and counts their lines. One that is half taken over is passed
// by: taking it over is what goes on.
func (d *Desk) shared(ctx context.Context, root string, groups [][][]byte) (parent string, known int64, err error) {
	all, err := d.store.Branches(ctx)
	if err != nil {
		return "", 0, err
	}
	// Of branches that have the same lines of it, the one whose own they are.
	slices.SortStableFunc(all, func(a, b engine.Branch) int { return int(a.From - b.From) })
	for _, b := range all {
		if b.Root != root {
			continue
		}
		half, err := d.HalfTaken(ctx, b.ID)
		if err != nil {
			return "", 0, err
		}
		if half {
			continue
		}
		n, err := d.leading(ctx, b.ID, groups)
		if err != nil {
			return "", 0, err
		}
		if n > known {
			parent, known = b.ID, n
		}
	}
	return parent, known, nil
}

// leading counts the lines of the leading groups that a branch has.
func (d *Desk) leading(ctx context.Context, branch string, groups [][][]byte) (known int64, err error) {
	var want []ledger.Hash
	var ends []int64
	for _, g := range groups {
		for _, line := range g {
			f, err := ledger.DecodeFrame(line)
			if err != nil {
				return 0, fmt.Errorf("read imported line: %w", err)
			}
			want = append(want, f.Hash)
		}
		ends = append(ends, int64(len(want)))
	}
	err = d.store.Lines(ctx, branch, 1, func(seq int64, line []byte) error {
		f, err := ledger.DecodeFrame(line)
		if err != nil || seq > int64(len(want)) || f.Hash != want[seq-1] {
			return errEnough
		}
		if len(ends) > 0 && seq == ends[0] {
			known, ends = seq, ends[1:]
		}
		return nil
	})
	if err != nil && err != errEnough {
		return 0, fmt.Errorf("compare with the task that is here: %w", err)
	}
	return known, nil
}

// groupsOf puts lines into the groups that their closing lines say. Where a
// closing line is withheld its group goes together with the next.
func groupsOf(lines [][]byte) ([][][]byte, error) {
	var out [][][]byte
	var group [][]byte
	for _, line := range lines {
		f, err := ledger.DecodeFrame(line)
		if err != nil {
			return nil, fmt.Errorf("read imported line: %w", err)
		}
		group = append(group, line)
		if f.N > 0 {
			out = append(out, group)
			group = nil
		}
	}
	if len(group) > 0 {
		out = append(out, group)
	}
	return out, nil
}

// closeImport keeps the file's segments for the next export and writes the lines
// that make what came with it the sender's.
func (t *Task) closeImport(ctx context.Context, p *handoff.Parsed, known int64) error {
	kept := keptBlock{Block: p.Result.Block}
	for _, segment := range p.Segments {
		kept.Sizes = append(kept.Sizes, len(segment))
	}
	// The `import` line below names these bytes, so the store keeps them.
	hash, err := t.desk.store.PutBlob(ctx, bytes.Join(p.Segments, nil))
	if err != nil {
		return fmt.Errorf("keep the file's record: %w", err)
	}
	if hash.String() != p.Result.Block {
		return fmt.Errorf("keep the file's record: its parts are not the block %s", p.Result.Block)
	}
	body, err := json.Marshal(kept)
	if err == nil {
		err = t.desk.store.PutLocal(ctx, t.Branch, segmentsName, body)
	}
	if err != nil {
		return fmt.Errorf("keep the file's record: %w", err)
	}
	var entries []Entry
	err = t.Read(func(st *state.State) (err error) {
		entries, err = t.reported(ctx, st, p.Result.Block, known)
		return err
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(entries, 200) {
		if err := t.Commit(ctx, part, nil); err != nil {
			return fmt.Errorf("record the import: %w", err)
		}
	}
	return t.acceptImport(ctx)
}

// reported are the lines that make what stands before them the sender's, and say
// which texts did not travel. What is written already is left out.
func (t *Task) reported(ctx context.Context, st *state.State, file string, known int64) ([]Entry, error) {
	var entries []Entry
	if st.Imported == nil || st.Imported.File != file {
		entries = append(entries, engineSays(&ledger.Import{File: file, Known: known}))
	}
	missing, err := t.notHere(ctx, st)
	return append(entries, missing...), err
}

// notHere are the lines that say of each text that it is not on this machine, where
// none says so.
func (t *Task) notHere(ctx context.Context, st *state.State) ([]Entry, error) {
	var entries []Entry
	for _, id := range st.SourceIDs {
		src := st.Sources[id]
		if src.Body == "" || src.NotHere() {
			continue
		}
		here, err := t.desk.Here(ctx, src)
		if err != nil {
			return nil, err
		}
		if !here {
			entries = append(entries, engineSays(&ledger.Missing{ID: id, Reason: "not_here"}))
		}
	}
	return entries, nil
}

// Here reports whether this machine has a source's text and sentences.
func (d *Desk) Here(ctx context.Context, src *state.Source) (bool, error) {
	for _, text := range []string{src.Body, src.Table} {
		hash, err := ledger.ParseHash(text)
		if err != nil {
			return false, nil //nolint:nilerr // a source without a table has no text that could be shown
		}
		if ok, err := d.store.HasBlob(ctx, hash); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// acceptImport: the person saw the preview and said yes, which clears its reason.
func (t *Task) acceptImport(ctx context.Context) error {
	reason, accepted := "", false
	_ = t.Read(func(st *state.State) error {
		reason = audit.ImportReason(st)
		accepted = !slices.ContainsFunc(audit.Reasons(st, audit.Now{}), func(r audit.Reason) bool { return r.ID == reason })
		return nil
	})
	if accepted {
		return nil
	}
	return t.Act(ctx, &ledger.Check{ID: reason, How: "person", Verdict: "right"})
}
