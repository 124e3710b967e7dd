package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// foldUpTo is the line up to which folding from the first line is quicker than
// rewinding the newest state of a long ledger.
const foldUpTo = 6000

// At is the state as it stood after an earlier line, to be looked at only: the newest
// state rewound, or, near the beginning and where that can't be, the lines folded.
func (t *Task) At(ctx context.Context, seq int64) (*state.State, error) {
	var st *state.State
	var err error
	if seq > foldUpTo {
		st, err = t.rewound(ctx, seq)
	}
	if st == nil && err == nil {
		st, err = t.folded(ctx, seq)
	}
	if err != nil {
		return nil, fmt.Errorf("show line %d: %w", seq, err)
	}
	if seq < 1 || st.Seq != seq {
		return nil, &engine.Error{Kind: engine.KindNotFound, What: fmt.Sprintf("There is no line %d in this task.", seq)}
	}
	return st, nil
}

// rewound takes the newest state back to a line. nil, without error, when the line is
// withheld or not there.
func (t *Task) rewound(ctx context.Context, seq int64) (*state.State, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if seq > t.state.Seq {
		return nil, nil
	}
	l, err := t.line(ctx, seq)
	if err != nil || l.Withheld {
		return nil, err
	}
	var ended *ledger.End
	var imported *ledger.Import
	endSeq, importSeq := t.state.EndAndImport(seq)
	for _, at := range []int64{endSeq, importSeq} {
		if at == 0 {
			continue
		}
		other, err := t.line(ctx, at)
		if err != nil {
			return nil, err
		}
		switch op := other.Op.(type) {
		case *ledger.End:
			ended = op
		case *ledger.Import:
			imported = op
		default:
			return nil, nil // withheld: folding says what can be said
		}
	}
	st := t.state.Rewound(l, ended, imported)
	if st == nil {
		return nil, nil
	}
	if n := len(st.Checkpoints); n > 0 && st.Checkpoints[n-1].Seq == seq && st.Checkpoints[n-1].Chain != st.Chain {
		return nil, &engine.Error{Kind: engine.KindDamaged, What: fmt.Sprintf("Line %d is not the one that was read when the task was opened.", seq),
			Safe: "Nothing was changed.", Do: "Run “cairn vault check”."}
	}
	return st, nil
}

// line reads one line.
func (t *Task) line(ctx context.Context, seq int64) (l *ledger.Line, err error) {
	err = t.desk.store.Lines(ctx, t.Branch, seq, func(_ int64, raw []byte) error {
		if l, err = ledger.Decode(bytes.Clone(raw)); err != nil {
			return err
		}
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("read line %d: %w", seq, err)
	}
	if l == nil {
		return nil, &engine.Error{Kind: engine.KindNotFound, What: fmt.Sprintf("There is no line %d in this task.", seq)}
	}
	return l, nil
}

// folded folds the lines up to seq.
func (t *Task) folded(ctx context.Context, seq int64) (*state.State, error) {
	st := state.New()
	st.Lazy()
	err := t.desk.store.Lines(ctx, t.Branch, 1, func(n int64, raw []byte) error {
		if n > seq { // what is damaged after it does not matter
			return errEnough
		}
		line, err := ledger.Decode(bytes.Clone(raw))
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		st.Apply(line)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return st, nil
}
