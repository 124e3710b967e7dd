package task

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
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

	again *again // of a line that is written again in a new ledger
}

// again is what a line keeps that is written again.
type again struct {
	at       int64
	origin   *ledger.Origin
	reported bool
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
	held  error // why nothing is written for the moment, nil when it is
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

// Lines calls fn for each line from seq on, as stored.
func (t *Task) Lines(ctx context.Context, from int64, fn func(seq int64, line []byte) error) error {
	return t.desk.store.Lines(ctx, t.Branch, from, fn)
}

var errEnough = fmt.Errorf("enough")

// load folds the stored lines. Lines that do not decode or have no effect make
// the task read-only and say so: damage is named, never guessed around.
func (t *Task) load(ctx context.Context) error {
	st := state.New()
	st.Lazy()
	var acts []act
	var group []*ledger.Line
	var findings []state.Finding
	err := decoded(ctx, t.desk.store, t.Branch, func(line *ledger.Line) error {
		if !line.Withheld && line.Prev != st.Chain {
			return &engine.Error{Kind: engine.KindDamaged, What: fmt.Sprintf("Line %d does not follow the one before it.", line.Seq)}
		}
		findings = append(findings, st.Apply(line)...)
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
	findings = append(findings, st.Eager()...)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state, t.acts = st, acts
	if len(findings) > 0 {
		t.fault = &engine.Error{Kind: engine.KindDamaged,
			What: fmt.Sprintf("Line %d has no effect: %s.", findings[0].Seq, findings[0].Message),
			Safe: "Nothing was changed.", Do: "Go on from an earlier checkpoint, or import a good copy."}
	}
	return nil
}

// batch is how many lines travel together from the decoder to the fold.
const batch = 256

// decoded calls fn for each line of a branch, decoded by another goroutine: both
// take about as long, and opening is what a person waits for.
func decoded(ctx context.Context, store engine.Store, branch string, fn func(*ledger.Line) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := make(chan []*ledger.Line, 8)
	var failed error
	go func() {
		defer close(batches)
		lines := make([]*ledger.Line, 0, batch)
		send := func() error {
			select {
			case batches <- lines:
				lines = make([]*ledger.Line, 0, batch)
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		failed = store.Lines(ctx, branch, 1, func(n int64, raw []byte) error {
			line, err := ledger.Decode(bytes.Clone(raw))
			if err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
			if lines = append(lines, line); len(lines) == batch {
				return send()
			}
			return nil
		})
		if failed == nil {
			failed = send()
		}
	}()
	for lines := range batches {
		for _, line := range lines {
			if err := fn(line); err != nil {
				return err
			}
		}
	}
	return failed // written before batches was closed
}

// Commit makes entries durable as one group. A group that changes work gets its
// checkpoint; step is what it closes, nil for a person's act. When Commit returns
// nil the group is saved. An entry that would have no effect refuses the whole
// group (KindRefused) and changes nothing.
func (t *Task) Commit(ctx context.Context, entries []Entry, step *ledger.NextStep) error {
	return t.save(ctx, entries, step, false)
}

// save is Commit. With changes, a group whose entries change nothing is not written.
func (t *Task) save(ctx context.Context, entries []Entry, step *ledger.NextStep, changes bool) error {
	if len(entries) == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault != nil {
		return t.fault
	}
	if t.held != nil {
		return t.held
	}
	group, lines, err := t.build(ctx, entries, step)
	if err == nil && changes && !slices.ContainsFunc(lines, func(l *ledger.Line) bool {
		return t.state.Changed(l.Seq) || !ledger.IsWork(l.Op.OpName()) && l.Op.OpName() != "checkpoint"
	}) {
		return t.reload()
	}
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
func (t *Task) build(ctx context.Context, entries []Entry, step *ledger.NextStep) ([][]byte, []*ledger.Line, error) {
	g := t.begin()
	works := false
	for _, e := range entries {
		works = works || ledger.IsWork(e.Op.OpName()) || needsCheckpoint(e.Op)
	}
	for i, e := range entries {
		if err := g.add(e, !works && i == len(entries)-1); err != nil {
			return nil, nil, err
		}
	}
	if works {
		if err := g.end(ctx, step); err != nil {
			return nil, nil, err
		}
	}
	return g.frame.Lines(), g.lines, nil
}

// begin starts the group after the newest line.
func (t *Task) begin() *group {
	// A clock may be set to before 1970, where the format has no times.
	at := max(0, t.desk.clock.Now().UnixMilli())
	return &group{task: t, since: t.state.Seq, frame: t.state.Begin(), at: at}
}

// group is the group that is being built.
type group struct {
	task  *Task
	since int64 // seq of the line before it
	at    int64
	frame *ledger.Builder
	lines []*ledger.Line
}

// end closes a group that changes work: what follows from it, and its checkpoint.
func (g *group) end(ctx context.Context, step *ledger.NextStep) error {
	if err := g.follow(); err != nil {
		return err
	}
	cp, err := g.task.checkpoint(ctx, g.since, step)
	if err != nil {
		return err
	}
	next, err := planner.Next(g.task.state, g.task.library)
	if err != nil {
		return fmt.Errorf("plan the next step: %w", err)
	}
	cp.Next = nextStep(next)
	return g.add(Entry{By: ledger.Engine, Op: cp}, true)
}

// follow adds the engine's lines that what the group did asks for.
func (g *group) follow() error {
	for _, e := range consequences(g.task.state, g.since) {
		if err := g.add(e, false); err != nil {
			return err
		}
	}
	return nil
}

func nextStep(s planner.Step) *ledger.NextStep {
	return &ledger.NextStep{Kind: s.Kind, Args: s.Args, Serves: s.Serves}
}

// add writes one line and applies it. A line that would have no effect is refused.
func (g *group) add(e Entry, last bool) error {
	le := ledger.Entry{At: g.at, By: e.By, Who: e.Who}
	if e.again != nil {
		le.At, le.Origin, le.Reported = e.again.at, e.again.origin, e.again.reported
	}
	if ledger.IsLog(e.Op.OpName()) {
		salt, err := g.task.desk.hex()
		if err != nil {
			return err
		}
		le.Salt = salt
	}
	if f := g.task.state.Try(le, e.Op); f != nil {
		return &engine.Error{Kind: engine.KindRefused, What: sentence(f.Message), Safe: "Nothing was changed.",
			Err: fmt.Errorf("%s: %s", f.Code, e.Op.OpName())}
	}
	line, err := g.frame.Add(le, e.Op, last)
	if err != nil {
		return &engine.Error{Kind: engine.KindUsage, What: sentence(err.Error()), Safe: "Nothing was changed.", Err: err}
	}
	for _, f := range g.task.state.Apply(line) {
		return fmt.Errorf("apply line %d (%s): %s", line.Seq, e.Op.OpName(), f.Message)
	}
	g.lines = append(g.lines, line)
	return nil
}

// needsCheckpoint: frame ops that change what the state is and so end in a checkpoint.
func needsCheckpoint(op ledger.Op) bool {
	switch op.OpName() {
	case "import", "root", "fork", "join":
		return true
	}
	return false
}

// checkpoint computes what the closing line says, but for what comes next. Nothing
// in it is a model's.
func (t *Task) checkpoint(ctx context.Context, since int64, step *ledger.NextStep) (*ledger.Checkpoint, error) {
	st := t.state
	cp, more := st.Checkpoint(since)
	if len(more) > 0 {
		h, err := t.desk.store.PutBlob(ctx, []byte(strings.Join(more, "\n")))
		if err != nil {
			return nil, fmt.Errorf("store the list of what changed: %w", err)
		}
		cp.Sum.More = h.String()
	}
	cp.App, cp.Template, cp.Model, cp.Step = t.desk.app, prompt.Version, st.Settings.Digest, step
	cp.Gate, cp.Reasons = Gate(st), Amber(st)
	for _, id := range st.QuestionIDs {
		if len(cp.Complete) < 256 && st.Questions[id].Status != state.Dropped {
			cp.Complete = append(cp.Complete, st.Cover(id))
		}
	}
	return &cp, nil
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
