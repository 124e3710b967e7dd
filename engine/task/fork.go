package task

import (
	"context"
	"fmt"
	"slices"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Fork begins an alternative after the checkpoint that is line seq, 0 for the
// newest: a line of work of its own, which has everything up to there. The branch
// itself stays as it is, byte for byte. A damaged one can be forked too, from any
// checkpoint whose lines can still be read.
func (t *Task) Fork(ctx context.Context, seq int64, name string) (*Task, error) {
	d := t.desk
	who, err := d.person(ctx)
	if err != nil {
		return nil, err
	}
	nonce, err := d.nonce()
	if err != nil {
		return nil, err
	}
	newest := t.Snapshot()
	if n := len(newest.Checkpoints); seq == 0 && n > 0 {
		seq = newest.Checkpoints[n-1].Seq
	}
	st, err := t.At(ctx, seq)
	if err != nil {
		return nil, err
	}
	if err := endsInCheckpoint(st); err != nil {
		return nil, err
	}
	entries := []Entry{{By: ledger.Person, Who: who, Op: &ledger.Fork{Name: plain(name), Nonce: nonce, Parent: st.Chain.String()}}}
	again, err := t.stillReported(ctx, st, newest, who)
	if err != nil {
		return nil, err
	}
	f := d.blank("")
	f.state = st
	group, _, err := f.build(ctx, append(entries, again...), nil)
	if err != nil {
		return nil, err
	}
	id, err := d.store.Begin(ctx, t.Branch, group)
	if err != nil {
		return nil, fmt.Errorf("begin an alternative: %w", err)
	}
	if err := t.lend(ctx, &Task{Branch: id, desk: d}, st, newest); err != nil {
		return nil, err
	}
	return d.Open(ctx, id)
}

// endsInCheckpoint: a branch begins after a checkpoint, and one that says of its
// lines what they lead to.
func endsInCheckpoint(st *state.State) error {
	n := len(st.Checkpoints)
	if n == 0 || st.Checkpoints[n-1].Seq != st.Seq {
		do := "An alternative begins at a checkpoint."
		if n > 0 {
			do = fmt.Sprintf("An alternative begins at a checkpoint; the one before that line is %d.", st.Checkpoints[n-1].Seq)
		}
		return &engine.Error{Kind: engine.KindUsage, What: fmt.Sprintf("Line %d is not a checkpoint.", st.Seq), Safe: "Nothing was changed.", Do: do}
	}
	if cp := st.Checkpoints[n-1]; cp.Fold == state.FoldVersion && cp.State != st.Hash().String() {
		return &engine.Error{Kind: engine.KindDamaged, What: fmt.Sprintf("The checkpoint at line %d was made of another state than its lines give.", st.Seq),
			Safe: "Nothing was changed.", Do: "Go on from an earlier checkpoint."}
	}
	return nil
}

// stillReported: where an import came after the fork's place, what it made the
// sender's stays the sender's, and the texts that did not travel are named. The person
// accepted that file already.
func (t *Task) stillReported(ctx context.Context, st, newest *state.State, who string) ([]Entry, error) {
	entries, err := t.notHere(ctx, st)
	if err != nil {
		return nil, err
	}
	if len(entries) > 200 { // a group has its bounds; the next intake says the rest
		entries = entries[:200]
	}
	imp := newest.Imported
	if imp == nil || newest.ImportSeq <= st.Seq || imp.Known >= st.Seq {
		return entries, nil
	}
	entries = append([]Entry{engineSays(&ledger.Import{File: imp.File, Known: imp.Known})}, entries...)
	reason := audit.ImportReason(newest)
	if slices.ContainsFunc(audit.Reasons(newest, audit.Now{}), func(r audit.Reason) bool { return r.ID == reason }) {
		return entries, nil // nobody accepted it yet
	}
	return append(entries, Entry{By: ledger.Person, Who: who, Op: &ledger.Check{ID: reason, How: "person", Verdict: "right"}}), nil
}

// lend gives an alternative what this machine keeps for its parent: the folder, what
// is remembered of its files as far as the alternative has the sources, what was
// deleted for good, and the parts of the file that it came from.
func (t *Task) lend(ctx context.Context, to *Task, st, newest *state.State) error {
	dir, err := t.Folder(ctx)
	if err == nil && dir != "" {
		err = to.SetFolder(ctx, dir)
	}
	if err != nil {
		return fmt.Errorf("remember the folder: %w", err)
	}
	shut, err := t.shut(ctx)
	if err == nil && len(shut.Sources)+len(shut.Files) > 0 {
		err = to.putShut(ctx, shut)
	}
	if err != nil {
		return err
	}
	files, err := t.fileRecords(ctx)
	if err != nil {
		return err
	}
	for n, of := range files.of {
		for path, rec := range of {
			switch at := ancestor(newest, st, rec.Source); at {
			case rec.Source:
			case "":
				delete(of, path) // it joined later: the next intake brings it
			default:
				of[path] = fileRecord{Size: -1, Source: at} // an older version stands here: the file is read again
			}
		}
		files.dirty[n] = len(of) > 0
	}
	if err := to.putFileRecords(ctx, files); err != nil {
		return err
	}
	if st.Imported == nil || newest.ImportSeq != st.ImportSeq {
		return nil
	}
	body, err := t.desk.store.Local(ctx, t.Branch, segmentsName)
	if engine.KindOf(err) == engine.KindNotFound && err != nil {
		return nil
	}
	if err == nil {
		err = t.desk.store.PutLocal(ctx, to.Branch, segmentsName, body)
	}
	if err != nil {
		return fmt.Errorf("keep the file's record: %w", err)
	}
	return nil
}

// ancestor is the newest version of a source that an older state has, "" for none.
func ancestor(newest, old *state.State, id string) string {
	for range newest.SourceIDs {
		if old.Sources[id] != nil {
			return id
		}
		s := newest.Sources[id]
		if s == nil {
			return ""
		}
		id = s.Parent
	}
	return ""
}
