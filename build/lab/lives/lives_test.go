package lives_test

import (
	"context"
	"testing"

	"cairn/build/lab/lives"
)

// A few lives in memory, and one on the vault itself; the laboratory lives many.
func TestLives(t *testing.T) {
	for seed := uint64(1); seed <= 12; seed++ {
		out, err := lives.Live(context.Background(), seed, lives.Options{Dir: t.TempDir(), Real: seed == 12})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(out.Fails) > 0 {
			t.Errorf("seed %d: %v; ops: %s", seed, out.Fails, lives.Words(out.Ops))
		}
	}
}

// The same seed lives the same life.
func TestALifeIsRepeatedByItsSeed(t *testing.T) {
	var before lives.Outcome
	for n := range 2 {
		out, err := lives.Live(context.Background(), 5, lives.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && (out.Lines != before.Lines || out.Crashes != before.Crashes) {
			t.Errorf("%d lines and %d crashes, then %d and %d", before.Lines, before.Crashes, out.Lines, out.Crashes)
		}
		before = out
	}
}
