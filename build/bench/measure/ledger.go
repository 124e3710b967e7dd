package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
)

const (
	claimsPerStep  = 6
	repliesPerStep = 3
	replyBytes     = 8 << 10
	perSource      = 400 // sentences of a made-up source
)

// maker writes a made-up but well-formed ledger, always the same one: a task,
// its sources and questions, and then steps as a run writes them. Every line is
// folded as it is written, so that checkpoints carry the true state hash.
type maker struct {
	st        *state.State
	rnd       *rand.Rand
	questions []string
	source    string
	text      []string // its sentences
	used      int      // how many of them have been quoted
	at        int64
	sources   int
	// unique counts the bytes that had to be kept somewhere: texts of claims and
	// slices, each once. Replies are counted by who makes them.
	unique int64
	blobs  engine.Blobs // where texts of sources are kept; nil: nowhere
}

func newMaker() *maker {
	return &maker{st: state.New(), rnd: rand.New(rand.NewPCG(1, 2)), at: 1_700_000_000_000}
}

// entry is a line to be.
type entry struct {
	by ledger.By
	op ledger.Op
}

// group encodes entries as one group and folds them; with work it ends in a checkpoint.
func (m *maker) group(work bool, entries ...entry) ([][]byte, error) {
	b := ledger.NewBuilder(m.st.Seq, m.st.Group, m.st.Chain)
	put := func(e entry, last bool) error {
		le := ledger.Entry{At: m.at, By: e.by}
		if e.by == ledger.Model {
			le.Who = ledger.WhoDigest(strings.Repeat("ab", 32))
		}
		if ledger.IsLog(e.op.OpName()) {
			le.Salt = m.hex(16)
		}
		line, err := b.Add(le, e.op, last)
		if err != nil {
			return fmt.Errorf("write %s: %w", e.op.OpName(), err)
		}
		for _, f := range m.st.Apply(line) {
			if f.Code != "" {
				return fmt.Errorf("line %d: %s", f.Seq, f.Message)
			}
		}
		return nil
	}
	m.at += 1000
	for i, e := range entries {
		if err := put(e, !work && i == len(entries)-1); err != nil {
			return nil, err
		}
	}
	if work {
		counts := m.st.Counts()
		cp := &ledger.Checkpoint{App: "bench", Fold: state.FoldVersion, Gate: "green", State: m.st.Hash().String(), Counts: &counts}
		if err := put(entry{ledger.Engine, cp}, true); err != nil {
			return nil, err
		}
	}
	return b.Lines(), nil
}

// begin is the first group.
func (m *maker) begin() ([][]byte, error) {
	entries := []entry{{ledger.Person, &ledger.Task{Goal: "Find out " + m.words(8), Nonce: m.hex(16)}}}
	for range 5 {
		q := &ledger.Question{Text: "What about " + m.words(6) + "?"}
		entries = append(entries, entry{ledger.Person, q})
		m.questions = append(m.questions, ledger.QuestionID(*q))
	}
	return m.group(true, entries...)
}

// addSource is a group with one more source.
func (m *maker) addSource() ([][]byte, error) {
	m.sources++
	m.text, m.used = m.text[:0], 0
	var body []byte
	var table source.Table
	for i := range perSource {
		text := m.words(9) + "."
		table.Sentences = append(table.Sentences, source.Sentence{From: len(body), To: len(body) + len(text), Heading: -1, Start: i%8 == 0})
		body = append(append(body, text...), ' ')
		m.text = append(m.text, text)
	}
	s := &ledger.Source{
		Body: ledger.HashOf(body).String(), Bytes: int64(len(body)), Extractor: "bench 1", File: m.hex(32), Media: "text",
		Name: fmt.Sprintf("source-%d.txt", m.sources), Sentences: perSource, Table: ledger.HashOf(table.Encode()).String(),
	}
	if m.blobs != nil {
		for _, blob := range [][]byte{body, table.Encode()} {
			if _, err := m.blobs.PutBlob(context.Background(), blob); err != nil {
				return nil, err
			}
		}
	}
	m.source = ledger.SourceID(*s)
	return m.group(true, entry{ledger.Engine, s})
}

// step gives the groups of one step: start, one for each call, and the end with
// its claims. replies are the blobs' hashes of its calls.
func (m *maker) step(replies []string) ([][][]byte, error) {
	var groups [][][]byte
	add := func(lines [][]byte, err error) error {
		if err == nil {
			groups = append(groups, lines)
		}
		return err
	}
	if m.source == "" || m.used+2*claimsPerStep > perSource {
		if err := add(m.addSource()); err != nil {
			return nil, err
		}
	}
	question := m.questions[m.rnd.IntN(len(m.questions))]
	args := []string{fmt.Sprintf("%s/%d-%d", m.source, m.used+1, m.used+2*claimsPerStep)}
	inputs := m.hex(32)
	if err := add(m.group(false, entry{ledger.Engine, &ledger.Start{Kind: "read", Args: args, Attempt: 1, Inputs: inputs, Serves: question}})); err != nil {
		return nil, err
	}
	for _, r := range replies {
		call := &ledger.Call{Outcome: "complete", DoneReason: "stop", Model: "bench", Reply: r, PromptCount: 900, EvalCount: 200,
			PromptMs: 9000, EvalMs: 20000, Purpose: "read"}
		if err := add(m.group(false, entry{ledger.Engine, call})); err != nil {
			return nil, err
		}
	}
	var end []entry
	for range claimsPerStep {
		from := int64(m.used + 1)
		m.used += 2
		slice, text := m.text[from-1]+" "+m.text[from], m.words(14)+"."
		m.unique += int64(len(slice) + len(text))
		end = append(end, entry{ledger.Model, &ledger.Claim{
			Basis: []string{ledger.Ref(m.source, from, from+1)}, Question: question, Text: text,
			Quotes: []ledger.Slice{{From: from, To: from + 1, Source: m.source, Text: slice}},
		}})
	}
	first := m.used - 2*claimsPerStep + 1
	end = append(end,
		entry{ledger.Engine, &ledger.Read{Source: m.source, Questions: []string{question}, Ranges: []string{fmt.Sprintf("%d-%d", first, m.used)}}},
		entry{ledger.Engine, &ledger.Finish{Kind: "read", Args: args, Inputs: inputs, Outcome: "done", Serves: question}})
	if err := add(m.group(true, end...)); err != nil {
		return nil, err
	}
	return groups, nil
}

func (m *maker) hex(bytes int) string {
	b := make([]byte, bytes)
	for i := range b {
		b[i] = byte(m.rnd.Uint32())
	}
	return hex.EncodeToString(b)
}

// reply is a reply that can't be compressed.
func (m *maker) reply() []byte {
	b := make([]byte, replyBytes)
	for i := range b {
		b[i] = byte(m.rnd.Uint32())
	}
	return b
}

// words are n made-up words; no two sentences of a ledger are the same.
func (m *maker) words(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range 2 + m.rnd.IntN(3) {
			b.WriteString(syllables[m.rnd.IntN(len(syllables))])
		}
	}
	return b.String()
}

var syllables = strings.Fields("ba ce di fo gu la me ni po ru sa te vi wo zu cho sta bre ton ler mig nas")
