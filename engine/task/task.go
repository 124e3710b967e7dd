package task

import (
	"context"
	"fmt"
	"sync"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/prompt"
	"cairn/engine/state"
)

// Entry is one line to be: who says what.
type Entry struct {
	By  ledger.By
	Who string
	Op  ledger.Op
}

// Task is one branch, open. Safe for concurrent use; commits are serial.
type Task struct {
	Branch string

	desk    *Desk
	library *Library

	mu    sync.RWMutex
	state *state.State
	acts  []act // the person's acts that can be undone, oldest first
	fault error // what the fold found wrong while opening; the task is read-only then
}

// Library gives the stored texts of the task's sources.
func (t *Task) Library() *Library { return t.library }

// Read calls fn with the newest state, which fn must neither change nor keep.
func (t *Task) Read(fn func(*state.State) error) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return fn(t.state)
}

// Snapshot is a copy of the newest state that the caller may keep.
func (t *Task) Snapshot() *state.State {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.state.Clone()
}

// Fault says why the task can't go on, nil when it can.
func (t *Task) Fault() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.fault
}

// Next is the next step for the newest state.
func (t *Task) Next() (planner.Step, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return planner.Next(t.state, t.library)
}

// At folds the lines up to seq: the state as it stood at an earlier checkpoint.
func (t *Task) At(ctx context.Context, seq int64) (*state.State, error) {
	st := state.New()
	err := t.desk.store.Lines(ctx, t.Branch, 1, func(n int64, raw []byte) error {
		if n > seq {
			return errEnough
		}
		line, err := ledger.Decode(raw)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		st.Apply(line)
		return nil
	})
	if err != nil && err != errEnough {
		return nil, fmt.Errorf("fold up to line %d: %w", seq, err)
	}
	if st.Seq != seq {
		return nil, &engine.Error{Kind: engine.KindNotFound, What: fmt.Sprintf("There is no line %d in this task.", seq)}
	}
	return st, nil
}

// Lines calls fn for each line from seq on, as stored.
func (t *Task) Lines(ctx context.Context, from int64, fn func(seq int64, line []byte) error) error {
	return t.desk.store.Lines(ctx, t.Branch, from, fn)
}

var errEnough = fmt.Errorf("enough")

// load folds the stored lines. Lines that do not decode or have no effect make
// the task read-only and say so: damage is named, never guessed around.
func (t *Task) load(ctx context.Context) error {
	st := state.New()
	var acts []act
	var fault error
	var group []*ledger.Line
	err := t.desk.store.Lines(ctx, t.Branch, 1, func(n int64, raw []byte) error {
		line, err := ledger.Decode(append([]byte(nil), raw...))
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if line.Prev != st.Chain {
			return &engine.Error{Kind: engine.KindDamaged, What: fmt.Sprintf("Line %d does not follow the one before it.", n)}
		}
		for _, f := range st.Apply(line) {
			if fault == nil && f.IllFormed() {
				fault = &engine.Error{Kind: engine.KindDamaged,
					What: fmt.Sprintf("Line %d has no effect: %s", f.Seq, f.Message),
					Safe: "Nothing was changed.", Do: "Go on from an earlier checkpoint, or import a good copy."}
			}
		}
		group = append(group, line)
		if line.N > 0 {
			acts = remember(acts, group)
			group = group[:0]
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("open task %s: %w", t.Branch, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state, t.acts, t.fault = st, acts, fault
	return nil
}

// Commit makes entries durable as one group. A group that changes work gets its
// checkpoint; step is what it closes, nil for a person's act. When Commit returns
// nil the group is saved. An entry that would have no effect refuses the whole
// group (KindRefused) and changes nothing.
func (t *Task) Commit(ctx context.Context, entries []Entry, step *ledger.NextStep) error {
	if len(entries) == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault != nil {
		return t.fault
	}
	group, lines, err := t.build(entries, step)
	if err == nil {
		err = t.desk.store.Append(ctx, t.Branch, group)
	}
	if err != nil {
		// The state already holds the lines: fold it anew from what is stored.
		if back := t.reload(); back != nil {
			t.fault = back
		}
		return fmt.Errorf("save: %w", err)
	}
	t.acts = remember(t.acts, lines)
	return nil
}

// reload is load under the lock that the caller holds.
func (t *Task) reload() error {
	fresh := &Task{Branch: t.Branch, desk: t.desk}
	if err := fresh.load(context.Background()); err != nil {
		return err
	}
	t.state, t.acts = fresh.state, fresh.acts
	return nil
}

// build encodes entries as the next group and applies them to the state. On an
// error the state may hold a part of them.
func (t *Task) build(entries []Entry, step *ledger.NextStep) ([][]byte, []*ledger.Line, error) {
	st := t.state
	before := st.Mark()
	at := t.desk.clock.Now().UnixMilli()
	group := st.Group + 1
	works, closes := false, false
	for _, e := range entries {
		works = works || ledger.IsWork(e.Op.OpName()) || closesGroup(e.Op)
		closes = closes || e.Op.OpName() == "finish"
	}
	var raws [][]byte
	var lines []*ledger.Line
	put := func(e Entry, last bool) error {
		h := ledger.Head{Seq: st.Seq + 1, Group: group, At: at, By: e.By, Who: e.Who, Prev: st.Chain}
		if last {
			h.N = int64(len(raws) + 1)
		}
		if ledger.IsLog(e.Op.OpName()) {
			salt, err := t.desk.hex()
			if err != nil {
				return err
			}
			h.Salt = salt
		}
		raw, err := ledger.Encode(h, e.Op)
		if err != nil {
			return &engine.Error{Kind: engine.KindUsage, What: sentence(err.Error()), Safe: "Nothing was changed.", Err: err}
		}
		line, err := ledger.Decode(raw)
		if err != nil {
			return fmt.Errorf("read back line %d: %w", h.Seq, err)
		}
		for _, f := range st.Apply(line) {
			if f.IllFormed() {
				return &engine.Error{Kind: engine.KindRefused, What: sentence(f.Message), Safe: "Nothing was changed."}
			}
		}
		raws = append(raws, raw)
		lines = append(lines, line)
		return nil
	}
	for i, e := range entries {
		if err := put(e, !works && i == len(entries)-1); err != nil {
			return nil, nil, err
		}
	}
	if !works {
		return raws, lines, nil
	}
	for _, op := range st.Consequences(before) {
		if err := put(Entry{By: ledger.Engine, Op: op}, false); err != nil {
			return nil, nil, err
		}
	}
	cp, err := t.checkpoint(before, step)
	if err != nil {
		return nil, nil, err
	}
	if err := put(Entry{By: ledger.Engine, Op: cp}, true); err != nil {
		return nil, nil, err
	}
	return raws, lines, nil
}

// closesGroup: frame ops that change what the state is and so need a checkpoint.
func closesGroup(op ledger.Op) bool {
	switch op.OpName() {
	case "import", "root", "fork", "join":
		return true
	}
	return false
}

// checkpoint computes what the closing line says. Nothing in it is a model's.
func (t *Task) checkpoint(before state.Mark, step *ledger.NextStep) (*ledger.Checkpoint, error) {
	st := t.state
	next, err := planner.Next(st, t.library)
	if err != nil {
		return nil, fmt.Errorf("plan the next step: %w", err)
	}
	cover, _, err := planner.Progress(st, t.library)
	if err != nil {
		return nil, fmt.Errorf("count what was read: %w", err)
	}
	sum := st.SumSince(before)
	counts := st.Counts()
	cp := &ledger.Checkpoint{
		App: t.desk.app, Template: prompt.Version, Fold: state.FoldVersion,
		State: st.Hash().String(), Gate: st.Gate(), Reasons: st.Amber(),
		Sum: &sum, Counts: &counts, Open: st.OpenItems(20),
		Next: &ledger.NextStep{Kind: next.Kind, Args: next.Args, Serves: next.Serves},
		Step: step, Model: st.Settings.Digest,
	}
	if n := len(st.Checkpoints); n > 0 {
		cp.Parent = st.Checkpoints[n-1].Seq
	}
	for _, c := range cover[:min(len(cover), 256)] {
		cp.Complete = append(cp.Complete, ledger.Cover{Question: c.Question, Shown: c.Shown, Left: c.Left})
	}
	return cp, nil
}

// sentence makes a message a sentence: a capital and a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	if last := s[len(s)-1]; last != '.' && last != '!' && last != '?' {
		s += "."
	}
	return s
}

// Blobs is the store's blobs, for prompts and replies.
func (t *Task) Blobs() engine.Blobs { return t.desk.store }

// PutDraft writes the text of the running call aside, unsynced, for display.
func (t *Task) PutDraft(text []byte) error { return t.desk.store.PutDraft(t.Branch, text) }

// Draft is the text that a running or interrupted call had written so far.
func (t *Task) Draft() ([]byte, error) { return t.desk.store.Draft(t.Branch) }
