package lives

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/task"
)

// errNone: there is nothing that the op could be done to.
var errNone = errors.New("nothing to do it to")

// turn is one op while it is done.
type turn struct {
	*machine
	Op
	dice *rand.Rand
	task *task.Task
	st   *state.State // before it
	rec  *record
}

// acts are the ops by kind.
var acts = map[string]func(*turn, context.Context) error{
	"create": (*turn).create, "files": (*turn).files, "run": (*turn).run, "whole": (*turn).whole, "crash": (*turn).crash, "sleep": (*turn).sleep,
	"fork": (*turn).fork, "join": (*turn).join, "send": (*turn).send, "delete": (*turn).remove, "erase": (*turn).erase,
	"undo": (*turn).undoLast, "meddle": (*turn).meddle, "and-undo": (*turn).andUndo,
}

// do does one op: on a machine, in one of its branches, now and then with the end
// of the process in the middle of it. Then it looks at everything.
func (l *life) do(ctx context.Context, op Op) {
	d := rand.New(rand.NewPCG(op.Seed, 11))
	m := l.machines[0]
	if away := l.machines[1]; d.IntN(5) == 0 && len(away.branches(ctx)) > 0 {
		m = away
	}
	t := &turn{machine: m, Op: op, dice: d}
	if op.Kind != "create" {
		all := m.branches(ctx)
		if len(all) == 0 {
			return
		}
		var err error
		if t.task, err = m.desk.Open(ctx, pick(d, all).ID); err != nil {
			l.fail("%s: open a task: %v", m.name, err)
			return
		}
		t.st, t.rec = t.task.Snapshot(), m.record(t.task.Branch)
	}
	if d.IntN(6) == 0 {
		m.medium.arm(1+d.IntN(12), d.IntN(2) == 0)
	}
	act := acts[op.Kind]
	if act == nil {
		act = (*turn).edit
	}
	err := act(t, ctx)
	died := m.medium.died()
	if died {
		m.restart(ctx)
	}
	if err != nil && !died && !declined(err) {
		l.fail("%s: %v", m.name, err)
	}
	l.clock.Advance(time.Duration(d.IntN(60)) * time.Second)
	for _, one := range l.machines {
		one.check(ctx, d, died && one == m)
	}
}

// declined: the act made no sense at this moment, which was said.
func declined(err error) bool {
	if errors.Is(err, errNone) {
		return true
	}
	switch engine.KindOf(err) {
	case engine.KindUsage, engine.KindRefused, engine.KindNotFound:
		return true
	}
	return false
}

func (t *turn) create(ctx context.Context) error {
	if len(t.branches(ctx)) > 5 {
		return errNone
	}
	n := task.New{Goal: "Find out about " + pick(t.dice, things) + ".", Title: "Notes", Constraints: []string{"Only what is written."},
		Set: ledger.Set{Model: modelName, Depth: pick(t.dice, []string{"quick", "thorough", "exhaustive"})}}
	for range 1 + t.dice.IntN(3) {
		if q := question(t.dice); !slices.Contains(n.Questions, q) {
			n.Questions = append(n.Questions, q)
		}
	}
	if t.dice.IntN(12) == 0 {
		n.Set.Model = "-"
	}
	made, err := t.desk.Create(ctx, n)
	if err != nil {
		return err
	}
	dir := fmt.Sprintf("/folder-%d", t.Seed)
	f := &folder{files: map[string]*file{}}
	for i := range 1 + t.dice.IntN(4) {
		f.write(t.dice, fmt.Sprintf("notes-%d.txt", i), t.clock.Now())
	}
	t.dirs.at[dir] = f
	if err := made.SetFolder(ctx, dir); err != nil {
		return err
	}
	_, err = made.Intake(ctx, t.dirs.Scan, t.dirs, nil)
	return err
}

// files changes what is in the folder: new, changed, gone, back, moved; then it is
// taken in.
func (t *turn) files(ctx context.Context) error {
	dir, err := t.task.Folder(ctx)
	if err != nil {
		return err
	}
	f := t.dirs.at[dir]
	if f == nil {
		dir = fmt.Sprintf("/folder-%d", t.Seed)
		if all := slices.Sorted(maps.Keys(t.dirs.at)); len(all) > 0 && t.dice.IntN(2) == 0 {
			dir = pick(t.dice, all) // a colleague has the same documents
		}
		if t.dirs.at[dir] == nil {
			t.dirs.at[dir] = &folder{files: map[string]*file{}}
		}
		if err := t.task.SetFolder(ctx, dir); err != nil {
			return err
		}
		f = t.dirs.at[dir]
	}
	names := f.names()
	switch n := t.dice.IntN(5); {
	case n == 0 || len(names) == 0:
		f.write(t.dice, fmt.Sprintf("notes-%d.txt", len(names)+t.dice.IntN(40)), t.clock.Now())
	case n == 1:
		f.write(t.dice, pick(t.dice, names), t.clock.Now())
	case n == 2:
		delete(f.files, pick(t.dice, names))
	case n == 3:
		name := pick(t.dice, names)
		f.files["moved-"+name] = f.files[name]
		delete(f.files, name)
	}
	_, err = t.task.Intake(ctx, t.dirs.Scan, t.dirs, nil)
	return err
}

// crash ends the process between two things.
func (t *turn) crash(ctx context.Context) error {
	t.medium.died()
	t.restart(ctx)
	return nil
}

// sleep lets a night pass, or sets the clock.
func (t *turn) sleep(context.Context) error {
	t.clock.Jump(pick(t.dice, []time.Duration{8 * time.Hour, time.Hour, -time.Hour, 10 * 365 * 24 * time.Hour, -10 * 365 * 24 * time.Hour}))
	return nil
}

// fork begins an alternative at a checkpoint.
func (t *turn) fork(ctx context.Context) error {
	if len(t.branches(ctx)) > 7 {
		return errNone
	}
	cp := pick(t.dice, t.st.Checkpoints)
	if t.dice.IntN(3) == 0 {
		cp = t.st.Checkpoints[len(t.st.Checkpoints)-1]
	}
	made, err := t.task.Fork(ctx, cp.Seq, "What if?")
	if err != nil {
		return fmt.Errorf("fork at %d: %w", cp.Seq, err)
	}
	if cp.Seq == t.st.Seq {
		r := t.record(made.Branch)
		r.decisions, r.again = t.rec.decisions.clone(), t.rec.again
	}
	at, err := t.task.At(ctx, cp.Seq)
	if err != nil {
		return err
	}
	// The line of an import in the alternative changes what counts, as it must.
	if made.Snapshot().ImportSeq == at.ImportSeq && made.Snapshot().Hash() != at.Hash() {
		t.fail("the alternative does not begin with the work of its checkpoint at line %d", cp.Seq)
	}
	return nil
}

// join takes over another branch's results; a second time there is nothing.
func (t *turn) join(ctx context.Context) error {
	all := t.branches(ctx)
	other, err := t.desk.Open(ctx, pick(t.dice, all).ID)
	if err != nil {
		return err
	}
	if _, err := t.task.Join(ctx, other); err != nil {
		return err
	}
	if _, err := t.task.Join(ctx, other); engine.KindOf(err) != engine.KindRefused && !errors.Is(err, errDead) {
		t.fail("a second join of the same results is not refused: %v", err)
	}
	return nil
}

// remove deletes a branch for good, with what was forked from it.
func (t *turn) remove(ctx context.Context) error {
	clear(t.acked)
	_, err := t.medium.store().Delete(ctx, t.task.Branch)
	t.forget(ctx)
	return err
}

// forget drops what was remembered of branches that a deletion took, whether or
// not the deletion was cut off: it is finished at the next start.
func (t *turn) forget(ctx context.Context) {
	gone := map[string]bool{t.task.Branch: true}
	for more := true; more; {
		more = false
		for id, r := range t.seen {
			if !gone[id] && gone[r.parent] {
				gone[id], more = true, true
			}
		}
	}
	for id := range gone {
		t.seen[id].deleted = true
		t.desk.Forget(id)
	}
}

// erase deletes a document for good: every branch of the task is written again.
func (t *turn) erase(ctx context.Context) error {
	if len(t.st.SourceIDs) == 0 {
		return errNone
	}
	source := pick(t.dice, t.st.SourceIDs)
	e, err := t.desk.Erasure(ctx, t.task.Branch, source)
	if err != nil {
		return err
	}
	family := e.Family()
	for _, id := range family {
		t.record(id).deleted = true // or still there whole, when it was cut off
	}
	done, err := e.Run(ctx, nil)
	if err != nil {
		return err
	}
	for _, id := range family {
		to, err := t.desk.Open(ctx, done.Moved[id])
		if err != nil {
			return fmt.Errorf("open what was written again: %w", err)
		}
		if to.Snapshot().Sources[source] != nil {
			t.fail("the document that was deleted for good is in the new record")
		}
		r := t.record(to.Branch)
		r.decisions, r.again = t.record(id).decisions.clone(), true
		r.decisions.keepGone(to.Snapshot())
	}
	return nil
}
