package state_test

import (
	"reflect"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"

	"pgregory.net/rapid"
)

// A state that was rewound to a line is the one that the fold had there.
func TestRewound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, "", true)
		w.grow(12)
		lines := w.lines()
		folded := make([]*state.State, len(lines))
		s := state.New()
		refused := false
		for i, l := range lines {
			refused = len(s.Apply(l)) > 0 || refused
			folded[i] = s.Clone()
		}
		newest := s.Hash()
		for i, l := range lines {
			end, imported := s.EndAndImport(l.Seq)
			got := s.Rewound(l, endOf(lines, end), importOf(lines, imported))
			same(t, i+1, got, folded[i], refused)
		}
		if s.Hash() != newest || s.HashWhole() != newest || int(s.Seq) != len(lines) {
			t.Fatal("rewinding changed the newest state")
		}
	})
}

func endOf(lines []*ledger.Line, seq int64) *ledger.End {
	if seq == 0 {
		return nil
	}
	return lines[seq-1].Op.(*ledger.End)
}

func importOf(lines []*ledger.Line, seq int64) *ledger.Import {
	if seq == 0 {
		return nil
	}
	return lines[seq-1].Op.(*ledger.Import)
}

// same compares everything that can be looked at.
func same(t *rapid.T, line int, got, want *state.State, refused bool) {
	if got == nil {
		t.Fatalf("line %d: nothing", line)
	}
	if a, b := got.HashWhole(), want.HashWhole(); a != b {
		t.Fatalf("line %d: state %s, folded %s", line, a, b)
	}
	if a := got.Hash(); a != want.Hash() {
		t.Fatalf("line %d: the kept hash %s is not the whole one", line, a)
	}
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range g.NumField() {
		f := g.Type().Field(i)
		switch {
		case !f.IsExported() || f.Name == "Log":
			continue
		case f.Name == "Ended" && refused:
			continue // no stored ledger has a line that was refused
		}
		a, b := g.Field(i).Interface(), w.Field(i).Interface()
		if !reflect.DeepEqual(a, b) && !(g.Field(i).Kind() == reflect.Slice && g.Field(i).Len()+w.Field(i).Len() == 0) {
			t.Fatalf("line %d: %s is\n%+v\nfolded\n%+v", line, f.Name, a, b)
		}
	}
	if a, b := got.Counts(), want.Counts(); a != b {
		t.Fatalf("line %d: %+v, folded %+v", line, a, b)
	}
	if a, b := got.Log, want.Log; a.Calls != b.Calls || a.PromptN != b.PromptN || a.Steps != b.Steps && !refused || len(a.Refusals) != len(b.Refusals) ||
		len(a.Events) != len(b.Events) || len(a.CallsAt) != len(b.CallsAt) {
		t.Fatalf("line %d: log %+v, folded %+v", line, a, b)
	}
}

// Of lines that are not there, or can't be read, nothing is shown.
func TestRewoundRefuses(t *testing.T) {
	made, err := statetest.Make(30)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*ledger.Line{{Head: ledger.Head{Seq: 0}}, {Head: ledger.Head{Seq: made.State.Seq + 1}}, {Head: ledger.Head{Seq: 3}, Withheld: true}} {
		if made.State.Rewound(l, nil, nil) != nil {
			t.Errorf("line %d", l.Seq)
		}
	}
}

// BenchmarkRewound is most of show_any_ms of DESIGN 12: the first checkpoints of
// 10,000, which are the farthest from the newest state.
func BenchmarkRewound(b *testing.B) {
	made, err := statetest.Make(100_000)
	if err != nil {
		b.Fatal(err)
	}
	for name, at := range map[string]int{"early": 100, "middle": 50_000, "late": 99_000} {
		l, err := ledger.Decode(made.Lines[at])
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if made.State.Rewound(l, nil, nil) == nil {
					b.Fatal("nothing")
				}
			}
		})
	}
}
