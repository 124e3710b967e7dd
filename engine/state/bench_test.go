package state_test

import (
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"
)

// BenchmarkFold is fold_lines_per_s of DESIGN 12: strict decoding, fold, and a
// state hash every 8 lines (beside those that checkpoints ask for).
func BenchmarkFold(b *testing.B) {
	for _, n := range []int{10000, 100000} {
		made, err := statetest.Make(n)
		if err != nil {
			b.Fatal(err)
		}
		if len(made.Findings) > 0 {
			b.Fatalf("findings: %+v", made.Findings[:1])
		}
		bytes := 0
		for _, l := range made.Lines {
			bytes += len(l)
		}
		b.Run(map[bool]string{true: "10k", false: "100k"}[n == 10000], func(b *testing.B) {
			lines := 0
			for b.Loop() {
				s := state.New()
				for i, raw := range made.Lines {
					l, err := ledger.Decode(raw)
					if err != nil {
						b.Fatal(err)
					}
					if f := s.Apply(l); f != nil {
						b.Fatal(f)
					}
					if i%8 == 7 {
						s.Hash()
					}
				}
				lines += len(made.Lines)
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
			b.ReportMetric(float64(bytes)/float64(len(made.Lines)), "bytes/line")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	made, err := statetest.Make(10000)
	if err != nil {
		b.Fatal(err)
	}
	lines := 0
	for b.Loop() {
		for _, raw := range made.Lines {
			if _, err := ledger.Decode(raw); err != nil {
				b.Fatal(err)
			}
		}
		lines += len(made.Lines)
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkClone(b *testing.B) {
	made, err := statetest.Make(10000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		made.State.Clone()
	}
}
