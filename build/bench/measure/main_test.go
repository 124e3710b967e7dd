package main

import (
	"math"
	"testing"

	"cairn/build/bench"
)

func TestMedian(t *testing.T) {
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("median of three is %v", got)
	}
	if got := median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median of four is %v", got)
	}
	if !math.IsNaN(median(nil)) {
		t.Error("median of nothing is a number")
	}
}

// TestNames wants a measurement for exactly the figures that claim to have one.
func TestNames(t *testing.T) {
	known := map[string]bool{}
	for _, f := range bench.Figures() {
		known[f.Name] = true
		if (measures[f.Name] != nil) != (f.Why == "") {
			t.Errorf("%s: either it is measured or it says why not", f.Name)
		}
	}
	for name := range measures {
		if !known[name] {
			t.Errorf("%s is measured and stands in no list", name)
		}
	}
}

// TestMaker wants a made-up ledger to be folded without findings.
func TestMaker(t *testing.T) {
	mk := newMaker()
	groups := 0
	err := lines(t.Context(), mk, 500, func(first bool, group [][]byte) error {
		if first != (groups == 0) || len(group) == 0 {
			t.Errorf("group %d: first %v, %d lines", groups, first, len(group))
		}
		groups++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if mk.st.Seq < 500 || len(mk.st.Claims) < 200 || mk.unique == 0 {
		t.Errorf("%d lines, %d claims, %d unique bytes", mk.st.Seq, len(mk.st.Claims), mk.unique)
	}
}
