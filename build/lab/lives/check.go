package lives

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/task"
)

// record is what the laboratory knows of a branch.
type record struct {
	parent    string
	lines     []ledger.Hash // of its bytes, as they were last seen
	state     *state.State  // as it was then
	decisions decisions
	again     bool // written again without a document
	deleted   bool // it was to go
}

func (m *machine) record(branch string) *record {
	r := m.seen[branch]
	if r == nil {
		r = &record{decisions: noDecisions()}
		m.seen[branch] = r
	}
	return r
}

// check looks at every branch that changed; after a crash at all of them.
func (m *machine) check(ctx context.Context, d *rand.Rand, all bool) {
	there := map[string]bool{}
	for _, b := range m.branches(ctx) {
		there[b.ID] = true
		r := m.record(b.ID)
		r.parent, r.deleted = b.Parent, false
		if b.Damage != "" {
			m.fail("%s: a branch is damaged: %s", m.name, b.Damage)
			continue
		}
		if !all && int64(len(r.lines)) == b.Head.Seq {
			continue
		}
		m.branch(ctx, b, r, d)
	}
	for id, r := range m.seen {
		switch {
		case there[id]:
		case r.deleted || len(r.lines) == 0:
			delete(m.seen, id)
		default:
			m.fail("%s: branch %.8s of %d lines is gone", m.name, id, len(r.lines))
		}
	}
}

// branch looks at one branch.
func (m *machine) branch(ctx context.Context, b engine.Branch, r *record, d *rand.Rand) {
	var lines []*ledger.Line
	var hashes []ledger.Hash
	err := m.medium.store().Lines(ctx, b.ID, 1, func(n int64, raw []byte) error {
		hashes = append(hashes, ledger.HashOf(raw))
		line, err := ledger.Decode(bytes.Clone(raw))
		lines = append(lines, line)
		return err
	})
	if err != nil {
		m.fail("%s: read branch %.8s: %v", m.name, b.ID, err)
		return
	}
	m.lines += int64(len(hashes) - len(r.lines))
	if len(hashes) < len(r.lines) || !slices.Equal(hashes[:len(r.lines)], r.lines) {
		m.fail("%s: branch %.8s had %d lines, which are not the first of the %d that it has now", m.name, b.ID, len(r.lines), len(hashes))
		return
	}
	var chain ledger.Hash
	for i, h := range hashes {
		if lines[i].Withheld {
			h = lines[i].Hash
		} else if lines[i].Prev != chain {
			m.fail("%s: line %d does not continue the one before it", m.name, i+1)
			return
		}
		chain = chain.Extend(h)
	}
	if chain != b.Head.Chain || int64(len(lines)) != b.Head.Seq {
		m.fail("%s: branch %.8s does not end in its head", m.name, b.ID)
	}
	t, err := m.desk.Open(ctx, b.ID)
	if err == nil {
		err = t.Fault()
	}
	if err != nil {
		m.fail("%s: branch %.8s can't go on: %v", m.name, b.ID, err)
		return
	}
	st := m.folded(lines, t, d)
	if r.state != nil {
		m.conserved(r.state, st, lines[len(r.lines):])
	}
	m.decided(r, st)
	m.texts(ctx, st)
	m.planned(ctx, t, st, d)
	if d.IntN(4) == 0 {
		m.audited(ctx, t, st)
	}
	r.lines, r.state = hashes, st
}

// folded folds the lines: whole, and in two parts, and compares with what is in use.
// Each checkpoint is compared with the state that its lines give.
func (m *machine) folded(lines []*ledger.Line, t *task.Task, d *rand.Rand) *state.State {
	st, findings := state.Fold(lines)
	if len(findings) > 0 {
		m.fail("%s: line %d: %s (%s)", m.name, findings[0].Seq, findings[0].Message, findings[0].Code)
	}
	if st.Hash() != st.HashWhole() {
		m.fail("%s: the state hash that is kept is not the one of the whole", m.name)
	}
	if used := t.Snapshot(); used.Hash() != st.Hash() || used.Seq != st.Seq {
		m.fail("%s: the state in use is not what the lines give: %s", m.name, differs(used, st))
	}
	if d.IntN(3) == 0 {
		k := d.IntN(len(lines) + 1)
		part, _ := state.Fold(lines[:k])
		part = part.Clone()
		for _, l := range lines[k:] {
			part.Apply(l)
		}
		if part.Hash() != st.Hash() {
			m.fail("%s: folded in two parts, after line %d, it is another state", m.name, k)
		}
	}
	return st
}

// conserved: nothing went without a line that names it (promise 4).
func (m *machine) conserved(before, after *state.State, lines []*ledger.Line) {
	named, undone := map[string]bool{}, false
	for _, l := range lines {
		switch op := l.Op.(type) {
		case *ledger.Retract:
			named[op.ID] = true
		case *ledger.Supersede:
			named[op.ID] = true
		case *ledger.Merge:
			named[op.ID] = true
		case *ledger.Drop:
			named[op.ID] = true
		case *ledger.Close:
			named[op.ID] = true
		case *ledger.Park:
			named[op.ID] = true
		case *ledger.Undo:
			undone = true
		}
	}
	for id, c := range before.Claims {
		switch now := after.Claims[id]; {
		case now == nil:
			m.fail("%s: claim %s is gone", m.name, id)
		case c.Live() && !now.Live() && !named[id] && !undone:
			m.fail("%s: claim %s does not stand any more, and no line says so", m.name, id)
		case now.Text != c.Text:
			m.fail("%s: claim %s has other words", m.name, id)
		}
	}
	for id, q := range before.Questions {
		switch now := after.Questions[id]; {
		case now == nil:
			m.fail("%s: question %s is gone", m.name, id)
		case q.Status == state.Open && now.Status != state.Open && !named[id] && !undone:
			m.fail("%s: question %s is %s, and no line says so", m.name, id, now.Status)
		}
	}
	n := len(after.Checkpoints)
	if n == 0 {
		m.fail("%s: there is no checkpoint", m.name)
		return
	}
	if cp := after.Checkpoints[n-1]; cp.Sum != nil && cp.Sum.Lost != 0 {
		m.fail("%s: the newest checkpoint says that %d things were lost", m.name, cp.Sum.Lost)
	}
}

// decided: what a person decided holds (promise 5).
func (m *machine) decided(r *record, st *state.State) {
	for id := range r.decisions.kept {
		if c := st.Claims[id]; c == nil || !c.Live() {
			m.fail("%s: claim %s, which the person kept, does not stand", m.name, id)
		}
	}
	for id := range r.decisions.gone {
		switch c := st.Claims[id]; {
		case c == nil && !r.again:
			m.fail("%s: claim %s, which the person took back, is not on record", m.name, id)
		case c != nil && c.Live():
			m.fail("%s: claim %s, which the person took back, stands", m.name, id)
		}
	}
	for id := range r.decisions.dropped {
		if q := st.Questions[id]; q == nil || q.Status != state.Dropped {
			m.fail("%s: question %s, which the person dropped, is not dropped", m.name, id)
		}
	}
}

// texts: every quote is a slice of a text that was in a folder (promise 2), and
// the texts that should be here are.
func (m *machine) texts(ctx context.Context, st *state.State) {
	for _, c := range st.Claims {
		for i := range c.Evidence {
			s := c.Evidence[i].Slice
			src := st.Sources[s.Source]
			if src == nil {
				m.fail("%s: a quote is of a source that is not there", m.name)
				continue
			}
			body := m.dirs.ever[src.Body]
			if table := cut(body); table.Slice(body, s.From, s.To) != s.Text || s.Text == "" {
				m.fail("%s: a quote of %s is not what stands there: %q", m.name, src.Name, s.Text)
			}
		}
	}
	if d, ok := m.medium.(*disk); ok {
		d.honest = true
		defer func() { d.honest = false }()
	}
	for _, src := range st.Sources {
		if src.Body == "" || src.Missing == "not_here" || src.Missing == "erased" {
			continue
		}
		h, err := ledger.ParseHash(src.Body)
		var body []byte
		if err == nil {
			body, err = m.medium.store().Blob(ctx, h)
		}
		if err != nil || ledger.HashOf(body) != h {
			m.fail("%s: the text of %s is not here, and no line says so: %v", m.name, src.Name, err)
		}
	}
}

// planned: the next step is a function of work and texts alone.
func (m *machine) planned(ctx context.Context, t *task.Task, st *state.State, d *rand.Rand) {
	first, err := m.next(st, t.Library())
	if err != nil {
		m.fail("%s: plan the next step: %v", m.name, err)
		return
	}
	m.clock.Jump(26 * time.Hour)
	second, err := m.next(st.Clone(), t.Library())
	m.clock.Jump(-26 * time.Hour)
	if err != nil || !reflect.DeepEqual(first, second) {
		m.fail("%s: the next step is %v, and the next day %v: %v", m.name, first, second, err)
	}
	if cp := st.Checkpoints[len(st.Checkpoints)-1]; cp.Seq == st.Seq && cp.Next != nil && (cp.Next.Kind != first.Kind || cp.Next.Serves != first.Serves) {
		m.fail("%s: the checkpoint says that %s is next, and it is %s", m.name, cp.Next.Kind, first.Kind)
	}
	if d.IntN(6) > 0 {
		return
	}
	other := task.NewDesk(m.medium.store(), m.clock, m.random, "lives")
	again, err := other.Open(ctx, t.Branch)
	if err != nil {
		m.fail("%s: open it again: %v", m.name, err)
		return
	}
	third, err := again.Next()
	if err != nil || !reflect.DeepEqual(first, third) {
		m.fail("%s: opened again, the next step is %v and was %v: %v", m.name, third, first, err)
	}
	a, aerr := t.Undoable(ctx)
	b, berr := again.Undoable(ctx)
	if a != b || aerr != nil || berr != nil {
		m.fail("%s: opened again, what can be undone is %q and was %q", m.name, b, a)
	}
}

// audited: the program's own audit finds nothing.
func (m *machine) audited(ctx context.Context, t *task.Task, st *state.State) {
	report, err := audit.Audit(ctx, t.Snapshot(), m.medium.store(), audit.Options{
		Lines: func(fn func(int64, []byte) error) error { return t.Lines(ctx, 1, fn) }})
	if err != nil || report.Breached() {
		m.fail("%s: the audit of %d lines: %v %s", m.name, st.Seq, err, fmt.Sprint(report.Sentences()))
	}
}
