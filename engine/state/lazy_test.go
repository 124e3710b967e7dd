package state_test

import (
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"
)

// A ledger folded without a look at its state hashes has so many changed records
// that they are hashed on every processor; the hash is the same.
func TestLazyFold(t *testing.T) {
	made, err := statetest.Make(12000)
	if err != nil {
		t.Fatal(err)
	}
	fold := func(lines [][]byte) *state.State {
		s := state.New()
		s.Lazy()
		for _, raw := range lines {
			l, err := ledger.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			if f := s.Apply(l); f != nil {
				t.Fatal(f)
			}
		}
		return s
	}
	s := fold(made.Lines)
	if f := s.Eager(); f != nil {
		t.Errorf("the newest checkpoint: %+v", f)
	}
	have := s.Hash()
	if whole := s.HashWhole(); have != whole {
		t.Errorf("%s, from every record %s", have, whole)
	}
	if kept := made.State.Hash(); have != kept {
		t.Errorf("%s, kept line by line %s", have, kept)
	}
	if c := fold(made.Lines).Clone(); c.Hash() != have {
		t.Errorf("a copy that was never hashed: %s, not %s", c.Hash(), have)
	}
}
