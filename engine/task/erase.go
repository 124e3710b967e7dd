package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Erasure is a document that is deleted for good: the words of it stand in lines,
// which can't leave a chain, so every branch of its task is written again without
// them, and the old ledgers, with all that hangs on them, are deleted.
type Erasure struct {
	desk   *Desk
	family []*member // parents first
	root   string

	Sources []state.Source // the document in all its versions
	Left    Left
}

// member is one branch of the task.
type member struct {
	old   engine.Branch
	task  *Task
	state *state.State
	new   string // id of the new ledger, once begun
}

// Erased is what an Erasure did.
type Erased struct {
	engine.Erased
	Left  Left
	Moved map[string]string // branch → the one in its place
	done  bool
}

// Erasure looks at what deleting a source of a task for good takes away. It
// changes nothing. Every version of the document is meant, and every branch.
func (d *Desk) Erasure(ctx context.Context, branch, source string) (*Erasure, error) {
	e := &Erasure{desk: d}
	if err := e.open(ctx, branch); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, m := range e.family {
		m.versions(source, ids)
	}
	if len(ids) == 0 {
		return nil, &engine.Error{Kind: engine.KindNotFound, What: "There is no such source in this task.", Safe: "Nothing was changed."}
	}
	// What one branch calls a version of it is one everywhere.
	for before := 0; before < len(ids); {
		before = len(ids)
		for _, m := range e.family {
			for id := range ids {
				m.versions(id, ids)
			}
		}
	}
	seen := map[string]bool{}
	for _, m := range e.family {
		for _, id := range m.state.SourceIDs {
			if ids[id] && !seen[id] {
				seen[id] = true
				e.Sources = append(e.Sources, *m.state.Sources[id])
			}
		}
	}
	leave, err := e.leave(ctx)
	if err != nil {
		return nil, err
	}
	e.Left, err = e.weigh(ctx, leave)
	return e, err
}

// open opens every branch of the task, parents before what was forked from them.
func (e *Erasure) open(ctx context.Context, branch string) error {
	b, err := e.desk.store.Branch(ctx, branch)
	if err != nil {
		return err
	}
	e.root = b.Root
	all, err := e.desk.store.Branches(ctx)
	if err != nil {
		return err
	}
	placed := map[string]bool{"": true}
	for more := true; more; {
		more = false
		for _, b := range all {
			if b.Root != e.root || placed[b.ID] || !placed[b.Parent] {
				continue
			}
			placed[b.ID], more = true, true
			if b.Damage != "" {
				return damagedBranch(b.Damage)
			}
			t, err := e.desk.Open(ctx, b.ID)
			if err != nil {
				return err
			}
			if err := t.Fault(); err != nil {
				return damagedBranch(err.Error())
			}
			e.family = append(e.family, &member{old: b, task: t, state: t.Snapshot()})
		}
	}
	return nil
}

func damagedBranch(why string) error {
	return &engine.Error{Kind: engine.KindDamaged,
		What: "This task, or an alternative of it, can't be written again without the document, because its record is damaged: " + why,
		Safe: "Nothing was changed.", Do: "Delete the damaged one for good, or the whole task."}
}

// versions adds to ids the document that a source is a version of.
func (m *member) versions(source string, ids map[string]bool) {
	for id := source; m.state.Sources[id] != nil && !(ids[id] && id != source); id = m.state.Sources[id].Parent {
		ids[id] = true
	}
	if s := m.state.Sources[source]; s != nil && s.Newer != "" && !ids[s.Newer] {
		m.versions(s.Newer, ids)
	}
}

// erased is the set of the sources' ids.
func (e *Erasure) erased() map[string]bool {
	ids := map[string]bool{}
	for _, s := range e.Sources {
		ids[s.ID] = true
	}
	return ids
}

// leave makes what recognises the document's words: those that no other document of
// the task has, nor what the person asked for.
func (e *Erasure) leave(ctx context.Context) (*leave, error) {
	w, ids := &words{}, e.erased()
	for i := range e.Sources {
		s := &e.Sources[i]
		w.called(s.Name, s.Title)
		text, err := e.family[0].task.library.Text(ctx, s)
		if err == nil {
			w.add(string(text.Body))
		} else if k := engine.KindOf(err); k != engine.KindNotFound && k != engine.KindDamaged {
			return nil, err
		}
	}
	others := map[string]bool{}
	for _, m := range e.family {
		for _, c := range m.state.Claims {
			for i := range c.Evidence {
				if ids[c.Evidence[i].Slice.Source] {
					w.add(c.Evidence[i].Slice.Text) // where the text is not here
				}
			}
		}
	}
	for _, m := range e.family {
		for _, id := range m.state.SourceIDs {
			s := m.state.Sources[id]
			if ids[id] || others[s.Body] {
				continue
			}
			others[s.Body] = true
			w.forgive(s.Title)
			if text, err := m.task.library.Text(ctx, s); err == nil {
				w.forgive(string(text.Body))
			}
		}
	}
	return leaving(ids, w), nil
}

// weigh passes every line without writing anything.
func (e *Erasure) weigh(ctx context.Context, first *leave) (Left, error) {
	var sum Left
	at := map[string]map[int64]*leave{}
	cuts := e.cuts()
	for _, m := range e.family {
		l := first
		if m.old.Parent != "" {
			l = at[e.owner(m)][m.old.From-1]
		}
		if l == nil {
			return sum, fmt.Errorf("weigh branch %s: its beginning is not known", m.old.ID)
		}
		at[m.old.ID] = map[int64]*leave{}
		p := &planting{leave: l}
		err := p.groups(ctx, m, func(group []*ledger.Line) error {
			tainted := l.group(group)
			for _, line := range group {
				if !line.Withheld && ledger.IsWork(line.Op.OpName()) {
					l.pass(line, tainted)
				}
			}
			if last := group[len(group)-1]; cuts[m.old.ID][last.Seq] {
				at[m.old.ID][last.Seq] = l.fork()
			}
			return nil
		})
		if err != nil {
			return sum, err
		}
		sum.add(l.tally)
	}
	return sum, nil
}

func (p *planting) groups(ctx context.Context, m *member, fn func([]*ledger.Line) error) error {
	var group []*ledger.Line
	err := m.task.decodedFrom(ctx, m.old.From, func(l *ledger.Line) error {
		group = append(group, l)
		if l.N == 0 {
			return nil
		}
		whole := group
		group = nil
		return fn(whole)
	})
	if err == nil && len(group) > 0 {
		err = fn(group)
	}
	return err
}

func (l *Left) add(o Left) {
	l.Sources += o.Sources
	l.Claims += o.Claims
	l.Quotes += o.Quotes
	l.Questions += o.Questions
	l.Answers += o.Answers
	l.Reports += o.Reports
	l.Notes += o.Notes
	l.Others += o.Others
	l.Checks += o.Checks
	l.Yours = append(l.Yours, o.Yours...)
	l.Stays = append(l.Stays, o.Stays...)
}

// owner is the branch among whose own lines an alternative's beginning stands.
func (e *Erasure) owner(m *member) string {
	id := m.old.Parent
	for {
		i := slices.IndexFunc(e.family, func(o *member) bool { return o.old.ID == id })
		if i < 0 || e.family[i].old.From < m.old.From || e.family[i].old.Parent == "" {
			return id
		}
		id = e.family[i].old.Parent
	}
}

// cuts are, by branch, the lines after which an alternative begins.
func (e *Erasure) cuts() map[string]map[int64]bool {
	out := map[string]map[int64]bool{}
	for _, m := range e.family {
		out[m.old.ID] = map[int64]bool{}
	}
	for _, m := range e.family {
		if m.old.Parent != "" {
			out[e.owner(m)][m.old.From-1] = true
		}
	}
	return out
}

// errHeld is what an act meets while its task is written again.
var errHeld = &engine.Error{Kind: engine.KindBusy, What: "A document of this task is being deleted for good.",
	Safe: "Nothing was changed.", Do: "Wait until that is done; the task then stands in the list anew."}

// Run deletes the document. Until the new ledgers are whole nothing is lost, and
// a crash or an error leaves the task as it was; from then on the next opening of
// the store finishes it. keep, which may be nil, is called in between with what
// takes the place of what: what the caller keeps for a branch goes over there.
func (e *Erasure) Run(ctx context.Context, keep func(moved map[string]string) error) (out Erased, err error) {
	out.Moved = map[string]string{}
	for _, m := range e.family {
		m.task.hold(errHeld)
	}
	defer func() {
		if !out.done {
			for _, m := range e.family {
				m.task.hold(nil)
			}
		}
	}()
	for _, m := range e.family {
		seq := int64(0)
		_ = m.task.Read(func(st *state.State) error { seq = st.Seq; return nil })
		if seq != m.state.Seq {
			return out, &engine.Error{Kind: engine.KindBusy, What: "The task went on meanwhile.", Safe: "Nothing was changed.", Do: "Look again at what is deleted, and confirm that."}
		}
	}
	err = e.plant(ctx, &out)
	if err == nil && keep != nil {
		err = keep(out.Moved)
	}
	if err != nil {
		return out, e.undo(ctx, err)
	}
	out.Erased, err = e.desk.store.Delete(ctx, e.root)
	if err != nil {
		return out, err
	}
	out.done = true
	ctx = context.WithoutCancel(ctx) // what follows only tidies up
	for _, m := range e.family {
		e.desk.Gone(m.old.ID)
		if err := e.desk.store.PutLocal(ctx, adopting, m.new, []byte("done")); err != nil {
			return out, fmt.Errorf("mark the new record as whole: %w", err)
		}
	}
	return out, nil
}

// undo takes back new ledgers that were not finished.
func (e *Erasure) undo(ctx context.Context, why error) error {
	if e.family[0].new == "" {
		return why
	}
	_, err := e.desk.store.Delete(context.WithoutCancel(ctx), e.family[0].new)
	if err != nil && engine.KindOf(err) != engine.KindNotFound {
		return fmt.Errorf("%w; what had been written stays until the next start: %w", why, err)
	}
	return why
}

// plant writes every branch again.
func (e *Erasure) plant(ctx context.Context, out *Erased) error {
	who, err := e.desk.person(ctx)
	if err != nil {
		return err
	}
	leave, err := e.leave(ctx)
	if err != nil {
		return err
	}
	at, cuts := map[string]map[int64]planted{}, e.cuts()
	total, done, tell := int64(0), int64(0), engine.Progress(ctx)
	for _, m := range e.family {
		total += m.old.Head.Seq - m.old.From + 1
	}
	for _, m := range e.family {
		p := &planting{leave: leave, task: e.desk.blank(""), cuts: cuts[m.old.ID], at: map[int64]planted{}, seqs: map[int64]int64{},
			imported: m.state.Imported, importAt: m.state.ImportSeq}
		at[m.old.ID] = p.at
		parent := ""
		if m.old.Parent == "" {
			p.task.state = state.New()
		} else {
			owner := e.owner(m)
			base, ok := at[owner][m.old.From-1]
			if !ok {
				return fmt.Errorf("write alternative %s again: its beginning is not there", m.old.ID)
			}
			// what began there may begin several times
			p.task.state, p.leave, p.seqs, p.names = base.state.Clone(), base.leave.fork(), cloneSeqs(base.seqs), slices.Clone(base.names)
			parent = out.Moved[owner]
		}
		p.save = func(group [][]byte) error { return e.save(ctx, m, parent, group) }
		first, err := e.beginning(ctx, m, p.task.state.Chain, who)
		if err != nil {
			return err
		}
		if err := p.first(first); err != nil {
			return err
		}
		err = p.run(ctx, func(fn func(*ledger.Line) error) error {
			return m.task.decodedFrom(ctx, m.old.From, func(l *ledger.Line) error {
				if done++; done%256 == 0 {
					tell(done, total)
				}
				return fn(l)
			})
		})
		if err == nil {
			err = p.finish(ctx, who)
		}
		if err == nil {
			err = e.locals(ctx, m)
		}
		if err != nil {
			return err
		}
		out.Moved[m.old.ID] = m.new
		out.Left.add(p.leave.tally)
	}
	return nil
}

func cloneSeqs(m map[int64]int64) map[int64]int64 {
	out := make(map[int64]int64, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// beginning is the first line of a new ledger.
func (e *Erasure) beginning(ctx context.Context, m *member, chain ledger.Hash, who string) (Entry, error) {
	nonce, err := e.desk.nonce()
	if err != nil {
		return Entry{}, err
	}
	if m.old.Parent == "" {
		return Entry{By: ledger.Person, Who: who, Op: &ledger.Root{Nonce: nonce, Parent: m.old.Head.Chain.String()}}, nil
	}
	fork := &ledger.Fork{Nonce: nonce, Parent: chain.String()}
	by := ledger.Engine
	err = m.task.decodedFrom(ctx, m.old.From, func(l *ledger.Line) error {
		if op, ok := l.Op.(*ledger.Fork); ok {
			fork.Name, by = op.Name, l.By
		}
		return errEnough
	})
	if err == errEnough {
		err = nil
	}
	return Entry{By: by, Op: fork}, err
}

// save makes one group of a new ledger durable. Until the old one is gone nobody
// sees the new one.
func (e *Erasure) save(ctx context.Context, m *member, parent string, group [][]byte) error {
	if m.new != "" {
		return e.desk.store.Append(ctx, m.new, group)
	}
	first, err := ledger.DecodeFrame(group[0])
	if err != nil {
		return fmt.Errorf("read the first line: %w", err)
	}
	id := first.Prev.Extend(first.Hash).String()
	if err := e.desk.store.PutLocal(ctx, adopting, id, []byte(replaces+e.root)); err != nil {
		return fmt.Errorf("mark the new record as begun: %w", err)
	}
	m.new, err = e.desk.store.Begin(ctx, parent, group)
	return err
}

// locals takes over what this machine keeps for a branch.
func (e *Erasure) locals(ctx context.Context, m *member) error {
	dir, err := m.task.Folder(ctx)
	if err != nil {
		return err
	}
	next := &Task{Branch: m.new, desk: e.desk}
	if dir != "" {
		if err := next.SetFolder(ctx, dir); err != nil {
			return err
		}
	}
	files, err := m.task.fileRecords(ctx)
	if err != nil {
		return err
	}
	shut, err := m.task.shut(ctx)
	if err != nil {
		return err
	}
	ids := e.erased()
	for n, of := range files.of {
		for path, rec := range of {
			if ids[rec.Source] {
				shut.file(path, rec)
				delete(of, path)
			}
		}
		files.dirty[n] = len(of) > 0
	}
	for id := range ids {
		shut.Sources = append(shut.Sources, id)
	}
	if err := next.putShut(ctx, shut); err != nil {
		return err
	}
	return next.putFileRecords(ctx, files)
}

// Names gives the document's names, each once.
func (e *Erasure) Names() string {
	var names []string
	for _, s := range e.Sources {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Family lists the branches of the task, parents first.
func (e *Erasure) Family() []string {
	var out []string
	for _, m := range e.family {
		out = append(out, m.old.ID)
	}
	return out
}

// errGone is what is met by whoever still holds a task that was deleted.
var errGone = &engine.Error{Kind: engine.KindNotFound, What: "This task was deleted.", Safe: "Nothing was changed.", Do: "Look at the list of tasks."}

// Gone closes the handle of a task that was deleted: whoever still has it can
// neither write to it nor read its folder in again.
func (d *Desk) Gone(branch string) {
	d.mu.Lock()
	t := d.open[branch]
	delete(d.open, branch)
	d.mu.Unlock()
	if t != nil {
		t.hold(errGone)
	}
}

// Held says why the task is not written for the moment, nil when it is.
func (t *Task) Held() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.held
}

// hold keeps a task from being written; nil ends that.
func (t *Task) hold(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = why
}
