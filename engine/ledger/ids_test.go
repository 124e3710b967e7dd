package ledger

import (
	"testing"
)

func TestIDsNameContentOnly(t *testing.T) {
	c := Claim{Basis: []string{Ref("s"+some32, 1, 2)}, Question: "q" + some32, Text: "It is so."}
	other := c
	other.Flags = []string{"D22"}
	other.Quotes = []Slice{{From: 1, Source: "s" + some32, Text: "later words", To: 2}}
	if ClaimID(c) != ClaimID(other) {
		t.Error("flags or quotes change a claim's id")
	}
	a := Answer{Question: "q" + some32, Sentences: []Sentence{{Text: "So.", Claims: []string{"c" + some32}}}}
	b := a
	b.Partial = true
	b.Sentences = []Sentence{{Text: "So.", Claims: []string{"c" + some32}, Flags: []string{"D24"}}}
	if AnswerID(a) != AnswerID(b) {
		t.Error("flags or partial change an answer's id")
	}
	if SourceID(Source{Body: someHash, File: someHash, Name: "a", Title: "A"}) != SourceID(Source{Body: someHash, File: someHash, Name: "b"}) {
		t.Error("a source's name changes its id")
	}
	if SourceID(Source{Name: "a", Reason: "denied"}) == SourceID(Source{Name: "b", Reason: "denied"}) {
		t.Error("two files that could not be opened have one id")
	}
	seen := map[string]string{}
	for what, id := range map[string]string{
		"claim": ClaimID(c), "claim, other text": ClaimID(Claim{Basis: c.Basis, Question: c.Question, Text: "It is not so."}),
		"claim, no question": ClaimID(Claim{Basis: c.Basis, Text: c.Text}), "claim, its quote": ClaimID(Claim{Basis: c.Basis, Question: c.Question}),
		"nothing": ClaimID(Claim{}), "question": QuestionID(Question{Text: "It is so."}), "answer": AnswerID(a),
		"assumption": AssumeID(Assume{Text: "It is so."}), "note": NoteID(Note{Text: "It is so."}),
		"step": StepKey("read", []string{"x"}, someHash), "other step": StepKey("read", []string{"x", "y"}, someHash),
		"quote": QuoteID(Quote{Claim: ClaimID(c), From: 1, Source: "s" + some32, Stance: "supports", To: 2}),
		"item":  ItemID(Item{Kind: "read"}), "report": ReportID(Report{Answers: []string{AnswerID(a)}}),
		"tried": TriedID(Tried{Approach: "a", Outcome: "b"}), "task": TaskID(Task{Goal: "g", Nonce: some32}),
	} {
		if IDKind(id) == 0 {
			t.Errorf("%s: %q is no id", what, id)
		}
		if before, twice := seen[id]; twice {
			t.Errorf("%s and %s have the id %s", what, before, id)
		}
		seen[id] = what
	}
}

// TestIDsStay holds the ids to values of format version 1: an id that changes
// makes every ledger unreadable.
func TestIDsStay(t *testing.T) {
	q := Question{Text: "Which data set is largest?"}
	got, err := Canonical(Object{"text": q.Text})
	if err != nil {
		t.Fatal(err)
	}
	if want := "q" + HashOf(got).String()[:32]; QuestionID(q) != want || want != "q10df274699f2492ec897c80d755c5315" {
		t.Errorf("question %s, of its object %s", QuestionID(q), want)
	}
	c := Claim{Basis: []string{"m" + some32, Ref("s"+some32, 3, 4)}, Question: QuestionID(q), Text: "“C4” is."}
	got, err = Canonical(Object{"basis": []string(c.Basis), "question": c.Question, "text": c.Text})
	if err != nil {
		t.Fatal(err)
	}
	if want := "c" + HashOf(got).String()[:32]; ClaimID(c) != want {
		t.Errorf("claim %s, of its object %s", ClaimID(c), want)
	}
	k := Quote{Claim: ClaimID(c), From: 3, Source: "s" + some32, Stance: "supports", Text: "not in it", To: 4}
	got, err = Canonical(Object{"claim": k.Claim, "from": k.From, "source": k.Source, "stance": k.Stance, "to": k.To})
	if err != nil {
		t.Fatal(err)
	}
	if want := "k" + HashOf(got).String()[:32]; QuoteID(k) != want {
		t.Errorf("quote %s, of its object %s", QuoteID(k), want)
	}
}

func TestRefs(t *testing.T) {
	p, ok := ParseRef(Ref("s"+some32, 12, 14))
	if !ok || p != (Place{"s" + some32, 12, 14}) {
		t.Errorf("%+v, %v", p, ok)
	}
	for _, bad := range []string{"", "s" + some32, "s" + some32 + "/", "s" + some32 + "/1", "s" + some32 + "/0-1", "s" + some32 + "/01-2",
		"s" + some32 + "/2-1", "c" + some32 + "/1-2", "s" + some32 + "/1-2-3", "s" + some32 + "/1-99999999999999999", "s" + some32 + "/-1-2"} {
		if p, ok := ParseRef(bad); ok {
			t.Errorf("%q was read as %+v", bad, p)
		}
	}
	if !(Place{"a", 1, 3}).Overlaps(Place{"a", 3, 5}) || (Place{"a", 1, 3}).Overlaps(Place{"a", 4, 5}) || (Place{"a", 1, 3}).Overlaps(Place{"b", 1, 3}) {
		t.Error("Overlaps")
	}
}
