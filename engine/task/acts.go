package task

import (
	"context"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Act commits ops as the person's: one group of its own.
func (t *Task) Act(ctx context.Context, ops ...ledger.Op) error {
	who, err := t.desk.person(ctx)
	if err != nil {
		return err
	}
	entries := make([]Entry, len(ops))
	for i, op := range ops {
		entries[i] = Entry{By: ledger.Person, Who: who, Op: op}
	}
	return t.save(ctx, entries, nil, true)
}

// Ask adds a question of the person and gives its id.
func (t *Task) Ask(ctx context.Context, text string) (string, error) {
	q := ledger.Question{Text: strings.TrimSpace(text)}
	if q.Text == "" {
		return "", usage("The question is empty.", "Write what you want to know.")
	}
	id := ledger.QuestionID(q)
	known := false
	_ = t.Read(func(st *state.State) error { _, known = st.Questions[id]; return nil })
	if known {
		return "", usage("This question is already in the task.", "Open it again if it was closed.")
	}
	return id, t.Act(ctx, &q)
}

// Drop removes a question from the task, with the reason.
func (t *Task) Drop(ctx context.Context, question, reason string) error {
	return t.Act(ctx, &ledger.Drop{ID: question, Reason: reason})
}

// Reopen opens a closed, parked or dropped question again.
func (t *Task) Reopen(ctx context.Context, question string) error {
	return t.Act(ctx, &ledger.Reopen{ID: question})
}

// AcceptCandidate makes a sentence that search found a claim of the person: the
// claim is its quote, and is checked. It gives the claim's id.
func (t *Task) AcceptCandidate(ctx context.Context, question, source string, from, to int64) (string, error) {
	quote, err := t.cut(ctx, source, from, to)
	if err != nil {
		return "", err
	}
	c := ledger.Claim{Question: question, Basis: []string{ledger.Ref(source, from, to)}, Quotes: []ledger.Slice{quote}}
	id := ledger.ClaimID(c)
	ops := []ledger.Op{&ledger.Check{ID: id, How: "person", Verdict: "right"}, &ledger.Accept{ID: id}}
	live, retracted := t.standing(id)
	switch {
	case retracted: // the person thought better of it
		ops = append([]ledger.Op{&ledger.Renew{ID: id}}, ops...)
	case !live:
		ops = append([]ledger.Op{&c}, ops...)
	}
	return id, t.Act(ctx, ops...)
}

// cut takes a slice out of a stored source.
func (t *Task) cut(ctx context.Context, id string, from, to int64) (ledger.Slice, error) {
	var src state.Source
	err := t.Read(func(st *state.State) error {
		s := st.Sources[id]
		if s == nil {
			return &engine.Error{Kind: engine.KindNotFound, What: "There is no such source in this task."}
		}
		src = *s
		return nil
	})
	if err != nil {
		return ledger.Slice{}, err
	}
	text, err := t.library.Text(ctx, &src)
	if err != nil {
		return ledger.Slice{}, err
	}
	s := ledger.Slice{Source: id, From: from, To: to, Text: text.Slice(from, to)}
	if s.Text == "" {
		return s, usage("This source has no such sentences.", "")
	}
	return s, nil
}

// Accept says that the person looked at a claim and found it right.
func (t *Task) Accept(ctx context.Context, claim string) error {
	return t.Act(ctx, &ledger.Check{ID: claim, How: "person", Verdict: "right"}, &ledger.Accept{ID: claim})
}

// Retract takes a claim back. It stays in the history with the reason.
func (t *Task) Retract(ctx context.Context, claim, reason string) error {
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = "taken back without a reason"
	}
	return t.Act(ctx, &ledger.Retract{ID: claim, Reason: reason})
}

// Edit puts the person's wording in the place of a claim: a new claim on the same
// basis, checked. It gives the new claim's id. No later step undoes it.
func (t *Task) Edit(ctx context.Context, claim, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", usage("The claim has no words.", "Write the claim, or retract it.")
	}
	var next ledger.Claim
	err := t.Read(func(st *state.State) error {
		c := st.Claims[claim]
		if c == nil {
			return &engine.Error{Kind: engine.KindNotFound, What: "There is no such claim in this task."}
		}
		if c.Text == text {
			return usage("The wording is the same.", "")
		}
		next = ledger.Claim{Question: c.Question, Basis: c.Basis, Text: text}
		for _, ref := range c.Basis {
			for _, e := range c.Evidence {
				if ledger.Ref(e.Slice.Source, e.Slice.From, e.Slice.To) == ref {
					next.Quotes = append(next.Quotes, e.Slice)
					break
				}
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	id := ledger.ClaimID(next)
	ops := []ledger.Op{&ledger.Supersede{ID: claim, Into: id}, &ledger.Check{ID: id, How: "person", Verdict: "right"}}
	if _, there := t.claim(id); !there {
		ops = append([]ledger.Op{&next}, ops...)
	}
	return id, t.Act(ctx, ops...)
}

// Judge records the person's verdict on a claim: right, wrong, says_more or unsure.
func (t *Task) Judge(ctx context.Context, claim, verdict, reason string) error {
	return t.Act(ctx, &ledger.Check{ID: claim, How: "person", Verdict: verdict, Reason: reason})
}

// Note adds a note; with For or Due it shows first under "to check".
func (t *Task) Note(ctx context.Context, n ledger.Note) (string, error) {
	if n.Text = strings.TrimSpace(n.Text); n.Text == "" {
		return "", usage("The note is empty.", "")
	}
	return ledger.NoteID(n), t.Act(ctx, &n)
}

// Scope sets a source aside ("aside") or takes it back ("back").
func (t *Task) Scope(ctx context.Context, source, to, reason string) error {
	return t.Act(ctx, &ledger.Scope{ID: source, State: to, Reason: reason})
}

// Set changes settings as the person's.
func (t *Task) Set(ctx context.Context, s ledger.Set) error { return t.Act(ctx, &s) }

func (t *Task) claim(id string) (c *state.Claim, ok bool) {
	_ = t.Read(func(st *state.State) error { c, ok = st.Claims[id]; return nil })
	return c, ok
}

func (t *Task) standing(id string) (live, retracted bool) {
	_ = t.Read(func(st *state.State) error {
		if c := st.Claims[id]; c != nil {
			live, retracted = c.Live(), !c.Live()
		}
		return nil
	})
	return live, retracted
}

func usage(what, do string) error {
	return &engine.Error{Kind: engine.KindUsage, What: what, Safe: "Nothing was changed.", Do: do}
}
