package bench

import (
	"math"
	"testing"
)

func TestLine(t *testing.T) {
	f := Figure{Name: "a", Unit: "ms", Goal: "<= 5"}
	tests := []struct {
		name, want string
		v          Value
	}{
		{"small", "a\t1.23\tms\t<= 5", f.Measured(1.23456)},
		{"large", "a\t123457\tms\t<= 5", f.Measured(123456.7)},
		{"without", "a\tnot measured here\tms\t<= 5", f.Not("no disk")},
		{"no number", "a\tnot measured here\tms\t<= 5", f.Measured(math.NaN())},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.v.Line(); got != tt.want {
				t.Errorf("line %q, want %q", got, tt.want)
			}
			if tt.v.Measured != (tt.v.Value != nil) || tt.v.Measured != (tt.v.Reason == "") {
				t.Errorf("%+v contradicts itself", tt.v)
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
		seen[f.Name] = true
	}
	if len(seen) != 23 {
		t.Errorf("%d figures, the design has 23", len(seen))
	}
}
