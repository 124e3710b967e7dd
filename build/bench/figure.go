// Package bench measures the figures that the design promises. Each figure is
// measured or said not to be; none is ever guessed.
package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Figure is one promised number.
type Figure struct {
	Name, Unit, Goal string
	// Measure gives the value; nil where this version can't measure it.
	Measure func(context.Context, Machine) (float64, error)
	Why     string // why Measure is nil
}

// Machine is what the measurements need of the place where they run.
type Machine struct {
	Dir     string                        // an empty folder on a real disk
	Corpus  string                        // folder of the corpus, "" when there is none
	Program string                        // the built program with its window, "" when there is none
	Screen  func(args ...string) []string // puts a command on a screen without a monitor
	Note    func(string)                  // says what is being done
}

// Value is what became of a figure.
type Value struct {
	Name     string   `json:"name"`
	Value    *float64 `json:"value"` // null when not measured here
	Unit     string   `json:"unit"`
	Goal     string   `json:"goal"`
	Reason   string   `json:"reason,omitempty"` // why it was not measured
	Measured bool     `json:"measured"`
}

// errNotHere is wrapped by measurements that this machine does not allow.
var errNotHere = errors.New("not possible here")

// NotHere says why a figure can't be measured on this machine.
func NotHere(why string) error { return fmt.Errorf("%w: %s", errNotHere, why) }

// Take measures one figure.
func Take(ctx context.Context, f Figure, m Machine) Value {
	v := Value{Name: f.Name, Unit: f.Unit, Goal: f.Goal}
	if f.Measure == nil {
		v.Reason = f.Why
		return v
	}
	x, err := f.Measure(ctx, m)
	switch {
	case err != nil:
		v.Reason = err.Error()
	case math.IsNaN(x) || math.IsInf(x, 0):
		v.Reason = "the measurement gave no number"
	default:
		v.Value, v.Measured = &x, true
	}
	return v
}

// Line is the figure as one line: name, value, unit, goal, with tabs between.
func (v Value) Line() string {
	value := "not measured here"
	if v.Value != nil {
		value = Number(*v.Value)
	}
	return v.Name + "\t" + value + "\t" + v.Unit + "\t" + v.Goal
}

// Number writes x with three significant digits, and whole numbers above.
func Number(x float64) string {
	if math.Abs(x) >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// median gives the middle of xs.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(xs))
	if len(s)%2 == 1 {
		return s[len(s)/2]
	}
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}
