package task

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
)

// lost gives the sources that should have their texts here and have not, with the
// seqs of their lines: the store was lost, and the journals hold no texts.
func (t *Task) lost(ctx context.Context) (map[string]int64, error) {
	lost := map[string]int64{}
	err := t.Read(func(st *state.State) error {
		for _, id := range st.SourceIDs {
			s := st.Sources[id]
			if s.Body == "" || s.NotHere() {
				continue
			}
			here, err := t.has(ctx, s)
			if err != nil {
				return fmt.Errorf("look for the text of %q: %w", s.Name, err)
			}
			if !here {
				lost[id] = s.Seq
			}
		}
		return nil
	})
	return lost, err
}

// sayLost records that the texts of these sources are not here. Their claims and
// quotes stand: the quoted sentences are in the lines. A file with the same bytes
// lifts it.
func (t *Task) sayLost(ctx context.Context, lost map[string]int64) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(lost)), intakeFiles) {
		var lines []Entry
		for _, id := range ids {
			if !t.hasMissing(id) {
				lines = append(lines, engineSays(&ledger.Missing{ID: id, Reason: "not_here"}))
			}
		}
		if err := t.Commit(ctx, lines, nil); err != nil {
			return fmt.Errorf("record that texts are lost: %w", err)
		}
	}
	return nil
}

// hasMissing: a line says already why the source's text is not here.
func (t *Task) hasMissing(id string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := t.state.Sources[id]
	return s == nil || s.NotHere()
}

// wanted: the source's text is not here, so its file is read though it did not change.
func (in *intake) wanted(id string) bool {
	if _, ok := in.lost[id]; ok {
		return true
	}
	in.task.mu.RLock()
	defer in.task.mu.RUnlock()
	s := in.task.state.Sources[id]
	return s != nil && s.Missing == "not_here"
}

// store keeps the text and the sentences of a document. What a saved line names
// already is durable at once; the rest with the line that will.
func (in *intake) store(ctx context.Context, name, id string, doc source.Document, taken *Taken) error {
	put := in.task.desk.store.PutBlob
	seq, lost := in.lost[id]
	if lost {
		put = func(ctx context.Context, body []byte) (ledger.Hash, error) {
			return in.task.desk.store.PutNamed(ctx, seq, body)
		}
	}
	if _, err := put(ctx, doc.Body); err != nil {
		return fmt.Errorf("store the text of %q: %w", name, err)
	}
	table := doc.Table.Encode()
	if _, err := put(ctx, table); err != nil {
		return fmt.Errorf("store the sentences of %q: %w", name, err)
	}
	if !lost {
		return nil
	}
	// The id holds the text but not how it was cut: another cut is no way back.
	if !in.sameCut(id, table) {
		return nil
	}
	delete(in.lost, id)
	taken.Restored++
	return nil
}

// sameCut: the table of sentences is the one that the source's line names.
func (in *intake) sameCut(id string, table []byte) bool {
	in.task.mu.RLock()
	defer in.task.mu.RUnlock()
	s := in.task.state.Sources[id]
	return s != nil && s.Table == ledger.HashOf(table).String()
}
