package lives

import (
	"context"

	"cairn/engine"
	"cairn/engine/ledger"
)

// witness remembers what a store acknowledged.
type witness struct {
	engine.Store
	acked map[string]int64 // branch → its newest line that was said to be saved
}

// Begin implements engine.Store.
func (w *witness) Begin(ctx context.Context, parent string, group [][]byte) (string, error) {
	id, err := w.Store.Begin(ctx, parent, group)
	if err == nil {
		w.note(id, group)
	}
	return id, err
}

// Append implements engine.Store.
func (w *witness) Append(ctx context.Context, branch string, group [][]byte) error {
	err := w.Store.Append(ctx, branch, group)
	if err == nil {
		w.note(branch, group)
	}
	return err
}

// Delete implements engine.Store. What was to go may be gone or not.
func (w *witness) Delete(ctx context.Context, branch string) (engine.Erased, error) {
	clear(w.acked)
	return w.Store.Delete(ctx, branch)
}

func (w *witness) note(branch string, group [][]byte) {
	if f, err := ledger.DecodeFrame(group[len(group)-1]); err == nil && !f.Withheld {
		w.acked[branch] = f.Seq
	}
}

// missing says which acknowledged lines are not there.
func (m *machine) missing(ctx context.Context) {
	for id, seq := range m.acked {
		b, err := m.medium.store().Branch(ctx, id)
		if err != nil || b.Head.Seq < seq {
			m.fail("%s: line %d was acknowledged, and branch %.8s ends with %d: %v", m.name, seq, id, b.Head.Seq, err)
		}
	}
	clear(m.acked)
}
