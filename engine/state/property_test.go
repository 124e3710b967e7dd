package state_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"

	"pgregory.net/rapid"
)

// fold is a state and how it takes a line: state.Apply, or a broken one that a
// property must notice (faults_test.go).
type fold struct {
	*state.State
	apply func(s *state.State, l *ledger.Line) []state.Finding
}

func goodFold() *fold { return &fold{state.New(), (*state.State).Apply} }

func (f *fold) take(l *ledger.Line) []state.Finding { return f.apply(f.State, l) }

// write builds the next line from this fold and takes it.
func (f *fold) write(a statetest.Act) (seq int64, found []state.Finding, err error) {
	e := ledger.Entry{By: a.By, Origin: a.Origin, Reported: a.Reported}
	if ledger.IsLog(a.Op.OpName()) {
		e.Salt = statetest.Hex("salt")[:32]
	}
	line, err := f.Begin().Add(e, a.Op, true)
	if err != nil {
		return 0, nil, err
	}
	return line.Seq, f.take(line), nil
}

// property of a random ledger, for any way to fold it.
type property func(t *rapid.T, make func() *fold) error

var properties = map[string]property{
	"the kept hash is the whole one":          keptHash,
	"prefix and rest are the whole":           prefixes,
	"nothing vanishes":                        nothingVanishes,
	"a person's change outlives the model":    personHolds,
	"nothing fresh rests on what is not":      standing,
	"an undo of an undo changes nothing":      undoOfUndo,
	"a trial says what the line would":        trial,
	"what is apart commutes":                  commutes,
	"log lines, times and names do not count": logDoesNotCount,
}

func TestProperties(t *testing.T) {
	for name, p := range properties {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				if err := p(t, goodFold); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// FuzzRandomLedgers lets the fuzzer choose what the random ledgers do.
func FuzzRandomLedgers(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		for name, p := range properties {
			if err := p(t, goodFold); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}))
}

func someLines(t *rapid.T) []*ledger.Line {
	w := newWorld(t, "", true)
	w.grow(rapid.IntRange(5, 40).Draw(t, "groups"))
	return w.lines()
}

func keptHash(t *rapid.T, make func() *fold) error {
	f := make()
	for _, l := range someLines(t) {
		f.take(l)
		if f.Hash() != f.HashWhole() {
			return fmt.Errorf("after line %d (%s) the kept hash is not the whole one", l.Seq, l.Op.OpName())
		}
	}
	return nil
}

func prefixes(t *rapid.T, make func() *fold) error {
	lines := someLines(t)
	cut := rapid.IntRange(0, len(lines)).Draw(t, "cut")
	whole, part := make(), make()
	var all, found []state.Finding
	for i, l := range lines {
		all = append(all, whole.take(l)...)
		if i == cut { // go on from a copy: it must hold everything that counts
			part.State = part.Clone()
			_ = part.Hash()
		}
		found = append(found, part.take(l)...)
	}
	if part.Hash() != whole.Hash() || part.HashWhole() != whole.HashWhole() || part.Seq != whole.Seq || part.Chain != whole.Chain {
		return errors.New("prefix and rest fold to another state than the whole")
	}
	if fmt.Sprint(all) != fmt.Sprint(found) {
		return fmt.Errorf("other findings: %v and %v", all, found)
	}
	if fmt.Sprint(part.OpenItems(), part.Counts()) != fmt.Sprint(whole.OpenItems(), whole.Counts()) {
		return errors.New("other open items or counts")
	}
	return nil
}

// nothingVanishes is promise 4: what there was is there, in the same words, and the
// sums add up.
func nothingVanishes(t *rapid.T, make func() *fold) error {
	f := make()
	before := f.Clone()
	for _, l := range someLines(t) {
		f.take(l)
		if err := sums(before, f.State); err != nil {
			return fmt.Errorf("line %d (%s): %w", l.Seq, l.Op.OpName(), err)
		}
		if err := allThere(before, f.State, l.Op.OpName() == "undo"); err != nil {
			return fmt.Errorf("line %d (%s): %w", l.Seq, l.Op.OpName(), err)
		}
		before = f.Clone()
	}
	return nil
}

func allThere(before, after *state.State, undo bool) error {
	for id, c := range before.Claims {
		now := after.Claims[id]
		if now == nil || now.Text != c.Text || !slices.Equal(now.Basis, c.Basis) || len(now.Evidence) < len(c.Evidence) && !undo {
			return fmt.Errorf("claim %s vanished or changed its words", id)
		}
	}
	for id, q := range before.Questions {
		if now := after.Questions[id]; now == nil || now.Text != q.Text || now.Place != q.Place {
			return fmt.Errorf("question %s vanished or changed its words", id)
		}
	}
	for id, r := range before.Sources {
		if now := after.Sources[id]; now == nil || now.Body != r.Body {
			return fmt.Errorf("source %s vanished", id)
		}
	}
	gone := ""
	miss := func(id string, there bool) {
		if !there {
			gone = id
		}
	}
	for id := range before.Assumptions {
		miss(id, after.Assumptions[id] != nil)
	}
	for id := range before.Tried {
		miss(id, after.Tried[id] != nil)
	}
	for id := range before.Answers {
		miss(id, after.Answers[id] != nil)
	}
	for id := range before.Reports {
		miss(id, after.Reports[id] != nil)
	}
	for id := range before.Notes {
		miss(id, after.Notes[id] != nil)
	}
	for id := range before.Plan {
		miss(id, after.Plan[id] != nil)
	}
	if gone != "" {
		return fmt.Errorf("%s vanished", gone)
	}
	return nil
}

func sums(before, after *state.State) error {
	live := func(s *state.State) (n int64) {
		for _, c := range s.Claims {
			if c.Live() {
				n++
			}
		}
		return n
	}
	sum, _ := after.Sum(before)
	since, _ := after.SumSince(before.Seq)
	if fmt.Sprint(sum) != fmt.Sprint(since) {
		return fmt.Errorf("Sum %+v, SumSince %+v", sum, since)
	}
	if sum.Lost != 0 {
		return fmt.Errorf("%d lost", sum.Lost)
	}
	if got := live(before) + sum.Claims + sum.Restored - sum.Retracted - sum.Superseded - sum.Merged; got != live(after) {
		return fmt.Errorf("%d claims by the sum, %d by the fold: %+v", got, live(after), sum)
	}
	return nil
}

// personHolds is promise 5: whatever others write, what a person decided stands.
func personHolds(t *rapid.T, make func() *fold) error {
	f := make()
	before := f.Clone()
	lines := someLines(t)
	for i, l := range lines {
		f.take(l)
		if l.By != ledger.Person {
			if err := held(before, f.State, l.By); err != nil {
				return fmt.Errorf("line %d: %s by %s: %w\n%s", l.Seq, l.Op.OpName(), l.By, err, told(lines[:i+1]))
			}
		}
		before = f.Clone()
	}
	return nil
}

func held(before, after *state.State, by ledger.By) error {
	for id, c := range before.Claims {
		now := after.Claims[id]
		if c.Person && (now.Live() != c.Live() || !now.Person || now.Into != c.Into || now.Accepted != c.Accepted || now.Reason != c.Reason) {
			return fmt.Errorf("it changed what a person decided on claim %s", id)
		}
		for i, v := range c.Checks {
			if v.How == "person" && (i >= len(now.Checks) || now.Checks[i].Verdict != v.Verdict) {
				return fmt.Errorf("it changed a person's check on claim %s", id)
			}
		}
	}
	for id, q := range before.Questions {
		now := after.Questions[id]
		if q.Person && now.Status != q.Status && (by != ledger.Engine || q.Status == state.Dropped) {
			return fmt.Errorf("it changed what a person decided on question %s", id)
		}
		if q.Person && now.Status == q.Status && !slices.Equal(q.Claims, now.Claims) {
			return fmt.Errorf("it closed question %s with other claims than a person did", id)
		}
	}
	if err := heldOthers(before, after); err != nil {
		return err
	}
	for id, i := range before.Plan {
		if i.Person && after.Plan[id].Removed != i.Removed {
			return fmt.Errorf("it removed or put back a person's plan item")
		}
	}
	if mine := personsItems(before); !slices.Equal(mine, personsItems(after)) {
		return fmt.Errorf("it reordered a person's plan items")
	}
	for id, r := range before.Sources {
		if after.Sources[id].Aside != r.Aside {
			return fmt.Errorf("it set source %s aside or back", id)
		}
	}
	if fmt.Sprint(before.Task) != fmt.Sprint(after.Task) || fmt.Sprint(before.Overrides) != fmt.Sprint(after.Overrides) {
		return errors.New("it changed the task or an override")
	}
	return nil
}

// heldOthers is held for what is neither claim nor question.
func heldOthers(before, after *state.State) error {
	for id, a := range before.Answers {
		if a.Person && after.Answers[id].Live() != a.Live() {
			return fmt.Errorf("it changed what a person decided on answer %s", id)
		}
	}
	for id, r := range before.Reports {
		if r.Person && after.Reports[id].Live() != r.Live() {
			return fmt.Errorf("it changed what a person decided on report %s", id)
		}
	}
	for id, a := range before.Assumptions {
		if now := after.Assumptions[id]; a.Person && (now.Live() != a.Live() || now.Checked != a.Checked && !imported(before, after)) {
			return fmt.Errorf("it changed what a person decided on assumption %s", id)
		}
	}
	for id, n := range before.Notes {
		if n.Person && after.Notes[id].Standing != n.Standing {
			return fmt.Errorf("it changed a person's note")
		}
	}
	for id, r := range before.Tried {
		if r.Person && after.Tried[id].Standing != r.Standing {
			return fmt.Errorf("it changed what a person tried")
		}
	}
	return nil
}

func imported(before, after *state.State) bool { return before.ImportSeq != after.ImportSeq }

func personsItems(s *state.State) []string {
	return slices.DeleteFunc(slices.Clone(s.PlanIDs), func(id string) bool { return !s.Plan[id].Person })
}

// standing: nothing fresh rests on what is stale or gone, nothing rests on itself,
// no derived claim is above its weakest basis, and only a person makes checked.
func standing(t *rapid.T, make func() *fold) error {
	f := make()
	lines := someLines(t)
	for i, l := range lines {
		f.take(l)
		if err := wellFounded(f.State); err != nil {
			return fmt.Errorf("after line %d (%s): %w\n%s", l.Seq, l.Op.OpName(), err, told(lines[:i+1]))
		}
	}
	return nil
}

// told writes the lines of work for people.
func told(lines []*ledger.Line) string {
	out := ""
	for _, l := range lines {
		if ledger.IsWork(l.Op.OpName()) {
			out += fmt.Sprintf("%d %s: %s %+v\n", l.Seq, l.By, l.Op.OpName(), l.Op)
		}
	}
	return out
}

func wellFounded(s *state.State) error {
	for id, c := range s.Claims {
		if c.Live() && s.RestsUpon(id, id) {
			return fmt.Errorf("claim %s rests on itself", id)
		}
		if c.Live() && !c.IsStale && !s.FreshBasis(id) {
			return fmt.Errorf("claim %s is fresh, its basis is not: %+v", id, c)
		}
		for _, b := range c.Basis {
			if on := s.StandsFor(b); on != nil && on.Live() && c.Trust > on.Trust {
				return fmt.Errorf("claim %s has trust %d above its basis %d", id, c.Trust, on.Trust)
			}
		}
		if c.Trust == state.Checked && !slices.ContainsFunc(c.Checks, func(v state.Verdict) bool { return v.How == "person" && v.Good() && !v.Reported }) {
			return fmt.Errorf("claim %s is checked, and no person checked it here", id)
		}
	}
	for id, a := range s.Answers {
		if a.Live() && !a.IsStale && !s.FreshBasis(id) {
			return fmt.Errorf("answer %s is fresh, its claims are not", id)
		}
	}
	for id, r := range s.Reports {
		if r.Live() && !r.IsStale && !s.FreshBasis(id) {
			return fmt.Errorf("report %s is fresh, its answers are not", id)
		}
	}
	for id, q := range s.Questions {
		if q.Status != state.Closed || q.Stale {
			continue
		}
		for _, cl := range q.Claims {
			if c := s.StandsFor(cl); c == nil || !c.Live() || c.IsStale {
				return fmt.Errorf("question %s is closed and fresh, its claim %s is not", id, cl)
			}
		}
	}
	return nil
}

// undoOfUndo: any line that took effect and that a person may undo right away comes
// back by undoing the undo.
func undoOfUndo(t *rapid.T, make func() *fold) error {
	w := newWorld(t, "", true)
	w.grow(rapid.IntRange(5, 25).Draw(t, "groups"))
	f := make()
	for _, l := range w.lines() {
		f.take(l)
	}
	if err := wellFounded(f.State); err != nil {
		return fmt.Errorf("before any undo: %w\n%s", err, told(w.lines()))
	}
	for range 8 {
		w.State = f.State // draw from where this fold is
		a := w.act()
		if !ledger.IsWork(a.Op.OpName()) {
			continue
		}
		before := f.Hash()
		line, found, err := f.write(a)
		if err != nil {
			return err
		}
		after := f.Hash()
		if len(found) > 0 || before == after {
			continue
		}
		undo, found, err := f.write(statetest.Act{By: ledger.Person, Op: &ledger.Undo{Line: line}})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			if found[0].Code == state.CodeUndo {
				return fmt.Errorf("nothing came after line %d (%s), and yet: %+v", line, a.Op.OpName(), found)
			}
			continue // a task, a source, an erasure
		}
		if err := wellFounded(f.State); err != nil {
			return fmt.Errorf("undo of %s by %s: %w", a.Op.OpName(), a.By, err)
		}
		if _, found, err = f.write(statetest.Act{By: ledger.Person, Op: &ledger.Undo{Line: undo}}); err != nil || len(found) > 0 {
			return fmt.Errorf("undo of undo of %s: %+v, %w", a.Op.OpName(), found, err)
		}
		if f.Hash() != after || f.HashWhole() != after {
			return fmt.Errorf("undo of undo of %s by %s is another state", a.Op.OpName(), a.By)
		}
	}
	return nil
}

func trial(t *rapid.T, make func() *fold) error {
	w := newWorld(t, "", true)
	w.grow(rapid.IntRange(5, 25).Draw(t, "groups"))
	f := make()
	for _, l := range w.lines() {
		f.take(l)
	}
	w.State = f.State
	a := w.act()
	before, lines := f.HashWhole(), f.Seq
	said := f.Try(ledger.Entry{By: a.By}, a.Op)
	if f.HashWhole() != before || f.Hash() != before || f.Seq != lines {
		return fmt.Errorf("trying %s changed the state", a.Op.OpName())
	}
	if !ledger.IsWork(a.Op.OpName()) {
		return nil
	}
	_, found, err := f.write(a)
	if err != nil {
		return err
	}
	if (said == nil) != (len(found) == 0) || said != nil && said.Code != found[0].Code {
		return fmt.Errorf("trial of %s found %v, the line %v", a.Op.OpName(), said, found)
	}
	return nil
}
