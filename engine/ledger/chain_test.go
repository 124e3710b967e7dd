package ledger

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// build writes groups of ops: a group of several ends in a checkpoint when it
// holds work.
func build(t testing.TB, groups ...[]Op) [][]byte {
	t.Helper()
	var seq, group int64
	var chain Hash
	var lines [][]byte
	for _, ops := range groups {
		b := NewBuilder(seq, group, chain)
		for i, op := range ops {
			e := Entry{At: 5, By: Engine}
			if !MayWrite(op.OpName(), Engine) {
				e.By = Person
			}
			if IsLog(op.OpName()) {
				e.Salt = some32
			}
			if _, err := b.Add(e, op, i == len(ops)-1); err != nil {
				t.Fatal(err)
			}
		}
		lines = append(lines, b.Lines()...)
		seq, group, chain = b.Head()
	}
	return lines
}

var (
	aTask       = &Task{Goal: "Find out.", Nonce: some32}
	aCheckpoint = &Checkpoint{App: "test", Fold: 1, Gate: "green", State: someHash}
	aStart      = &Start{Attempt: 1, Inputs: someHash, Kind: "read"}
	aCall       = &Call{Outcome: "complete"}
	aRefuse     = &Refuse{Code: "D5", Message: "no", Proposal: "claim"}
	aFinish     = &Finish{Inputs: someHash, Kind: "read", Outcome: "done"}
	aQuestion   = &Question{Text: "Which?"}
	aPause      = &Pause{Reason: "quit"}
)

func aLedger(t testing.TB) [][]byte {
	return build(t, []Op{aTask, aQuestion, aCheckpoint}, []Op{aStart}, []Op{aCall}, []Op{aRefuse, aFinish, aCheckpoint}, []Op{aPause}, []Op{&Wake{Reason: "closed"}})
}

// hide withholds the lines with these seqs.
func hide(lines [][]byte, seqs ...int) [][]byte {
	out := append([][]byte(nil), lines...)
	for _, s := range seqs {
		out[s-1] = Withhold(HashOf(lines[s-1]))
	}
	return out
}

func TestWithheldLinesStandOnlyForLogLines(t *testing.T) {
	lines := aLedger(t)
	last, err := VerifyChain(lines, Hash{})
	if err != nil {
		t.Fatal(err)
	}
	for _, seqs := range [][]int{{4}, {5}, {4, 5}, {6}, {4, 5, 6}, {9}, {10}, {9, 10}, {4, 5, 6, 9, 10}} {
		if got, err := VerifyChain(hide(lines, seqs...), Hash{}); err != nil || got != last {
			t.Errorf("log lines %v withheld: %v, %v", seqs, got, err)
		}
	}
	// Line 7 is the finish: without it the group is no step's any more.
	for _, seqs := range [][]int{{1}, {2}, {3}, {1, 2, 3}, {7}, {8}, {6, 7}} {
		_, err := VerifyChain(hide(lines, seqs...), Hash{})
		var at *LineError
		if !errors.As(err, &at) {
			t.Errorf("work lines %v withheld: %v", seqs, err)
		}
	}
}

func TestVerifierRefuses(t *testing.T) {
	lines := aLedger(t)
	cut := func(n int) [][]byte { return lines[:n:n] }
	noEnd := build(t, []Op{aTask, aQuestion, aCheckpoint}, []Op{aStart, aQuestion})
	for why, bad := range map[string][][]byte{
		"a cut group":                      cut(2),
		"a cut step":                       cut(7),
		"not from the beginning":           lines[3:],
		"a line twice":                     append(cut(4), lines[3]),
		"another format":                   append(cut(3), []byte(`{"v":1}`)),
		"work without a checkpoint":        noEnd,
		"nothing but withheld lines":       {Withhold(HashOf(lines[0]))},
		"a visible work line, its end not": append(cut(3), append(build(t, []Op{aTask, aCheckpoint})[:1:1], Withhold(Hash{}))...),
	} {
		if _, err := VerifyChain(bad, Hash{}); err == nil {
			t.Errorf("%s: not noticed", why)
		}
	}
	from, err := VerifyChain(lines[:3], Hash{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyChain(lines[3:], from); err != nil {
		t.Errorf("from a checkpoint on: %v", err)
	}
	if _, err := VerifyChain(lines[4:], from); err == nil {
		t.Error("a gap was not noticed")
	}
}

// TestAnyChangeIsNoticed flips, drops, doubles and moves lines.
func TestAnyChangeIsNoticed(t *testing.T) {
	lines := aLedger(t)
	last, err := VerifyChain(lines, Hash{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := append([][]byte(nil), lines...)
		i := rapid.IntRange(0, len(bad)-1).Draw(t, "line")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			b := append([]byte(nil), bad[i]...)
			at := rapid.IntRange(0, len(b)-1).Draw(t, "byte")
			b[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			bad[i] = b
		case 1:
			if i == len(bad)-1 {
				return // a missing tail is for the seal to notice
			}
			bad = append(bad[:i:i], bad[i+1:]...)
		case 2:
			bad = append(bad[:i:i], append([][]byte{lines[i]}, lines[i:]...)...)
		case 3:
			j := rapid.IntRange(0, len(bad)-1).Draw(t, "other")
			if i == j {
				return
			}
			bad[i], bad[j] = bad[j], bad[i]
		}
		if got, err := VerifyChain(bad, Hash{}); err == nil && got == last {
			t.Fatalf("the same chain value from other lines")
		}
	})
}

func TestGrouper(t *testing.T) {
	lines := aLedger(t)
	split := func(lines [][]byte) (sizes []int, rest int) {
		g := NewGrouper(1)
		next := int64(1)
		for _, l := range lines {
			groups, err := g.Add(l)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range groups {
				if group.First != next {
					t.Errorf("a group begins at %d instead of %d", group.First, next)
				}
				next += int64(len(group.Lines))
				sizes = append(sizes, len(group.Lines))
			}
		}
		return sizes, len(g.Rest().Lines)
	}
	for _, c := range []struct {
		lines [][]byte
		sizes []int
		rest  int
	}{
		{lines, []int{3, 1, 1, 3, 1, 1}, 0},
		{lines[:7], []int{3, 1, 1}, 2},
		{hide(lines, 4, 5, 6), []int{3, 2, 3, 1, 1}, 0},
		{hide(lines, 9, 10), []int{3, 1, 1, 3}, 2},
	} {
		sizes, rest := split(c.lines)
		if !equal(sizes, c.sizes) || rest != c.rest {
			t.Errorf("groups %v and %d left, want %v and %d", sizes, rest, c.sizes, c.rest)
		}
	}
	g := NewGrouper(2)
	if _, err := g.Add(lines[0]); err == nil {
		t.Error("a line with another seq was taken")
	}
}

func equal(a, b []int) bool {
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

func TestBuilderKeepsTheLimits(t *testing.T) {
	b := NewBuilder(0, 0, Hash{})
	for i := range MaxGroupLines - 1 {
		if _, err := b.Add(Entry{By: Engine, Salt: some32}, aPause, false); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
	}
	if _, err := b.Add(Entry{By: Engine, Salt: some32}, aPause, false); err == nil {
		t.Error("line 256 was taken without closing the group")
	}
	if _, err := b.Add(Entry{By: Engine, Salt: some32}, aPause, true); err != nil || !b.Closed() {
		t.Errorf("line 256: %v", err)
	}
	if _, err := b.Add(Entry{By: Engine, Salt: some32}, aPause, true); err == nil {
		t.Error("a closed group took a line")
	}
	if _, err := VerifyChain(b.Lines(), Hash{}); err != nil {
		t.Error(err)
	}
	big := NewBuilder(0, 0, Hash{})
	args := make([]string, 60)
	for i := range args {
		args[i] = string(make([]byte, 0, MaxShort)) + Ref("s"+some32, int64(i+1), 99) + "/" + someHash + someHash + someHash
	}
	var err error
	for range 100 {
		if _, err = big.Add(Entry{By: Engine, Salt: some32}, &Start{Args: args, Attempt: 1, Inputs: someHash, Kind: "read"}, false); err != nil {
			break
		}
	}
	if _, bytes := big.Room(); err == nil || bytes < 0 {
		t.Errorf("a group above %d bytes was built: %v, %d bytes left", MaxGroupBytes, err, bytes)
	}
}

func FuzzParseCanonical(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\u00e9\ud83d\ude00"}],"c":true}`))
	f.Add([]byte(`{"a":-9007199254740991,"b":"\"\\"}`))
	f.Add([]byte(`{"a":"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := ParseCanonical(b)
		if err != nil {
			return
		}
		again, err := Canonical(o)
		if err != nil || string(again) != string(b) {
			t.Fatalf("%q came back as %q, %v", b, again, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, l := range aLedger(f) {
		f.Add(l)
	}
	f.Add(Withhold(Hash{1}))
	f.Add([]byte(`{"op":"claim"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := Decode(b)
		if err != nil {
			return
		}
		frame, err := DecodeFrame(b)
		if err != nil || frame.Hash != l.Hash || frame.Withheld != l.Withheld || frame.Seq != l.Seq || frame.N != l.N {
			t.Fatalf("frame of %q: %+v, %v", b, frame, err)
		}
		if l.Withheld {
			return
		}
		again, err := Encode(l.Head, l.Op)
		if err != nil || string(again) != string(b) {
			t.Fatalf("%q came back as %q, %v", b, again, err)
		}
	})
}

func TestVerifierRefusesALargeGroup(t *testing.T) {
	for lines, good := range map[int64]bool{10: true, 11: false} { // all but the last of 56 KiB
		var raw [][]byte
		var chain Hash
		for i := int64(1); i <= lines; i++ {
			h := Head{Seq: i, Group: 1, By: Person, Prev: chain}
			var op Op = &Amend{Field: "constraints", List: slices.Repeat([]string{strings.Repeat("x", MaxText)}, 7)}
			if i == lines {
				h.N, h.By, op = lines, Engine, aCheckpoint
			}
			line, err := Encode(h, op)
			if err != nil {
				t.Fatal(err)
			}
			raw, chain = append(raw, line), chain.Extend(HashOf(line))
		}
		if _, err := VerifyChain(raw, Hash{}); good != (err == nil) || err != nil && CodeOf(err) != CodeGroup {
			t.Errorf("%d lines: %v", lines, err)
		}
	}
}
