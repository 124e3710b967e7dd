package state_test

import (
	"bytes"
	"slices"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"

	"pgregory.net/rapid"
)

func decodeAll(t testing.TB, raw [][]byte) []*ledger.Line {
	t.Helper()
	lines := make([]*ledger.Line, len(raw))
	for i, b := range raw {
		l, err := ledger.Decode(b)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		lines[i] = l
	}
	return lines
}

func TestMadeLedgersAreGood(t *testing.T) {
	made, err := statetest.Make(1500)
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Findings) > 0 {
		t.Fatalf("%+v", made.Findings[0])
	}
	chain, err := ledger.VerifyChain(made.Lines, ledger.Hash{})
	if err != nil || chain != made.State.Chain {
		t.Fatalf("chain %s, %v; want %s", chain, err, made.State.Chain)
	}
	grouper, groups := ledger.NewGrouper(1), 0
	for _, l := range made.Lines {
		g, err := grouper.Add(l)
		if err != nil {
			t.Fatal(err)
		}
		groups += len(g)
	}
	if groups != len(made.Groups) || len(grouper.Rest().Lines) > 0 {
		t.Errorf("%d groups, want %d", groups, len(made.Groups))
	}
	folded, findings := state.Fold(decodeAll(t, made.Lines))
	if len(findings) > 0 || folded.Hash() != made.State.HashWhole() {
		t.Errorf("folded to another state: %+v", findings)
	}
	again, err := statetest.Make(1500)
	if err != nil || !bytes.Equal(bytes.Join(made.Lines, nil), bytes.Join(again.Lines, nil)) {
		t.Errorf("made twice, it is another ledger (%v)", err)
	}
}

// TestLogDoesNotMoveTheState: a run that was killed has more starts, calls and
// wakes than an unbroken one, at other times, and ends in the same state.
func TestLogDoesNotMoveTheState(t *testing.T) {
	run := func(killed bool) *desk {
		d := newDesk(t)
		start := &ledger.Start{Attempt: 1, Inputs: statetest.Hex("i"), Kind: "read", Serves: d.question}
		d.do(ledger.Engine, start)
		if killed {
			d.At += 3600000
			d.do(ledger.Engine, &ledger.Wake{Reason: "killed", Asleep: 3600000})
			second := *start
			second.Attempt = 2
			d.do(ledger.Engine, &second)
			d.do(ledger.Engine, &ledger.Call{Outcome: "lost"})
		}
		d.do(ledger.Engine, &ledger.Call{Outcome: "complete", PromptCount: 100, EvalCount: 10})
		group := []statetest.Act{{By: ledger.Model, Op: d.quoted("A.", 1)},
			{By: ledger.Engine, Op: &ledger.Read{Questions: []string{d.question}, Ranges: []string{"1-9"}, Source: d.source}},
			{By: ledger.Engine, Op: &ledger.Finish{Inputs: statetest.Hex("i"), Kind: "read", Outcome: "done", Serves: d.question}}}
		if killed {
			group = append([]statetest.Act{{By: ledger.Engine, Op: &ledger.Refuse{Code: "D5", Message: "no", Proposal: "claim"}}}, group...)
		}
		if err := d.Group(group...); err != nil {
			t.Fatal(err)
		}
		return d
	}
	whole, killed := run(false), run(true)
	if whole.State.Hash() != killed.State.Hash() {
		t.Error("a killed and resumed run ends in another state")
	}
	if whole.State.Seq == killed.State.Seq || killed.State.Log.Calls != 2 || whole.State.Log.Calls != 1 || len(killed.State.Log.Attempts) != 0 ||
		killed.State.Log.LastStart != nil || killed.State.Log.Steps != 1 || len(killed.State.Log.Refusals) != 1 {
		t.Errorf("log: %+v", killed.State.Log)
	}
}

func TestRunningStepKeepsItsCalls(t *testing.T) {
	d := newDesk(t)
	d.do(ledger.Engine, &ledger.Start{Attempt: 1, Inputs: statetest.Hex("i"), Kind: "read"})
	d.do(ledger.Engine, &ledger.Call{Outcome: "complete", Prompt: statetest.Hex("p"), Reply: statetest.Hex("r")})
	d.do(ledger.Engine, &ledger.Pause{Reason: "quit"})
	run := d.State.Log.LastStart
	if run == nil || len(run.Calls) != 1 || run.Calls[0].Reply != statetest.Hex("r") || d.State.Log.Attempts[ledger.StepKey("read", nil, statetest.Hex("i"))] != 1 {
		t.Errorf("%+v", run)
	}
}

func TestWithheldLines(t *testing.T) {
	made, err := statetest.Make(400)
	if err != nil {
		t.Fatal(err)
	}
	lines := decodeAll(t, made.Lines)
	var logs, group []int // places of log lines; of the work lines of the second group
	for i, l := range lines {
		if ledger.IsLog(l.Op.OpName()) {
			logs = append(logs, i)
		}
		if l.Group == 2 {
			group = append(group, i)
		}
	}
	fold := func(hidden []int) (*state.State, []state.Finding) {
		raw := slices.Clone(made.Lines)
		for _, i := range hidden {
			raw[i] = ledger.Withhold(lines[i].Hash)
		}
		return state.Fold(decodeAll(t, raw))
	}
	s, findings := fold(logs)
	if len(findings) > 0 || s.Hash() != made.State.Hash() || s.Chain != made.State.Chain || s.Seq != made.State.Seq {
		t.Errorf("%d log lines withheld: %+v", len(logs), findings)
	}
	if _, findings := fold(group); !slices.ContainsFunc(findings, func(f state.Finding) bool { return f.Code == state.CodeState }) {
		t.Errorf("a whole group of work withheld fits the next checkpoint: %+v", findings)
	}
}

func TestApplyRefusesWhatDoesNotContinue(t *testing.T) {
	d := newDesk(t)
	lines := decodeAll(t, d.Lines)
	s, _ := state.Fold(lines[:3])
	before := s.HashWhole()
	other := *lines[3]
	other.Prev = ledger.Hash{1}
	for why, l := range map[string]*ledger.Line{"a gap": lines[4], "a line twice": lines[2], "another chain": &other} {
		if f := s.Apply(l); len(f) != 1 || f[0].Code != state.CodeChain || s.Seq != 3 || s.HashWhole() != before {
			t.Errorf("%s: %+v, seq %d", why, f, s.Seq)
		}
	}
	if f := s.Apply(lines[3]); f != nil {
		t.Errorf("the next line: %+v", f)
	}
}

func TestCheckpointOfAnotherState(t *testing.T) {
	d := newDesk(t)
	b := d.State.Begin()
	line, err := b.Add(ledger.Entry{By: ledger.Engine}, &ledger.Checkpoint{App: "x", Fold: state.FoldVersion, Gate: "green", State: statetest.Hex("other")}, true)
	if err != nil {
		t.Fatal(err)
	}
	c := d.State.Clone()
	if f := c.Apply(line); len(f) != 1 || f[0].Code != state.CodeState {
		t.Errorf("%+v", f)
	}
	line, err = d.State.Begin().Add(ledger.Entry{By: ledger.Engine}, &ledger.Checkpoint{App: "x", Fold: state.FoldVersion + 1, Gate: "green", State: statetest.Hex("other")}, true)
	if err != nil {
		t.Fatal(err)
	}
	if f := d.State.Apply(line); f != nil {
		t.Errorf("another fold version is no damage: %+v", f)
	}
}

func TestCloneGoesItsOwnWay(t *testing.T) {
	made, err := statetest.Make(800)
	if err != nil {
		t.Fatal(err)
	}
	lines := decodeAll(t, made.Lines)
	s, _ := state.Fold(lines[:400])
	at := s.HashWhole()
	c := s.Clone()
	for _, l := range lines[400:] {
		if f := c.Apply(l); f != nil {
			t.Fatal(f)
		}
	}
	if s.HashWhole() != at || s.Hash() != at || s.Seq != 400 {
		t.Error("the clone's lines changed the state")
	}
	for _, l := range lines[400:] {
		if f := s.Apply(l); f != nil {
			t.Fatal(f)
		}
	}
	if s.Hash() != c.Hash() || c.Hash() != made.State.Hash() || !slices.Equal(s.ClaimIDs, c.ClaimIDs) {
		t.Error("state and clone differ after the same lines")
	}
}

func TestUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (list []state.Interval, in map[int64]bool) {
			in = map[int64]bool{}
			for range rapid.IntRange(0, 6).Draw(t, name) {
				from := rapid.Int64Range(1, 30).Draw(t, "from")
				to := from + rapid.Int64Range(0, 5).Draw(t, "len")
				list = append(list, state.Interval{From: from, To: to})
				for i := from; i <= to; i++ {
					in[i] = true
				}
			}
			return list, in
		}
		a, inA := draw("a")
		b, inB := draw("b")
		keep := slices.Clone(a)
		got := state.Union(a, b)
		if !slices.Equal(a, keep) {
			t.Fatal("Union changed its argument")
		}
		n := int64(0)
		for i, r := range got {
			if r.From > r.To || i > 0 && r.From <= got[i-1].To+1 {
				t.Fatalf("%v", got)
			}
			for x := r.From; x <= r.To; x++ {
				n++
				if !inA[x] && !inB[x] {
					t.Fatalf("%d was added: %v", x, got)
				}
			}
		}
		for x := range inB {
			inA[x] = true
		}
		if n != int64(len(inA)) {
			t.Fatalf("%d of %d: %v", n, len(inA), got)
		}
	})
}

// FuzzFold takes lines as they come, puts those that decode into a chain after a
// beginning, and folds them: no panic, and the hash that is kept is the whole one.
func FuzzFold(f *testing.F) {
	vectors, err := statetest.Vectors()
	if err != nil {
		f.Fatal(err)
	}
	begun := state.New()
	for _, l := range decodeAll(f, vectors[0].Lines) {
		begun.Apply(l)
	}
	for _, v := range vectors {
		for at := 0; at < len(v.Lines); at += 8 {
			f.Add(bytes.Join(v.Lines[at:min(at+8, len(v.Lines))], []byte("\n")))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := begun.Clone()
		for _, raw := range bytes.Split(b, []byte("\n")) {
			l, err := ledger.Decode(raw)
			if err != nil {
				continue
			}
			l.Seq, l.Prev = s.Seq+1, s.Chain
			s.Apply(l)
		}
		if s.Hash() != s.HashWhole() {
			t.Fatal("the incremental hash is not the whole one")
		}
	})
}

// FuzzOp puts a line, whatever it says, after each of the published ledgers: no panic,
// and an op with a finding leaves the work as it was.
func FuzzOp(f *testing.F) {
	vectors, err := statetest.Vectors()
	if err != nil {
		f.Fatal(err)
	}
	var states []*state.State
	seen := map[string]int{}
	for _, v := range vectors {
		states = append(states, v.State)
		for _, raw := range v.Lines {
			l, err := ledger.Decode(raw)
			if err != nil {
				f.Fatal(err)
			}
			if op := l.Op.OpName(); seen[op] < 3 {
				seen[op]++
				f.Add(raw, uint8(len(states)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		l, err := ledger.Decode(raw)
		if err != nil || l.Withheld {
			return
		}
		s := states[int(which)%len(states)].Clone()
		before := s.Hash()
		trial := s.Try(ledger.Entry{By: l.By, Origin: l.Origin, Reported: l.Reported}, l.Op)
		if s.Hash() != before {
			t.Fatal("a trial changed the state")
		}
		l.Seq, l.Prev = s.Seq+1, s.Chain
		found := s.Apply(l)
		if s.Hash() != s.HashWhole() || len(found) > 0 && s.Hash() != before {
			t.Fatalf("the hash after %s: %v", l.Op.OpName(), found)
		}
		if ledger.IsWork(l.Op.OpName()) && (trial == nil) != (len(found) == 0) {
			t.Fatalf("tried: %v, applied: %v", trial, found)
		}
		s.OpenItems()
		s.ToCheck()
		s.Counts()
	})
}
