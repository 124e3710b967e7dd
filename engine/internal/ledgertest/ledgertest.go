// Package ledgertest makes small ledgers in memory for tests: the lines are real
// lines, the state their fold, the texts real texts with sentence tables. The same
// calls give the same bytes.
package ledgertest

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
)

// Ledger is one branch with its texts. Methods panic on what can't be written: a
// test that asks for that is wrong.
type Ledger struct {
	Lines    [][]byte
	State    *state.State
	Store    map[ledger.Hash][]byte
	Bodies   map[string][]byte        // source id → text
	Tables   map[string]*source.Table // source id → table
	Findings []state.Finding
	Mutate   func(op *ledger.Checkpoint) // changes each checkpoint before it is written
	at       int64
	salt     int64
}

// Said is one op with its author.
type Said struct {
	By ledger.By
	Op ledger.Op
}

// By makes a Said.
func By(by ledger.By, op ledger.Op) Said { return Said{by, op} }

// New begins a ledger with its task.
func New(title, goal string, constraints ...string) *Ledger {
	l := &Ledger{State: state.New(), Store: map[ledger.Hash][]byte{}, Bodies: map[string][]byte{}, Tables: map[string]*source.Table{}, at: 1767225600000}
	l.Group(By(ledger.Person, &ledger.Task{Title: title, Goal: goal, Constraints: constraints, Nonce: "00112233445566778899aabbccddeeff"}))
	return l
}

// From goes on after lines that are there already.
func From(lines [][]byte) *Ledger {
	l := &Ledger{State: state.New(), Store: map[ledger.Hash][]byte{}, Bodies: map[string][]byte{}, Tables: map[string]*source.Table{}, at: 1767225600000}
	for _, raw := range lines {
		line, err := ledger.Decode(raw)
		if err != nil {
			panic(err)
		}
		l.Findings = append(l.Findings, l.State.Apply(line)...)
		l.Lines = append(l.Lines, raw)
		l.at = max(l.at, line.At)
	}
	return l
}

// Group writes ops as one group, closed by a checkpoint where it changes work.
func (l *Ledger) Group(ops ...Said) {
	before := l.State.Seq
	b := l.State.Begin()
	work := false
	for i, s := range ops {
		name := s.Op.OpName()
		work = work || !ledger.IsLog(name)
		l.add(b, s, i == len(ops)-1 && !work)
	}
	if !work {
		return
	}
	cp, _ := l.State.Checkpoint(before)
	cp.App, cp.Gate, cp.Next = "Cairn test", "green", &ledger.NextStep{Kind: "read"}
	if l.Mutate != nil {
		l.Mutate(&cp)
	}
	l.add(b, Said{ledger.Engine, &cp}, true)
}

func (l *Ledger) add(b *ledger.Builder, s Said, last bool) {
	l.at += 1000
	e := ledger.Entry{At: l.at, By: s.By}
	switch s.By {
	case ledger.Person:
		e.Who = "key:1f"
	case ledger.Model:
		e.Who = "digest:2e"
	}
	if ledger.IsLog(s.Op.OpName()) {
		l.salt++
		e.Salt = hex.EncodeToString([]byte(fmt.Sprintf("%016d", l.salt)))
	}
	line, err := b.Add(e, s.Op, last)
	if err != nil {
		panic(fmt.Errorf("write %s: %w", s.Op.OpName(), err))
	}
	l.Findings = append(l.Findings, l.State.Apply(line)...)
	l.Lines = append(l.Lines, line.Raw)
}

// Source takes in a document of these sentences, one paragraph, and gives its id.
func (l *Ledger) Source(name, title, heading string, sentences ...string) string {
	body := []byte(strings.Join(sentences, " ") + "\n")
	t := &source.Table{}
	h := -1
	if heading != "" {
		t.Headings, h = []string{heading}, 0
	}
	at := 0
	for i, s := range sentences {
		t.Sentences = append(t.Sentences, source.Sentence{From: at, To: at + len(s), Heading: h, Start: i == 0})
		at += len(s) + 1
	}
	table := t.Encode()
	op := &ledger.Source{Name: name, Title: title, Media: "text", Extractor: "test 1", Body: ledger.HashOf(body).String(), Bytes: int64(len(body)),
		File: ledger.HashOf([]byte("file " + name)).String(), Table: ledger.HashOf(table).String(), Sentences: int64(len(sentences))}
	l.Store[ledger.HashOf(body)], l.Store[ledger.HashOf(table)] = body, table
	l.Group(By(ledger.Engine, op))
	id := ledger.SourceID(*op)
	l.Bodies[id], l.Tables[id] = body, t
	return id
}

// Question asks one and gives its id.
func (l *Ledger) Question(text string) string {
	q := &ledger.Question{Text: text}
	l.Group(By(ledger.Person, q))
	return ledger.QuestionID(*q)
}

// Claim makes a claim's op from one place; text "" is the quote itself.
func (l *Ledger) Claim(question, src string, from, to int64, text string) *ledger.Claim {
	return &ledger.Claim{Question: question, Text: text, Basis: []string{ledger.Ref(src, from, to)},
		Quotes: []ledger.Slice{{Source: src, From: from, To: to, Text: l.Tables[src].Slice(l.Bodies[src], from, to)}}}
}

// Step writes a read step as the engine does: start, call, then what it found.
func (l *Ledger) Step(question string, found ...ledger.Op) {
	inputs := ledger.HashOf([]byte(fmt.Sprint(l.State.Seq))).String()
	l.Group(By(ledger.Engine, &ledger.Start{Kind: "read", Serves: question, Inputs: inputs, Attempt: 1}))
	l.Group(By(ledger.Engine, &ledger.Call{Outcome: "complete", DoneReason: "stop", Model: "test", PromptCount: 10, EvalCount: 5}))
	var ops []Said
	for _, op := range found {
		ops = append(ops, By(ledger.Model, op))
	}
	ops = append(ops, By(ledger.Engine, &ledger.Finish{Kind: "read", Serves: question, Inputs: inputs, Outcome: "done"}))
	l.Group(ops...)
}

// Each is Lines as a store gives them.
func (l *Ledger) Each(fn func(seq int64, line []byte) error) error {
	for i, raw := range l.Lines {
		if err := fn(int64(i+1), raw); err != nil {
			return err
		}
	}
	return nil
}

// Blob gives a stored text or table.
func (l *Ledger) Blob(_ context.Context, h ledger.Hash) ([]byte, error) {
	b, ok := l.Store[h]
	if !ok {
		return nil, &engine.Error{Kind: engine.KindNotFound, What: "There is no such blob."}
	}
	return b, nil
}
