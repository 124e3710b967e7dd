package statetest

import (
	"fmt"
	"math/rand/v2"

	"cairn/engine/ledger"
)

// Make gives a realistic ledger of at least n lines: a task with five questions
// and forty sources, then steps of start, call and a closing group of findings,
// reading and finish, with answers, a person's acts and refusals between. It is
// a function of n alone. Its fold has no findings.
func Make(n int) (*Ledger, error) {
	m := maker{Ledger: New(), rng: rand.New(rand.NewPCG(7, 11))}
	if err := m.begin(); err != nil {
		return nil, err
	}
	for step := 0; len(m.Lines) < n; step++ {
		if err := m.step(step); err != nil {
			return nil, err
		}
	}
	return m.Ledger, nil
}

type maker struct {
	*Ledger
	rng       *rand.Rand
	questions []string
	sources   []string
	claims    [][]string // per question
	shown     map[string]int64
}

const (
	makeSources   = 40
	makeSentences = 20000
)

func (m *maker) begin() error {
	task := &ledger.Task{Goal: "What do these papers use as data, and how large is it?", Nonce: Hex("nonce")[:32], Title: "Data of the papers"}
	acts := []Act{{By: ledger.Person, Op: task}}
	for i := range 5 {
		q := &ledger.Question{Text: fmt.Sprintf("Which data set is the largest of kind %d, and who made it?", i+1)}
		m.questions = append(m.questions, ledger.QuestionID(*q))
		acts = append(acts, Act{By: ledger.Person, Op: q})
	}
	acts = append(acts, Act{By: ledger.Engine, Op: &ledger.Set{Depth: "thorough", Model: "fake:1b", Digest: Hex("model"),
		ReadRate: 40, WriteRate: 6, TokenBytes: 420, Context: 8192, Predict: 512}})
	if err := m.Group(acts...); err != nil {
		return err
	}
	acts = nil
	for i := range makeSources {
		s := &ledger.Source{Body: Hex("body", i), Bytes: 2000000, Extractor: "text 1", File: Hex("file", i), Media: "text",
			Name: fmt.Sprintf("paper-%02d.txt", i), Sentences: makeSentences, Table: Hex("table", i), Title: fmt.Sprintf("Paper %d: on “data”", i)}
		m.sources = append(m.sources, ledger.SourceID(*s))
		acts = append(acts, Act{By: ledger.Engine, Op: s})
	}
	m.claims = make([][]string, len(m.questions))
	m.shown = map[string]int64{}
	return m.Group(acts...)
}

func (m *maker) step(n int) error {
	qi := n % len(m.questions)
	question, source := m.questions[qi], m.sources[(n/len(m.questions))%len(m.sources)]
	from := m.shown[source+question] + 1
	to := min(from+8, makeSentences)
	m.shown[source+question] = to
	args := []string{ledger.Ref(source, from, to)}
	inputs := Hex("inputs", n)
	if err := m.Write(ledger.Engine, &ledger.Start{Args: args, Attempt: 1, Inputs: inputs, Kind: "read", Serves: question}); err != nil {
		return err
	}
	if err := m.Write(ledger.Engine, &ledger.Call{Digest: Hex("model"), DoneReason: "stop", EvalCount: 60, EvalMs: 9000,
		Model: "fake:1b", Options: Hex("options"), Outcome: "complete", Prompt: Hex("prompt", n), PromptCount: 800, PromptMs: 20000,
		Purpose: "read", Reply: Hex("reply", n), Template: "read-3"}); err != nil {
		return err
	}
	var acts []Act
	for i := range m.rng.IntN(4) {
		acts = append(acts, Act{By: ledger.Model, Op: m.claim(n, i, qi, source, from)})
	}
	if m.rng.IntN(3) == 0 {
		acts = append(acts, Act{By: ledger.Engine, Op: &ledger.Refuse{Code: "D5", Message: "the number 41 is in no quoted sentence",
			Proposal: "claim", Question: question, Text: "The set holds 41 million records."}})
	}
	outcome := "done"
	if len(acts) == 0 {
		outcome = "nothing"
	}
	acts = append(acts, Act{By: ledger.Engine, Op: &ledger.Read{Questions: []string{question}, Ranges: []string{ledger.Span(from, to)}, Source: source}},
		Act{By: ledger.Engine, Op: &ledger.Finish{Args: args, Inputs: inputs, Kind: "read", Outcome: outcome, Serves: question}})
	if err := m.Group(acts...); err != nil {
		return err
	}
	if n%25 == 24 {
		return m.between(n, qi)
	}
	return nil
}

func (m *maker) claim(step, i, qi int, source string, from int64) *ledger.Claim {
	at := from + int64(i)
	text := fmt.Sprintf("In study %d the corpus “C%d” held %d thousand records, gathered between %d and 2024 by three groups.", step, i, 10+step%90, 1990+i)
	c := &ledger.Claim{Basis: []string{ledger.Ref(source, at, at)}, Question: m.questions[qi],
		Quotes: []ledger.Slice{{From: at, Source: source, To: at, Text: "We report on it here. " + text}}, Text: text}
	if m.rng.IntN(8) == 0 {
		c.Flags = []string{"D22"}
	}
	m.claims[qi] = append(m.claims[qi], ledger.ClaimID(*c))
	return c
}

// between is what happens now and then: an answer, a person's check, a note, a
// retraction, a sleep.
func (m *maker) between(n, qi int) error {
	if claims := m.claims[qi]; len(claims) > 3 {
		last := claims[len(claims)-3:]
		var sentences []ledger.Sentence
		for _, c := range last {
			sentences = append(sentences, ledger.Sentence{Claims: []string{c}, Text: fmt.Sprintf("After %d steps this much is known.", n)})
		}
		if err := m.Write(ledger.Model, &ledger.Answer{Partial: true, Question: m.questions[qi], Sentences: sentences}); err != nil {
			return err
		}
		checked := claims[len(claims)-1]
		if err := m.Write(ledger.Person, &ledger.Check{How: "person", ID: checked, Verdict: "right"}); err != nil {
			return err
		}
		if err := m.Write(ledger.Person, &ledger.Note{On: checked, Text: fmt.Sprintf("Ask about table %d.", n), For: "Ana"}); err != nil {
			return err
		}
		if err := m.Write(ledger.Person, &ledger.Retract{ID: claims[len(claims)-2], Reason: "not about data"}); err != nil {
			return err
		}
	}
	return m.Write(ledger.Engine, &ledger.Wake{Asleep: 3600000, Reason: "slept"})
}
