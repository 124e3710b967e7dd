package audit

import (
	"strings"
	"unicode/utf8"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// CheckAnswer checks the sentences of a proposed answer to q against the claims
// they name (D24). Kept sentences carry the codes of the checks that they did not
// pass and are shown grey; a sentence without words, that names claims which are
// not on record, or that reports work of its own, is refused.
func CheckAnswer(c Context, q string, sentences []ledger.Sentence) ([]ledger.Sentence, []ledger.Refuse) {
	var kept []ledger.Sentence
	var refused []ledger.Refuse
	if r := checkQuestion(c, q, "answer", ""); r != nil {
		return nil, []ledger.Refuse{*r}
	}
	for _, s := range sentences {
		out, r := c.checkSentence(q, s)
		if r != nil {
			refused = append(refused, *r)
			continue
		}
		kept = append(kept, out)
	}
	return kept, refused
}

func (c Context) checkSentence(q string, s ledger.Sentence) (ledger.Sentence, *ledger.Refuse) {
	text := strings.TrimSpace(s.Text)
	if r := checkWords(Context{State: &state.State{}}, "", text, ""); r != nil {
		r.Proposal, r.Question = "answer", q
		return s, r
	}
	out := ledger.Sentence{Text: text}
	var quoted, around []string
	for _, id := range s.Claims {
		k := c.State.Claims[id]
		if k == nil {
			return s, refuse(CodeUnknown, "answer", q, text, "Refused: the sentence names a claim that is not on record.")
		}
		if !k.Live() {
			continue // it was taken back meanwhile; the sentence stands on the others
		}
		out.Claims = append(out.Claims, id)
		quoted = append(quoted, k.Text)
		for _, e := range k.Evidence {
			quoted = append(quoted, e.Slice.Text)
			if src := c.State.Sources[e.Slice.Source]; src != nil && src.Title != "" {
				around = append(around, src.Title)
			}
			if c.Heading != nil {
				around = append(around, c.Heading(e.Slice.Source, e.Slice.From))
			}
		}
	}
	joined := strings.Join(quoted, "\n")
	if reportsWork(text, joined) {
		return s, refuse("D11", "answer", q, text, "Refused: the model reports work of its own instead of what the claims say.")
	}
	if len(out.Claims) == 0 {
		return out, nil // shown grey: "not backed by a record"
	}
	w := newEvidence(quoted, around).holdAgainst(text, nil)
	if w.refuse != "" {
		w.flags = append(w.flags, w.refuse)
	}
	out.Flags = sortedFlags(w.flags)
	return out, nil
}

// CheckClose checks that a question may be closed with these claims (D8). nil
// means yes. A model needs claims that stand and are at least backed; a person or
// the engine may close with none, giving a reason.
func CheckClose(c Context, by ledger.By, cl ledger.Close) *ledger.Refuse {
	q := c.State.Questions[cl.ID]
	own := by == ledger.Model || by == ledger.Program
	switch {
	case q == nil:
		return refuse(CodeUnknown, "close", "", "", "Refused: no such question is on record.")
	case own && q.Person && (q.Status == state.Dropped || q.Status == state.Closed):
		return refuse(CodeSticky, "close", cl.ID, "", "Refused: a person settled this question.")
	case q.Status == state.Dropped:
		return refuse("D8", "close", cl.ID, "", "Refused: this question was dropped.")
	case len(cl.Claims) == 0 && own:
		return refuse("D8", "close", cl.ID, "", "Refused: a question is not closed without a claim that answers it.")
	case len(cl.Claims) == 0 && cl.Reason == "":
		return refuse("D8", "close", cl.ID, "", "Refused: a question closed without claims needs a reason.")
	}
	for _, id := range cl.Claims {
		k := c.State.Claims[id]
		switch {
		case k == nil:
			return refuse(CodeUnknown, "close", cl.ID, "", "Refused: it names a claim that is not on record.")
		case !k.Live() || k.IsStale:
			return refuse("D8", "close", cl.ID, k.Text, "Refused: it rests on a claim that no longer stands.")
		case k.Trust < state.Backed:
			return refuse("D8", "close", cl.ID, k.Text, "Refused: it rests on a claim without evidence.")
		}
	}
	return nil
}

// Typed is a quote that somebody typed or that came with an import: words and a
// source, without sentence numbers.
type Typed struct {
	Source string
	Text   string
}

// CheckTyped is D1, D2 and D3 for a typed quote: it is found in body, the text of
// its source, and cut out there. table may be any sentence finder: it gives the run
// of sentences that holds the bytes [from,to).
func CheckTyped(c Context, t Typed, body string, find func(from, to int) (first, last int64, ok bool)) (ledger.Slice, *ledger.Refuse) {
	s := c.State.Sources[t.Source]
	if s == nil {
		return ledger.Slice{}, refuse("D1", "quote", "", t.Text, "Refused: no such source is on record.")
	}
	if s.Body != ledger.HashOf([]byte(body)).String() {
		return ledger.Slice{}, refuse("D1", "quote", "", t.Text, "Refused: the text at hand is not the text of “"+s.Name+"”.")
	}
	if n := utf8.RuneCountInString(t.Text); n > maxTyped {
		return ledger.Slice{}, refuse("D3", "quote", "", t.Text, "Refused: a typed quote has at most 1,200 characters.")
	}
	f, ok := Locate(body, t.Text)
	if !ok {
		return ledger.Slice{}, refuse("D2", "quote", "", t.Text, "Refused: these words do not stand in “"+s.Name+"”.")
	}
	short := len(strings.Fields(t.Text)) < 4 || utf8.RuneCountInString(t.Text) < 20
	if rs := []rune(strings.TrimSpace(t.Text)); short && f.More > 0 && len(rs) > 0 && !isCJK(rs[0]) {
		return ledger.Slice{}, refuse("D3", "quote", "", t.Text, "Refused: these few words stand at several places of “"+s.Name+"”; quote more of them.")
	}
	first, last, ok := find(f.From, f.To)
	if !ok {
		return ledger.Slice{}, refuse("D2", "quote", "", t.Text, "Refused: these words stand outside of the sentences of “"+s.Name+"”.")
	}
	text, err := c.Slice(t.Source, first, last)
	if err != nil {
		return ledger.Slice{}, refuse("D1", "quote", "", t.Text, "Refused: the text of “"+s.Name+"” can't be read here.")
	}
	return ledger.Slice{From: first, Level: f.Level, Source: t.Source, Text: text, To: last}, nil
}
