// Package bench lists the figures that the design promises. Each is measured or
// said not to be; none is ever guessed. The measurements themselves are a
// program of their own (measure/), so that one figure never disturbs another.
package bench

import (
	"fmt"
	"math"
)

// Figure is one promised number.
type Figure struct {
	Name, Unit, Goal string
	Why              string // why this version does not measure it, "" when it does
}

// Value is what became of a figure.
type Value struct {
	Name     string   `json:"name"`
	Value    *float64 `json:"value"` // null when not measured here
	Unit     string   `json:"unit"`
	Goal     string   `json:"goal"`
	Measured bool     `json:"measured"`
	Reason   string   `json:"reason,omitempty"` // why it was not measured
}

// Measured gives the value of a figure.
func (f Figure) Measured(x float64) Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return f.Not("the measurement gave no number")
	}
	return Value{Name: f.Name, Value: &x, Unit: f.Unit, Goal: f.Goal, Measured: true}
}

// Not says why a figure has no value.
func (f Figure) Not(why string) Value {
	return Value{Name: f.Name, Unit: f.Unit, Goal: f.Goal, Reason: why}
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
