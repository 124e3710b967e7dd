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

// began is when the program did; with the monotonic part.
var began = time.Now()

// Awake is the monotonic time since the program began, which no setting of the
// clock changes. Where the system counts sleep in, a long sleep counts once.
func (Real) Awake() time.Duration { return time.Since(began) }

// Sleep waits for d of awake time or until ctx ends, in pieces, because long
// timers stand still on some systems while the machine sleeps. A clock that is set
// meanwhile neither cuts it short nor makes it last for years.
func (r Real) Sleep(ctx context.Context, d time.Duration) error {
	deadline := r.Awake() + d
	for {
		left := deadline - r.Awake()
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
