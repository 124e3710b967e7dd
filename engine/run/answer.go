package run

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/prompt"
	"cairn/engine/state"
	"cairn/engine/task"
)

// Limits of an answer.
const (
	answerClaims   = 24 // claims put before the model at once
	fallbackPerDoc = 4  // sentences of one document that search may put in a model's place
	fallbackInAll  = 12
)

// answer writes the answer of a question from its claims only, never from
// passages, and closes the question. Where the model found nothing, the best
// sentences of the search become the claims: each is its own quote, and says so.
func (r *Runner) answer(ctx context.Context, s planner.Step) (outcome, error) {
	var q state.Question
	var claims []state.Claim
	err := r.Task.Read(func(st *state.State) error {
		if st.Questions[s.Serves] == nil {
			return &engine.Error{Kind: engine.KindNotFound, What: "The question is gone."}
		}
		q = *st.Questions[s.Serves]
		for _, c := range planner.Basis(st, q.ID) {
			claims = append(claims, *c)
		}
		return nil
	})
	if err != nil {
		return outcome{}, err
	}
	var out outcome
	if len(claims) == 0 {
		out.entries, claims, err = r.fallback(ctx, q)
		if err != nil {
			return outcome{}, err
		}
	}
	if len(claims) == 0 {
		out.entries = append(out.entries, engineSays(&ledger.Park{ID: q.ID, Reason: "nothing_found"}))
		out.result = "nothing"
		return out, nil
	}
	rank(claims)
	sentences, by, refused, err := r.words(ctx, s, q, claims)
	if err != nil {
		return outcome{}, err
	}
	for i := range refused {
		out.entries = append(out.entries, engineSays(&refused[i]))
	}
	out.entries = append(out.entries, r.answered(q, sentences, by)...)
	ids := make([]string, 0, len(claims))
	for _, c := range claims {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	out.entries = append(out.entries, engineSays(&ledger.Close{ID: q.ID, Claims: ids[:min(len(ids), 512)]}))
	out.result = "done"
	return out, nil
}

// rank puts what people checked first, then the better backed, then the older.
func rank(claims []state.Claim) {
	slices.SortStableFunc(claims, func(a, b state.Claim) int { return int(b.Trust) - int(a.Trust) })
}

// answered gives the lines for an answer: a renewal when the same answer went
// stale, nothing when it stands.
func (r *Runner) answered(q state.Question, sentences []ledger.Sentence, by task.Entry) []task.Entry {
	a := &ledger.Answer{Question: q.ID, Sentences: sentences}
	by.Op = a
	entries := []task.Entry{by}
	_ = r.Task.Read(func(st *state.State) error {
		old := st.Answers[ledger.AnswerID(*a)]
		switch {
		case old == nil:
		case old.Standing == state.Active && !old.IsStale:
			entries = nil
		case old.IsStale:
			by.Op = &ledger.Renew{ID: old.ID}
			entries = []task.Entry{by}
		}
		return nil
	})
	return entries
}

// words asks the model for the answer. What it writes is kept sentence by
// sentence as far as it agrees with the claims that it names; when nothing is
// left, the claims themselves are the answer, in the engine's name.
func (r *Runner) words(ctx context.Context, s planner.Step, q state.Question, claims []state.Claim) ([]ledger.Sentence, task.Entry, []ledger.Refuse, error) {
	list := claimSentences(claims)
	if r.Model == nil || r.settings().Model == "" || r.settings().Model == "-" {
		return list, engineSays(nil), nil, nil
	}
	labels := map[string]string{}
	var shown []prompt.Claim
	for i, c := range claims[:min(len(claims), answerClaims)] {
		label := "c" + strconv.Itoa(i+1)
		labels[label] = c.ID
		shown = append(shown, prompt.Claim{Label: label, Text: c.Text})
	}
	t := prompt.Answer(q.Text, shown, r.mark())
	for !r.fits(t) && len(shown) > 1 {
		shown = shown[:len(shown)-1]
		t = prompt.Answer(q.Text, shown, r.mark())
	}
	pointed, extra, err := propose(ctx, r, s, t, prompt.ParseAnswer)
	if err != nil {
		// An answer that can't be had is no loss: its claims stand.
		if o, perr := parked(err); perr == nil {
			return list, engineSays(nil), []ledger.Refuse{{Code: "schema", Proposal: "answer", Question: q.ID,
				Message: "The model gave no usable answer (" + o.reason + "); the findings themselves are shown."}}, nil
		}
		return nil, task.Entry{}, nil, err
	}
	r.phase(Checking, s, nil)
	var refused []ledger.Refuse
	for _, e := range extra {
		refused = append(refused, *r.engineOnly(q.ID, e))
	}
	var proposed []ledger.Sentence
	for _, p := range pointed {
		sentence := ledger.Sentence{Text: p.Text}
		for _, ref := range p.Refs {
			if id := labels[ref]; id != "" && !slices.Contains(sentence.Claims, id) {
				sentence.Claims = append(sentence.Claims, id)
			}
		}
		proposed = append(proposed, sentence)
	}
	var kept []ledger.Sentence
	var digest string
	err = r.Task.Read(func(st *state.State) error {
		digest = st.Settings.Digest
		var no []ledger.Refuse
		kept, no = audit.CheckAnswer(audit.Context{State: st}, q.ID, proposed)
		refused = append(refused, no...)
		return nil
	})
	if err != nil {
		return nil, task.Entry{}, nil, err
	}
	if !slices.ContainsFunc(kept, func(s ledger.Sentence) bool { return len(s.Flags) == 0 && len(s.Claims) > 0 }) {
		return list, engineSays(nil), refused, nil
	}
	return kept, task.Entry{By: ledger.Model, Who: ledger.WhoDigest(digest)}, refused, nil
}

// claimSentences is the answer that needs no model: each claim as it stands.
func claimSentences(claims []state.Claim) []ledger.Sentence {
	var out []ledger.Sentence
	for _, c := range claims[:min(len(claims), 200)] {
		out = append(out, ledger.Sentence{Text: c.Text, Claims: []string{c.ID}})
	}
	return out
}

// mark seeds the markers of prompts; no author of a source knows it.
func (r *Runner) mark() (id string) {
	_ = r.Task.Read(func(st *state.State) error { id = st.Task.ID; return nil })
	return id
}

// fallback makes claims of the sentences that search ranks best: the quoted
// sentence is the claim, written by the engine.
func (r *Runner) fallback(ctx context.Context, q state.Question) ([]task.Entry, []state.Claim, error) {
	sources := r.sources()
	lib := r.Task.Library()
	index, err := lib.Index(ctx, sources)
	if err != nil {
		return nil, nil, err
	}
	byID := map[string]*state.Source{}
	for _, s := range sources {
		byID[s.ID] = s
	}
	var entries []task.Entry
	var claims []state.Claim
	for _, h := range index.Sentences(q.Text, fallbackPerDoc, fallbackInAll) {
		text, err := lib.Text(ctx, byID[h.Source])
		if err != nil {
			return nil, nil, fmt.Errorf("quote a found sentence: %w", err)
		}
		slice := ledger.Slice{Source: h.Source, From: h.From, To: h.To, Text: text.Slice(h.From, h.To)}
		c := ledger.Claim{Question: q.ID, Basis: []string{ledger.Ref(h.Source, h.From, h.To)}, Quotes: []ledger.Slice{slice}}
		var op ledger.Op
		err = r.Task.Read(func(st *state.State) error { op = admit(st, &c); return nil })
		if err != nil {
			return nil, nil, err
		}
		if op != nil {
			entries = append(entries, engineSays(op))
			if _, refused := op.(*ledger.Refuse); refused {
				continue
			}
		}
		claims = append(claims, state.Claim{ID: ledger.ClaimID(c), Question: q.ID, Text: slice.Text, IsQuote: true})
	}
	return entries, claims, nil
}
