package audit

import (
	"strings"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Lies that a model or a program tells as operations.
func TestProposedOps(t *testing.T) {
	d := newDesk(t)
	s := d.source("a.md", "", smart, olid, "The plan of the attackers is to make every reader open the link below and pay them at once.")
	mine := d.claim("They collected 22,223 spammers.", s, 1, nil)
	weak := d.claim("Something is so.", s, 2, func(k *state.Claim) { k.Trust = state.Stated })
	dead := d.claim("The dataset was withdrawn.", s, 2, func(k *state.Claim) { k.Standing = state.Retracted })
	persons := d.claim("The dataset contains 14,100 tweets.", s, 2, func(k *state.Claim) { k.Person = true })
	derived := d.claim("Derived.", s, 2, func(k *state.Claim) { k.Basis = []string{mine} })
	settled := ledger.QuestionID(ledger.Question{Text: "Who paid?"})
	d.State.Questions[settled] = &state.Question{ID: settled, Text: "Who paid?", Status: state.Closed, Meta: state.Meta{Person: true}}
	d.State.Tried["r1"] = &state.Attempted{Question: d.q, Approach: "Ask the authors for the data"}
	d.State.Finished["f1"] = &state.Done{Kind: "search", Serves: d.q, Args: []string{"size of the data"}, Outcome: "done"}
	d.State.Plan["p1"] = &state.PlanItem{ID: "p1", Kind: "read", Meta: state.Meta{Person: true}}
	none := "00000000000000000000000000000000"
	ref := ledger.Ref(s, 1, 1)
	tests := []struct {
		lie  string
		op   ledger.Op
		want string // "" = kept
	}{
		{"honest claim", &ledger.Claim{Question: d.q, Basis: []string{ref}, Text: "The study collected 19,276 legitimate users."}, ""},
		{"derived claim", &ledger.Claim{Question: d.q, Basis: []string{mine}, Text: "The study collected spammers."}, ""},
		{"13 trust on a claim", &ledger.Claim{Question: d.q, Basis: []string{ref}, Flags: []string{}, Text: "x"}, "D16"},
		{"1 invented quote", &ledger.Claim{Question: d.q, Basis: []string{ref}, Quotes: []ledger.Slice{{Source: s, From: 1, To: 1, Text: "They collected nothing."}}, Text: "They collected."}, "D2"},
		{"22 rests on nothing", &ledger.Claim{Question: d.q, Text: "They collected users."}, "D13"},
		{"22 rests on nothing known", &ledger.Claim{Question: d.q, Basis: []string{"c" + none}, Text: "They collected users."}, "D13"},
		{"22 rests on a dead claim", &ledger.Claim{Question: d.q, Basis: []string{dead}, Text: "The dataset was withdrawn."}, "D13"},
		{"9 drop a question", &ledger.Drop{ID: d.q}, "D8"},
		{"10 close without claims", &ledger.Close{ID: d.q}, "D8"},
		{"10 close with an unbacked claim", &ledger.Close{ID: d.q, Claims: []string{weak}}, "D8"},
		{"10 close with a dead claim", &ledger.Close{ID: d.q, Claims: []string{dead}}, "D8"},
		{"10 close with an invented claim", &ledger.Close{ID: d.q, Claims: []string{"c" + none}}, "unknown"},
		{"close a settled question", &ledger.Close{ID: settled, Claims: []string{mine}}, "sticky"},
		{"honest close", &ledger.Close{ID: d.q, Claims: []string{mine}}, ""},
		{"11 retract a person's claim", &ledger.Retract{ID: persons, Reason: "wrong"}, "sticky"},
		{"11 retract without a reason", &ledger.Retract{ID: mine}, "D7"},
		{"11 retract something unknown", &ledger.Retract{ID: "c" + none, Reason: "x"}, "unknown"},
		{"honest retract", &ledger.Retract{ID: mine, Reason: "the sentence is about another study"}, ""},
		{"12 supersede a person's claim", &ledger.Supersede{ID: persons, Into: mine}, "sticky"},
		{"12 supersede into nothing", &ledger.Supersede{ID: mine, Into: "c" + none}, "unknown"},
		{"23 merge of different claims", &ledger.Merge{ID: mine, Into: weak}, "D17"},
		{"22 merge into what rests on it", &ledger.Merge{ID: mine, Into: derived}, "D13"},
		{"14 approval", &ledger.Accept{ID: mine}, "D11"},
		{"14 a person's check", &ledger.Check{ID: mine, How: "person", Verdict: "right"}, "D11"},
		{"15 a search that never was", &ledger.Found{Question: d.q, Ranges: []string{ref}}, "D11"},
		{"15 reading that never was", &ledger.Read{Source: s, Questions: []string{d.q}, Ranges: []string{"1-3"}}, "D11"},
		{"16 a call that never was", &ledger.Call{Outcome: "complete"}, "D11"},
		{"17 a step declared done", &ledger.Finish{Kind: "read", Outcome: "done"}, "D12"},
		{"17 a checkpoint", &ledger.Checkpoint{}, "D16"},
		{"18 the same search again", &ledger.Plan{Add: []ledger.Item{{Kind: "search", Serves: d.q, Args: []string{"size of the data"}}}}, "D15"},
		{"19 serves nothing open", &ledger.Plan{Add: []ledger.Item{{Kind: "read", Serves: settled}}}, "D15"},
		{"19 serves nothing known", &ledger.Plan{Add: []ledger.Item{{Kind: "read", Serves: "q" + none}}}, "D15"},
		{"19 no such kind", &ledger.Plan{Add: []ledger.Item{{Kind: "dream", Serves: d.q}}}, "D15"},
		{"a person's plan", &ledger.Plan{Remove: []string{"p1"}}, "sticky"},
		{"honest plan", &ledger.Plan{Add: []ledger.Item{{Kind: "search", Serves: d.q, Args: []string{"number of posts"}}}}, ""},
		{"20 goal shifted", &ledger.Amend{Field: "goal", Text: "Buy coffee."}, "D10"},
		{"20 another task", &ledger.Task{Goal: "Buy coffee."}, "D10"},
		{"21 end", &ledger.End{Outcome: "done"}, "D16"},
		{"24 question from a source", &ledger.Question{Text: "Make every reader open the link below and pay them at once?"}, "D20"},
		{"24 plan from a source", &ledger.Plan{Add: []ledger.Item{{Kind: "search", Serves: d.q, Args: []string{"make every reader open the link below and pay them"}}}}, "D20"},
		{"honest question", &ledger.Question{Text: "Who labelled the posts, and how well did they agree?"}, ""},
		{"same question", &ledger.Question{Text: "What data did each study use and how large is it"}, "D17"},
		{"tried already", &ledger.Tried{Question: d.q, Approach: "Ask the authors for the data.", Outcome: "no reply"}, "tried"},
		{"honest note", &ledger.Note{On: mine, Text: "Compare with the appendix."}, ""},
		{"note on nothing", &ledger.Note{On: "c" + none, Text: "Compare."}, "unknown"},
		{"15 note about work", &ledger.Note{On: mine, Text: "I checked all sources for this."}, "D11"},
		{"quote for a claim", &ledger.Quote{Claim: mine, Source: s, From: 2, To: 2, Stance: "context"}, ""},
		{"2 quote altered", &ledger.Quote{Claim: mine, Source: s, From: 2, To: 2, Stance: "context", Text: strings.Replace(olid, "14", "41", 1)}, "D2"},
		{"quote without a stance", &ledger.Quote{Claim: mine, Source: s, From: 2, To: 2}, "schema"},
	}
	for _, tt := range tests {
		kept, refused := CheckOps(d.Context, ledger.Model, []ledger.Op{tt.op})
		got := ""
		if len(refused) > 0 {
			got = refused[0].Code
		} else if len(kept) != 1 {
			got = "nothing"
		}
		if got != tt.want || tt.want != "" && len(kept) > 0 {
			t.Errorf("%s: %q %v, want %q", tt.lie, got, refused, tt.want)
		}
	}
}

func TestLaterOpsMayNameEarlierOnes(t *testing.T) {
	d := newDesk(t)
	s := d.source("a.md", "", smart)
	c := ledger.Claim{Question: d.q, Basis: []string{ledger.Ref(s, 1, 1)}, Text: "They collected 22,223 spammers."}
	kept, refused := CheckOps(d.Context, ledger.Model, []ledger.Op{&c, &ledger.Close{ID: d.q, Claims: []string{ledger.ClaimID(c)}}})
	if len(kept) != 2 || len(refused) != 0 {
		t.Errorf("kept %d, refused %v", len(kept), refused)
	}
	self := ledger.Claim{Question: d.q, Basis: []string{ledger.ClaimID(c)}, Text: "They collected spammers."}
	_, refused = CheckOps(d.Context, ledger.Model, []ledger.Op{&c, &self})
	if len(refused) != 1 || refused[0].Code != "D14" {
		t.Errorf("evidence that is only now proposed: %v", refused)
	}
}

func TestAnswersAreHeldAgainstTheirClaims(t *testing.T) {
	d := newDesk(t)
	s := d.source("a.md", "", smart, olid)
	a := d.claim("They collected 22,223 spammers.", s, 1, nil)
	dead := d.claim("Nothing.", s, 2, func(k *state.Claim) { k.Standing = state.Superseded })
	tests := []struct {
		text   string
		claims []string
		want   string
	}{
		{"The study collected 22,223 spammers.", []string{a}, "kept"},
		{"The study collected 19,276 legitimate users.", []string{a}, "kept"}, // its quote says so
		{"The study collected 23,222 spammers.", []string{a}, "D5"},
		{"The study collected 22,223 spammers on Facebook.", []string{a}, "D22"},
		{"Morality and style features bring the gains.", []string{a}, "D23"},
		{"Nobody knows.", nil, "kept"},
		{"The study collected 22,223 spammers.", []string{dead}, "kept"},
		{"The study collected 22,223 spammers.", []string{"c00000000000000000000000000000000"}, "refused unknown"},
		{"I read all documents.", []string{a}, "refused D11"},
		{" ", []string{a}, "refused schema"},
	}
	for _, tt := range tests {
		kept, refused := CheckAnswer(d.Context, d.q, []ledger.Sentence{{Text: tt.text, Claims: tt.claims}})
		got := "kept"
		switch {
		case len(refused) > 0:
			got = "refused " + refused[0].Code
		case len(kept) != 1:
			got = "gone"
		case len(kept[0].Flags) > 0:
			got = strings.Join(kept[0].Flags, " ")
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
		if len(kept) == 1 && len(kept[0].Claims) > 0 && kept[0].Claims[0] == dead {
			t.Errorf("%q: names a claim that no longer stands", tt.text)
		}
	}
}

func TestFieldsOfTheEngine(t *testing.T) {
	reply := map[string]any{"findings": []any{map[string]any{"text": "x", "trust": "checked"}}, "sources_read": 6, "mood": "good"}
	got := map[string]string{}
	for _, r := range CheckFields(reply, "findings", "text") {
		got[r.Text] = r.Code
	}
	want := map[string]string{`trust: "checked"`: "D16", "sources_read: 6": "D16", `mood: "good"`: "schema"}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %q, want %q (%v)", k, got[k], v, got)
		}
	}
	if r := CheckFields(map[string]any{"findings": []any{}}, "findings"); len(r) != 0 {
		t.Errorf("nothing found is a first-class answer: %v", r)
	}
}

func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Table {
		if c.ID == "" || c.Rule == "" || c.Message == "" || c.Catches == "" || seen[c.ID] {
			t.Errorf("row %q is incomplete or doubled", c.ID)
		}
		seen[c.ID] = true
		if c.Class != Refuse && c.Class != Flag && c.Class != Invariant {
			t.Errorf("%s: class %q", c.ID, c.Class)
		}
	}
	for _, id := range strings.Fields("D1 D2 D3 D4 D5 D7 D8 D9 D10 D12 D13 D14 D15 D16 D17 D21 D22 D23") {
		if _, ok := ByID(id); !ok {
			t.Errorf("%s is missing", id)
		}
	}
}
