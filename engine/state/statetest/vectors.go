package statetest

import (
	"fmt"

	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
)

// Vector is a whole ledger that docs/vectors publishes, with what a reader makes of it.
type Vector struct {
	Name, About string
	*Ledger
	Texts [][]byte // the texts and tables that the lines name
}

// Vectors makes the published ledgers, always the same ones. Together they hold
// every op and every code of a finding that a well-chained ledger can give.
func Vectors() ([]Vector, error) {
	var out []Vector
	for _, v := range []struct {
		name, about string
		write       func(*script)
	}{
		{"simple", "A task with one source, a question, claims that are quotes or rest on quotes, a note and a closed question.", (*script).simple},
		{"words", "Texts that need escapes, or that look alike without being the same.", (*script).words},
		{"steps", "Steps as a run writes them, with log lines between: what is planned, searched, read, answered and reported.", (*script).steps},
		{"person", "What a person decides, and what is refused to a model afterwards.", (*script).person},
		{"stale", "What goes stale with what it rests on, and what ends it.", (*script).stale},
		{"trust", "Checks of every kind, an assumption, an accepted claim, amber reasons.", (*script).trust},
		{"undo", "Lines taken back: one, a group in reverse, the taking back itself; and what stands in the way.", (*script).undone},
		{"merge", "Claims put in another's place and merged, and the circles that are refused.", (*script).merged},
		{"fork", "A branch from the second checkpoint of the ledger simple: its first lines are the parent's.", (*script).forked},
		{"join", "Another branch's results, written here again with their origin.", (*script).joined},
		{"root", "A ledger that begins with a root: the work of another, written again.", (*script).rooted},
		{"import", "Lines that came with a file: what its sender checked counts as reported until it is checked here.", (*script).imported},
		{"refused", "Ops that the fold leaves without effect, one for each reason.", (*script).refusals},
	} {
		s := &script{Ledger: New(), name: v.name}
		v.write(s)
		if s.err != nil {
			return nil, fmt.Errorf("ledger %s: %w", v.name, s.err)
		}
		out = append(out, Vector{v.name, v.about, s.Ledger, s.texts})
	}
	return out, nil
}

// script writes a ledger as one reads a story; the first error stops it.
type script struct {
	*Ledger
	name   string // of the ledger: it makes the task another one
	texts  [][]byte
	quoted map[string][]string // source id → its sentences
	err    error
}

func (s *script) by(by ledger.By, ops ...ledger.Op) {
	if s.err == nil {
		s.err = s.Write(by, ops...)
	}
}

func (s *script) group(acts ...Act) {
	if s.err == nil {
		s.err = s.Group(acts...)
	}
}

// acts makes acts of one author.
func acts(by ledger.By, ops ...ledger.Op) []Act {
	out := make([]Act, len(ops))
	for i, op := range ops {
		out[i] = Act{By: by, Op: op}
	}
	return out
}

func (s *script) last() int64 { return s.State.Seq - 1 } // the line before the checkpoint

func (s *script) begin(goal string) {
	s.by(ledger.Person, &ledger.Task{Goal: goal, Nonce: Hex("nonce", s.name)[:32], Title: "A small question"})
}

// text takes in a document of these sentences and gives its id.
func (s *script) text(name string, sentences ...string) string {
	op, body, table := document(name, sentences)
	s.texts = append(s.texts, body, table)
	s.by(ledger.Engine, op)
	if s.quoted == nil {
		s.quoted = map[string][]string{}
	}
	id := ledger.SourceID(*op)
	s.quoted[id] = sentences
	return id
}

func document(name string, sentences []string) (op *ledger.Source, body, table []byte) {
	var t source.Table
	for i, sentence := range sentences {
		if i > 0 {
			body = append(body, ' ')
		}
		from := len(body)
		body = append(body, sentence...)
		t.Sentences = append(t.Sentences, source.Sentence{From: from, To: len(body), Heading: -1, Start: i == 0})
	}
	table = t.Encode()
	return &ledger.Source{Body: ledger.HashOf(body).String(), Bytes: int64(len(body)), Extractor: "text 1",
		File: ledger.HashOf([]byte("file " + name)).String(), Media: "text", Name: name, Sentences: int64(len(sentences)),
		Table: ledger.HashOf(table).String(), Title: "On " + name}, body, table
}

func (s *script) ask(text string) string {
	q := &ledger.Question{Text: text}
	s.by(ledger.Person, q)
	return ledger.QuestionID(*q)
}

// slice is a run of sentences of a document taken in.
func (s *script) slice(src string, from, to int64) ledger.Slice {
	text := ""
	for i := from; i <= to; i++ {
		if i > from {
			text += " "
		}
		text += s.quoted[src][i-1]
	}
	return ledger.Slice{From: from, Source: src, Text: text, To: to}
}

// on makes a claim on one run of sentences; text "" is the quote itself.
func (s *script) on(question, text, src string, from, to int64) *ledger.Claim {
	return &ledger.Claim{Basis: []string{ledger.Ref(src, from, to)}, Question: question, Quotes: []ledger.Slice{s.slice(src, from, to)}, Text: text}
}

func (s *script) quote(claim, stance, src string, from, to int64) *ledger.Quote {
	p := s.slice(src, from, to)
	return &ledger.Quote{Claim: claim, From: from, Source: src, Stance: stance, Text: p.Text, To: to}
}

func derived(question, text string, basis ...string) *ledger.Claim {
	return &ledger.Claim{Basis: ledger.SortBasis(basis), Question: question, Text: text}
}

func sentence(text string, claims ...string) ledger.Sentence {
	return ledger.Sentence{Claims: claims, Text: text}
}

// Codes gives the codes of a ledger's findings, each once.
func (l *Ledger) Codes() map[string]bool {
	out := map[string]bool{}
	for _, f := range l.Findings {
		out[f.Code] = true
	}
	return out
}

// AllCodes are the codes of findings that a well-chained ledger can give.
var AllCodes = []string{state.CodeState, state.CodeObject, state.CodeUnknown, state.CodeStanding, state.CodeSticky, state.CodeCycle,
	state.CodePlace, state.CodeUndo, state.CodeForm}
