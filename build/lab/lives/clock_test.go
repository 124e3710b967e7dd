package lives_test

import (
	"context"
	"testing"

	"cairn/build/lab/lives"
)

// A run under a clock that is set comes to what it comes to under one that is not;
// with a planted fault it does not.
func TestClock(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		out, err := lives.Clock(context.Background(), seed, "")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(out.Fails) > 0 {
			t.Errorf("seed %d: %v", seed, out.Fails)
		}
	}
	for _, f := range lives.ClockFaults {
		found := false
		for seed := uint64(1); seed <= 20 && !found; seed++ {
			out, err := lives.Clock(context.Background(), seed, f.Name)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", f.Name, seed, err)
			}
			if found = len(out.Fails) > 0; found {
				t.Logf("%s, seed %d: %v", f.Name, seed, out.Fails[0])
			}
		}
		if !found {
			t.Errorf("%s is not found in 20 runs", f.Name)
		}
	}
}
