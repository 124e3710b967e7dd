package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
)

// Blobs is what Audit needs of a store (engine.Store fits).
type Blobs interface {
	Blob(ctx context.Context, h ledger.Hash) ([]byte, error)
}

// Options of an audit.
type Options struct {
	// Lines calls fn for each line of the branch from seq 1 on, raw bytes without LF.
	// nil: only what the state alone can show is checked.
	Lines func(fn func(seq int64, line []byte) error) error
	// Now: what a resume would use.
	Now Now
	// Quick leaves out texts and slices (D1, D2).
	Quick bool
}

// Problem is one check that did not pass, or could not be made here.
type Problem struct {
	Code    string // id of a check
	Class   Class
	Seq     int64  // line it belongs to, 0 when none
	Object  string // object id, "" when none
	Message string
}

// Report of an audit.
type Report struct {
	Problems  []Problem // breaches first, then flags, each in the order of their lines
	Unchecked []Problem // what cannot be checked here, e.g. texts that did not travel
	Gate      string    // Green, Amber, Red
	Reasons   []Reason  // of amber: those still standing
	Lines     int64     // lines read
	Withheld  int64
	Slices    int64 // quotes compared with their text
	Sources   int64 // texts hashed
	Good      int64 // seq of the newest checkpoint before the first breach, 0 when none
}

// Breached: an invariant does not hold, and the task must not go on from here.
func (r *Report) Breached() bool {
	return len(r.Problems) > 0 && r.Problems[0].Class == Invariant
}

// Sentences says in words for people what the gate rests on.
func (r *Report) Sentences() []string {
	var out []string
	if r.Gate == Red {
		for _, p := range r.Problems {
			if p.Class == Invariant {
				out = append(out, p.Message)
			}
		}
		return out
	}
	for _, a := range r.Reasons {
		out = append(out, a.Text)
	}
	return out
}

// Audit checks the invariants of a branch and says whether its task may resume.
// st is the state that is in use; it is not changed. The error is about reading
// (store, context), never about what was found.
func Audit(ctx context.Context, st *state.State, blobs Blobs, o Options) (Report, error) {
	a := &auditor{st: st}
	if o.Lines != nil {
		if err := a.replay(ctx, o.Lines); err != nil {
			return a.report, err
		}
	}
	a.objects()
	if !o.Quick && blobs != nil {
		if err := a.texts(ctx, blobs); err != nil {
			return a.report, err
		}
	}
	r := &a.report
	sort.SliceStable(r.Problems, func(i, j int) bool {
		if x, y := r.Problems[i].Class == Invariant, r.Problems[j].Class == Invariant; x != y {
			return x
		}
		return r.Problems[i].Seq < r.Problems[j].Seq
	})
	r.Reasons = Reasons(st, o.Now)
	switch {
	case r.Breached():
		r.Gate = Red
	case len(r.Reasons) > 0:
		r.Gate = Amber
	default:
		r.Gate = Green
	}
	first := st.Seq + 1
	if r.Breached() {
		first = r.Problems[0].Seq
	}
	for _, c := range st.Checkpoints {
		if c.Seq < first {
			r.Good = c.Seq
		}
	}
	return *r, nil
}

type auditor struct {
	st     *state.State
	report Report
}

func (a *auditor) breach(code string, seq int64, object, format string, args ...any) {
	a.report.Problems = append(a.report.Problems, Problem{Code: code, Class: Invariant, Seq: seq, Object: object, Message: fmt.Sprintf(format, args...)})
}

// errStop ends the reading of lines after a break that makes the rest meaningless.
var errStop = errors.New("stop")

// replay folds the lines again, from nothing, beside the chain, and compares at
// every checkpoint.
func (a *auditor) replay(ctx context.Context, lines func(func(int64, []byte) error) error) error {
	r := &replayer{a: a, s: state.New(), chain: ledger.NewVerifier(ledger.Hash{})}
	err := lines(func(seq int64, raw []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return r.line(seq, raw)
	})
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("audit the lines: %w", err)
	}
	if err == nil {
		if _, err := r.chain.Close(); err != nil {
			a.breach("D21", r.s.Seq, "", "The last lines are incomplete: %s.", cause(err))
		}
		if r.s.Seq != a.st.Seq || r.s.Chain != a.st.Chain || r.s.Hash() != a.st.HashWhole() {
			a.breach("state", r.s.Seq, "", "The state in use is not what the lines lead to.")
		}
		a.report.Problems = append(a.report.Problems, r.closes...)
		if t, u := r.s.Task, a.st.Task; t.Goal != u.Goal || !slices.Equal(t.Constraints, u.Constraints) {
			a.breach("D10", r.s.Seq, "", "Goal or constraints in use are not those on record.")
		}
	}
	if r.otherRule > 0 {
		a.report.Unchecked = append(a.report.Unchecked, Problem{Code: "state", Class: Flag, Seq: r.otherRule,
			Message: fmt.Sprintf("The checkpoints up to line %d were made by another version of Cairn. The state was recomputed under the rules of this one; their state hashes can't be compared, which is no damage.", r.otherRule)})
	}
	a.report.Lines, a.report.Withheld = r.s.Seq, r.chain.Withheld()
	return nil
}

// cause is the reason inside a line error, without the line's number.
func cause(err error) string {
	var at *ledger.LineError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// replayer holds what the checks over the lines carry from line to line.
type replayer struct {
	a     *auditor
	s     *state.State
	chain *ledger.Verifier

	goal        string // D10: followed beside the fold
	constraints []string
	acceptance  []string

	without  bool // D12: of the running answer, that the engine wrote it without the model
	calls    int  // D12: calls of the running step, and how the last ended
	lastDone bool
	hidden   bool // a withheld line stands in the running step

	closes    []Problem // D8: of this group; they count by the rules of its checkpoint
	otherRule int64     // newest checkpoint of another fold version, 0 for none

	before            ledger.Counts // D7, D8: at the checkpoint before
	claims, questions int           // objects that existed then
}

func (r *replayer) line(seq int64, raw []byte) error {
	if err := r.chain.Add(raw); err != nil {
		r.a.breach("D21", seq, "", "The record was altered at line %d: %s.", seq, cause(err))
		return errStop
	}
	l, err := ledger.Decode(raw)
	if err != nil {
		r.a.breach("D21", seq, "", "Line %d can't be read: %v.", seq, err)
		return errStop
	}
	for _, f := range r.s.Apply(l) {
		r.finding(f)
	}
	if l.Withheld {
		r.hidden = true
		return nil
	}
	r.look(l)
	return nil
}

// finding sorts what the fold found: some of it can only come from damage or
// forgery, the rest is an op without effect.
func (r *replayer) finding(f state.Finding) {
	p := Problem{Code: f.Code, Class: Flag, Seq: f.Seq, Message: fmt.Sprintf("Line %d has no effect: %s.", f.Seq, f.Message)}
	switch f.Code {
	case state.CodeChain, state.CodeObject, state.CodeCycle:
		p.Class = Invariant
	case state.CodeState:
		p.Class = Invariant
		p.Message = fmt.Sprintf("The checkpoint at line %d names a state that its lines do not lead to.", f.Seq)
	}
	r.a.report.Problems = append(r.a.report.Problems, p)
}

// look is what each op must keep, beside what the fold does with it.
func (r *replayer) look(l *ledger.Line) {
	switch op := l.Op.(type) {
	case *ledger.Task:
		r.goal, r.constraints, r.acceptance = op.Goal, op.Constraints, op.Acceptance
	case *ledger.Amend:
		r.amend(l, op)
	case *ledger.Undo, *ledger.Root, *ledger.Join:
		// An undo may put an amendment back: what it put back is taken as it is.
		r.goal, r.constraints, r.acceptance = r.s.Task.Goal, r.s.Task.Constraints, r.s.Task.Acceptance
	case *ledger.Start:
		r.calls, r.lastDone, r.hidden, r.without = 0, false, false, false
	case *ledger.Call:
		r.calls++
		r.without = false
		r.lastDone = op.Outcome == "complete" && (op.DoneReason == "stop" || op.DoneReason == "")
	case *ledger.Refuse:
		// The engine said that no answer was had, and shows the findings themselves.
		r.without = r.without || op.Proposal == "answer"
	case *ledger.Answer:
		r.without = r.without && l.By == ledger.Engine
	case *ledger.Finish:
		if op.Outcome == "done" && r.calls > 0 && !r.lastDone && !r.hidden && (op.Kind != "answer" || !r.without) {
			r.a.breach("D12", l.Seq, "", "The step at line %d counts as done although its last call did not end.", l.Seq)
		}
		r.calls, r.lastDone, r.hidden, r.without = 0, false, false, false
	case *ledger.Close:
		r.close(l, op)
	case *ledger.Checkpoint:
		r.checkpoint(l, op)
	}
}

// amend is D10.
func (r *replayer) amend(l *ledger.Line, op *ledger.Amend) {
	if l.By != ledger.Person {
		r.a.breach("D10", l.Seq, "", "Line %d changes the task, and no person wrote it.", l.Seq)
	}
	switch op.Field {
	case "goal":
		r.goal = op.Text
	case "constraints":
		r.constraints = op.List
	case "acceptance":
		r.acceptance = op.List
	}
}

// close is D8: a question is closed with claims that have evidence.
func (r *replayer) close(l *ledger.Line, op *ledger.Close) {
	if l.By == ledger.Person {
		return
	}
	for _, id := range op.Claims {
		// What a sender reported counts for less, and says so on screen; it has evidence
		// all the same, from which a question is answered and closed.
		if k := r.s.Claims[id]; k == nil || k.Trust < state.Backed && k.Live() && !k.HasReported() {
			r.closes = append(r.closes, Problem{Code: "D8", Class: Invariant, Seq: l.Seq, Object: op.ID,
				Message: fmt.Sprintf("Line %d closes a question with a claim that has no evidence.", l.Seq)})
		}
	}
	if len(op.Claims) == 0 && l.By != ledger.Engine {
		r.a.breach("D8", l.Seq, op.ID, "Line %d closes a question without a claim.", l.Seq)
	}
}

// checkpoint compares what a checkpoint says with what the lines before it did
// (D7, D8, D10).
func (r *replayer) checkpoint(l *ledger.Line, op *ledger.Checkpoint) {
	now := r.s.Counts()
	if op.Fold == state.FoldVersion {
		r.a.report.Problems = append(r.a.report.Problems, r.closes...)
	} else {
		r.otherRule = l.Seq // evidence may count otherwise now, and that is no damage
	}
	r.closes = nil
	if len(r.s.Claims) < r.claims || len(r.s.Questions) < r.questions {
		r.a.breach("D7", l.Seq, "", "At line %d claims or questions are gone without a line that says so.", l.Seq)
	}
	if s := op.Sum; s != nil && op.Fold == state.FoldVersion {
		if s.Lost != 0 {
			r.a.breach("D7", l.Seq, "", "The checkpoint at line %d says that %d claims or questions were lost.", l.Seq, s.Lost)
		}
		want := r.before.Claims + s.Claims + s.Restored - s.Retracted - s.Merged - s.Superseded
		if want != now.Claims {
			r.a.breach("D7", l.Seq, "", "The sum of the checkpoint at line %d does not add up: by its words there are %d claims, by the lines %d.", l.Seq, want, now.Claims)
		}
	}
	if c := op.Counts; c != nil && op.Fold == state.FoldVersion && *c != now {
		code := "D7"
		if c.Claims == now.Claims {
			code = "D8"
		}
		r.a.breach(code, l.Seq, "", "The counts of the checkpoint at line %d are not those of its lines.", l.Seq)
	}
	if t := r.s.Task; t.Goal != r.goal || !slices.Equal(t.Constraints, r.constraints) || !slices.Equal(t.Acceptance, r.acceptance) {
		r.a.breach("D10", l.Seq, "", "Goal or constraints at line %d are not what the person wrote.", l.Seq)
	}
	r.before, r.claims, r.questions = now, len(r.s.Claims), len(r.s.Questions)
}

// objects checks the state in use: ids and basis (D9, D13, D14).
func (a *auditor) objects() {
	st := a.st
	for _, id := range st.ClaimIDs {
		k := st.Claims[id]
		if k == nil {
			a.breach("D7", 0, id, "A claim on record is gone.")
			continue
		}
		o := ledger.Claim{Basis: k.Basis, Question: k.Question, Text: k.Text}
		if k.IsQuote {
			o.Text = ""
		}
		if ledger.ClaimID(o) != id {
			a.breach("D9", k.Seq, id, "Other words stand under the id of a claim (line %d).", k.Seq)
		}
		for _, e := range k.Evidence {
			if e.Slice.From < 1 || e.Slice.To < e.Slice.From {
				a.breach("D2", e.Seq, id, "A quote names no sentences (line %d).", e.Seq)
			}
		}
		for _, b := range k.Basis {
			a.basis(k, b)
		}
	}
	for _, id := range st.QuestionIDs {
		q := st.Questions[id]
		if q == nil {
			a.breach("D8", 0, id, "A question on record is gone.")
		} else if ledger.QuestionID(ledger.Question{Parent: q.Parent, Text: q.Text}) != id {
			a.breach("D9", q.Seq, id, "Other words stand under the id of a question (line %d).", q.Seq)
		}
	}
	a.cycles()
}

func (a *auditor) basis(k *state.Claim, b string) {
	if p, ok := ledger.ParseRef(b); ok {
		s := a.st.Sources[p.Source]
		switch {
		case s == nil:
			a.breach("D1", k.Seq, k.ID, "A claim rests on a source that is not on record (line %d).", k.Seq)
		case s.Seq >= k.Seq:
			a.breach("D14", k.Seq, k.ID, "A claim rests on a source that was taken in later (line %d).", k.Seq)
		case !hasSlice(k, p):
			a.breach("D2", k.Seq, k.ID, "A claim has no words for a place that it rests on (line %d).", k.Seq)
		}
		return
	}
	seq := int64(0)
	if c := a.st.Claims[b]; c != nil {
		seq = c.Seq
	} else if m := a.st.Assumptions[b]; m != nil {
		seq = m.Seq
	} else {
		a.breach("D13", k.Seq, k.ID, "A claim rests on something that is not on record (line %d).", k.Seq)
		return
	}
	if seq >= k.Seq {
		a.breach("D14", k.Seq, k.ID, "A claim rests on something written later (line %d).", k.Seq)
	}
}

func hasSlice(k *state.Claim, p ledger.Place) bool {
	for _, e := range k.Evidence {
		if e.Slice.Source == p.Source && e.Slice.From == p.From && e.Slice.To == p.To && e.Slice.Text != "" {
			return true
		}
	}
	return false
}

// cycles is D13, without trusting the order of the lines.
func (a *auditor) cycles() {
	const open, done = 1, 2
	mark := map[string]int{}
	var visit func(id string) bool
	visit = func(id string) bool {
		k := a.st.Claims[id]
		if k == nil || mark[id] == done {
			return false
		}
		if mark[id] == open {
			return true
		}
		mark[id] = open
		for _, b := range k.Basis {
			if visit(b) {
				return true
			}
		}
		mark[id] = done
		return false
	}
	for _, id := range a.st.ClaimIDs {
		if visit(id) {
			a.breach("D13", a.st.Claims[id].Seq, id, "A claim rests on itself (line %d).", a.st.Claims[id].Seq)
			return
		}
	}
}

// texts is D1 and D2: each source's text has its hash, and each quote is its slice.
func (a *auditor) texts(ctx context.Context, blobs Blobs) error {
	bySource := map[string][]quoteAt{}
	for _, id := range a.st.ClaimIDs {
		k := a.st.Claims[id]
		if k == nil {
			continue
		}
		for _, e := range k.Evidence {
			bySource[e.Slice.Source] = append(bySource[e.Slice.Source], quoteAt{id, e.Seq, e.Slice})
		}
	}
	for _, id := range a.st.SourceIDs {
		s := a.st.Sources[id]
		if s == nil || s.Body == "" {
			continue
		}
		if err := a.text(ctx, blobs, s, bySource[id]); err != nil {
			return err
		}
	}
	return nil
}

type quoteAt struct {
	claim string
	seq   int64
	slice ledger.Slice
}

func (a *auditor) text(ctx context.Context, blobs Blobs, s *state.Source, quotes []quoteAt) error {
	body, ok, err := a.blob(ctx, blobs, s, s.Body)
	if err != nil || !ok {
		return err
	}
	raw, ok, err := a.blob(ctx, blobs, s, s.Table)
	if err != nil || !ok {
		return err
	}
	a.report.Sources++
	table, err := source.DecodeTable(raw)
	if err == nil {
		err = table.Check(body)
	}
	if err != nil {
		a.breach("D1", s.Seq, s.ID, "The sentences of “%s” can't be read: %v.", s.Name, err)
		return nil
	}
	if table.Len() != s.Sentences {
		a.breach("D1", s.Seq, s.ID, "“%s” has %d sentences, the record says %d.", s.Name, table.Len(), s.Sentences)
	}
	for _, q := range quotes {
		a.report.Slices++
		if table.Slice(body, q.slice.From, q.slice.To) != q.slice.Text {
			a.breach("D2", q.seq, q.claim, "A quote does not stand in “%s” as the record has it (line %d).", s.Name, q.seq)
		}
	}
	return nil
}

// blob reads and hashes one blob of a source; ok is false where it can't be checked
// here or does not hold.
func (a *auditor) blob(ctx context.Context, blobs Blobs, s *state.Source, name string) ([]byte, bool, error) {
	h, err := ledger.ParseHash(name)
	if err != nil {
		a.breach("D1", s.Seq, s.ID, "“%s” has no readable hash.", s.Name)
		return nil, false, nil
	}
	b, err := blobs.Blob(ctx, h)
	switch kind := engine.KindOf(err); {
	case err == nil:
	case kind == engine.KindNotFound && s.Missing != "":
		a.report.Unchecked = append(a.report.Unchecked, Problem{Code: "D2", Class: Flag, Seq: s.Seq, Object: s.ID,
			Message: fmt.Sprintf("The text of “%s” is not here, so its quotes cannot be checked here.", s.Name)})
		return nil, false, nil
	case kind == engine.KindNotFound:
		a.breach("D1", s.Seq, s.ID, "The text of “%s” is gone from the store.", s.Name)
		return nil, false, nil
	case kind == engine.KindDamaged:
		a.breach("D1", s.Seq, s.ID, "The text of “%s” is damaged in the store.", s.Name)
		return nil, false, nil
	default:
		return nil, false, fmt.Errorf("read the text of a source: %w", err)
	}
	if ledger.HashOf(b) != h {
		a.breach("D1", s.Seq, s.ID, "The text of “%s” is not the text that was read: its bytes were changed.", s.Name)
		return nil, false, nil
	}
	return b, true, nil
}
