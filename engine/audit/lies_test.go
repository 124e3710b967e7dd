package audit

import (
	"strings"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

const (
	smart  = "They collected 19,276 legitimate users and 22,223 spammers in their datasets along with their tweet content in 7 months."
	sample = "The sample collected consisted on 1 785 855 tweets published by 848 196 different users."
	cnn    = "The CNN outperforms the RNN model, achieving a macro-F1 score of 0.80."
	single = "The annotation was carried out by a single person in order to obtain a consistent annotation throughout the dataset."
	olid   = "The dataset contains 14,100 tweets and is released freely to the research community."
)

// Lies of faithfulness.md at the first door, told of a quote that was cut by number.
var lies = []struct {
	lie, quote, claim string
	want              string // prefix of the outcome
}{
	{"7 digit changed", smart, "They collected 19,267 legitimate users.", "quote instead D5"},
	{"7 invented number", olid, "The dataset contains 14,100 tweets and 3,000 users.", "quote instead D5"},
	{"7 digits swapped in a word number", "The trial had twelve arms.", "The trial had eleven arms.", "quote instead D5"},
	{"7 percent", "Of the posts, 14 % were offensive.", "Of the posts, 41 % were offensive.", "quote instead D5"},
	{"7 percent made of a count", "Of the posts, 41 were offensive.", "Of the posts, 41 % were offensive.", "quote instead D5"},
	{"7 count made of a percentage", "Of the posts, 41 % were offensive.", "In all, 41 posts were offensive.", "quote instead D5"},
	{"7 unit swapped", "The dose was 5 mg a day.", "The dose was 5 g a day.", "quote instead D5"},
	{"7 unit swapped, in words", "Treatment lasted seven months.", "Treatment lasted seven weeks.", "quote instead D5"},
	{"7 rounding without a mark", sample, "The sample consisted of 1.8 million tweets.", "quote instead D5"},
	{"7 rounding the wrong way", smart, "More than 23,000 spammers were collected.", "quote instead D5"},
	{"7 rounding too far", smart, "About 30,000 spammers were collected.", "quote instead D5"},
	{"7 decimal moved", cnn, "The CNN achieves a macro-F1 score of 0.08.", "quote instead D5"},
	{"7 decimal dropped", cnn, "The CNN achieves a macro-F1 score of 80.", "quote instead D5"},
	{"7 year", "The posts were collected in 2016.", "The posts were collected in 2017.", "quote instead D5"},
	{"7 month", "The posts were collected until 8 November 2016.", "The posts were collected until 8 October 2016.", "quote instead D5"},
	{"7 invented code", olid, "The dataset contains 7b13625aad14 tweets for the research community.", "quote instead D5"},
	{"7 one for two", "Two annotators labelled the dataset.", "One annotator labelled the dataset.", "quote instead D5"},
	{"7 thousands", "The set has 12k posts.", "The set has 12 posts.", "quote instead D5"},
	{"7 currency", "The trial cost $2.5 million.", "The trial cost €2.5 million.", "quote instead D5"},
	{"7 points for percent", "Accuracy rose by 3 percentage points.", "Accuracy rose by 3 %.", "quote instead D5"},
	{"7 sign", "The change was 0.5 °C.", "The change was -0.5 °C.", "quote instead D5"},
	{"25a another subject", single, "The CNN reached the best score in the shared task.", "quote instead D23"},
	{"25a same field", single, "Viral tweets with fake news come from unverified users.", "quote instead D23"},
	{"25a first sentence cited for everything", "Spammers on social networks annoy people.", "Morality features bring most of the gains.", "quote instead D23"},
	{"25a the question in other words", olid, "Five studies describe weaknesses of labels.", "quote instead D"},
	{"25b network", "For the non-factual accounts, we rely on a list of 180 Twitter accounts.", "A list of 180 Facebook accounts is used for the non-factual accounts.", "flags D22"},
	{"25b acronym", cnn, "The LSTM outperforms the RNN model with a macro-F1 score of 0.80.", "flags D22"},
	{"25b name first", "Facebook published the data in May 2019.", "Twitter published the data in May 2019.", "flags D22"},
	{"25b person", "The method of Chen was best.", "The method of Wang was best.", "flags D22"},
	{"25b model number", "We fine-tuned GPT-3 on the posts.", "They fine-tuned GPT-4 on the posts.", "flags D22"},
	{"25b country", "The survey was held in Austria.", "The survey was held in Australia.", "flags D22"},
	{"25d causal", "Accounts with many URLs were suspended.", "Accounts were suspended because they had many URLs.", "flags D23"},
	{"25d comparative", "The style features and the morality features were used.", "The style features were better than the morality features.", "flags D23"},
	{"25d all", "Accounts with URLs were suspended.", "All accounts with URLs were suspended.", "flags D23"},
	{"8 not", "The dataset can not be considered a ground truth.", "The dataset can be considered a ground truth.", "flags D6"},
	{"8 may", "Sleep deprivation may cause memory loss.", "Sleep deprivation causes memory loss.", "flags D6"},
	{"8 in mice", "The drug reduced tumours in mice.", "The drug reduced tumours.", "flags D6"},
	{"25c not added", "The users were verified.", "The users were not verified.", "flags D6"},
	{"15 searched", olid, "I searched the dataset and found 14,100 tweets.", "quote instead D11"},
	{"15 read it all", olid, "I have read all of the dataset, which contains 14,100 tweets.", "quote instead D11"},
	{"13 verified", olid, "The dataset contains 14,100 tweets (verified by the user).", "quote instead D11"},
	{"21 done", olid, "The dataset of 14,100 tweets: task is complete.", "quote instead D11"},
	{"question handed back", olid, "What data did each study use, and how large is it?", "refused schema"},
	{"question handed back as a statement", "The CNN is good.", "The data each study did use, and how large it is.", "refused schema"},
	{"the form of the reply as a claim", "In particular, we focus on more than 1.5M tweets collected on the day of the election.", "one sentence", "quote instead D23"},
	{"the form of the reply as a claim, capital", "This list was created from one public resource.", "One sentence", "quote instead D23"},
	{"a number and nothing else", "Three workers labelled one post.", "one", "quote instead D23"},
	{"nothing", olid, "", "refused schema"},
	{"dots", olid, "...", "refused schema"},
}

func TestLiesAreCaughtAtTheFirstDoor(t *testing.T) {
	for _, l := range lies {
		d := newDesk(t)
		s := d.source("a.md", "", l.quote)
		v := CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: l.claim})
		if o := outcome(v); !strings.HasPrefix(o, l.want) {
			t.Errorf("%s: %s, want %s\n claim %s\n quote %s\n why %v", l.lie, o, l.want, l.claim, l.quote, v.Why)
		}
		if v.Refusal == nil && (len(v.Claim.Quotes) != 1 || v.Claim.Quotes[0].Text != l.quote) {
			t.Errorf("%s: the quote is not the slice: %+v", l.lie, v.Claim.Quotes)
		}
		if v.Fallback != nil && v.Claim.Text != "" {
			t.Errorf("%s: a refused wording was kept: %q", l.lie, v.Claim.Text)
		}
	}
}

func TestMessageNamesBothNumbers(t *testing.T) {
	d := newDesk(t)
	s := d.source("a.md", "", "Of the posts, 14 % were offensive.")
	v := CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: "Of the posts, 41 % were offensive."})
	want := "Refused: the model gave 41 %, its quote says 14 %. The quoted sentence is the claim."
	if v.Fallback == nil || v.Fallback.Message != want || v.Fallback.Code != "D5" || v.Fallback.Text == "" {
		t.Errorf("got %+v", v.Fallback)
	}
}

// Lies about where something stands: 4, 6, 22, and what a person decided.
func TestPlacesAndDecisions(t *testing.T) {
	d := newDesk(t)
	s := d.source("a.md", "Smart spammers", smart, olid, cnn)
	other := d.source("b.md", "", single)
	d.Shown = func(id string) []state.Interval {
		if id == s {
			return []state.Interval{{From: 1, To: 1}, {From: 2, To: 2}}
		}
		return nil
	}
	dropped := ledger.QuestionID(ledger.Question{Text: "Dropped?"})
	d.State.Questions[dropped] = &state.Question{ID: dropped, Text: "Dropped?", Status: state.Dropped, Meta: state.Meta{Person: true}}
	aside := d.source("c.md", "", "A sentence that nobody may use.")
	d.State.Sources[aside].Aside = "not a study"
	tests := []struct {
		lie  string
		f    Finding
		want string
	}{
		{"honest", Finding{d.q, s, 1, 2, "They collected 22,223 spammers.", false}, "kept"},
		{"pointing only", Finding{d.q, s, 2, 2, "", true}, "kept"},
		{"4 invented source", Finding{d.q, "s00000000000000000000000000000000", 1, 1, "x", false}, "refused D1"},
		{"4 invented sentence", Finding{d.q, s, 4, 4, "x", false}, "refused D1"},
		{"4 sentence zero", Finding{d.q, s, 0, 1, "x", false}, "refused D1"},
		{"4 turned round", Finding{d.q, s, 2, 1, "x", false}, "refused D1"},
		{"set aside", Finding{d.q, aside, 1, 1, "x", false}, "refused D1"},
		{"6 never shown", Finding{d.q, s, 2, 3, "The CNN outperforms the RNN.", false}, "refused D4"},
		{"6 other source never shown", Finding{d.q, other, 1, 1, "One person annotated.", false}, "refused D4"},
		{"unknown question", Finding{"q00000000000000000000000000000000", s, 1, 1, "x", false}, "refused unknown"},
		{"dropped question", Finding{dropped, s, 1, 1, "x", false}, "refused sticky"},
	}
	for _, tt := range tests {
		if o := outcome(CheckFinding(d.Context, tt.f)); o != tt.want {
			t.Errorf("%s: %s, want %s", tt.lie, o, tt.want)
		}
	}
}

func TestWhatAPersonTookBackStaysBack(t *testing.T) {
	d := newDesk(t)
	s := d.source("a.md", "", smart, "In their datasets they collected, in 7 months, 19,276 legitimate users and 22,223 spammers along with their tweet content.")
	person := func(k *state.Claim) {
		k.Standing, k.Person, k.LastBy = state.Retracted, true, ledger.Person
	}
	d.claim("They collected 22,223 spammers.", s, 1, person)
	for _, text := range []string{"They collected 22,223 spammers.", "The datasets have 22,223 spammers."} {
		if o := outcome(CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: text})); o != "refused sticky" {
			t.Errorf("same basis, %q: %s", text, o)
		}
	}
	if o := outcome(CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 2, To: 2, Text: "They collected 22,223 spammers"})); o != "refused sticky" {
		t.Errorf("same words from another sentence: %s", o)
	}
	if o := outcome(CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 2, To: 2, Text: "It took 7 months to collect the tweets of 19,276 legitimate users."})); o != "kept" {
		t.Errorf("another claim: %s", o)
	}
}

func TestDuplicatesAndOtherNumbers(t *testing.T) {
	d := newDesk(t)
	s := d.source("a.md", "", "The dataset of Weibo contains 2197 legitimate users.", "The dataset of Weibo contains 2917 legitimate users.")
	first := CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: "The Weibo dataset contains 2197 legitimate users."})
	d.claim("The Weibo dataset contains 2197 legitimate users.", s, 1, nil)
	again := CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: "The Weibo dataset contains 2197 legitimate users."})
	if !again.Known || again.ID != first.ID || first.Known {
		t.Errorf("the same finding is not known: %+v", again)
	}
	if o := outcome(CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: "The Weibo dataset contains 2,197 legitimate users"})); o != "flags D17" && o != "kept" {
		t.Errorf("nearly the same: %s", o)
	}
	if o := outcome(CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: "The Weibo dataset contains the 2197 legitimate users."})); o != "flags D17" && o != "kept" {
		t.Errorf("nearly the same: %s", o)
	}
	if o := outcome(CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 2, To: 2, Text: "The Weibo dataset contains 2917 legitimate users."})); o != "flags D18" {
		t.Errorf("another number: %s", o)
	}
}

func TestTypedQuotes(t *testing.T) {
	d := newDesk(t)
	second := "It was labelled by experts, “not by a crowd”,\nin two long and care-\nful rounds."
	s := d.source("a.md", "", smart, second, single)
	other := d.source("b.md", "", olid)
	body, _ := d.Slice(s, 1, 3)
	find := func(from, to int) (int64, int64, bool) {
		var first, last int64
		at := 0
		for i, x := range d.texts[s] {
			if at < to && at+len(x) > from {
				if first == 0 {
					first = int64(i + 1)
				}
				last = int64(i + 1)
			}
			at += len(x) + 1
		}
		return first, last, first > 0
	}
	tests := []struct{ name, source, text, want string }{
		{"as it stands", s, "19,276 legitimate users and 22,223 spammers", "1-1@0"},
		{"curly made straight, lines joined", s, `labelled by experts, "not by a crowd", in two`, "2-2@1"},
		{"line-end hyphen", s, "two long and careful rounds", "2-2@2"},
		{"ellipsis", s, "They collected 19,276 legitimate users … in 7 months.", "1-1@1"},
		{"over two sentences", s, "in 7 months. It was labelled by experts", "1-2@0"},
		{"1 invented", s, "They collected five million tweets from spammers", "D2"},
		{"2 one digit", s, "19,276 legitimate users and 22,233 spammers", "D2"},
		{"2 one word", s, "19,276 genuine users and 22,223 spammers", "D2"},
		{"2 case", s, "19,276 Legitimate users and 22,223 spammers", "D2"},
		{"2 punctuation", s, "labelled by experts; “not by a crowd”", "D2"},
		{"3 wrong source", s, olid, "D2"},
		{"4 no such source", "s00000000000000000000000000000000", olid, "D1"},
		{"5 spliced", s, "They collected a consistent annotation throughout the dataset.", "D2"},
		{"5 spliced the wrong way round", s, "The annotation was carried out … They collected 19,276", "D2"},
		{"3 too short and not alone", s, "in", "D3"},
		{"too long", s, strings.Repeat("They collected ", 100), "D3"},
		{"22 swapped bytes", other, olid, "D1"},
	}
	for _, tt := range tests {
		sl, r := CheckTyped(d.Context, Typed{tt.source, tt.text}, body, find)
		got := ""
		if r != nil {
			got = r.Code
		} else {
			got = ledger.Span(sl.From, sl.To) + "@" + string(rune('0'+sl.Level))
			if want, _ := d.Slice(sl.Source, sl.From, sl.To); sl.Text != want {
				t.Errorf("%s: the slice is %q", tt.name, sl.Text)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
