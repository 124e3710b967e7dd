package task

import (
	"bytes"
	"context"
	"fmt"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Joined says what a Join took over.
type Joined struct {
	Lines, Sources, Claims int
	Asked                  int // questions where two people decided differently
}

// Join takes over the results of another branch that this one does not have (DESIGN
// 3.2): written here again, each with its origin. It takes several groups where they
// are many; begun again after a crash it takes over the rest.
func (t *Task) Join(ctx context.Context, other *Task) (Joined, error) {
	var out Joined
	if t.Branch == other.Branch {
		return out, usage("This is the same line of work.", "Name another alternative or task.")
	}
	if err := other.Fault(); err != nil {
		return out, fmt.Errorf("take over from a damaged record: %w", err)
	}
	who, err := t.desk.person(ctx)
	if err != nil {
		return out, err
	}
	there := other.Snapshot()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault != nil {
		return out, t.fault
	}
	if t.held != nil {
		return out, t.held
	}
	lines, err := t.apart(ctx, other, there)
	if err != nil {
		return out, err
	}
	again := t.state.Join(lines, there)
	join := Entry{By: ledger.Person, Who: who, Op: &ledger.Join{Branch: other.Branch, Chain: there.Chain.String()}}
	if err := t.takeOver(ctx, join, again, &out); err != nil {
		if back := t.reload(); back != nil {
			t.fault = back
		}
		return out, fmt.Errorf("take over another's results: %w", err)
	}
	if out.Lines == 0 {
		return out, &engine.Error{Kind: engine.KindRefused, What: "There is nothing in it that is not here.", Safe: "Nothing was changed."}
	}
	return out, nil
}

// apart gives the other branch's lines after the beginning that both have.
func (t *Task) apart(ctx context.Context, other *Task, there *state.State) ([]*ledger.Line, error) {
	var mine []ledger.Hash
	err := t.desk.store.Lines(ctx, t.Branch, 1, func(n int64, raw []byte) error {
		f, err := ledger.DecodeFrame(raw)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		mine = append(mine, f.Hash)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read this branch: %w", err)
	}
	same := true
	var out []*ledger.Line
	err = t.desk.store.Lines(ctx, other.Branch, 1, func(n int64, raw []byte) error {
		if n > there.Seq {
			return errEnough
		}
		line, err := ledger.Decode(bytes.Clone(raw))
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if same = same && n <= int64(len(mine)) && mine[n-1] == line.Hash; !same {
			out = append(out, line)
		}
		return nil
	})
	if err != nil && err != errEnough {
		return nil, fmt.Errorf("read the other branch: %w", err)
	}
	return out, nil
}

// takeOver writes the results in as many groups as they need. The caller holds mu.
func (t *Task) takeOver(ctx context.Context, join Entry, results []state.Reissued, out *Joined) error {
	g := t.begin()
	for _, r := range results {
		e := Entry{By: r.Entry.By, Who: r.Entry.Who, Op: r.Op}
		if c, ok := r.Op.(*ledger.Close); ok && e.By != ledger.Person {
			if e.Op = backed(t.state, c); e.Op == nil {
				continue // what it rests on there was set aside here: the question stays open
			}
		}
		if out.Lines == 0 {
			if err := g.add(join, false); err != nil {
				return err
			}
		}
		if lines, size := g.frame.Room(); lines <= reserveLines || size <= ledger.MaxLine+reserveBytes {
			if err := t.saveGroup(ctx, g); err != nil {
				return err
			}
			g = t.begin()
		}
		if r.Entry.Origin != nil {
			e.again = &again{at: r.Entry.At, origin: r.Entry.Origin, reported: r.Entry.Reported}
		}
		if err := g.add(e, false); err != nil {
			return err
		}
		out.Lines++
		switch op := r.Op.(type) {
		case *ledger.Source:
			out.Sources++
			if err := g.sayNotHere(ctx, ledger.SourceID(*op)); err != nil {
				return err
			}
		case *ledger.Claim:
			out.Claims++
		case *ledger.Question:
			if r.Entry.By == ledger.Engine && r.Entry.Origin == nil {
				out.Asked++
			}
		}
	}
	if out.Lines == 0 {
		return nil
	}
	return t.saveGroup(ctx, g)
}

// sayNotHere adds that a source's text is not on this machine, where it is not: the
// other branch had it from a file.
func (g *group) sayNotHere(ctx context.Context, id string) error {
	src := g.task.state.Sources[id]
	if src == nil || src.Body == "" || src.NotHere() {
		return nil
	}
	here, err := g.task.desk.Here(ctx, src)
	if here || err != nil {
		return err
	}
	return g.add(engineSays(&ledger.Missing{ID: id, Reason: "not_here"}), false)
}

// saveGroup ends a group and makes it durable. The caller holds mu.
func (t *Task) saveGroup(ctx context.Context, g *group) error {
	if err := g.end(ctx, nil); err != nil {
		return err
	}
	if err := t.desk.store.Append(ctx, t.Branch, g.frame.Lines()); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	t.acts = remember(t.acts, g.lines)
	return nil
}
