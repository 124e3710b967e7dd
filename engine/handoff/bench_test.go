package handoff

import (
	"context"
	"fmt"
	"testing"

	"cairn/engine/audit"
	"cairn/engine/internal/ledgertest"
	"cairn/engine/ledger"
)

// large is a task of about 10,000 lines and 200 sources.
func large() *ledgertest.Ledger {
	l := ledgertest.New("Large", "Read everything.")
	var qs, ss []string
	for i := range 5 {
		qs = append(qs, l.Question(fmt.Sprintf("Question number %d, what of it?", i)))
	}
	for i := range 200 {
		var sentences []string
		for j := range 60 {
			sentences = append(sentences, fmt.Sprintf("In paper %d the authors collected %d posts for set %d, and labelled each of them twice.", i, 1000*i+j, j))
		}
		ss = append(ss, l.Source(fmt.Sprintf("paper-%d.md", i), fmt.Sprintf("Paper %d", i), "Data", sentences...))
	}
	for n := 0; len(l.Lines) < 10_000; n++ {
		s, at := ss[n%200], int64(n/200*3%58)+1
		var found []ledger.Op
		for k := range int64(3) {
			found = append(found, l.Claim(qs[n%5], s, at+k, at+k, fmt.Sprintf("Paper %d collected %d posts for set %d.", n%200, 1000*int64(n%200)+at+k-1, at+k-1)))
		}
		l.Step(qs[n%5], found...)
	}
	return l
}

func BenchmarkLarge(b *testing.B) {
	l := large()
	in := input(l)
	file, err := Export(in)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d lines, %d claims, a file of %d bytes", len(l.Lines), len(l.State.Claims), len(file))
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			if _, err := Export(in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if _, err := Verify(file); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("audit", func(b *testing.B) {
		for b.Loop() {
			if r, err := audit.Audit(context.Background(), l.State, l, audit.Options{Lines: l.Each}); err != nil || r.Gate != audit.Green {
				b.Fatalf("%v %+v", err, r)
			}
		}
	})
	b.Run("finding", func(b *testing.B) {
		c := audit.Context{State: l.State, Slice: func(s string, from, to int64) (string, error) { return l.Tables[s].Slice(l.Bodies[s], from, to), nil }}
		s := l.State.SourceIDs[7]
		for b.Loop() {
			v := audit.CheckFinding(c, audit.Finding{Question: l.State.QuestionIDs[0], Source: s, From: 9, To: 9, Text: "The authors of paper 7 collected 7008 posts."})
			if v.Refusal != nil {
				b.Fatal(v.Refusal)
			}
		}
	})
}
