// Package clock is the only place that reads the machine's time. Everything
// else takes an engine.Clock, so that tests own time.
package clock

import (
	"context"
	"time"
)

// Real is the machine's clock.
type Real struct{}

// Now gives wall time without the monotonic part: what is stored and compared
// across sleeps must not depend on a counter that some systems stop (power.md).
func (Real) Now() time.Time { return time.Now().Round(0) }

// Sleep waits for d or until ctx ends, in pieces, because long timers stand
// still on some systems while the machine sleeps.
func (Real) Sleep(ctx context.Context, d time.Duration) error {
	deadline := time.Now().Add(d).Round(0)
	for {
		left := deadline.Sub(time.Now().Round(0))
		if left <= 0 {
			return ctx.Err()
		}
		t := time.NewTimer(min(left, 15*time.Second))
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
}
