package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestTake(t *testing.T) {
	gives := func(x float64, err error) func(context.Context, Machine) (float64, error) {
		return func(context.Context, Machine) (float64, error) { return x, err }
	}
	tests := []struct {
		name   string
		f      Figure
		line   string
		reason string
	}{
		{"measured", Figure{Name: "a", Unit: "ms", Goal: "<= 5", Measure: gives(1.23456, nil)}, "a\t1.23\tms\t<= 5", ""},
		{"large", Figure{Name: "a", Unit: "lines/s", Goal: ">= 1", Measure: gives(123456.7, nil)}, "a\t123457\tlines/s\t>= 1", ""},
		{"not in this version", Figure{Name: "a", Unit: "h", Goal: "<= 8", Why: "later"}, "a\tnot measured here\th\t<= 8", "later"},
		{"not on this machine", Figure{Name: "a", Unit: "h", Goal: "<= 8", Measure: gives(7, errors.New("no disk"))}, "a\tnot measured here\th\t<= 8", "no disk"},
		{"no number", Figure{Name: "a", Unit: "h", Goal: "<= 8", Measure: gives(math.NaN(), nil)}, "a\tnot measured here\th\t<= 8", "no number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := Take(t.Context(), tt.f, Machine{})
			if v.Line() != tt.line || !strings.Contains(v.Reason, tt.reason) || (v.Reason == "") != (tt.reason == "") {
				t.Errorf("%q because %q, want %q because %q", v.Line(), v.Reason, tt.line, tt.reason)
			}
		})
	}
}

func TestFiguresAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Figures() {
		if seen[f.Name] || f.Name == "" || f.Unit == "" || f.Goal == "" {
			t.Errorf("figure %+v is not whole or stands twice", f)
		}
		if (f.Measure == nil) != (f.Why != "") {
			t.Errorf("%s: either it is measured or it says why not", f.Name)
		}
		seen[f.Name] = true
	}
	if len(seen) != 23 {
		t.Errorf("%d figures, the design has 23", len(seen))
	}
}

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

func TestBelow(t *testing.T) {
	all := []process{{1, 0, "init"}, {5, 3, "grandchild"}, {2, 1, "root"}, {3, 2, "child"}, {9, 1, "stranger"}}
	var got []string
	for _, p := range below(all, 2) {
		got = append(got, p.exe)
	}
	if strings.Join(got, " ") != "grandchild root child" {
		t.Errorf("below 2 are %q", got)
	}
}

func TestProcReaders(t *testing.T) {
	if n, ok := parentOf("42 (a (b) c) S 7 42 42 0"); !ok || n != 7 {
		t.Errorf("parent %d, %v", n, ok)
	}
	if _, ok := parentOf("nothing"); ok {
		t.Error("a parent was read from nothing")
	}
	if kb, err := pssOf("Rss:  100 kB\nPss:   1234 kB\nPss_Anon: 5 kB\n"); err != nil || kb != 1234 {
		t.Errorf("pss %v, %v", kb, err)
	}
	if _, err := pssOf("Rss: 1 kB\n"); err == nil {
		t.Error("no figure gave no error")
	}
}
