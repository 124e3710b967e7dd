package planner

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// shelf is a library of documents that all have the same passages.
type shelf struct {
	passages int
	bytes    int64
}

func (s shelf) Passages(string) ([]Passage, error) {
	var out []Passage
	for i := range s.passages {
		out = append(out, Passage{From: int64(5*i + 1), To: int64(5*i + 5), Bytes: s.bytes})
	}
	return out, nil
}

// made is a state with questions and sources, as if searched and planned.
func made(questions, sources int, lib shelf) *state.State {
	st := state.New()
	st.Task = state.Task{ID: "t0", Goal: "goal"}
	st.Settings = state.Settings{Model: "m", Depth: "thorough"}
	for i := range sources {
		id := ledger.SourceID(ledger.Source{Name: fmt.Sprintf("doc%02d", i)})
		st.Sources[id] = &state.Source{ID: id, Name: fmt.Sprintf("doc%02d", i), Body: "b", Table: "t"}
		st.SourceIDs = append(st.SourceIDs, id)
	}
	for i := range questions {
		q := ledger.Question{Text: fmt.Sprintf("question %d?", i)}
		id := ledger.QuestionID(q)
		st.Questions[id] = &state.Question{ID: id, Text: q.Text, Status: state.Open}
		st.QuestionIDs = append(st.QuestionIDs, id)
		for p := range lib.passages {
			for _, s := range st.SourceIDs {
				st.Found[id] = append(st.Found[id], state.Range{Source: s, From: int64(5*p + 1), To: int64(5*p + 5)})
			}
		}
	}
	return st
}

func finish(st *state.State, s Step, outcome string) {
	st.Finished[s.Key()] = &state.Done{Kind: s.Kind, Args: s.Args, Inputs: s.Inputs, Outcome: outcome}
}

func show(st *state.State, r Reading) {
	if st.Read[r.Source] == nil {
		st.Read[r.Source] = map[string][]state.Interval{}
	}
	st.Read[r.Source][r.Serves] = append(st.Read[r.Source][r.Serves], state.Interval{From: r.From, To: r.To})
}

func next(t interface{ Fatal(...any) }, st *state.State, lib Library) Step {
	s, err := Next(st, lib)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOrderOfSteps(t *testing.T) {
	lib := shelf{2, 400}
	st := made(1, 2, lib)
	var kinds []string
	for range 20 {
		s := next(t, st, lib)
		kinds = append(kinds, s.Kind)
		if s.Kind == Done || s.Kind == Stuck {
			break
		}
		finish(st, s, "done")
		switch s.Kind {
		case Read:
			p, _ := ledger.ParseRef(s.Args[1])
			show(st, Reading{Step: s, Source: p.Source, From: p.From, To: p.To})
		case Answer:
			q := st.Questions[s.Serves]
			q.Status, q.Answer = state.Closed, "w1"
		}
	}
	want := "[plan search read read read read answer report done]"
	if got := fmt.Sprint(kinds); got != want {
		t.Errorf("%s instead of %s", got, want)
	}
}

func TestEndingsAreHonest(t *testing.T) {
	lib := shelf{1, 400}
	for _, c := range []struct {
		name   string
		make   func() *state.State
		kind   string
		reason string
	}{
		{"no question", func() *state.State { return made(0, 1, lib) }, Stuck, ReasonNoQuestion},
		{"no source", func() *state.State { return made(1, 0, lib) }, Stuck, ReasonNoSource},
		{"every source set aside", func() *state.State {
			st := made(1, 1, lib)
			st.Sources[st.SourceIDs[0]].Aside = "too old"
			return st
		}, Stuck, ReasonNoSource},
		{"answered but still open is not done", func() *state.State {
			return worked(t, made(1, 1, lib), lib)
		}, Stuck, ReasonOpen},
		{"all parked is not done", func() *state.State {
			st := worked(t, made(1, 1, lib), lib)
			st.Questions[st.QuestionIDs[0]].Status = state.Parked
			return worked(t, st, lib)
		}, Stuck, ReasonParked},
		{"closed is done", func() *state.State {
			st := worked(t, made(1, 1, lib), lib)
			st.Questions[st.QuestionIDs[0]].Status = state.Closed
			return worked(t, st, lib)
		}, Done, ""},
		{"no model and open questions waits for the person", func() *state.State {
			st := made(1, 1, lib)
			st.Settings.Model = "-"
			return worked(t, st, lib)
		}, Person, ReasonNoModel},
		{"no model and an answer that went stale waits for the person", func() *state.State {
			st := made(1, 1, lib)
			st.Settings.Model = "-"
			q := st.Questions[st.QuestionIDs[0]]
			q.Status, q.Stale = state.Closed, true
			return worked(t, st, lib)
		}, Person, ReasonNoModel},
		{"an engine's question is the person's", func() *state.State {
			st := made(2, 1, lib)
			st.Questions[st.QuestionIDs[0]].Status = state.Closed
			st.Questions[st.QuestionIDs[1]].By = ledger.Engine
			return worked(t, st, lib)
		}, Person, ReasonAsked},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := next(t, c.make(), lib)
			if s.Kind != c.kind || (c.reason != "" && (len(s.Reasons) != 1 || s.Reasons[0] != c.reason)) {
				t.Errorf("%s %v", s.Kind, s.Reasons)
			}
		})
	}
}

// worked finishes whatever Next asks for, without closing any question.
func worked(t interface{ Fatal(...any) }, st *state.State, lib Library) *state.State {
	for range 1000 {
		s := next(t, st, lib)
		if s.Kind == Done || s.Kind == Stuck || s.Kind == Person {
			return st
		}
		outcome := "done"
		if s.Kind == Answer { // nothing found, and nobody closes the question
			outcome = "nothing"
		}
		finish(st, s, outcome)
	}
	t.Fatal("the planner does not come to an end")
	return nil
}

func TestReopenedQuestionIsAnsweredAgain(t *testing.T) {
	lib := shelf{1, 400}
	st := worked(t, made(1, 1, lib), lib)
	q := st.Questions[st.QuestionIDs[0]]
	finish(st, answerStep(st, q), "done")
	if s := next(t, st, lib); s.Kind != Answer {
		t.Errorf("next is %s %v", s.Kind, s.Reasons)
	}
	q.Status, q.Answer = state.Closed, "w1"
	if s := next(t, st, lib); s.Kind != Report {
		t.Errorf("next is %s %v", s.Kind, s.Reasons)
	}
}

func TestDepthBoundsPassagesOfADocument(t *testing.T) {
	lib := shelf{20, 400}
	for depth, want := range map[string]int{"quick": 3, "thorough": 6, "exhaustive": 20} {
		st := made(1, 2, lib)
		st.Settings.Depth = depth
		queue, err := Queue(st, lib)
		if err != nil || len(queue) != 2*want {
			t.Errorf("%s: %d passages instead of %d (%v)", depth, len(queue), 2*want, err)
		}
	}
}

// Exhaustive shows also what search did not find.
func TestExhaustiveReadsEverything(t *testing.T) {
	lib := shelf{20, 400}
	st := made(1, 1, lib)
	st.Settings.Depth = "exhaustive"
	st.Found[st.QuestionIDs[0]] = st.Found[st.QuestionIDs[0]][:2]
	queue, err := Queue(st, lib)
	if err != nil || len(queue) != 20 {
		t.Errorf("%d passages (%v)", len(queue), err)
	}
}

func TestEveryDocumentIsTouchedBeforeOneIsReadDeep(t *testing.T) {
	lib := shelf{6, 400}
	st := made(2, 5, lib)
	queue, err := Queue(st, lib)
	if err != nil {
		t.Fatal(err)
	}
	touched := map[string]bool{}
	for _, r := range queue[:10] { // 2 questions × 5 documents
		touched[r.Source+r.Serves] = true
	}
	if len(touched) < 9 {
		t.Errorf("the first ten readings touch %d of 10 pairs", len(touched))
	}
}

func TestBudgetLeavesRoomForAnswers(t *testing.T) {
	lib := shelf{6, 4000}
	st := made(3, 40, lib)
	st.Settings.Budget, st.Settings.ReadRate, st.Settings.WriteRate, st.Settings.TokenBytes = 1800, 40, 6, 400
	queue, err := Queue(st, lib)
	if err != nil {
		t.Fatal(err)
	}
	var seconds float64
	for _, r := range queue {
		seconds += Seconds(st.Settings, r.Tokens, replyTokens)
	}
	if seconds > 1800*0.85 || seconds < 1800*0.7 {
		t.Errorf("%.0f s of reading planned in a budget of 1800 s", seconds)
	}
	// What was shown counts: half of it done leaves the other half, not a new budget.
	for _, r := range queue[:len(queue)/2] {
		show(st, r)
	}
	rest, err := Queue(st, lib)
	if err != nil || len(rest) > len(queue)/2+2 {
		t.Errorf("after half of %d readings %d are left (%v)", len(queue), len(rest), err)
	}
}

func TestParkedPassageIsNotAskedAgain(t *testing.T) {
	lib := shelf{2, 400}
	st := made(1, 1, lib)
	queue, _ := Queue(st, lib)
	finish(st, queue[0].Step, "parked")
	rest, err := Queue(st, lib)
	if err != nil || len(rest) != 1 || rest[0].Key() == queue[0].Key() {
		t.Errorf("%d left (%v)", len(rest), err)
	}
}

func TestQuestionTypedAnyTimeGoesFirst(t *testing.T) {
	lib := shelf{1, 400}
	st := made(2, 1, lib)
	for i, id := range st.QuestionIDs {
		p := fmt.Sprintf("p%d", i)
		st.Plan[p] = &state.PlanItem{ID: p, Serves: id}
		st.PlanIDs = append(st.PlanIDs, p)
	}
	late := &state.Question{ID: "q-late", Text: "late?", Status: state.Open}
	st.Questions[late.ID], st.QuestionIDs = late, append(st.QuestionIDs, late.ID)
	if open := openQuestions(st); open[0].ID != late.ID {
		t.Errorf("first is %s", open[0].Text)
	}
}

// Retracted, superseded, stale and wrong claims never reach a prompt.
func TestBasisHoldsOnlyWhatStands(t *testing.T) {
	st := made(1, 1, shelf{1, 400})
	q := st.QuestionIDs[0]
	add := func(id string, c state.Claim) {
		c.ID, c.Question = id, q
		st.Claims[id], st.ClaimIDs = &c, append(st.ClaimIDs, id)
	}
	add("c1", state.Claim{Standing: state.Active})
	add("c2", state.Claim{Standing: state.Retracted})
	add("c3", state.Claim{Standing: state.Superseded})
	add("c4", state.Claim{Standing: state.Active, IsStale: true})
	add("c5", state.Claim{Standing: state.Active, Checks: []state.Verdict{{By: ledger.Person, Verdict: "wrong"}}})
	add("c6", state.Claim{Standing: state.Active, Checks: []state.Verdict{{By: ledger.Person, Verdict: "wrong"}, {By: ledger.Person, Verdict: "right"}}})
	got := Basis(st, q)
	if len(got) != 2 || got[0].ID != "c1" || got[1].ID != "c6" {
		t.Errorf("%d claims", len(got))
	}
}

// Next is a function of work: whatever the log holds, and in whatever order the
// sources came in, the step is the same.
func TestNextNeverReadsTheLog(t *testing.T) {
	lib := shelf{4, 500}
	rapid.Check(t, func(t *rapid.T) {
		st := made(rapid.IntRange(1, 3).Draw(t, "questions"), rapid.IntRange(1, 4).Draw(t, "sources"), lib)
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			s := next(t, st, lib)
			if s.Kind == Done || s.Kind == Stuck {
				break
			}
			finish(st, s, rapid.SampledFrom([]string{"done", "nothing", "parked"}).Draw(t, "outcome"))
		}
		want := next(t, st, lib)
		st.Log.Calls, st.Log.ModelMs, st.At, st.Seq = 99, 1e6, 5e12, 4711
		st.Log.Attempts = map[string]int64{want.Key(): 7}
		st.SourceIDs = rapid.Permutation(st.SourceIDs).Draw(t, "order")
		if got := next(t, st, lib); got.Key() != want.Key() || got.Kind != want.Kind {
			t.Fatalf("%s %v instead of %s %v", got.Kind, got.Args, want.Kind, want.Args)
		}
	})
}
