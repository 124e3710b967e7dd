package state_test

import (
	"fmt"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"

	"pgregory.net/rapid"
)

// world draws ops over a small ledger: most make sense, some do not.
type world struct {
	*statetest.Ledger
	t *rapid.T
	n int
}

func newWorld(t *rapid.T) *world {
	w := &world{Ledger: statetest.New(), t: t}
	w.must(ledger.Person, &ledger.Task{Goal: "Find out.", Nonce: statetest.Hex("n")[:32]})
	for i := range 2 {
		w.must(ledger.Engine, &ledger.Source{Body: statetest.Hex("b", i), File: statetest.Hex("f", i), Table: statetest.Hex("t", i),
			Name: fmt.Sprintf("%d.txt", i), Sentences: 6, Bytes: 600})
		w.must(ledger.Person, &ledger.Question{Text: fmt.Sprintf("Question %d?", i)})
	}
	return w
}

func (w *world) must(by ledger.By, ops ...ledger.Op) {
	if err := w.Write(by, ops...); err != nil {
		w.t.Fatalf("%s: %v", ops[0].OpName(), err)
	}
}

func (w *world) pick(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return list[rapid.IntRange(0, len(list)-1).Draw(w.t, "pick")]
}

func (w *world) word(words ...string) string { return rapid.SampledFrom(words).Draw(w.t, "word") }

func (w *world) source() string   { return w.pick(w.State.SourceIDs, "") }
func (w *world) question() string { return w.pick(w.State.QuestionIDs, "") }
func (w *world) aClaim() string   { return w.pick(w.State.ClaimIDs, "c"+statetest.Hex("none")[:32]) }

func (w *world) aThing() string {
	s := w.State
	lists := [][]string{s.ClaimIDs, s.AnswerIDs, s.NoteIDs, s.ReportIDs}
	var ids []string
	for id := range s.Assumptions {
		ids = append(ids, id)
	}
	for id := range s.Tried {
		ids = append(ids, id)
	}
	lists = append(lists, state.SortedIDs(ids))
	return w.pick(rapid.SampledFrom(lists).Draw(w.t, "list"), w.aClaim())
}

func (w *world) slice() ledger.Slice {
	from := int64(rapid.IntRange(1, 6).Draw(w.t, "from"))
	to := min(from+int64(rapid.IntRange(0, 1).Draw(w.t, "more")), 6)
	source := w.source()
	return ledger.Slice{From: from, Source: source, To: to, Text: fmt.Sprintf("Words %d to %d of %s.", from, to, source[:4])}
}

func (w *world) claim() *ledger.Claim {
	c := &ledger.Claim{Question: w.question(), Text: fmt.Sprintf("Claim %d.", rapid.IntRange(0, 20).Draw(w.t, "text"))}
	switch rapid.IntRange(0, 3).Draw(w.t, "basis") {
	case 0, 1:
		s := w.slice()
		c.Quotes, c.Basis = []ledger.Slice{s}, []string{ledger.Ref(s.Source, s.From, s.To)}
	case 2:
		c.Basis = ledger.SortBasis([]string{w.aClaim(), w.aClaim()})
	case 3:
		for id := range w.State.Assumptions {
			if len(c.Basis) == 0 || id < c.Basis[0] {
				c.Basis = []string{id}
			}
		}
	}
	return c
}

func (w *world) sentences() []ledger.Sentence {
	return []ledger.Sentence{{Text: fmt.Sprintf("Sentence %d.", rapid.IntRange(0, 5).Draw(w.t, "s")), Claims: ledger.SortBasis([]string{w.aClaim(), w.aClaim()})}}
}

func (w *world) item() ledger.Item {
	return ledger.Item{Kind: w.word("read", "answer"), Serves: w.question(), Args: []string{w.word("x", "y", "z")}}
}

// op draws an op that by may write.
func (w *world) op(by ledger.By) ledger.Op {
	w.n++
	for {
		op := w.anyOp(by)
		if op != nil && ledger.MayWrite(op.OpName(), by) {
			return op
		}
	}
}

func (w *world) anyOp(by ledger.By) ledger.Op {
	pick := rapid.SampledFrom([]string{"claim", "claim", "claim", "quote", "retract", "retract", "supersede", "merge", "renew", "assume", "tried", "answer",
		"answer", "report", "question", "close", "close", "drop", "park", "reopen", "plan", "finish", "found", "read", "check", "check", "note", "undo", "undo",
		"accept", "scope", "missing", "amend", "set", "override", "erase"}).Draw(w.t, "op")
	switch pick {
	case "claim":
		return w.claim()
	case "quote":
		s := w.slice()
		return &ledger.Quote{Claim: w.aClaim(), From: s.From, Source: s.Source, Stance: w.word("supports", "contradicts", "context"), Text: s.Text, To: s.To}
	case "retract":
		return &ledger.Retract{ID: w.aThing(), Reason: "wrong"}
	case "supersede":
		a, b := w.aThing(), w.aThing()
		if a == b || a[0] != b[0] {
			return nil
		}
		return &ledger.Supersede{ID: a, Into: b}
	case "merge":
		if a, b := w.aClaim(), w.aClaim(); a != b {
			return &ledger.Merge{ID: a, Into: b}
		}
		return nil
	case "renew":
		if rapid.Bool().Draw(w.t, "close") {
			return &ledger.Renew{ID: w.question()}
		}
		if id := w.aThing(); id[0] != 'n' {
			return &ledger.Renew{ID: id}
		}
		return nil
	case "assume":
		return &ledger.Assume{Text: "Suppose " + w.word("a", "b")}
	case "tried":
		return &ledger.Tried{Approach: w.word("a", "b"), Outcome: "no"}
	case "answer":
		return &ledger.Answer{Question: w.question(), Sentences: w.sentences(), Partial: rapid.Bool().Draw(w.t, "partial")}
	case "report":
		return &ledger.Report{Answers: state.SortedIDs(w.State.AnswerIDs), Opening: w.sentences()}
	case "question":
		return &ledger.Question{Text: "More " + w.word("a", "b") + "?"}
	case "close":
		return &ledger.Close{ID: w.question(), Claims: []string{w.aClaim()}}
	case "drop":
		return &ledger.Drop{ID: w.question()}
	case "park":
		return &ledger.Park{ID: w.question(), Reason: "barren"}
	case "reopen":
		return &ledger.Reopen{ID: w.question()}
	case "plan":
		p := &ledger.Plan{Add: []ledger.Item{w.item()}}
		if n := len(w.State.PlanIDs); n > 1 && rapid.Bool().Draw(w.t, "order") {
			p = &ledger.Plan{Order: []string{w.State.PlanIDs[n-1], w.State.PlanIDs[0]}}
		} else if n > 0 && rapid.Bool().Draw(w.t, "remove") {
			p.Remove = []string{w.pick(w.State.PlanIDs, "")}
		}
		return p
	case "finish":
		return &ledger.Finish{Kind: "read", Inputs: statetest.Hex(w.word("a", "b", "c")), Outcome: w.word("done", "nothing"), Serves: w.question()}
	case "found":
		s := w.slice()
		return &ledger.Found{Question: w.question(), Part: int64(rapid.IntRange(0, 1).Draw(w.t, "part")), Ranges: []string{ledger.Ref(s.Source, s.From, s.To)}}
	case "read":
		s := w.slice()
		return &ledger.Read{Questions: []string{w.question()}, Ranges: []string{ledger.Span(s.From, s.To)}, Source: s.Source}
	case "check":
		how := w.word("calculation", "model")
		if by == ledger.Person {
			how = "person"
		} else if by == ledger.Program {
			how = "program"
		}
		return &ledger.Check{How: how, ID: w.word(w.aThing(), w.aClaim(), "step:x"), Verdict: w.word("right", "right", "wrong", "says_more", "unsure")}
	case "note":
		return &ledger.Note{On: w.aThing(), Text: "Look " + w.word("here", "there")}
	case "undo":
		return &ledger.Undo{Line: int64(rapid.IntRange(max(1, int(w.State.Seq)-12), int(w.State.Seq)).Draw(w.t, "line"))}
	case "accept":
		return &ledger.Accept{ID: w.aClaim()}
	case "scope":
		return &ledger.Scope{ID: w.source(), State: w.word("aside", "back"), Reason: "old"}
	case "missing":
		return &ledger.Missing{ID: w.source(), Reason: "gone"}
	case "amend":
		return &ledger.Amend{Field: "goal", Text: "Find out " + w.word("more", "less")}
	case "set":
		return &ledger.Set{Depth: w.word("quick", "thorough")}
	case "override":
		return &ledger.Override{ID: "model:x", Why: "fine"}
	case "erase":
		if rapid.IntRange(0, 5).Draw(w.t, "erase") == 0 {
			return &ledger.Erase{Blobs: []string{statetest.Hex("b", 0)}, Reason: "private"}
		}
	}
	return nil
}

var authors = []ledger.By{ledger.Person, ledger.Person, ledger.Model, ledger.Model, ledger.Engine, ledger.Engine, ledger.Program}

// grow draws n groups of one op each and calls after for each.
func (w *world) grow(n int, after func(by ledger.By, op ledger.Op, f []state.Finding)) {
	for range n {
		by := rapid.SampledFrom(authors).Draw(w.t, "by")
		op := w.op(by)
		if op == nil {
			continue
		}
		if _, known := op.(*ledger.Note); known && len(w.State.ClaimIDs) == 0 {
			continue
		}
		seen := len(w.Findings)
		w.must(by, op)
		if after != nil {
			after(by, op, w.Findings[seen:])
		}
	}
}

func TestRandomLedgersKeepTheirPromises(t *testing.T) {
	effective := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		before := w.State.Clone()
		w.grow(rapid.IntRange(5, 40).Draw(t, "groups"), func(by ledger.By, op ledger.Op, f []state.Finding) {
			if len(f) == 0 {
				effective++
			}
			for _, one := range f {
				if one.Code == state.CodeState || one.Code == state.CodeChain {
					t.Fatalf("%+v", one)
				}
			}
			checkHash(t, w.State)
			checkStanding(t, w.State)
			checkSum(t, before, w.State)
			checkHeld(t, before, w.State, by)
			before = w.State.Clone()
		})
	})
	if effective < 500 {
		t.Errorf("only %d ops had an effect: the generator tests nothing", effective)
	}
}

func checkHash(t *rapid.T, s *state.State) {
	if s.Hash() != s.HashWhole() {
		t.Fatalf("the incremental hash is not the whole one")
	}
}

// checkStanding: nothing fresh rests on what is stale or gone, and no derived
// claim is above its weakest basis.
func checkStanding(t *rapid.T, s *state.State) {
	for id, c := range s.Claims {
		if s.RestsUpon(id, id) {
			t.Fatalf("claim %s rests on itself", id)
		}
		if c.Live() && !c.IsStale && !s.FreshBasis(id) {
			t.Fatalf("claim %s is fresh, its basis is not: %+v", id, c)
		}
		for _, b := range c.Basis {
			if on := s.StandsFor(b); on != nil && on.Live() && c.Trust > on.Trust {
				t.Fatalf("claim %s has trust %d above its basis %d", id, c.Trust, on.Trust)
			}
		}
		if c.Trust == state.Checked && !hasPersonCheck(c) {
			t.Fatalf("claim %s is checked, and no person checked it", id)
		}
	}
	for id, a := range s.Answers {
		if a.Live() && !a.IsStale && !s.FreshBasis(id) {
			t.Fatalf("answer %s is fresh, its claims are not", id)
		}
	}
	for id, r := range s.Reports {
		if r.Live() && !r.IsStale && !s.FreshBasis(id) {
			t.Fatalf("report %s is fresh, its answers are not", id)
		}
	}
	for id, q := range s.Questions {
		if q.Status != state.Closed || q.Stale {
			continue
		}
		for _, cl := range q.Claims {
			if c := s.StandsFor(cl); c == nil || !c.Live() || c.IsStale {
				t.Fatalf("question %s is closed and fresh, its claim %s is not", id, cl)
			}
		}
	}
}

func hasPersonCheck(c *state.Claim) bool {
	for _, v := range c.Checks {
		if v.How == "person" && v.Good() {
			return true
		}
	}
	return false
}

// checkSum: promise 4.
func checkSum(t *rapid.T, before, after *state.State) {
	live := func(s *state.State) (n int64) {
		for _, c := range s.Claims {
			if c.Live() {
				n++
			}
		}
		return n
	}
	sum, _ := after.Sum(before)
	since, _ := after.SumSince(before.Seq)
	if fmt.Sprint(sum) != fmt.Sprint(since) {
		t.Fatalf("Sum %+v, SumSince %+v", sum, since)
	}
	if sum.Lost != 0 {
		t.Fatalf("%d lost", sum.Lost)
	}
	if got := live(before) + sum.Claims + sum.Restored - sum.Retracted - sum.Superseded - sum.Merged; got != live(after) {
		t.Fatalf("%d claims by the sum, %d by the fold: %+v", got, live(after), sum)
	}
	for id, c := range before.Claims {
		now := after.Claims[id]
		if now == nil || now.Text != c.Text || len(now.Evidence) < len(c.Evidence) && !undone(after) {
			t.Fatalf("claim %s vanished or changed its words", id)
		}
	}
	for id, q := range before.Questions {
		if now := after.Questions[id]; now == nil || now.Text != q.Text {
			t.Fatalf("question %s vanished or changed its words", id)
		}
	}
}

// undone: the last line of work took something back.
func undone(s *state.State) bool { return s.LastOp() == "undo" }

// checkHeld: promise 5.
func checkHeld(t *rapid.T, before, after *state.State, by ledger.By) {
	if by == ledger.Person {
		return
	}
	for id, c := range before.Claims {
		if c.Person && (after.Claims[id].Live() != c.Live() || !after.Claims[id].Person) {
			t.Fatalf("%s changed what a person decided on claim %s", by, id)
		}
	}
	for id, q := range before.Questions {
		now := after.Questions[id]
		if q.Person && now.Status != q.Status && (by != ledger.Engine || q.Status == state.Dropped) {
			t.Fatalf("%s changed what a person decided on question %s", by, id)
		}
	}
	for id, i := range before.Plan {
		if i.Person && after.Plan[id].Removed != i.Removed {
			t.Fatalf("%s removed or put back a person's plan item", by)
		}
	}
}

func TestUndoOfUndo(t *testing.T) {
	undone := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.grow(rapid.IntRange(5, 25).Draw(t, "groups"), nil)
		for range 6 {
			op := w.op(ledger.Person)
			if op == nil {
				continue
			}
			before := w.State.Clone()
			seen := len(w.Findings)
			w.must(ledger.Person, op)
			line := w.State.Seq - 1 // the last is the checkpoint
			after := w.State.Hash()
			if len(w.Findings) > seen || before.Hash() == after {
				continue
			}
			w.must(ledger.Person, &ledger.Undo{Line: line})
			if len(w.Findings) > seen {
				if f := w.Findings[seen]; f.Code == state.CodeUndo {
					t.Fatalf("nothing came after line %d (%s), and yet: %+v", line, op.OpName(), f)
				}
				continue
			}
			undone++
			checkHash(t, w.State)
			checkStanding(t, w.State)
			w.must(ledger.Person, &ledger.Undo{Line: w.State.Seq - 1})
			if len(w.Findings) > seen {
				t.Fatalf("undo of undo of %s: %+v", op.OpName(), w.Findings[seen:])
			}
			if w.State.Hash() != after {
				t.Fatalf("undo of undo of %s is another state", op.OpName())
			}
		}
	})
	if undone < 100 {
		t.Errorf("only %d lines were undone", undone)
	}
}

func TestFoldOfPrefixesAndTrials(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.grow(rapid.IntRange(5, 30).Draw(t, "groups"), nil)
		lines := make([]*ledger.Line, len(w.Lines))
		for i, raw := range w.Lines {
			l, err := ledger.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = l
		}
		cut := rapid.IntRange(0, len(lines)).Draw(t, "cut")
		part, found := state.Fold(lines[:cut])
		for _, l := range lines[cut:] {
			found = append(found, part.Apply(l)...)
		}
		whole, all := state.Fold(lines)
		if part.Hash() != whole.Hash() || whole.Hash() != w.State.Hash() || part.HashWhole() != w.State.HashWhole() {
			t.Fatalf("prefix and rest fold to another state")
		}
		if fmt.Sprint(found) != fmt.Sprint(all) || fmt.Sprint(all) != fmt.Sprint(w.Findings) {
			t.Fatalf("other findings: %v, %v, %v", found, all, w.Findings)
		}
		by := rapid.SampledFrom(authors).Draw(t, "by")
		op := w.op(by)
		if op == nil {
			return
		}
		before := w.State.HashWhole()
		trial := w.State.Try(ledger.Entry{By: by}, op)
		if w.State.HashWhole() != before || w.State.Hash() != before {
			t.Fatalf("trying %s changed the state", op.OpName())
		}
		seen := len(w.Findings)
		w.must(by, op)
		if got := w.Findings[seen:]; (trial == nil) != (len(got) == 0) || trial != nil && trial.Code != got[0].Code {
			t.Fatalf("trial of %s found %v, the line %v", op.OpName(), trial, got)
		}
	})
}
