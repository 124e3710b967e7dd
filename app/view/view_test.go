package view

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/app/dto"
	"cairn/engine/ledger"
	"cairn/engine/search"
	"cairn/engine/source"
	"cairn/engine/state"
)

// The hand-made task of these tests: two documents, three questions.
const body = "Alpha counts 12 cats. Beta counts 14 cats. Gamma counts none."

func table() *source.Table {
	return &source.Table{Headings: []string{"Results"}, Sentences: []source.Sentence{
		{From: 0, To: 21, Heading: 0, Start: true, Page: 2}, {From: 22, To: 42, Heading: 0, Page: 2}, {From: 43, To: 61, Heading: -1, Page: 3},
	}}
}

type texts map[string]bool

func (t texts) Text(s *state.Source) ([]byte, *source.Table, bool) {
	if !t[s.ID] {
		return nil, nil, false
	}
	return []byte(body), table(), true
}

func claimOf(id, question string, trust state.Trust, change func(*state.Claim)) *state.Claim {
	c := &state.Claim{
		ID: id, Question: question, Text: "There are 12 cats.", Standing: state.Active, Trust: trust,
		Meta: state.Meta{By: ledger.Model, Who: "digest:abc"},
		Evidence: []state.Evidence{{ID: "k" + id, Stance: "supports", Slice: ledger.Slice{
			Source: "s1", From: 1, To: 1, Text: body[:21],
		}}},
	}
	if change != nil {
		change(c)
	}
	return c
}

func hand() *state.State {
	st := state.New()
	st.Task = state.Task{Goal: "Count cats", Title: "Cats"}
	st.Settings = state.Settings{Model: "small:1b", Digest: "abc"}
	st.Sources = map[string]*state.Source{
		"s1": {ID: "s1", Name: "b.md", Title: "Bee", Body: "x", Table: "y", Sentences: 3},
		"s2": {ID: "s2", Name: "a.pdf", Reason: "encrypted"},
		"s3": {ID: "s3", Name: "c.md", Body: "x", Sentences: 3, Aside: "old"},
	}
	st.SourceIDs = []string{"s1", "s2", "s3"}
	st.Questions = map[string]*state.Question{
		"q1": {ID: "q1", Text: "How many cats?", Status: state.Open, Answer: "w1"},
		"q2": {ID: "q2", Text: "How many dogs?", Status: state.Parked, Reason: "attempts"},
		"q3": {ID: "q3", Text: "Why?", Status: state.Dropped},
	}
	st.QuestionIDs = []string{"q1", "q2", "q3"}
	st.Claims = map[string]*state.Claim{
		"c1": claimOf("c1", "q1", state.Backed, nil),
		"c2": claimOf("c2", "q1", state.Checked, func(c *state.Claim) {
			c.Meta = state.Meta{By: ledger.Person, Who: "key:me"}
			c.Checks = []state.Verdict{{By: ledger.Person, How: "person", Verdict: "right"}}
		}),
		"c3": claimOf("c3", "q1", state.Stated, func(c *state.Claim) { c.Standing, c.Reason, c.Evidence = state.Retracted, "no", nil }),
		"c4": claimOf("c4", "q1", state.Backed, func(c *state.Claim) { c.Flags = []string{"D22"} }),
		"c5": claimOf("c5", "q1", state.Backed, func(c *state.Claim) { c.IsStale = true }),
		"c6": claimOf("c6", "q1", state.Backed, func(c *state.Claim) { c.IsContested = true }),
	}
	st.ClaimIDs = []string{"c1", "c2", "c3", "c4", "c5", "c6"}
	st.Answers = map[string]*state.Answer{"w1": {
		ID: "w1", Question: "q1", Standing: state.Active, Partial: true, Sentences: []ledger.Sentence{
			{Text: "12.", Claims: []string{"c1"}}, {Text: "By feel."}, {Text: "Also.", Claims: []string{"c5"}},
		},
	}}
	st.Notes = map[string]*state.Note{
		"n1": {ID: "n1", On: "q1", Text: "Ask Ada", For: "Ada", Due: "Friday", Standing: state.Active, Meta: state.Meta{By: ledger.Person, Who: "key:me"}},
		"n2": {ID: "n2", On: "q1", Text: "Only a remark", Standing: state.Active},
		"n3": {ID: "n3", On: "q1", Text: "Gone", For: "Ada", Standing: state.Retracted},
	}
	st.NoteIDs = []string{"n1", "n2", "n3"}
	st.Read = map[string]map[string][]state.Interval{"s1": {"q1": {{From: 1, To: 2}}}}
	st.Found = map[string][]state.Range{"q1": {{Source: "s1", From: 3, To: 3}, {Source: "s1", From: 1, To: 1}, {Source: "s3", From: 1, To: 1}}}
	return st
}

func input(st *state.State) Input {
	return Input{State: st, Texts: texts{"s1": true, "s3": true}, Me: "key:me", ID: "t", Now: time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)}
}

func TestTask(t *testing.T) {
	v := Task(input(hand()))
	if v.Title != "Cats" || len(v.Questions) != 3 || len(v.Retracted) != 1 {
		t.Fatalf("the view is %+v", v)
	}
	q := v.Questions[0]
	if len(q.Claims) != 5 || !q.Partial || len(q.Notes) != 2 {
		t.Errorf("question 1: %d claims, partial %v, %d notes", len(q.Claims), q.Partial, len(q.Notes))
	}
	want := []dto.AnswerSentence{
		{Text: "12.", Claims: []string{"c1"}, Backed: true},
		{Text: "By feel.", Claims: []string{}},
		{Text: "Also.", Claims: []string{"c5"}, Backed: true, Stale: true},
	}
	if !reflect.DeepEqual(q.Answer, want) {
		t.Errorf("answer is %+v", q.Answer)
	}
	p := q.Claims[0].Quotes[0].Place
	if p.Name != "b.md" || p.Title != "Bee" || p.Heading != "Results" || p.Page != 2 {
		t.Errorf("place is %+v", p)
	}
	if v.Counts != (dto.Counts{Sources: 1, Unreadable: 1, Aside: 1, Claims: 5, Checked: 1, ToCheck: 4, Open: 1, Parked: 1, Dropped: 1}) {
		t.Errorf("counts are %+v", v.Counts)
	}
	if v.Constraints == nil || v.Report == nil || v.Questions[1].Claims == nil {
		t.Error("an empty list is nil")
	}
}

func TestClaimWords(t *testing.T) {
	v := Task(input(hand()))
	type row struct{ trust, word, standing, by string }
	want := map[string]row{
		"c1": {"backed", "quote attached", "active", "small:1b"},
		"c2": {"checked", "you checked", "active", "you"},
		"c4": {"backed", "quote attached", "active", "small:1b"},
		"c5": {"backed", "quote attached", "stale", "small:1b"},
		"c6": {"backed", "quote attached", "contested", "small:1b"},
	}
	for _, c := range v.Questions[0].Claims {
		if got := (row{c.Trust, c.Word, c.Standing, c.ByLine}); got != want[c.ID] {
			t.Errorf("%s is %+v, want %+v", c.ID, got, want[c.ID])
		}
	}
	if r := v.Retracted[0]; r.Standing != "retracted" || r.Reason != "no" || r.Word != "only stated" {
		t.Errorf("retracted: %+v", r)
	}
}

func TestTrustWord(t *testing.T) {
	cases := []struct {
		want   string
		trust  state.Trust
		change func(*state.Claim)
	}{
		{"only stated", state.Stated, func(c *state.Claim) { c.Evidence = nil }},
		{"quote reported", state.Stated, func(c *state.Claim) { c.Evidence[0].Reported = true }},
		{"quote attached", state.Backed, nil},
		{"derived", state.Backed, func(c *state.Claim) { c.Evidence = nil }},
		{"derived", state.Backed, func(c *state.Claim) { c.Evidence[0].Stance = "context" }},
		{"calculated", state.Backed, func(c *state.Claim) { c.Checks = []state.Verdict{{How: "calculation", Verdict: "passed"}} }},
		{"model agrees", state.Agreed, nil},
		{"you checked", state.Checked, nil},
	}
	for _, c := range cases {
		if got := TrustWord(claimOf("c", "q", c.trust, c.change)); got != c.want {
			t.Errorf("%v is %q, want %q", c.trust, got, c.want)
		}
	}
}

func TestReported(t *testing.T) {
	by := func(v ...state.Verdict) func(*state.Claim) { return func(c *state.Claim) { c.Checks = v } }
	sender := state.Verdict{By: ledger.Person, Verdict: "right", Reported: true}
	here := state.Verdict{By: ledger.Person, Verdict: "right"}
	cases := []struct {
		name   string
		want   bool
		trust  state.Trust
		change func(*state.Claim)
	}{
		{"made here", false, state.Backed, nil},
		{"quote reported", true, state.Backed, func(c *state.Claim) { c.Evidence[0].Reported = true }},
		{"check reported", true, state.Backed, by(sender)},
		{"re-issued", true, state.Backed, func(c *state.Claim) { c.Reported = true }},
		{"checked here later", false, state.Checked, by(sender, here)},
	}
	for _, c := range cases {
		if got := reported(claimOf("c", "q", c.trust, c.change)); got != c.want {
			t.Errorf("%s: reported is %v", c.name, got)
		}
	}
}

func TestToCheckOrder(t *testing.T) {
	st := hand()
	st.Log.Refusals = []state.Refusal{{Code: "D5"}, {Code: "D4"}}
	var got []string
	for _, c := range Task(input(st)).ToCheck {
		got = append(got, c.Kind)
	}
	want := []string{"note", "parked", "says_more", "contested", "stale", "unchecked", "unreadable", "refused"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("order is %v, want %v", got, want)
	}
}

// A verdict that a claim says more than its quote keeps it in sight, in words
// that say whose verdict it is, and takes it off the claims nobody looked at.
func TestSaysMore(t *testing.T) {
	mark := func(v state.Verdict) *state.State {
		st := hand()
		v.Verdict = "says_more"
		st.Claims["c1"].Checks = []state.Verdict{v}
		st.Claims["c1"].IsContested = true // what the fold makes of it
		return st
	}
	for _, c := range []struct {
		name          string
		verdict       state.Verdict
		flag, item    string
		toCheck       int64
		verdictInView string
	}{
		{"mine", state.Verdict{By: ledger.Person, How: "person", Reason: "only tweets"},
			"You marked it as saying more than its quote: only tweets", "You marked it as saying more than its quote: “There are 12 cats.”", 3, "says_more"},
		{"the sender's", state.Verdict{By: ledger.Person, How: "person", Reported: true},
			"Its sender marked it as saying more than its quote", "Its sender marked it as saying more than its quote: “There are 12 cats.”", 4, ""},
		{"a model's", state.Verdict{By: ledger.Engine, How: "model"},
			"A second look found that it says more than its quote", "A second look found that it says more than its quote: “There are 12 cats.”", 4, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Task(input(mark(c.verdict)))
			claim := v.Questions[0].Claims[0]
			if len(claim.Flags) != 1 || claim.Flags[0] != c.flag || claim.Verdict != c.verdictInView {
				t.Errorf("the claim says %q, verdict %q", claim.Flags, claim.Verdict)
			}
			var found int
			for _, item := range v.ToCheck {
				if item.On == "c1" {
					found++
					if item.Kind != "says_more" || item.Text != c.item {
						t.Errorf("to check: %+v", item)
					}
				}
			}
			if found != 1 {
				t.Errorf("it stands %d times under to check, want once", found)
			}
			if v.Counts.ToCheck != c.toCheck || v.Counts.Checked != 1 {
				t.Errorf("counts are %+v", v.Counts)
			}
		})
	}
}

func TestCandidates(t *testing.T) {
	in := input(hand())
	list := in.Candidates("q1", 0)
	// Sentence 1 is quoted already, s3 is set aside: only sentence 3 is left.
	if len(list) != 1 || list[0].Text != "Gamma counts none." || list[0].Place.From != 3 {
		t.Errorf("candidates are %+v", list)
	}
	if want := ledger.ClaimID(ledger.Claim{Question: "q1", Basis: []string{"s1/3-3"}}); list[0].ID != want {
		t.Errorf("the candidate is %s, the claim that it becomes %s", list[0].ID, want)
	}
	in.Sentences = func(string) []search.Hit {
		return []search.Hit{{Source: "s1", From: 2, To: 2, Score: 3}, {Source: "s1", From: 3, To: 3, Score: 2}, {Source: "s1", From: 9, To: 9, Score: 1}}
	}
	list = in.Candidates("q1", 0)
	if len(list) != 2 || list[0].Text != "Beta counts 14 cats." || list[0].Score != 3 {
		t.Errorf("candidates by search are %+v", list)
	}
	if got := in.Candidates("q1", 1); len(got) != 1 {
		t.Errorf("at most one was asked for, %d came", len(got))
	}
	if got := in.Candidates("q3", 0); got != nil {
		t.Errorf("a dropped question has candidates %+v", got)
	}
}

func TestSources(t *testing.T) {
	rows := Sources(input(hand()))
	var got []string
	for _, r := range rows {
		got = append(got, r.Name+" "+r.Status)
	}
	if want := []string{"a.pdf unreadable", "b.md readable", "c.md aside"}; !reflect.DeepEqual(got, want) {
		t.Errorf("rows are %v, want %v", got, want)
	}
	b := rows[1]
	if b.Claims != 5 || len(b.Cells) != 2 || b.Cells[0].Claims != 5 || b.Cells[0].Shown < 0.6 || b.Cells[0].Shown > 0.7 || b.Pages != 3 {
		t.Errorf("row of b.md is %+v", b)
	}
	if rows[0].Reason == "" || rows[2].Reason != "Set aside: old" {
		t.Errorf("reasons are %q and %q", rows[0].Reason, rows[2].Reason)
	}
}

func TestSourceText(t *testing.T) {
	st := hand()
	got := SourceText(input(st), st.Sources["s1"], 2, 3)
	if got.First != 1 || got.Total != 3 || len(got.Sentences) != 3 {
		t.Fatalf("text is %+v", got)
	}
	marks := []bool{got.Sentences[0].Mark, got.Sentences[1].Mark, got.Sentences[2].Mark}
	if !reflect.DeepEqual(marks, []bool{false, true, true}) || got.Sentences[1].Text != "Beta counts 14 cats." {
		t.Errorf("sentences are %+v", got.Sentences)
	}
	if got := SourceText(input(st), st.Sources["s2"], 1, 1); len(got.Sentences) != 0 || got.Source.Status != "unreadable" {
		t.Errorf("an unreadable source gives %+v", got)
	}
	if got := SourceText(input(st), st.Sources["s1"], 99, 120); len(got.Sentences) != 0 {
		t.Errorf("a place beyond the end gives %+v", got.Sentences)
	}
}

func TestSum(t *testing.T) {
	cases := []struct {
		sum  *ledger.Sum
		want string
	}{
		{nil, ""},
		{&ledger.Sum{}, "0 lost"},
		{&ledger.Sum{Claims: 3, Retracted: 1, Opened: 2, Closed: 1}, "+3 claims, 1 retracted, 2 questions opened, 1 closed, 0 lost"},
		{&ledger.Sum{Claims: 1, Opened: 1, Superseded: 1}, "+1 claim, 1 replaced, 1 question opened, 0 lost"},
	}
	for _, c := range cases {
		cp := &state.Checkpoint{}
		cp.Sum = c.sum
		if got := Sum(cp); got != c.want {
			t.Errorf("sum is %q, want %q", got, c.want)
		}
	}
	if Sum(nil) != "" {
		t.Error("no checkpoint has a sum")
	}
}

func TestWhen(t *testing.T) {
	now := time.Date(2026, 3, 2, 22, 40, 0, 0, time.UTC) // a Monday
	for after, want := range map[time.Duration]string{
		time.Hour:           "23:40",
		2 * time.Hour:       "tomorrow 00:40",
		26 * time.Hour:      "Wednesday 00:40",
		6 * 24 * time.Hour:  "Sunday 22:40",
		30 * 24 * time.Hour: "1 April",
		-10 * time.Minute:   "22:30",
	} {
		if got := When(now, now.Add(after)); got != want {
			t.Errorf("in %v is %q, want %q", after, got, want)
		}
	}
}

func TestPromise(t *testing.T) {
	now := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	cases := []struct {
		firsts, all float64
		want        string
	}{
		{600, 3600, "Every document touched by 14:10, everything by 15:00."},
		{3500, 3600, "Everything by 15:00."},
		{0, 60, "Everything by 14:01."},
		{10, 0, ""},
		{10, -1, ""},
	}
	for _, c := range cases {
		if got := Promise(now, c.firsts, c.all); got != c.want {
			t.Errorf("promise is %q, want %q", got, c.want)
		}
	}
}

func TestTimeline(t *testing.T) {
	tl := NewTimeline(input(hand()), true)
	seq := int64(0)
	add := func(at int64, by ledger.By, who string, op ledger.Op) {
		seq++
		tl.Add(&ledger.Line{Head: ledger.Head{Seq: seq, At: at, By: by, Who: who}, Op: op})
	}
	add(1000, ledger.Person, "key:me", &ledger.Task{Goal: "g"})
	add(1000, ledger.Engine, "", &ledger.Checkpoint{})
	add(2000, ledger.Engine, "", &ledger.Source{Name: "b.md", Body: "x"})
	add(2000, ledger.Engine, "", &ledger.Source{Name: "a.pdf", Reason: "no_text"})
	add(2000, ledger.Engine, "", &ledger.Checkpoint{})
	add(3000, ledger.Engine, "", &ledger.Start{Kind: "read"})
	add(9000, ledger.Engine, "", &ledger.Wake{Reason: "slept", Asleep: 4000})
	add(9500, ledger.Engine, "", &ledger.Call{Model: "small:1b", Outcome: "complete", PromptCount: 10, EvalCount: 1, Awake: 1500})
	add(9600, ledger.Engine, "", &ledger.Refuse{Code: "D5", Message: "Refused: A number is missing.", Text: "14"})
	add(9600, ledger.Model, "digest:abc", &ledger.Claim{})
	add(9600, ledger.Engine, "", &ledger.Finish{Outcome: "done"})
	add(9700, ledger.Engine, "", &ledger.Checkpoint{Step: &ledger.NextStep{
		Kind: "read", Args: []string{"q1", "s" + strings.Repeat("0", 32) + "/1-2"}, Serves: "q1",
	}})
	add(9800, ledger.Person, "key:me", &ledger.Retract{ID: "c1", Reason: "no"})
	add(9800, ledger.Engine, "", &ledger.Checkpoint{})
	add(9900, ledger.Engine, "", &ledger.End{Outcome: "stuck", Reasons: []string{"no_model"}})
	tl.Add(&ledger.Line{Withheld: true})
	got := tl.Entries()
	type row struct {
		kind, text string
		checkpoint int64
	}
	want := []row{
		{"end", "It can't go on by itself", 0},
		{"person", "You retracted “There are 12 cats.”: no", 4},
		{"step", "Read a document, sentences 1 to 2, for question 1", 3},
		{"refuse", "Refused: A number is missing.", 0},
		{"call", "The model read 10 tokens and wrote 1 token in 1.5 s", 0},
		{"sleep", "The computer slept for under a minute", 0},
		{"step", "2 documents came in, 1 of them can't be read", 2},
		{"person", "You began the task", 1},
	}
	for i, w := range want {
		if i >= len(got) {
			t.Fatalf("only %d rows", len(got))
		}
		if g := (row{got[i].Kind, got[i].Text, got[i].Checkpoint}); g != w {
			t.Errorf("row %d is %+v\nwant %+v", i, g, w)
		}
	}
	if got[2].TookMs != 2700 || got[2].Detail != "1 claim accepted, 1 refused: A number is missing" {
		t.Errorf("the step took %d ms: %q", got[2].TookMs, got[2].Detail)
	}
	if e := got[slices.IndexFunc(got, func(e dto.Entry) bool { return strings.Contains(e.Text, "came in") })]; !strings.Contains(e.Detail, "a.pdf: There is no text in it") {
		t.Errorf("the file that can't be read is not named: %q", e.Detail)
	}
	short := NewTimeline(input(hand()), false)
	short.Add(&ledger.Line{Op: &ledger.Call{}})
	if len(short.Entries()) != 0 {
		t.Error("calls show in the short history")
	}
}

// Every reason code that a run, a planner or a source can give has a sentence.
func TestReasons(t *testing.T) {
	for _, code := range []string{
		"no_question", "no_source", "no_model", "parked", "open_questions", "person", "quit", "budget", "model_away",
		"model_missing", "model_failed", "disk_full", "error", "slept", "killed", "closed", "crashed", "stopped",
		"interrupted_three_times", "too_long", "unusable_reply", "cut", "gone", "not_here", "changed",
	} {
		if got := Reason(code); strings.HasPrefix(got, "Reason:") || !strings.HasSuffix(got, ".") {
			t.Errorf("%s has no sentence: %q", code, got)
		}
	}
	if got := Reason("The person's own words"); got != "The person's own words" {
		t.Errorf("own words became %q", got)
	}
}
