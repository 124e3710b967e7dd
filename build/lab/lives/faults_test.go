package lives_test

import (
	"context"
	"strings"
	"testing"

	"cairn/build/lab/lives"
)

// Each planted fault is found, and for what it is.
func TestPlantedFaultsAreFound(t *testing.T) {
	words := map[string]string{
		"early-ack":      "was acknowledged",
		"text-not-kept":  "is not here, and no line says so",
		"claim-dropped":  "another state than its lines give",
		"quote-not-cut":  "its bytes were changed",
		"sticky-off":     "which the person took back, stands",
		"undo-forgets":   "and undo",
		"next-by-clock":  "and the next day",
		"import-recodes": "was not taken over as it came",
	}
	for _, f := range lives.Faults {
		t.Run(f.Name, func(t *testing.T) {
			for seed := uint64(1); seed < 80; seed++ {
				out, err := lives.Live(context.Background(), seed, lives.Options{Fault: f.Name})
				if err != nil {
					t.Fatal(err)
				}
				if found := strings.Join(out.Fails, "; "); found != "" {
					if !strings.Contains(found, words[f.Name]) {
						t.Errorf("seed %d was found for something else: %s", seed, found)
					}
					t.Logf("seed %d: %.300s", seed, found)
					return
				}
			}
			t.Error("not found in 80 lives")
		})
	}
}
