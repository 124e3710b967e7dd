package audit

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"cairn/engine/internal/ledgertest"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

func sampleLedger() (*ledgertest.Ledger, string, string) {
	l := ledgertest.New("Harmful content", "How do studies find it?", "Copy numbers exactly.")
	q := l.Question("What data did each study use?")
	s := l.Source("a.md", "Smart spammers", "Data", smart, olid, cnn)
	a := l.Claim(q, s, 1, 1, "They collected 22,223 spammers.")
	b := l.Claim(q, s, 2, 2, "")
	l.Step(q, a, b)
	l.Group(ledgertest.By(ledger.Model, &ledger.Claim{Question: q, Basis: []string{ledger.ClaimID(*a)}, Text: "They collected spammers."}))
	l.Step(q, &ledger.Retract{ID: ledger.ClaimID(*b), Reason: "another study"})
	l.Group(ledgertest.By(ledger.Engine, &ledger.Close{ID: q, Claims: []string{ledger.ClaimID(*a)}}))
	l.Group(ledgertest.By(ledger.Person, &ledger.Amend{Field: "constraints", List: []string{"Copy numbers exactly.", "Be short."}}))
	return l, q, s
}

func mustAudit(t *testing.T, l *ledgertest.Ledger, st *state.State) Report {
	t.Helper()
	r, err := Audit(context.Background(), st, l, Options{Lines: l.Each})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHonestLedgerIsGreen(t *testing.T) {
	l, _, _ := sampleLedger()
	if len(l.Findings) > 0 {
		t.Fatalf("the sample itself is ill-formed: %v", l.Findings)
	}
	before := l.State.HashWhole()
	r := mustAudit(t, l, l.State)
	if r.Gate != Green || len(r.Problems) > 0 || r.Sources != 1 || r.Slices != 2 || r.Lines != int64(len(l.Lines)) || r.Good != r.Lines {
		t.Errorf("%+v", r)
	}
	if l.State.HashWhole() != before {
		t.Error("the audit changed the state")
	}
}

// wrong builds a sample in which something at the second or third door (an import,
// a program, the stored bytes) is a lie.
func TestLiesAtTheStoredDoor(t *testing.T) {
	tests := []struct {
		lie, code string
		do        func(l *ledgertest.Ledger, q, s string) *state.State
	}{
		{"1 invented quote", "D2", func(l *ledgertest.Ledger, q, s string) *state.State {
			c := l.Claim(q, s, 1, 1, "Invented.")
			c.Quotes[0].Text = "They invented everything."
			l.Group(ledgertest.By(ledger.Program, c))
			return l.State
		}},
		{"2 one digit", "D2", func(l *ledgertest.Ledger, q, s string) *state.State {
			c := l.Claim(q, s, 1, 1, "Fewer.")
			c.Quotes[0].Text = strings.Replace(smart, "22,223", "22,233", 1)
			l.Group(ledgertest.By(ledger.Program, c))
			return l.State
		}},
		{"3 real quote, wrong source", "D2", func(l *ledgertest.Ledger, q, s string) *state.State {
			other := l.Source("b.md", "", "", single)
			c := l.Claim(q, other, 1, 1, "")
			c.Quotes[0].Text = smart
			l.Group(ledgertest.By(ledger.Program, c))
			return l.State
		}},
		{"5 spliced", "D2", func(l *ledgertest.Ledger, q, s string) *state.State {
			c := l.Claim(q, s, 1, 2, "")
			c.Quotes[0].Text = smart + olid
			l.Group(ledgertest.By(ledger.Program, c))
			return l.State
		}},
		{"22 swapped source bytes", "D1", func(l *ledgertest.Ledger, q, s string) *state.State {
			h := ledger.HashOf(l.Bodies[s])
			l.Store[h] = bytes.Replace(l.Bodies[s], []byte("22,223"), []byte("22,233"), 1)
			return l.State
		}},
		{"a text gone from the store", "D1", func(l *ledgertest.Ledger, q, s string) *state.State {
			delete(l.Store, ledger.HashOf(l.Bodies[s]))
			return l.State
		}},
		{"9 question dropped in the state", "D8", func(l *ledgertest.Ledger, q, s string) *state.State {
			st := l.State.Clone()
			st.Questions = map[string]*state.Question{}
			return st
		}},
		{"11 claim dropped in the state", "D7", func(l *ledgertest.Ledger, q, s string) *state.State {
			st := l.State.Clone()
			st.Claims = map[string]*state.Claim{}
			return st
		}},
		{"11 claim lost by the sum", "D7", func(l *ledgertest.Ledger, q, s string) *state.State {
			l.Mutate = func(c *ledger.Checkpoint) { c.Sum.Lost = 1 }
			l.Question("Another?")
			return l.State
		}},
		{"11 sum does not add up", "D7", func(l *ledgertest.Ledger, q, s string) *state.State {
			l.Mutate = func(c *ledger.Checkpoint) { c.Sum.Claims += 3 }
			l.Question("Another?")
			return l.State
		}},
		{"21 counts made up", "D8", func(l *ledgertest.Ledger, q, s string) *state.State {
			l.Mutate = func(c *ledger.Checkpoint) { c.Counts.Steps = 17 }
			l.Question("Another?")
			return l.State
		}},
		{"10 closed with a claim that has no evidence", "D8", func(l *ledgertest.Ledger, q, s string) *state.State {
			q2 := l.Question("Another?")
			c := &ledger.Claim{Question: q2, Text: "So it is."}
			l.Group(ledgertest.By(ledger.Program, c))
			l.Group(ledgertest.By(ledger.Program, &ledger.Close{ID: q2, Claims: []string{ledger.ClaimID(*c)}}))
			return l.State
		}},
		{"12 reworded under the same id", "D9", func(l *ledgertest.Ledger, q, s string) *state.State {
			st := l.State.Clone()
			for id, k := range st.Claims {
				if !k.IsQuote {
					c := *k
					c.Text = "They collected 33,223 spammers."
					st.Claims[id] = &c
					break
				}
			}
			return st
		}},
		{"17 done after a cut call", "D12", func(l *ledgertest.Ledger, q, s string) *state.State {
			in := ledger.HashOf(nil).String()
			l.Group(ledgertest.By(ledger.Engine, &ledger.Start{Kind: "read", Inputs: in, Attempt: 1}))
			l.Group(ledgertest.By(ledger.Engine, &ledger.Call{Outcome: "cut"}))
			l.Group(ledgertest.By(ledger.Engine, &ledger.Finish{Kind: "read", Inputs: in, Outcome: "done"}))
			return l.State
		}},
		{"17 done after a length stop", "D12", func(l *ledgertest.Ledger, q, s string) *state.State {
			in := ledger.HashOf(nil).String()
			l.Group(ledgertest.By(ledger.Engine, &ledger.Start{Kind: "read", Inputs: in, Attempt: 1}))
			l.Group(ledgertest.By(ledger.Engine, &ledger.Call{Outcome: "complete", DoneReason: "length"}))
			l.Group(ledgertest.By(ledger.Engine, &ledger.Finish{Kind: "read", Inputs: in, Outcome: "done"}))
			return l.State
		}},
		{"17 a model's answer after a cut call", "D12", func(l *ledgertest.Ledger, q, s string) *state.State {
			in := ledger.HashOf(nil).String()
			var claims []string
			for id, c := range l.State.Claims {
				if c.Question == q && c.Live() {
					claims = append(claims, id)
				}
			}
			l.Group(ledgertest.By(ledger.Engine, &ledger.Start{Kind: "answer", Args: []string{q}, Inputs: in, Attempt: 1}))
			l.Group(ledgertest.By(ledger.Engine, &ledger.Call{Outcome: "cut"}))
			l.Group(
				ledgertest.By(ledger.Engine, &ledger.Refuse{Code: "schema", Proposal: "answer", Message: "No."}),
				ledgertest.By(ledger.Model, &ledger.Answer{Question: q, Sentences: []ledger.Sentence{{Text: "So.", Claims: claims[:1]}}}),
				ledgertest.By(ledger.Engine, &ledger.Finish{Kind: "answer", Args: []string{q}, Inputs: in, Outcome: "done"}))
			return l.State
		}},
		{"20 goal shifted in the state", "D10", func(l *ledgertest.Ledger, q, s string) *state.State {
			st := l.State.Clone()
			st.Task.Goal = "Buy coffee."
			return st
		}},
		{"22 rests on itself", "D13", func(l *ledgertest.Ledger, q, s string) *state.State {
			st := l.State.Clone()
			id := st.ClaimIDs[0]
			c := *st.Claims[id]
			c.Basis = []string{id}
			st.Claims[id] = &c
			return st
		}},
		{"22 rests on later evidence", "D14", func(l *ledgertest.Ledger, q, s string) *state.State {
			st := l.State.Clone()
			id := st.ClaimIDs[len(st.ClaimIDs)-1]
			c := *st.Claims[id]
			c.Seq = 1
			st.Claims[id] = &c
			return st
		}},
		{"a checkpoint of another state", "state", func(l *ledgertest.Ledger, q, s string) *state.State {
			l.Mutate = func(c *ledger.Checkpoint) { c.State = ledger.HashOf([]byte("other")).String() }
			l.Question("Another?")
			return l.State
		}},
		{"one byte of a line", "D21", func(l *ledgertest.Ledger, q, s string) *state.State {
			for i, raw := range l.Lines {
				l.Lines[i] = bytes.Replace(raw, []byte("Smart spammers"), []byte("Smort spammers"), 1)
			}
			return l.State
		}},
		{"a line gone", "D21", func(l *ledgertest.Ledger, q, s string) *state.State {
			l.Lines = append(l.Lines[:6:6], l.Lines[7:]...)
			return l.State
		}},
		{"the tail gone", "state", func(l *ledgertest.Ledger, q, s string) *state.State {
			l.Lines = l.Lines[:len(l.Lines)-2]
			return l.State
		}},
		{"a torn group", "D21", func(l *ledgertest.Ledger, q, s string) *state.State {
			l.Lines = l.Lines[:len(l.Lines)-1]
			return l.State
		}},
	}
	for _, tt := range tests {
		l, q, s := sampleLedger()
		st := tt.do(l, q, s)
		r := mustAudit(t, l, st)
		found := false
		for _, p := range r.Problems {
			found = found || p.Code == tt.code && p.Class == Invariant
		}
		if !found || r.Gate != Red {
			t.Errorf("%s: gate %s, problems %v; want %s", tt.lie, r.Gate, r.Problems, tt.code)
		}
		if len(r.Sentences()) == 0 {
			t.Errorf("%s: red without a word", tt.lie)
		}
		if len(r.Problems) > 0 && r.Good >= st.Seq && st.Seq == r.Lines && r.Problems[0].Seq > 0 {
			t.Errorf("%s: the last good checkpoint is said to be the newest (%d)", tt.lie, r.Good)
		}
	}
}

func TestTextsThatDidNotTravelAreNotAFailure(t *testing.T) {
	l, _, s := sampleLedger()
	l.Store = map[ledger.Hash][]byte{}
	l.Group(ledgertest.By(ledger.Person, &ledger.Import{File: ledger.HashOf([]byte("f")).String(), Known: 0}))
	l.Group(ledgertest.By(ledger.Engine, &ledger.Missing{ID: s, Reason: "not_here"}))
	r := mustAudit(t, l, l.State)
	if len(r.Problems) > 0 || len(r.Unchecked) != 1 || r.Gate != Amber || len(r.Reasons) != 1 || r.Reasons[0].ID != ImportReason(l.State) {
		t.Errorf("%+v", r)
	}
	l.Group(ledgertest.By(ledger.Person, &ledger.Check{How: "person", ID: ImportReason(l.State), Verdict: "passed"}))
	if r := mustAudit(t, l, l.State); r.Gate != Green {
		t.Errorf("accepted, and still %s: %v", r.Gate, r.Reasons)
	}
}

func TestAmberReasons(t *testing.T) {
	l, _, s := sampleLedger()
	l.Group(ledgertest.By(ledger.Person, &ledger.Set{Model: "m", Digest: "aa"}))
	l.Mutate = func(c *ledger.Checkpoint) { c.Template = "read-1" }
	l.Question("Another?")
	now := Now{Digest: "bb", Template: "read-2"}
	ids := func() (out []string) {
		for _, r := range Reasons(l.State, now) {
			out = append(out, r.ID)
		}
		return out
	}
	if got := strings.Join(ids(), " "); got != "model:bb template:read-2" {
		t.Errorf("got %s", got)
	}
	l.Group(ledgertest.By(ledger.Engine, &ledger.Missing{ID: s, Reason: "changed"}))
	l.Group(ledgertest.By(ledger.Person, &ledger.Override{ID: "model:bb", Why: "the same model, packed anew"}))
	l.Group(ledgertest.By(ledger.Engine, &ledger.Check{How: "model", ID: "template:read-2", Verdict: "passed"}))
	if got := strings.Join(ids(), " "); got != "source:"+s {
		t.Errorf("got %s", got)
	}
	for range 3 {
		l.Group(ledgertest.By(ledger.Engine, &ledger.Start{Kind: "read", Inputs: ledger.HashOf(nil).String(), Attempt: 1}))
	}
	if got := strings.Join(ids(), " "); !strings.HasPrefix(got, "source:"+s+" step:f") {
		t.Errorf("got %s", got)
	}
}
