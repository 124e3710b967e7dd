package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Finding is what a reading model pointed at, with its ids already resolved by
// the engine. From and To are sentence numbers, inclusive, from 1.
type Finding struct {
	Question string // question id
	Source   string // source id
	From, To int64
	Text     string // the model's wording
	// Quote: the model was asked to point only; the quoted sentence is the claim
	// and Text is ignored.
	Quote bool
}

// Context is what a check may look at. Functions are called from the caller's
// goroutine only. Heading and Inputs may be nil.
type Context struct {
	State *state.State
	// Shown gives the sentences of a source that the model was shown in this step
	// (or an earlier one that the prompt named). nil: a person or the engine
	// proposes, and D4 does not apply.
	Shown func(source string) []state.Interval
	// Slice cuts sentences from..to of a source, byte for byte.
	Slice func(source string, from, to int64) (string, error)
	// Heading gives the section heading of a sentence, "" for none.
	Heading func(source string, n int64) string
	// Inputs gives the hash of a step's inputs as they are now, for D15.
	Inputs func(kind string, args []string) string
}

// Verdict on one finding.
type Verdict struct {
	// Claim is ready to write when Refusal is nil. Without Text the claim is its
	// quote. Its Flags are set.
	Claim ledger.Claim
	// ID of Claim. Known: the state has a claim of this id already (write nothing,
	// or `renew` where it is stale).
	ID    string
	Known bool
	Flags []string
	// Why says for each flag what it is about, in words for people.
	Why map[string]string
	// Refusal: nothing is written but this.
	Refusal *ledger.Refuse
	// Fallback: the wording was refused and the quoted sentence is the claim; both
	// Claim and Fallback are written.
	Fallback *ledger.Refuse
}

// Limits of one finding.
const (
	MaxWording = 600  // characters of a claim's wording
	MaxSlice   = 6000 // bytes of one quote
	maxKept    = 1000 // bytes of the model's words that a refusal keeps
)

func refuse(code, proposal, question, text, message string) *ledger.Refuse {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > maxKept {
		cut := maxKept
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return &ledger.Refuse{Code: code, Message: message, Proposal: proposal, Question: question, Text: text}
}

// CheckFinding decides what becomes of one finding of a reading model.
func CheckFinding(c Context, f Finding) Verdict {
	if r := checkQuestion(c, f.Question, "claim", f.Text); r != nil {
		return Verdict{Refusal: r}
	}
	slice, r := c.cut("claim", f.Question, f.Text, f.Source, f.From, f.To)
	if r != nil {
		return Verdict{Refusal: r}
	}
	claim := ledger.Claim{
		Basis:    []string{ledger.Ref(f.Source, f.From, f.To)},
		Question: f.Question,
		Quotes:   []ledger.Slice{{From: f.From, Source: f.Source, Text: slice, To: f.To}},
	}
	text := strings.TrimSpace(f.Text)
	if f.Quote {
		text = ""
	} else if r := checkWords(c, f.Question, text, slice); r != nil {
		if r.Code == CodeLimit {
			return c.finish(Verdict{Claim: claim, Fallback: r}, slice)
		}
		return Verdict{Refusal: r}
	}
	if text == "" || sameText(text, slice) {
		return c.finish(Verdict{Claim: claim}, slice)
	}
	e := c.evidenceOf(claim.Quotes)
	w := e.holdAgainst(text, c.ordinary(f.Source))
	if w.refuse == "" && reportsWork(text, slice) {
		w.refuse, w.message = "D11", "Refused: the model reports work of its own instead of what the source says."
	}
	if w.refuse != "" {
		return c.finish(Verdict{Claim: claim, Fallback: refuse(w.refuse, "claim", f.Question, text, w.message+" The quoted sentence is the claim.")}, slice)
	}
	claim.Text = text
	return c.finish(Verdict{Claim: claim, Flags: w.flags, Why: w.why}, text)
}

// finish adds what the state says about a claim that is otherwise ready: sticky
// decisions of a person, duplicates, other numbers for the same thing.
func (c Context) finish(v Verdict, shown string) Verdict {
	v.Claim.Basis = ledger.SortBasis(v.Claim.Basis)
	v.ID = ledger.ClaimID(v.Claim)
	if r := c.sticky(v.Claim, v.ID, shown); r != nil {
		return Verdict{Refusal: r, ID: v.ID}
	}
	if _, v.Known = c.State.Claims[v.ID]; !v.Known {
		if other := c.duplicate(v.Claim, shown); other != "" {
			v.addFlag("D17", "nearly the same as “"+cutText(other, 80)+"”")
		} else if other := c.otherNumber(v.Claim, shown); other != "" {
			v.addFlag("D18", "“"+cutText(other, 80)+"” gives another number")
		}
	}
	v.Flags = sortedFlags(v.Flags)
	v.Claim.Flags = v.Flags
	return v
}

func (v *Verdict) addFlag(code, why string) {
	v.Flags = append(v.Flags, code)
	if v.Why == nil {
		v.Why = map[string]string{}
	}
	v.Why[code] = why
}

// checkQuestion: it exists, is not settled by a person, and is not finished.
func checkQuestion(c Context, id, proposal, text string) *ledger.Refuse {
	q := c.State.Questions[id]
	switch {
	case q == nil:
		return refuse(CodeUnknown, proposal, "", text, "Refused: no such question is on record.")
	case q.Status == state.Dropped:
		return refuse(CodeSticky, proposal, id, text, "Refused: a person dropped this question.")
	}
	return nil
}

// cut is D1, D4 and the size limit: the exact slice, or why there is none.
func (c Context) cut(proposal, question, text, source string, from, to int64) (string, *ledger.Refuse) {
	s := c.State.Sources[source]
	switch {
	case s == nil:
		return "", refuse("D1", proposal, question, text, "Refused: no such source is on record.")
	case !s.Readable():
		return "", refuse("D1", proposal, question, text, "Refused: “"+s.Name+"” can't be used here; it is unreadable, missing or set aside.")
	case from < 1 || to < from || to > s.Sentences:
		return "", refuse("D1", proposal, question, text, "Refused: “"+s.Name+"” has no such sentences.")
	}
	if c.Shown != nil && !covers(c.Shown(source), from, to) {
		return "", refuse("D4", proposal, question, text, "Refused: the model cites sentences of “"+s.Name+"” that it was not shown.")
	}
	slice, err := c.Slice(source, from, to)
	if err != nil || slice == "" {
		return "", refuse("D1", proposal, question, text, "Refused: the text of “"+s.Name+"” can't be read here.")
	}
	if len(slice) > MaxSlice {
		return "", refuse(CodeLimit, proposal, question, text, "Refused: the quote is longer than a quote may be.")
	}
	return slice, nil
}

// covers: the intervals show every sentence from..to.
func covers(shown []state.Interval, from, to int64) bool {
	for n := from; n <= to; {
		next := n
		for _, iv := range shown {
			if iv.From <= n && iv.To >= n && iv.To+1 > next {
				next = iv.To + 1
			}
		}
		if next == n {
			return false
		}
		n = next
	}
	return true
}

// checkWords refuses what is no statement at all.
func checkWords(c Context, question, text, slice string) *ledger.Refuse {
	if !utf8.ValidString(text) {
		return refuse(CodeSchema, "claim", question, text, "Refused: the model's words are not readable text.")
	}
	if strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return refuse(CodeSchema, "claim", question, text, "Refused: the model gave no words.")
	}
	if utf8.RuneCountInString(text) > MaxWording {
		return refuse(CodeLimit, "claim", question, text, "Refused: the wording is longer than a claim may be. The quoted sentence is the claim.")
	}
	if q := c.State.Questions[question]; q != nil && handsBack(text, q.Text, slice) {
		return refuse(CodeSchema, "claim", question, text, "Refused: the model gave the question back instead of an answer.")
	}
	return nil
}

// handsBack: the claim is the question again. The same stems are allowed where
// the quote has most of them: that is how a yes is told.
func handsBack(text, question, slice string) bool {
	lang := language(question + " " + text)
	ct, cq := content(tokens(clean(text), lang)), content(tokens(clean(question), lang))
	if strings.HasSuffix(strings.TrimSpace(text), "?") && !strings.HasSuffix(strings.TrimSpace(slice), "?") {
		return true
	}
	if len(ct) == 0 || len(cq) == 0 || jaccard(ct, cq) < 0.9 && !(len(cq) >= 4 && subset(ct, cq) && len(ct)*4 >= len(cq)*3) {
		return sameText(text, question)
	}
	cs := content(tokens(clean(slice), lang))
	have := 0
	for s := range ct {
		if hasStem(cs, s) {
			have++
		}
	}
	return have*2 < len(ct)
}

func subset(a, b map[string]bool) bool {
	for s := range a {
		if !b[s] {
			return false
		}
	}
	return true
}

// sameText: equal but for spaces, quotation marks, final punctuation and case of
// the first letter.
func sameText(a, b string) bool {
	f := func(s string) string {
		s = strings.Trim(clean(s), " .\"'")
		if r, n := utf8.DecodeRuneInString(s); n > 0 {
			s = string(unicode.ToLower(r)) + s[n:]
		}
		return s
	}
	return f(a) == f(b)
}

func (c Context) evidenceOf(quotes []ledger.Slice) *evidence {
	var texts, around []string
	seen := map[string]bool{}
	add := func(s string) {
		if s != "" && !seen[s] {
			seen[s] = true
			around = append(around, s)
		}
	}
	for _, q := range quotes {
		texts = append(texts, q.Text)
		if s := c.State.Sources[q.Source]; s != nil {
			add(s.Title)
		}
		if c.Heading != nil {
			for n := q.From; n <= q.To && n < q.From+50; n++ {
				add(c.Heading(q.Source, n))
			}
		}
	}
	return newEvidence(texts, around)
}

// ordinary tells from the whole source whether a word is written in lower case
// somewhere, and so is no name.
func (c Context) ordinary(source string) func(string) bool {
	var lower map[string]bool
	return func(low string) bool {
		if lower == nil {
			lower = map[string]bool{}
			s := c.State.Sources[source]
			if s == nil {
				return false
			}
			text, err := c.Slice(source, 1, s.Sentences)
			if err != nil {
				return false
			}
			for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
				if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) {
					lower[w] = true
				}
			}
		}
		return lower[low] || lower[strings.TrimSuffix(low, "s")]
	}
}

// sticky is the pre-check of what a person decided (DESIGN 3.6); the fold holds
// the exact rules, the overlap of wordings is judged here only.
func (c Context) sticky(cl ledger.Claim, id, shown string) *ledger.Refuse {
	if k := c.State.Claims[id]; k != nil && k.Person && !k.Live() {
		return refuse(CodeSticky, "claim", cl.Question, shown, "Refused: a person took this claim back.")
	}
	words := wordSet(shown)
	for _, k := range c.State.Claims {
		if k.Live() || !k.Person || k.Question != cl.Question || k.LastBy != ledger.Person {
			continue
		}
		if sameList(k.Basis, cl.Basis) {
			return refuse(CodeSticky, "claim", cl.Question, shown, "Refused: a person took back or corrected what was claimed from these sentences.")
		}
		if jaccard(words, wordSet(k.Text)) >= 0.9 {
			return refuse(CodeSticky, "claim", cl.Question, shown, "Refused: a person took back nearly the same words.")
		}
	}
	return nil
}

func sameList(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// duplicate is D17: a live claim on the same question in nearly the same words.
func (c Context) duplicate(cl ledger.Claim, shown string) string {
	words := wordSet(shown)
	for _, id := range c.State.ClaimIDs {
		k := c.State.Claims[id]
		if k != nil && k.Live() && k.Question == cl.Question && overlap(words, k.Text) >= 0.9 {
			return k.Text
		}
	}
	return ""
}

// otherNumber is D18: a live claim on the same question with the same words and
// other numbers.
func (c Context) otherNumber(cl ledger.Claim, shown string) string {
	text := clean(shown)
	lang := language(text)
	mine := numbers(text, lang)
	stems := content(tokens(text, lang))
	if len(mine) == 0 || len(stems) < 3 {
		return ""
	}
	words := wordSet(shown)
	for _, id := range c.State.ClaimIDs {
		k := c.State.Claims[id]
		if k == nil || !k.Live() || k.Question != cl.Question || overlap(words, k.Text) < 0.4 {
			continue
		}
		t := clean(k.Text)
		theirs := numbers(t, lang)
		if len(theirs) != len(mine) || jaccard(stems, content(tokens(t, lang))) < 0.8 {
			continue
		}
		for i := range mine {
			if !mine[i].Weak && !theirs[i].Weak && mine[i].Unit == theirs[i].Unit && !mine[i].holds(theirs[i], strings.ToLower(t)) {
				return k.Text
			}
		}
	}
	return ""
}

func cutText(s string, n int) string {
	rs := []rune(s)
	if len(rs) <= n {
		return s
	}
	return string(rs[:n-1]) + "…"
}
