package task

import (
	"bytes"
	"context"
	"fmt"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/state"
)

// planting writes the work of a branch again as a new ledger, or, where the
// branch was an alternative, as an alternative of a new ledger: a root that names
// its parent by its chain value only, then the original work lines in their order,
// each with its origin (DESIGN 3.2, `root`). What was log is not written again,
// nor what leave leaves out; what an import had capped is marked as reported.
type planting struct {
	task  *Task // its state is what is planted so far
	leave *leave
	save  func(group [][]byte) error

	imported *ledger.Import // the branch's last one
	importAt int64
	template string // of its newest checkpoint
	names    []ledger.Name

	// cuts are the lines after which an alternative begins; there a checkpoint
	// stands in the new ledger too, and at keeps its state.
	cuts map[int64]bool
	at   map[int64]planted

	g    *group
	seqs map[int64]int64 // old seq → new seq, of what was written again
}

// planted is a new ledger as it stands after an old line.
type planted struct {
	state *state.State
	leave *leave
	seqs  map[int64]int64
	names []ledger.Name
}

// Room of a group that is left for what the engine adds: lines and bytes.
const (
	reserveLines = 32
	reserveBytes = 128 << 10
)

// first begins the ledger with its first entry: the root, or the fork.
func (p *planting) first(e Entry) error {
	p.g = p.task.begin()
	return p.g.add(e, false)
}

// run writes lines of the old branch again; lines calls its argument for each.
func (p *planting) run(ctx context.Context, lines func(func(*ledger.Line) error) error) error {
	var old []*ledger.Line
	take := func() error {
		group := old
		old = old[:0:0]
		return p.take(ctx, group)
	}
	err := lines(func(l *ledger.Line) error {
		old = append(old, l)
		if l.N > 0 {
			return take()
		}
		return nil
	})
	if err == nil && len(old) > 0 {
		err = take()
	}
	return err
}

// take writes one old group again.
func (p *planting) take(ctx context.Context, old []*ledger.Line) error {
	tainted := p.leave.group(old)
	size := 0
	for _, l := range old {
		size += len(l.Raw)
	}
	if p.g != nil && !p.fits(len(old), size) {
		if err := p.flush(ctx, false); err != nil {
			return err
		}
	}
	for _, l := range old {
		switch op := l.Op.(type) {
		case *ledger.Checkpoint:
			p.template = op.Template
		case *ledger.Name:
			p.names = append(p.names, *op)
		}
		if l.Withheld || !ledger.IsWork(l.Op.OpName()) {
			continue
		}
		if err := p.line(ctx, l, tainted); err != nil {
			return fmt.Errorf("write line %d again: %w", l.Seq, err)
		}
	}
	last := old[len(old)-1]
	seq := last.Seq
	if last.Withheld {
		return nil
	}
	if !p.cuts[seq] {
		return nil
	}
	if err := p.flush(ctx, true); err != nil {
		return err
	}
	p.at[seq] = p.now()
	return nil
}

// now is what the new ledger is at this moment, for what begins here.
func (p *planting) now() planted {
	seqs := make(map[int64]int64, len(p.seqs))
	for k, v := range p.seqs {
		seqs[k] = v
	}
	return planted{state: p.task.state.Clone(), leave: p.leave.fork(), seqs: seqs, names: append([]ledger.Name(nil), p.names...)}
}

func (p *planting) fits(lines, size int) bool {
	haveLines, haveBytes := p.g.frame.Room()
	return lines+reserveLines <= haveLines && size+lines*originBytes+reserveBytes <= haveBytes
}

// originBytes is more than what `origin` adds to a line.
const originBytes = 160

// line writes one line again, where it still has an effect.
func (p *planting) line(ctx context.Context, l *ledger.Line, tainted bool) error {
	op := p.leave.pass(l, tainted)
	if u, ok := op.(*ledger.Undo); ok {
		seq := p.seqs[u.Line]
		if seq == 0 {
			p.leave.undone(u.Line, l.Seq)
			return nil // what it took back is not here
		}
		op = &ledger.Undo{Line: seq}
	}
	if c, ok := op.(*ledger.Close); ok && l.By != ledger.Person {
		op = backed(p.task.state, c)
	}
	if op == nil {
		return nil
	}
	if p.g == nil {
		p.g = p.task.begin()
	} else if !p.fits(1, len(l.Raw)) {
		if err := p.flush(ctx, false); err != nil {
			return err
		}
		p.g = p.task.begin()
	}
	e := Entry{By: l.By, Who: l.Who, Op: op, again: &again{at: l.At, origin: l.Origin, reported: l.Reported || p.capped(l)}}
	if e.again.origin == nil {
		e.again.origin = &ledger.Origin{Chain: l.Chain(l.Prev).String(), Seq: l.Seq}
	}
	err := p.g.add(e, false)
	switch engine.KindOf(err) {
	case engine.KindRefused: // it rested on what is left out
		p.leave.drop(l)
		return nil
	case engine.KindUsage: // it fills a line to the brim, and is longer now
		if e.again.reported {
			p.leave.drop(l)
			return nil
		}
		e.again.origin = nil
		err = p.g.add(e, false)
	}
	if err == nil {
		p.seqs[l.Seq] = p.task.state.Seq
	}
	return err
}

// backed is a close with the claims that still have evidence, nil when none has.
func backed(st *state.State, c *ledger.Close) ledger.Op {
	if len(c.Claims) == 0 {
		return c
	}
	op := *c
	op.Claims = nil
	for _, id := range c.Claims {
		if k := st.Claims[id]; k != nil && k.Live() && (k.Trust >= state.Backed || k.HasReported()) {
			op.Claims = append(op.Claims, id)
		}
	}
	return unless(len(op.Claims) == 0, &op)
}

// capped: the old ledger's import says that a sender reported it.
func (p *planting) capped(l *ledger.Line) bool {
	return p.imported != nil && l.Seq > p.imported.Known && l.Seq < p.importAt
}

// flush saves the group that is being written, with its checkpoint. What comes
// next is said where the new ledger can be gone on from: it is planned from the
// texts, and where one is lost it is left to the resume, which plans anew.
func (p *planting) flush(ctx context.Context, next bool) error {
	if p.g == nil {
		return nil
	}
	if err := p.g.follow(); err != nil {
		return err
	}
	cp, err := p.task.checkpoint(ctx, p.g.since, nil)
	if err != nil {
		return err
	}
	if p.template != "" {
		cp.Template = p.template
	}
	if next {
		step, err := planner.Next(p.task.state, p.task.library)
		if k := engine.KindOf(err); err != nil && k != engine.KindNotFound && k != engine.KindDamaged {
			return fmt.Errorf("plan the next step: %w", err)
		}
		if err == nil {
			cp.Next = nextStep(step)
		}
	}
	if err := p.g.add(Entry{By: ledger.Engine, Op: cp}, true); err != nil {
		return err
	}
	group := p.g.frame.Lines()
	p.g = nil
	return p.save(group)
}

// finish ends the new ledger: what a person had replaced by something that is left
// out does not come back to life, and who is called what is known again.
func (p *planting) finish(ctx context.Context, who string) error {
	var entries []Entry
	st := p.task.state
	for _, id := range st.ClaimIDs {
		if p.leave.freed[id] && st.Claims[id].Live() {
			entries = append(entries, Entry{By: ledger.Person, Who: who, Op: &ledger.Retract{ID: id, Reason: "what you had put in its place was deleted for good"}})
		}
	}
	named := map[string]bool{}
	for _, n := range p.names {
		if !named[n.Of] && !p.leave.words.in(n.Name) {
			named[n.Of] = true
			entries = append(entries, engineSays(&n))
		}
	}
	for _, e := range entries {
		if p.g == nil {
			p.g = p.task.begin()
		} else if !p.fits(1, 4<<10) {
			if err := p.flush(ctx, false); err != nil {
				return err
			}
			p.g = p.task.begin()
		}
		if err := p.g.add(e, false); err != nil {
			return err
		}
	}
	return p.flush(ctx, true)
}

// decodedFrom calls fn for each line of a branch from seq on, decoded.
func (t *Task) decodedFrom(ctx context.Context, from int64, fn func(*ledger.Line) error) error {
	return t.desk.store.Lines(ctx, t.Branch, from, func(n int64, raw []byte) error {
		line, err := ledger.Decode(bytes.Clone(raw))
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		return fn(line)
	})
}

// Rooted gives the lines of a new ledger that begins at a checkpoint of this task
// (0: the newest): a root that names what came before by its chain value only. It
// is not stored; it is for handing the work over without its history.
func (t *Task) Rooted(ctx context.Context, seq int64) (lines [][]byte, st *state.State, err error) {
	old := t.Snapshot()
	if seq > 0 && seq != old.Seq {
		if old, err = t.At(ctx, seq); err != nil {
			return nil, nil, err
		}
	}
	if n := len(old.Checkpoints); n == 0 || seq > 0 && old.Checkpoints[n-1].Seq != seq {
		return nil, nil, usage("There is no checkpoint at this line.", "Choose one of the history.")
	}
	who, err := t.desk.person(ctx)
	if err != nil {
		return nil, nil, err
	}
	nonce, err := t.desk.nonce()
	if err != nil {
		return nil, nil, err
	}
	p := &planting{task: t.desk.blank(""), leave: leaving(nil, nil), seqs: map[int64]int64{}, imported: old.Imported, importAt: old.ImportSeq}
	p.task.state = state.New()
	p.save = func(group [][]byte) error { lines = append(lines, group...); return nil }
	if err := p.first(Entry{By: ledger.Person, Who: who, Op: &ledger.Root{Nonce: nonce, Parent: old.Chain.String()}}); err != nil {
		return nil, nil, err
	}
	err = p.run(ctx, func(fn func(*ledger.Line) error) error {
		err := t.decodedFrom(ctx, 1, func(l *ledger.Line) error {
			if err := fn(l); err != nil {
				return err
			}
			if !l.Withheld && l.Seq == old.Seq {
				return errEnough
			}
			return nil
		})
		if err == errEnough {
			err = nil
		}
		return err
	})
	if err == nil {
		err = p.finish(ctx, who)
	}
	return lines, p.task.state, err
}
