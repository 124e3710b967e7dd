package audit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"cairn/engine/ledger"
)

// FuzzLocate: what is found lies in the body, on character boundaries, and reads
// as the quote does at the level that is named; what stands in it is found.
func FuzzLocate(f *testing.F) {
	f.Add("The ﬁrst “survey”\nreached 1'200 house-\nholds.", "first \"survey\" reached 1'200 households", 3, 20)
	f.Add("a b a b", "a … b", 0, 3)
	f.Add("Cafe\u0301 x", "Caf\u00e9", 0, 2)
	f.Add("x\u00ady\u200b z", "xy z", 1, 4)
	f.Fuzz(func(t *testing.T, body, quote string, from, n int) {
		if !utf8.ValidString(body) || !utf8.ValidString(quote) || len(body) > 4096 {
			t.Skip()
		}
		if r, ok := Locate(body, quote); ok {
			if r.From < 0 || r.To > len(body) || r.From > r.To {
				t.Fatalf("%+v lies outside of %d bytes", r, len(body))
			}
			if !strings.Contains(quote, "…") && !strings.Contains(quote, "...") {
				a, _ := normalise(body[r.From:r.To], r.Level)
				b, _ := normalise(quote, r.Level)
				if r.Level > 0 && !strings.Contains(a, strings.TrimSpace(b)) || r.Level == 0 && body[r.From:r.To] != quote {
					t.Fatalf("found %q for %q at level %d", body[r.From:r.To], quote, r.Level)
				}
			}
		}
		if from < 0 || n <= 0 || from+n > len(body) || from+n < from {
			return
		}
		if s := body[from : from+n]; utf8.ValidString(s) && strings.TrimSpace(s) != "" {
			if _, ok := Locate(body, s); !ok {
				t.Fatalf("%q stands in the body and was not found", s)
			}
		}
	})
}

// FuzzFinding: no wording makes a check panic; a claim that is written always
// carries the exact slice, and a wording that is its quote is never refused.
func FuzzFinding(f *testing.F) {
	for _, l := range lies {
		f.Add(l.quote, l.claim)
	}
	for _, h := range honest {
		f.Add(h.quote, h.claim)
	}
	f.Add("1 2 3 4.5.6 7,8,9 10% $ ½", "-1 -2 1e9 999999999999999999999999999999999999999999999999")
	f.Fuzz(func(t *testing.T, quote, claim string) {
		if !utf8.ValidString(quote) || strings.TrimSpace(quote) == "" || len(quote) > MaxSlice {
			t.Skip()
		}
		d := newDesk(t)
		s := d.source("a.md", "", quote)
		v := CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: claim})
		switch {
		case v.Refusal != nil:
			if v.Refusal.Code == "" || v.Refusal.Message == "" || !utf8.ValidString(v.Refusal.Text) {
				t.Fatalf("%+v", v.Refusal)
			}
		case len(v.Claim.Quotes) != 1 || v.Claim.Quotes[0].Text != quote || v.ID != ledger.ClaimID(v.Claim):
			t.Fatalf("%+v", v)
		}
		same := CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Quote: true})
		if same.Refusal != nil || same.Fallback != nil || same.Claim.Text != "" {
			t.Fatalf("pointing was refused: %+v", same)
		}
	})
}
