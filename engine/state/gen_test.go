package state_test

import (
	"fmt"
	"slices"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"

	"pgregory.net/rapid"
)

// world draws ops over a small ledger: most make sense, some do not. Two worlds
// with different tags name no common object but the task.
type world struct {
	*statetest.Ledger
	t     *rapid.T
	drawn uint64
	tag   string
	whole bool // it may touch what there is only one of: task, settings, plan, report
}

func newWorld(t *rapid.T, tag string, whole bool) *world {
	w := &world{Ledger: statetest.New(), t: t, tag: tag, whole: whole}
	w.must(statetest.Act{By: ledger.Person, Op: theTask})
	for _, a := range w.first() {
		w.must(a)
	}
	return w
}

var theTask = &ledger.Task{Goal: "Find out.", Nonce: statetest.Hex("n")[:32]}

// first gives the acts that every world begins with.
func (w *world) first() []statetest.Act {
	var out []statetest.Act
	for i := range 2 {
		out = append(out, statetest.Act{By: ledger.Engine, Op: w.document(i)},
			statetest.Act{By: ledger.Person, Op: &ledger.Question{Text: fmt.Sprintf("Question %s%d?", w.tag, i)}})
	}
	src, q := ledger.SourceID(*w.document(0)), ledger.QuestionID(*out[1].Op.(*ledger.Question))
	var claims []string
	for i := range int64(4) {
		c := &ledger.Claim{Question: q, Text: fmt.Sprintf("Claim %s%d.", w.tag, i), Basis: []string{ledger.Ref(src, i+1, i+1)},
			Quotes: []ledger.Slice{{From: i + 1, Source: src, To: i + 1, Text: fmt.Sprintf("Words %d to %d of %s.", i+1, i+1, src[:4])}}}
		claims = append(claims, ledger.ClaimID(*c))
		out = append(out, statetest.Act{By: ledger.Model, Op: c})
	}
	return append(out, statetest.Act{By: ledger.Model, Op: &ledger.Claim{Question: q, Text: "So " + w.tag, Basis: ledger.SortBasis(claims[:2])}},
		statetest.Act{By: ledger.Model, Op: &ledger.Assume{Text: "Suppose " + w.tag + "a"}})
}

const sentences = 6

func (w *world) document(i int) *ledger.Source {
	return &ledger.Source{Body: statetest.Hex("b", w.tag, i), File: statetest.Hex("f", w.tag, i), Table: statetest.Hex("t", w.tag, i),
		Name: fmt.Sprintf("%s%d.txt", w.tag, i), Sentences: sentences, Bytes: 600}
}

func (w *world) must(acts ...statetest.Act) {
	if err := w.Group(acts...); err != nil {
		w.t.Fatalf("%s: %v", acts[0].Op.OpName(), err)
	}
}

// grow draws n groups of one to three acts.
func (w *world) grow(n int) {
	for range n {
		acts := []statetest.Act{w.act()}
		for len(acts) < 3 && w.index(4) == 0 {
			acts = append(acts, w.act())
		}
		if acts[0].Op.OpName() == "fork" {
			acts = acts[:1]
		}
		w.must(acts...)
	}
}

// lines are the ledger's lines, decoded.
func (w *world) lines() []*ledger.Line {
	out := make([]*ledger.Line, len(w.Lines))
	for i, raw := range w.Lines {
		l, err := ledger.Decode(raw)
		if err != nil {
			w.t.Fatalf("line %d: %v", i+1, err)
		}
		out[i] = l
	}
	return out
}

var authors = []ledger.By{ledger.Person, ledger.Person, ledger.Model, ledger.Model, ledger.Model, ledger.Engine, ledger.Engine, ledger.Program}

// act draws an act of any author that a line can hold.
func (w *world) act() statetest.Act {
	for {
		a := statetest.Act{By: authors[w.index(len(authors))]}
		if a.Op = w.op(a.By); a.Op == nil || !ledger.MayWrite(a.Op.OpName(), a.By) {
			continue
		}
		if ledger.IsWork(a.Op.OpName()) && w.index(16) == 0 {
			a.Origin, a.Reported = &ledger.Origin{Chain: statetest.Hex("chain"), Seq: 9}, w.coin()
		}
		head := ledger.Head{Seq: 1, Group: 1, By: a.By, Origin: a.Origin, Reported: a.Reported}
		if ledger.IsLog(a.Op.OpName()) {
			head.Salt = statetest.Hex("salt")[:32]
		}
		if _, err := ledger.Encode(head, a.Op); err == nil {
			return a
		}
	}
}

// index draws a number below n. rapid prefers small numbers, which is good for
// values and bad for choices; so what it draws is mixed with the place of the draw.
func (w *world) index(n int) int {
	w.drawn++
	x := rapid.Uint64().Draw(w.t, "choice") + w.drawn*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}

func one(w *world, ops ...ledger.Op) ledger.Op { return ops[w.index(len(ops))] }

func (w *world) coin() bool { return w.index(2) == 1 }

func (w *world) pick(list []string, otherwise string) string {
	if len(list) == 0 || w.index(25) == 0 {
		return otherwise
	}
	return list[w.index(len(list))]
}

func (w *world) word(words ...string) string { return words[w.index(len(words))] }

// none is an id of that kind that nothing has.
func (w *world) none(kind byte) string { return string(kind) + statetest.Hex("none", w.tag)[:32] }

func (w *world) source() string   { return w.pick(w.State.SourceIDs, w.none('s')) }
func (w *world) question() string { return w.pick(w.State.QuestionIDs, w.none('q')) }
func (w *world) aClaim() string   { return w.pick(w.State.ClaimIDs, w.none('c')) }

func (w *world) live() []string {
	return slices.DeleteFunc(slices.Clone(w.State.ClaimIDs), func(id string) bool { return !w.State.Claims[id].Live() })
}

func keysOf[V any](m map[string]V) []string {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	return state.SortedIDs(ids)
}

// thing picks an object of one of these kinds.
func (w *world) thing(kinds string) string {
	s := w.State
	switch k := kinds[w.index(len(kinds))]; k {
	case 'c':
		return w.aClaim()
	case 'w':
		return w.pick(s.AnswerIDs, w.none(k))
	case 'n':
		return w.pick(s.NoteIDs, w.none(k))
	case 'o':
		return w.pick(s.ReportIDs, w.none(k))
	case 'm':
		return w.pick(keysOf(s.Assumptions), w.none(k))
	case 'r':
		return w.pick(keysOf(s.Tried), w.none(k))
	case 'q':
		return w.question()
	case 's':
		return w.source()
	case 'p':
		return w.pick(keysOf(s.Plan), w.none(k))
	case 'k':
		if c := s.Claims[w.aClaim()]; c != nil && len(c.Evidence) > 0 {
			return c.Evidence[len(c.Evidence)-1].ID
		}
		return w.none(k)
	case 'f':
		return w.pick(s.FinishedKeys, w.none(k))
	default:
		return w.none(k)
	}
}

func (w *world) slice() ledger.Slice {
	from := 1 + int64(w.index(sentences))
	to := from + int64(w.index(2)) // now and then beyond the text
	source := w.source()
	text := fmt.Sprintf("Words %d to %d of %s.", from, to, source[:4])
	if w.index(10) == 0 {
		text = "Other words."
	}
	return ledger.Slice{From: from, Source: source, To: to, Text: text}
}

func (w *world) claim() *ledger.Claim {
	c := &ledger.Claim{Question: w.question(), Text: fmt.Sprintf("Claim %s%d.", w.tag, w.index(21))}
	switch w.index(6) {
	case 0, 1, 2:
		s := w.slice()
		c.Quotes, c.Basis = []ledger.Slice{s}, []string{ledger.Ref(s.Source, s.From, s.To)}
		if w.coin() {
			c.Text = ""
		}
		if w.index(10) == 0 {
			c.Flags = []string{w.word("D18", "D22")}
		}
	case 3, 4:
		c.Basis = ledger.SortBasis([]string{w.aClaim(), w.aClaim()})
	case 5:
		c.Basis = []string{w.thing("m")}
	}
	return c
}

func (w *world) sentences() []ledger.Sentence {
	return []ledger.Sentence{{Text: fmt.Sprintf("Sentence %s%d.", w.tag, w.index(6)), Claims: ledger.SortBasis([]string{w.aClaim(), w.aClaim()})}}
}

func (w *world) item() ledger.Item {
	return ledger.Item{Kind: w.word("read", "answer"), Serves: w.question(), Args: []string{w.word("x", "y", "z")}}
}

// everyOp is what op draws from; those listed twice are what a ledger mostly holds.
var everyOp = []string{"claim", "claim", "claim", "quote", "quote", "retract", "retract", "supersede", "supersede", "merge", "merge", "renew", "renew", "assume", "tried",
	"answer", "answer", "report", "question", "close", "close", "drop", "park", "reopen", "plan", "plan", "finish", "found", "read", "check", "check", "check", "note",
	"undo", "undo", "undo", "undo", "accept", "scope", "scope", "renew", "missing", "source", "amend", "set", "override", "erase", "task",
	"start", "call", "refuse", "account", "pause", "wake", "name", "fork", "join", "import", "root", "end"}

// only one of a kind: what a world that shares its task must leave alone.
var single = []string{"report", "plan", "amend", "set", "task", "start", "fork", "join", "import", "root", "end"}

func (w *world) op(by ledger.By) ledger.Op {
	pick := everyOp[w.index(len(everyOp))]
	if !w.whole && slices.Contains(single, pick) {
		return nil
	}
	if op := w.knowledge(pick, by); op != nil {
		return op
	}
	if op := w.steering(pick, by); op != nil {
		return op
	}
	return w.logOrFrame(pick)
}

func (w *world) knowledge(pick string, by ledger.By) ledger.Op {
	switch pick {
	case "claim":
		return w.claim()
	case "quote":
		s := w.slice()
		return &ledger.Quote{Claim: w.aClaim(), From: s.From, Source: s.Source, Stance: w.word("supports", "contradicts", "context"), Text: s.Text, To: s.To}
	case "retract":
		return &ledger.Retract{ID: w.thing("cccwnomr"), Reason: "wrong"}
	case "supersede":
		kind := w.word("c", "c", "c", "w", "n", "o", "m", "r")
		return &ledger.Supersede{ID: w.thing(kind), Into: w.thing(kind)}
	case "merge":
		return &ledger.Merge{ID: w.pick(w.live(), w.none('c')), Into: w.pick(w.live(), w.none('c'))}
	case "renew":
		return &ledger.Renew{ID: w.thing("cccqqwomr")}
	case "assume":
		return &ledger.Assume{Text: "Suppose " + w.tag + w.word("a", "b"), Question: w.word("", w.question())}
	case "tried":
		return &ledger.Tried{Approach: w.tag + w.word("a", "b"), Outcome: "no", Question: w.word("", w.question())}
	case "answer":
		return &ledger.Answer{Question: w.question(), Sentences: w.sentences(), Partial: w.coin()}
	case "report":
		return &ledger.Report{Answers: state.SortedIDs(w.State.AnswerIDs), Opening: w.sentences()}
	case "question":
		return &ledger.Question{Text: "More " + w.tag + w.word("a", "b") + "?", Parent: w.word("", w.question())}
	case "close":
		if (by == ledger.Person || by == ledger.Engine) && w.index(5) == 0 {
			return &ledger.Close{ID: w.question(), Reason: "nothing_found"}
		}
		return &ledger.Close{ID: w.question(), Claims: []string{w.pick(w.live(), w.aClaim())}}
	case "drop":
		return &ledger.Drop{ID: w.question()}
	case "park":
		return &ledger.Park{ID: w.thing("qp"), Reason: "barren"}
	case "reopen":
		return &ledger.Reopen{ID: w.thing("qp")}
	}
	return nil
}

func (w *world) steering(pick string, by ledger.By) ledger.Op {
	switch pick {
	case "plan":
		p := &ledger.Plan{Add: []ledger.Item{w.item()}}
		if n := len(w.State.PlanIDs); n > 1 && w.coin() {
			p = &ledger.Plan{Order: []string{w.State.PlanIDs[n-1], w.State.PlanIDs[0]}}
		} else if n > 0 && w.coin() {
			p.Remove = []string{w.thing("p")}
		}
		return p
	case "finish":
		kind := w.word("read", "answer", "plan")
		if !w.whole && kind == "plan" {
			kind = "read"
		}
		return &ledger.Finish{Kind: kind, Inputs: statetest.Hex(w.tag, w.word("a", "b", "c")), Outcome: w.word("done", "nothing", "parked"), Serves: w.question()}
	case "found":
		s := w.slice()
		return &ledger.Found{Question: w.question(), Part: int64(w.index(2)), Ranges: []string{ledger.Ref(s.Source, s.From, s.To)}}
	case "read":
		s := w.slice()
		return &ledger.Read{Questions: []string{w.question()}, Ranges: []string{ledger.Span(s.From, s.To)}, Source: s.Source}
	case "check":
		how := map[ledger.By]string{ledger.Person: "person", ledger.Program: "program"}[by]
		if how == "" {
			how = w.word("calculation", "model", "program")
		}
		return &ledger.Check{How: how, ID: w.word(w.thing("cwomqknrspf"), w.aClaim(), w.aClaim(), "step:x"+w.tag),
			Verdict: w.word("right", "right", "passed", "wrong", "says_more", "unsure", "failed")}
	case "note":
		return &ledger.Note{On: w.word("", w.thing("cwomqknrspf")), Text: "Look " + w.tag + w.word("here", "there"), For: w.word("", "Ana")}
	case "undo":
		return &ledger.Undo{Line: max(1, w.State.Seq+1-int64(w.index(14)))}
	case "accept":
		return &ledger.Accept{ID: w.aClaim()}
	case "scope":
		return &ledger.Scope{ID: w.source(), State: w.word("aside", "back", "back"), Reason: w.word("", "old")}
	case "missing":
		return &ledger.Missing{ID: w.source(), Reason: w.word("gone", "changed", "not_here")}
	case "source":
		return w.anySource()
	case "amend":
		return one(w, &ledger.Amend{Field: "goal", Text: "Find out " + w.word("more", "less")},
			&ledger.Amend{Field: "constraints", List: []string{"open"}}, &ledger.Amend{Field: "title"}, &ledger.Amend{Field: "acceptance"})
	case "set":
		return one(w, &ledger.Set{Depth: "quick"}, &ledger.Set{Budget: -1}, &ledger.Set{Budget: 60}, &ledger.Set{Model: "m", Trial: true})
	case "override":
		return &ledger.Override{ID: "model:x" + w.tag, Why: w.word("fine", "really")}
	case "erase":
		return &ledger.Erase{Blobs: []string{statetest.Hex("b", w.tag, w.word("0", "9", "9"))}, Reason: "private"}
	case "task":
		return &ledger.Task{Goal: "Another.", Nonce: statetest.Hex("another")[:32]}
	}
	return nil
}

func (w *world) anySource() ledger.Op {
	again := w.document(0)
	switch w.word("again", "table", "newer", "unreadable") {
	case "table":
		again.Table = statetest.Hex("another table")
	case "newer":
		again = w.document(2)
		again.Parent = w.source()
	case "unreadable":
		return &ledger.Source{Name: w.tag + w.word("a.pdf", "b.pdf"), Reason: "encrypted"}
	}
	return again
}

func (w *world) logOrFrame(pick string) ledger.Op {
	hash := statetest.Hex("h")
	switch pick {
	case "start":
		return &ledger.Start{Attempt: 1, Inputs: hash, Kind: "read"}
	case "call":
		return &ledger.Call{Outcome: "complete", EvalCount: 3, PromptCount: 9}
	case "refuse":
		return &ledger.Refuse{Code: "D5", Message: "no", Proposal: "claim"}
	case "account":
		return &ledger.Account{Text: hash}
	case "pause":
		return &ledger.Pause{Reason: "quit"}
	case "wake":
		return &ledger.Wake{Reason: "slept", Asleep: 5}
	case "name":
		return &ledger.Name{Name: "Ana", Of: "key:1f"}
	case "fork":
		return &ledger.Fork{Nonce: hash[:32], Parent: w.State.Chain.String()}
	case "join":
		return &ledger.Join{Branch: hash, Chain: hash}
	case "import":
		if w.index(3) == 0 {
			return &ledger.Import{File: hash, Known: int64(w.index(int(w.State.Seq) + 4))}
		}
	case "root":
		return &ledger.Root{Nonce: hash[:32], Parent: hash}
	case "end":
		return &ledger.End{Outcome: "stopped"}
	}
	return nil
}

// TestGeneratorReachesEverything: the random ledgers are worth their name only if
// every op takes effect in them, and every reason to refuse one is met.
func TestGeneratorReachesEverything(t *testing.T) {
	effect, codes, ledgers := map[string]int{}, map[string]int{}, 0
	some := func(t *rapid.T) {
		w := newWorld(t, "", true)
		w.grow(rapid.IntRange(30, 60).Draw(t, "groups"))
		ledgers++
		s := state.New()
		for _, l := range w.lines() {
			before, lines := s.Hash(), s.Seq
			found := s.Apply(l)
			for _, f := range found {
				codes[f.Code]++
			}
			op := l.Op.OpName()
			if len(found) == 0 && s.Seq == lines+1 && (!ledger.IsWork(op) || s.Hash() != before) {
				effect[op]++
			}
		}
	}
	for range 3 { // so many that chance leaves nothing out
		rapid.Check(t, some)
	}
	names := ledger.Ops()
	slices.Sort(names)
	for _, op := range names {
		if op == "root" { // it can only be the first line
			continue
		}
		if effect[op] < 2 {
			t.Errorf("%s took effect only %d times in %d ledgers", op, effect[op], ledgers)
		}
	}
	for _, code := range []string{state.CodeObject, state.CodeUnknown, state.CodeStanding, state.CodeSticky, state.CodeCycle, state.CodePlace, state.CodeUndo, state.CodeForm} {
		if codes[code] < 2 {
			t.Errorf("code %s was met only %d times in %d ledgers", code, codes[code], ledgers)
		}
	}
	t.Logf("%d ledgers: %v, %v", ledgers, effect, codes)
}
