package handoff

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"testing"

	"cairn/engine"
	"cairn/engine/internal/ledgertest"
	"cairn/engine/ledger"
)

// task is a finished small task with everything a file may show.
func task() (*ledgertest.Ledger, string) {
	l := ledgertest.New("Harmful content", "How do five studies find spam & fake news?\nOne page.", "Copy numbers exactly.")
	q := l.Question("What data did each study use, and how large is it?")
	q2 := l.Question("What worked best?")
	s := l.Source("smart-spammers.md", "Smart spammers", "4.1 Data", "Spam is old.", "They collected 19,276 legitimate users and 22,223 spammers.",
		"It took 7 months.", "Weibo was used too.", "GOSS+LOSS achieves the best performance on F1-score among all others.", "The end.")
	a := l.Claim(q, s, 2, 2, "The study collected 22,223 spammers.")
	b := l.Claim(q, s, 3, 3, "")
	c := l.Claim(q2, s, 5, 5, "GOSS+LOSS has the best F1 score.")
	l.Step(q, a, b)
	l.Step(q2, c)
	l.Step(q, &ledger.Retract{ID: ledger.ClaimID(*b), Reason: "no size"})
	l.Group(ledgertest.By(ledger.Engine, &ledger.Refuse{Code: "D5", Message: "Refused: the model gave 41 %, its quote says 14 %.", Proposal: "claim", Question: q, Text: "41 %"}))
	l.Group(ledgertest.By(ledger.Model, &ledger.Answer{Question: q, Sentences: []ledger.Sentence{{Text: "One study collected 22,223 spammers.", Claims: []string{ledger.ClaimID(*a)}}, {Text: "Others are unknown."}}}),
		ledgertest.By(ledger.Engine, &ledger.Close{ID: q, Claims: []string{ledger.ClaimID(*a)}}))
	l.Group(ledgertest.By(ledger.Person, &ledger.Check{How: "person", ID: ledger.ClaimID(*a), Verdict: "right"}))
	l.Group(ledgertest.By(ledger.Person, &ledger.Note{On: ledger.ClaimID(*c), Text: "Compare with table 3.", For: "Mira", Due: "2026-12-01"}))
	l.Group(ledgertest.By(ledger.Engine, &ledger.Source{Name: "scan.png", File: ledger.HashOf([]byte("png")).String(), Reason: "no_text"}))
	if len(l.Findings) > 0 {
		panic(fmt.Sprint(l.Findings))
	}
	return l, q2
}

func textsOf(l *ledgertest.Ledger) func(string) (Text, error) {
	return func(id string) (Text, error) {
		if l.Bodies[id] == nil {
			return Text{}, &engine.Error{Kind: engine.KindNotFound, What: "It is not here."}
		}
		return Text{Body: l.Bodies[id], Table: l.Tables[id]}, nil
	}
}

func input(l *ledgertest.Ledger) Input {
	return Input{Lines: l.Each, Texts: textsOf(l), App: "Cairn 0.1.0"}
}

func export(t testing.TB, in Input) []byte {
	t.Helper()
	b, err := Export(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestExportHoldsAndIsDeterministic(t *testing.T) {
	l, _ := task()
	file := export(t, input(l))
	if !bytes.Equal(file, export(t, input(l))) {
		t.Error("two exports of the same task differ")
	}
	r, err := Verify(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	if r.Lines != int64(len(l.Lines)) || r.State != l.State.Hash().String() || r.Chain != l.State.Chain.String() || !r.Readable ||
		r.Claims != 2 || r.Questions != 2 || r.Sources != 2 || r.Segments != 1 || r.Passages == 0 || r.Withheld != 0 {
		t.Errorf("%+v", r)
	}
	human, _, _ := strings.Cut(string(file), beginPrefix)
	for _, want := range []string{"# Harmful content", "> How do five studies find spam & fake news?\n> One page.", "Copy numbers exactly.",
		"**1.1** The study collected 22,223 spammers.\n— *checked by a person", "> They collected 19,276 legitimate users and 22,223 spammers.\n>\n> Source 1, “Smart spammers”, sentence 2, section “4.1 Data”",
		"quote attached", "**Note:** Compare with table 3. For Mira. By 2026-12-01.", "Question 2 is open.", "Others are unknown. — *not backed by a record*",
		"“scan.png”, could not be read; nothing", "There is no text in it", "taken back by a model: no size", "1 proposal was refused", "sha256sum", r.Block} {
		if !strings.Contains(human, want) {
			t.Errorf("the page does not say %q\n%s", want, human)
		}
	}
}

func TestWithheldLogLines(t *testing.T) {
	l, _ := task()
	in := input(l)
	in.Withhold = true
	file := export(t, in)
	p, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if p.Result.Withheld == 0 || p.Result.State != l.State.Hash().String() || p.Result.Chain != l.State.Chain.String() {
		t.Errorf("%+v", p.Result)
	}
	if bytes.Contains(file, []byte(`"op":"call"`)) || bytes.Contains(file, []byte(`"op":"refuse"`)) || bytes.Contains(file, []byte("41 %")) {
		t.Error("a log line travelled")
	}
	if !bytes.Contains(file, []byte("of the log")) {
		t.Error("the page does not say that log lines were left out")
	}
}

// importInto goes on with a parsed file as an import does: its lines, then lines
// of the new task.
func importInto(p *Parsed, from *ledgertest.Ledger) *ledgertest.Ledger {
	var visible [][]byte
	visible = append(visible, p.Lines...)
	l := ledgertest.From(visible)
	for id, b := range from.Bodies {
		l.Bodies[id], l.Tables[id] = b, from.Tables[id]
	}
	return l
}

func TestFirstBlockIsAnExactPrefix(t *testing.T) {
	for _, withhold := range []bool{false, true} {
		l, q2 := task()
		in := input(l)
		in.Withhold = withhold
		first := export(t, in)
		p, err := Parse(first)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 3 {
			m := importInto(p, l)
			m.Group(ledgertest.By(ledger.Person, &ledger.Import{File: p.Result.Block, Known: 0}))
			src := m.State.SourceIDs[0]
			m.Group(ledgertest.By(ledger.Engine, &ledger.Missing{ID: src, Reason: "not_here"}))
			if round == 1 { // a claim whose passage did not travel before
				s := m.State.Sources[src]
				m.Group(ledgertest.By(ledger.Engine, &ledger.Source{Name: s.Name, Title: s.Title, Media: s.Media, Extractor: s.Extractor, Body: s.Body, Bytes: s.Bytes, File: s.File, Table: s.Table, Sentences: s.Sentences}))
				m.Group(ledgertest.By(ledger.Person, m.Claim(q2, src, 6, 6, "")))
			}
			next := Input{Lines: m.Each, Texts: textsOf(m), Segments: p.Segments, App: "Cairn 0.2.0", Withhold: withhold}
			second := export(t, next)
			q, err := Parse(second)
			if err != nil {
				t.Fatal(err)
			}
			a, b := blockOf(t, first), blockOf(t, second)
			if !bytes.HasPrefix(b, a) || len(b) == len(a) {
				t.Fatalf("round %d: the first block is no prefix of the second", round)
			}
			if len(q.Segments) != len(p.Segments)+1 || q.Result.Lines != int64(len(m.Lines)) {
				t.Errorf("round %d: %d segments, %d lines", round, len(q.Segments), q.Result.Lines)
			}
			first, p = second, q
		}
	}
}

func TestExportOfNothingNewIsTheSameBlock(t *testing.T) {
	l, _ := task()
	first := export(t, input(l))
	p, err := Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	if second := export(t, Input{Lines: l.Each, Segments: p.Segments}); !bytes.Equal(first, second) {
		t.Error("another file")
	}
}

func TestExportRefusesAForeignPrefix(t *testing.T) {
	l, _ := task()
	p, err := Parse(export(t, input(l)))
	if err != nil {
		t.Fatal(err)
	}
	other := ledgertest.New("Other", "Something else.")
	if _, err := Export(Input{Lines: other.Each, Segments: p.Segments}); engine.KindOf(err) != engine.KindDamaged {
		t.Errorf("got %v", err)
	}
}

func blockOf(t testing.TB, file []byte) []byte {
	t.Helper()
	f, err := frame(file)
	if err != nil {
		t.Fatal(err)
	}
	return f.block
}

func TestTextsThatAreNotHere(t *testing.T) {
	l, _ := task()
	in := input(l)
	in.Texts = func(string) (Text, error) { return Text{}, &engine.Error{Kind: engine.KindNotFound} }
	file := export(t, in)
	r, err := Verify(file)
	if err != nil || r.Passages != 0 || !bytes.Contains(file, []byte("The text around 2 quotes: the sender did not have it.")) {
		t.Errorf("%v %+v", err, r)
	}
	in.Texts = func(id string) (Text, error) {
		return Text{Body: []byte("Other bytes."), Table: l.Tables[id]}, nil
	}
	if _, err := Export(in); engine.KindOf(err) != engine.KindDamaged {
		t.Errorf("swapped bytes: %v", err)
	}
	boom := errors.New("disk on fire")
	in.Texts = func(id string) (Text, error) { return Text{}, boom }
	if _, err := Export(in); !errors.Is(err, boom) {
		t.Errorf("a read error was swallowed: %v", err)
	}
}

// Threat 25: no folder, login or host name of this machine stands in an export.
func TestExportLeaksNothingOfTheMachine(t *testing.T) {
	l, _ := task()
	file := string(export(t, input(l)))
	var secrets []string
	if h, err := os.Hostname(); err == nil {
		secrets = append(secrets, h)
	}
	if u, err := user.Current(); err == nil {
		secrets = append(secrets, u.HomeDir)
		if u.Username != "root" {
			secrets = append(secrets, u.Username)
		}
	}
	if wd, err := os.Getwd(); err == nil {
		secrets = append(secrets, wd)
	}
	for _, s := range secrets {
		if len(s) > 2 && strings.Contains(file, s) {
			t.Errorf("the export holds %q", s)
		}
	}
	// What a careless caller could put there is refused by the lines themselves.
	for _, op := range []ledger.Op{
		&ledger.Source{Name: "/home/mira/secret/a.md", File: ledger.HashOf(nil).String(), Reason: "empty"},
		&ledger.Source{Name: "secret/a.md", File: ledger.HashOf(nil).String(), Reason: "empty"},
	} {
		if _, err := ledger.Encode(ledger.Head{Seq: 1, Group: 1, At: 1, By: ledger.Engine}, op); err == nil {
			t.Errorf("%+v can be written", op)
		}
	}
}
