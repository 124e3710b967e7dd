package state_test

import (
	"errors"
	"fmt"
	"slices"

	"cairn/engine/ledger"
	"cairn/engine/state/statetest"

	"pgregory.net/rapid"
)

// story is a list of acts that name lines by their place in the story, so that it
// can be told with others between.
type story struct {
	acts []statetest.Act
	undo map[int]int // place of an undo → place of the line that it undoes; −1: none
}

// tell draws a story over a world of its own, with its undos.
func tell(t *rapid.T, tag string, whole bool) story {
	w := &world{Ledger: statetest.New(), t: t, tag: tag, whole: whole}
	out := story{undo: map[int]int{}}
	f := goodFold()
	if _, _, err := f.write(statetest.Act{By: ledger.Person, Op: theTask}); err != nil {
		t.Fatal(err)
	}
	w.State = f.State
	add := func(a statetest.Act) {
		if u, ok := a.Op.(*ledger.Undo); ok {
			place := int(u.Line) - 2 // the task is line 1
			if place < 0 || place >= len(out.acts) {
				place = -1
			}
			out.undo[len(out.acts)] = place
		}
		if _, _, err := f.write(a); err != nil {
			t.Fatalf("%s: %v", a.Op.OpName(), err)
		}
		out.acts = append(out.acts, a)
	}
	for _, a := range w.first() {
		add(a)
	}
	for range rapid.IntRange(5, 30).Draw(t, "acts") {
		if a := w.act(); ledger.IsWork(a.Op.OpName()) {
			add(a)
		}
	}
	return out
}

// telling folds stories in an order: order[i] says whose next act comes.
type telling struct {
	hash  ledger.Hash
	codes [][]string // of each story, the codes found at each act
}

func (t telling) equal(o telling) bool {
	return t.hash == o.hash && slices.EqualFunc(t.codes, o.codes, func(a, b []string) bool { return slices.Equal(a, b) })
}

func inOrder(f *fold, order []int, between func(), stories ...story) (telling, error) {
	out := telling{codes: make([][]string, len(stories))}
	at := make([]int, len(stories))
	seqs := make([]map[int]int64, len(stories))
	for i := range seqs {
		seqs[i] = map[int]int64{-1: 1}
	}
	if _, _, err := f.write(statetest.Act{By: ledger.Person, Op: theTask}); err != nil {
		return out, err
	}
	for _, i := range order {
		between()
		a, n := stories[i].acts[at[i]], at[i]
		if _, isUndo := a.Op.(*ledger.Undo); isUndo {
			a.Op = &ledger.Undo{Line: seqs[i][stories[i].undo[n]]}
		}
		seq, found, err := f.write(a)
		if err != nil {
			return out, err
		}
		code := ""
		if len(found) > 0 {
			code = found[0].Code
		}
		seqs[i][n], out.codes[i] = seq, append(out.codes[i], code)
		at[i]++
	}
	if out.hash = f.Hash(); out.hash != f.HashWhole() {
		return out, errors.New("the kept hash is not the whole one")
	}
	return out, nil
}

// commutes: two stories that name no common object but the task give the same
// work in whatever order they are told.
func commutes(t *rapid.T, make func() *fold) error {
	a, b := tell(t, "a", true), tell(t, "b", false)
	order := append(slices.Repeat([]int{0}, len(a.acts)), slices.Repeat([]int{1}, len(b.acts))...)
	nothing := func() {}
	first, err := inOrder(make(), order, nothing, a, b)
	if err != nil {
		return err
	}
	mixed := rapid.Permutation(order).Draw(t, "order")
	second, err := inOrder(make(), mixed, nothing, a, b)
	if err != nil {
		return err
	}
	if !first.equal(second) {
		return fmt.Errorf("told in another order, they give another state: %v\n%v\n%s\n%s", first, second, spell(a), spell(b))
	}
	return nil
}

func spell(s story) string {
	out := ""
	for _, a := range s.acts {
		out += fmt.Sprintf("%s %s %+v\n", a.By, a.Op.OpName(), a.Op)
	}
	return out
}

// logDoesNotCount: the same work with log lines, sleeps and other clocks between
// ends in the same state hash.
func logDoesNotCount(t *rapid.T, make func() *fold) error {
	a := tell(t, "a", true)
	order := slices.Repeat([]int{0}, len(a.acts))
	plain, err := inOrder(make(), order, func() {}, a)
	if err != nil {
		return err
	}
	f := make()
	w := &world{Ledger: statetest.New(), t: t}
	logged, err := inOrder(f, order, func() {
		for rapid.Bool().Draw(t, "log") {
			op := w.logOrFrame(w.word("call", "refuse", "account", "pause", "wake", "name"))
			if f.Seq == 0 {
				return
			}
			e := ledger.Entry{At: rapid.Int64Range(0, 1<<40).Draw(t, "at"), By: ledger.Engine, Salt: statetest.Hex("s")[:32]}
			line, err := f.Begin().Add(e, op, true)
			if err != nil {
				t.Fatal(err)
			}
			f.take(line)
		}
	}, a)
	if err != nil {
		return err
	}
	if !plain.equal(logged) {
		return errors.New("log lines changed the work")
	}
	return nil
}
