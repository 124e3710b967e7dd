package task

import (
	"context"
	"slices"

	"cairn/engine"
	"cairn/engine/ledger"
)

// act is one group that a person wrote: what Undo takes back, whole.
type act struct {
	lines []int64 // seqs of its work lines
	who   string
	op    string // the act's leading op, for its name
}

// remember adds a finished group to the acts, or removes the one that it undid.
func remember(acts []act, group []*ledger.Line) []act {
	var a act
	for _, l := range group {
		if l.Origin != nil {
			continue // written again in a new ledger: acts of a history that is gone
		}
		if u, ok := l.Op.(*ledger.Undo); ok {
			return forget(acts, u.Line)
		}
		if l.Withheld || !ledger.IsWork(l.Op.OpName()) {
			continue
		}
		if l.By == ledger.Engine && len(a.lines) > 0 {
			a.lines = append(a.lines, l.Seq) // what followed from it goes back with it
			continue
		}
		if l.By != ledger.Person {
			continue
		}
		switch l.Op.OpName() {
		case "task", "source", "erase":
			return acts // never undone (DESIGN 3.2)
		}
		if a.op == "" || l.Op.OpName() == "retract" || l.Op.OpName() == "supersede" {
			a.op, a.who = l.Op.OpName(), l.Who
		}
		a.lines = append(a.lines, l.Seq)
	}
	if len(a.lines) > 0 {
		acts = append(acts, a)
	}
	return acts
}

func forget(acts []act, seq int64) []act {
	for i, a := range acts {
		for _, l := range a.lines {
			if l == seq {
				return append(acts[:i:i], acts[i+1:]...)
			}
		}
	}
	return acts
}

// Undoable names the last act of this machine's person that can be taken back, ""
// when none. What came in with a file is the sender's to undo.
func (t *Task) Undoable(ctx context.Context) (string, error) {
	last, err := t.lastAct(ctx)
	if err != nil || len(last.lines) == 0 {
		return "", err
	}
	return last.name(), nil
}

func (t *Task) lastAct(ctx context.Context) (act, error) {
	who, err := t.desk.person(ctx)
	if err != nil {
		return act{}, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i := len(t.acts) - 1; i >= 0; i-- {
		if t.acts[i].who != who {
			continue
		}
		// A line that changed nothing, as when what is set aside is set aside again,
		// leaves nothing to take back, and is not in the way of what does.
		a := t.acts[i]
		a.lines = slices.DeleteFunc(slices.Clone(a.lines), func(seq int64) bool { return !t.state.Changed(seq) })
		if len(a.lines) > 0 {
			return a, nil
		}
	}
	return act{}, nil
}

func (a act) name() string {
	switch a.op {
	case "retract":
		return "your retraction"
	case "supersede":
		return "your correction"
	case "check", "accept", "claim":
		return "your check"
	case "question":
		return "your question"
	case "drop":
		return "dropping a question"
	case "reopen":
		return "opening a question again"
	case "scope":
		return "what you set aside"
	case "note":
		return "your note"
	case "set":
		return "your change of settings"
	case "amend":
		return "your change of the task"
	}
	return "your last change"
}

// Undo takes the person's last act back, in reverse, as one group. It gives the
// name of what was undone. Where later lines touched it, the error names them.
func (t *Task) Undo(ctx context.Context) (string, error) {
	last, err := t.lastAct(ctx)
	if err != nil {
		return "", err
	}
	if len(last.lines) == 0 {
		return "", &engine.Error{Kind: engine.KindUsage, What: "There is nothing of yours to undo."}
	}
	who, err := t.desk.person(ctx)
	if err != nil {
		return "", err
	}
	var entries []Entry
	for i := len(last.lines) - 1; i >= 0; i-- {
		entries = append(entries, Entry{By: ledger.Person, Who: who, Op: &ledger.Undo{Line: last.lines[i]}})
	}
	if err := t.Commit(ctx, entries, nil); err != nil {
		return "", err
	}
	return last.name(), nil
}
