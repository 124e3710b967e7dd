// Package planner decides what to do next. Next is pure: it reads the work part
// of the state and stored texts named by their hashes, never an index, the
// clock, a model or the log (DESIGN 4). So a run that was killed goes on exactly
// as an unbroken one would.
package planner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Passage is a run of sentences that is shown together, with its size in bytes.
type Passage struct {
	From, To int64
	Bytes    int64
}

// Library gives the passages of a stored source, always cut in the same way.
type Library interface {
	Passages(source string) ([]Passage, error)
}

// Kinds of decision beside the step kinds of the ledger.
const (
	Done   = "done"
	Stuck  = "stuck"
	Person = "person"
)

// Step kinds that this planner uses.
const (
	Plan   = "plan"
	Search = "search"
	Read   = "read"
	Answer = "answer"
	Report = "report"
)

// Step is one decision: a step to take, or that there is none.
type Step struct {
	Kind    string
	Args    []string // what it works on; part of the step's key
	Serves  string   // the question it serves
	Inputs  string   // hash of what it reads; part of the step's key
	Reasons []string // why there is no step
}

// Key names the step in the record of finished steps.
func (s Step) Key() string { return ledger.StepKey(s.Kind, s.Args, s.Inputs) }

// Next gives the next step. It returns an error only when a stored text can't be read.
func Next(st *state.State, lib Library) (Step, error) {
	if reason := blocked(st); reason != "" {
		return Step{Kind: Stuck, Reasons: []string{reason}}, nil
	}
	if s := planStep(st); !finished(st, s) {
		return s, nil
	}
	open := openQuestions(st)
	for _, q := range open {
		if s := searchStep(st, q); !finished(st, s) {
			return s, nil
		}
	}
	if st.Settings.Model == "" || st.Settings.Model == "-" {
		// An answer that went stale is written by a model as well.
		for _, q := range append(open, staleQuestions(st)...) {
			if slices.Contains(open, q) || !answered(st, q, answerStep(st, q)) {
				return Step{Kind: Person, Reasons: []string{ReasonNoModel}}, nil
			}
		}
	}
	queue, err := Queue(st, lib)
	if err != nil {
		return Step{}, err
	}
	if len(queue) > 0 {
		return queue[0].Step, nil
	}
	for _, q := range append(open, staleQuestions(st)...) {
		if s := answerStep(st, q); !answered(st, q, s) {
			return s, nil
		}
	}
	if s := reportStep(st); !finished(st, s) && len(s.Args) > 0 {
		return s, nil
	}
	return ending(st, open), nil
}

// Reasons why there is no next step; they stand in `end` and the window explains them.
const (
	ReasonNoQuestion = "no_question"
	ReasonNoSource   = "no_source"
	ReasonNoModel    = "no_model"
	ReasonParked     = "parked"
	ReasonOpen       = "open_questions"
	ReasonAsked      = "question_for_you"
)

func blocked(st *state.State) string {
	if len(st.QuestionIDs) == 0 {
		return ReasonNoQuestion
	}
	if len(Readable(st)) == 0 {
		return ReasonNoSource
	}
	return ""
}

// ending tells done from what only looks like it: a question that is still open
// without anything left to try is not done.
func ending(st *state.State, open []*state.Question) Step {
	if len(open) > 0 {
		return Step{Kind: Stuck, Reasons: []string{ReasonOpen}}
	}
	for _, id := range st.QuestionIDs {
		if q := st.Questions[id]; q.Status == state.Open && forPerson(q) {
			return Step{Kind: Person, Reasons: []string{ReasonAsked}}
		}
	}
	for _, id := range st.QuestionIDs {
		if st.Questions[id].Status == state.Closed {
			return Step{Kind: Done}
		}
	}
	for _, id := range st.QuestionIDs {
		if st.Questions[id].Status == state.Parked {
			return Step{Kind: Stuck, Reasons: []string{ReasonParked}}
		}
	}
	return Step{Kind: Done}
}

// openQuestions gives the questions that are worked on, in plan order where the
// plan names them, else in the order they were asked.
func openQuestions(st *state.State) []*state.Question {
	rank := map[string]int{}
	for i, id := range st.PlanIDs {
		p := st.Plan[id]
		if p == nil || p.Removed || p.Serves == "" {
			continue
		}
		if _, ok := rank[p.Serves]; !ok {
			rank[p.Serves] = i
		}
	}
	var out []*state.Question
	for _, id := range st.QuestionIDs {
		if q := st.Questions[id]; q.Status == state.Open && !forPerson(q) {
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, func(a, b *state.Question) int {
		return place(rank, a.ID) - place(rank, b.ID)
	})
	return out
}

// forPerson: the engine asks the person, not the documents (a person's claim
// whose ground changed). Nothing waits for it while other work remains.
func forPerson(q *state.Question) bool { return q.By == ledger.Engine }

// staleQuestions gives the closed questions whose answer rests on something that
// changed: they are answered again from what still stands.
func staleQuestions(st *state.State) []*state.Question {
	var out []*state.Question
	for _, id := range st.QuestionIDs {
		if q := st.Questions[id]; q.Status == state.Closed && q.Stale {
			out = append(out, q)
		}
	}
	return out
}

// place puts a question that the plan does not name yet to the front: a
// question typed at any time goes first.
func place(rank map[string]int, id string) int {
	if r, ok := rank[id]; ok {
		return r
	}
	return -1
}

// Readable gives the newest versions of the sources that can be read, sorted by name then id: the order
// in which they came in must not matter.
func Readable(st *state.State) []*state.Source {
	var out []*state.Source
	for _, id := range st.SourceIDs {
		if s := st.Sources[id]; s.Readable() && s.Newer == "" {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *state.Source) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

func planStep(st *state.State) Step {
	h := newHasher("plan")
	for _, id := range st.QuestionIDs {
		if st.Questions[id].Status != state.Dropped {
			h.add(id)
		}
	}
	return Step{Kind: Plan, Inputs: h.sum()}
}

func searchStep(st *state.State, q *state.Question) Step {
	h := newHasher("search", q.Text)
	for _, s := range Readable(st) {
		h.add(s.ID, s.Table)
	}
	return Step{Kind: Search, Args: []string{q.ID}, Serves: q.ID, Inputs: h.sum()}
}

// Basis gives the live claims of a question that an answer is made of, in the
// order they came in. Retracted and superseded claims never reach a prompt.
func Basis(st *state.State, question string) []*state.Claim {
	var out []*state.Claim
	for _, id := range st.ClaimIDs {
		c := st.Claims[id]
		if c.Question == question && c.Live() && !c.IsStale && !wrong(c) {
			out = append(out, c)
		}
	}
	return out
}

// wrong: the last person who judged the claim said so.
func wrong(c *state.Claim) bool {
	for i := len(c.Checks) - 1; i >= 0; i-- {
		if c.Checks[i].By == ledger.Person {
			return c.Checks[i].Verdict == "wrong"
		}
	}
	return false
}

func answerStep(st *state.State, q *state.Question) Step {
	h := newHasher("answer", q.Text, strconv.Itoa(len(st.Found[q.ID])))
	for _, c := range Basis(st, q.ID) {
		h.add(c.ID)
	}
	return Step{Kind: Answer, Args: []string{q.ID}, Serves: q.ID, Inputs: h.sum()}
}

// reportStep puts the standing answers together, in the order of the questions.
func reportStep(st *state.State) Step {
	h := newHasher("report", st.Task.Goal)
	s := Step{Kind: Report}
	for _, id := range st.QuestionIDs {
		q := st.Questions[id]
		if q.Status == state.Dropped || q.Answer == "" {
			continue
		}
		s.Args = append(s.Args, q.Answer)
		h.add(q.Answer)
	}
	s.Inputs = h.sum()
	return s
}

// finished: the step ended, with whatever outcome, and its result still stands.
func finished(st *state.State, s Step) bool {
	_, ok := st.Finished[s.Key()]
	return ok
}

// answered: the answer step ended and its result stands. A question that was
// answered and opened again is answered again, so that it can be closed again.
func answered(st *state.State, q *state.Question, s Step) bool {
	done, ok := st.Finished[s.Key()]
	return ok && !(q.Status == state.Open && done.Outcome == "done")
}

// hasher digests a list of texts without ambiguity.
type hasher struct{ b []byte }

func newHasher(parts ...string) *hasher {
	h := &hasher{}
	h.add(parts...)
	return h
}

func (h *hasher) add(parts ...string) {
	for _, p := range parts {
		h.b = fmt.Appendf(h.b, "%d:%s", len(p), p)
	}
}

func (h *hasher) sum() string { return ledger.HashOf(h.b).String() }

// Current reports whether a step that was begun is still worth its outcome: its
// inputs are what they were, and what it serves is still open.
func Current(st *state.State, lib Library, s Step) (bool, error) {
	if s.Serves != "" {
		q := st.Questions[s.Serves]
		if q == nil || q.Status == state.Dropped || q.Status == state.Parked {
			return false, nil
		}
	}
	switch s.Kind {
	case Plan:
		return planStep(st).Inputs == s.Inputs, nil
	case Search:
		return searchStep(st, st.Questions[s.Serves]).Inputs == s.Inputs, nil
	case Answer:
		return answerStep(st, st.Questions[s.Serves]).Inputs == s.Inputs, nil
	case Report:
		return reportStep(st).Inputs == s.Inputs, nil
	case Read:
		p, ok := ledger.ParseRef(s.Args[1])
		if !ok {
			return false, nil
		}
		src := st.Sources[p.Source]
		if src == nil || !src.Readable() {
			return false, nil
		}
		return readStep(st, st.Questions[s.Serves], state.Range(p)).Inputs == s.Inputs, nil
	}
	return false, nil
}
