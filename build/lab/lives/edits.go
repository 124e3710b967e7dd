package lives

import (
	"context"
	"fmt"
	"maps"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/task"
)

// decisions are what the person decided, as the laboratory knows it: not as it
// stands in any record.
type decisions struct {
	kept, gone map[string]bool // claims
	dropped    map[string]bool // questions
}

func noDecisions() decisions {
	return decisions{map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

func (d decisions) clone() decisions {
	return decisions{maps.Clone(d.kept), maps.Clone(d.gone), maps.Clone(d.dropped)}
}

func (d decisions) keep(id string) { d.kept[id] = true; delete(d.gone, id) }
func (d decisions) lose(id string) { d.gone[id] = true; delete(d.kept, id) }
func (d decisions) open(id string) { delete(d.kept, id); delete(d.gone, id); delete(d.dropped, id) }

// keepGone leaves what must not come back after a document was deleted for good:
// what was kept may rest on what is left out. Where a claim left with its words, so
// did what was decided of it; read again in another document it is a new one.
func (d decisions) keepGone(st *state.State) {
	clear(d.kept)
	clear(d.dropped)
	for id := range d.gone {
		if st.Claims[id] == nil {
			delete(d.gone, id)
		}
	}
}

// edit is one edit of a person.
func (t *turn) edit(ctx context.Context) error { return t.change(ctx, t.Kind, t.person) }

// change does one edit and notes what was decided. One that was cut off may have
// been saved or not: then nothing is known of what it was about. around, where it is
// not nil, is a planted fault.
func (t *turn) change(ctx context.Context, kind string, around func(context.Context, *task.Task, func() error) error) error {
	about, decide, do := t.choose(ctx, kind)
	if do == nil {
		return errNone
	}
	run := do
	if around != nil {
		run = func() error { return around(ctx, t.task, do) }
	}
	err := run()
	switch {
	case err == nil:
		if decide != nil {
			decide()
		}
	case t.medium.gone():
		for _, id := range about {
			t.rec.decisions.open(id)
		}
	}
	return err
}

// choose draws what an edit is done to: what it is about, what it decides, and the act.
func (t *turn) choose(ctx context.Context, kind string) (about []string, decide func(), do func() error) {
	d, tk := t.rec.decisions, t.task
	claims := t.claims(true)
	claim := ""
	if len(claims) > 0 {
		claim = pick(t.dice, claims)
	}
	q := ""
	if len(t.st.QuestionIDs) > 0 {
		q = pick(t.dice, t.st.QuestionIDs)
	}
	src := ""
	if len(t.st.SourceIDs) > 0 {
		src = pick(t.dice, t.st.SourceIDs)
	}
	needs := map[string]string{"accept": src, "right": claim, "retract": claim, "edit": claim, "judge": claim, "drop": q, "reopen": q, "aside": src, "back": src}
	if id, ok := needs[kind]; ok && id == "" {
		return nil, nil, nil
	}
	switch kind {
	case "accept":
		if q == "" || t.st.Sources[src].Sentences == 0 {
			return nil, nil, nil
		}
		n := 1 + t.dice.Int64N(t.st.Sources[src].Sentences)
		id := ledger.ClaimID(ledger.Claim{Question: q, Basis: []string{ledger.Ref(src, n, n)}})
		return []string{id}, func() { d.keep(id) }, func() error { _, err := tk.AcceptCandidate(ctx, q, src, n, n); return err }
	case "right":
		return []string{claim}, func() { d.keep(claim) }, func() error { return tk.Accept(ctx, claim) }
	case "retract":
		return []string{claim}, func() { d.lose(claim) }, func() error { return tk.Retract(ctx, claim, "It says something else.") }
	case "edit":
		text := fmt.Sprintf("In my words: %s %d.", pick(t.dice, things), t.dice.IntN(5))
		old := t.st.Claims[claim]
		id := ledger.ClaimID(ledger.Claim{Question: old.Question, Basis: old.Basis, Text: text})
		return []string{claim, id}, func() { d.lose(claim); d.keep(id) }, func() error { _, err := tk.Edit(ctx, claim, text); return err }
	case "judge":
		v := pick(t.dice, []string{"wrong", "says_more", "unsure", "right"})
		return nil, nil, func() error { return tk.Judge(ctx, claim, v, "") }
	case "ask":
		return nil, nil, func() error { _, err := tk.Ask(ctx, question(t.dice)); return err }
	case "drop":
		return []string{q}, func() { d.dropped[q] = true }, func() error { return tk.Drop(ctx, q, "not needed") }
	case "reopen":
		return []string{q}, func() { d.open(q) }, func() error { return tk.Reopen(ctx, q) }
	case "aside":
		return nil, nil, func() error { return tk.Scope(ctx, src, "aside", "old") }
	case "back":
		return nil, nil, func() error { return tk.Scope(ctx, src, "back", "") }
	case "note":
		return nil, nil, func() error {
			_, err := tk.Note(ctx, ledger.Note{On: claim, Text: fmt.Sprintf("Look again, %d.", t.dice.IntN(9)), For: "Ana"})
			return err
		}
	case "amend":
		op := pick(t.dice, []ledger.Op{&ledger.Amend{Field: "goal", Text: "Find out more – much “more”."}, &ledger.Amend{Field: "constraints", List: []string{"No guesses."}},
			&ledger.Amend{Field: "title", Text: "Other notes"}})
		return nil, nil, func() error { return tk.Act(ctx, op) }
	case "set":
		set := pick(t.dice, []ledger.Set{{Depth: "exhaustive"}, {Depth: "quick"}, {Model: modelName}, {Budget: 1200}, {Budget: -1}})
		return nil, nil, func() error { return tk.Set(ctx, set) }
	}
	return nil, nil, nil
}

// claims are the ids of claims, only live ones or all.
func (t *turn) claims(live bool) (out []string) {
	for _, id := range t.st.ClaimIDs {
		if !live || t.st.Claims[id].Live() {
			out = append(out, id)
		}
	}
	return out
}

// undoLast takes the person's last act back. What it was about is open again.
func (t *turn) undoLast(ctx context.Context) error {
	err := t.takeBack(ctx)
	if err == nil || t.medium.gone() {
		t.rec.decisions = noDecisions()
	}
	return err
}

func (t *turn) takeBack(ctx context.Context) error {
	if t.undo != nil {
		return t.undo(ctx, t.task)
	}
	_, err := t.task.Undo(ctx)
	return err
}

// andUndo does an edit and takes it back at once: then what was there stands as it
// did, and what it had made is taken back.
func (t *turn) andUndo(ctx context.Context) error {
	kind := pick(t.dice, []string{"accept", "right", "retract", "retract", "edit", "judge", "ask", "drop", "reopen", "aside", "back", "note", "amend", "set"})
	before, was := print(t.st), t.rec.decisions.clone()
	err := t.change(ctx, kind, nil)
	if err != nil {
		return err
	}
	if t.task.Snapshot().Seq == t.st.Seq {
		return errNone // it was so already, and nothing was written
	}
	if err := t.takeBack(ctx); err != nil {
		t.rec.decisions = noDecisions()
		if t.medium.gone() {
			return err
		}
		t.fail("what was just done (%s) can't be taken back: %v", kind, err)
		return nil
	}
	t.rec.decisions = was
	after := print(t.task.Snapshot())
	for key, value := range before {
		if after[key] != value {
			t.fail("after %s and undo, %s is %q and was %q", kind, key, after[key], value)
		}
	}
	for key, value := range after {
		if _, ok := before[key]; !ok && value != "taken back" {
			t.fail("after %s and undo, %s is there: %q", kind, key, value)
		}
	}
	return nil
}

// print says where everything stands, by names for people.
func print(st *state.State) map[string]string {
	out := map[string]string{"goal": st.Task.Goal, "title": st.Task.Title, "constraints": fmt.Sprint(st.Task.Constraints),
		"depth": st.Settings.Depth, "model": st.Settings.Model, "budget": fmt.Sprint(st.Settings.Budget)}
	put := func(key string, undone bool, value string) {
		if undone {
			value = "taken back"
		}
		out[key] = value
	}
	for id, c := range st.Claims {
		put("claim "+id, c.Standing == state.Retracted && c.Reason == state.ReasonUndone, fmt.Sprint(c.Standing, c.Trust, c.Accepted, len(c.Checks)))
	}
	for id, q := range st.Questions {
		put("question "+id, q.Status == state.Dropped && q.Reason == state.ReasonUndone, fmt.Sprint(q.Status, q.Stale, q.Answer))
	}
	for id, n := range st.Notes {
		put("note "+id, n.Standing == state.Retracted, string(n.Standing))
	}
	for id, s := range st.Sources {
		put("source "+id, false, s.Aside+s.Missing)
	}
	return out
}
