// Package power notices that the machine slept. The detector compares wall
// times and works everywhere; where the system announces sleep and wake, that
// makes saving faster and noticing quicker, never more correct.
package power

import (
	"context"
	"time"

	"cairn/engine"
)

const (
	// Every is how often the wall time is looked at.
	Every = 15 * time.Second
	// major separates a night from the short wakes that some systems make in it.
	major = 10 * time.Minute
	// absurd: nobody sleeps that long with a run going; the clock was set.
	absurd = 60 * 24 * time.Hour
)

// Kind of a jump.
type Kind string

const (
	Slept   Kind = "slept"    // the machine stood still for about Gap
	SetBack Kind = "set_back" // the clock went back: deadlines must be computed again
	SetOn   Kind = "set_on"   // the clock was set forward by more than any sleep
)

// Jump is one observation that is not the passing of time. Taking a stopped
// process or a corrected clock for sleep is possible and must be harmless.
type Jump struct {
	Kind  Kind
	Gap   time.Duration // beyond the interval that was expected; negative for SetBack
	Major bool          // longer than ten minutes
	At    time.Time     // the wall time after the jump
}

// Detector finds jumps between looks at the wall time.
type Detector struct {
	every time.Duration
	last  time.Time
}

// NewDetector expects a look every interval and starts at now.
func NewDetector(every time.Duration, now time.Time) *Detector {
	return &Detector{every: every, last: now.Round(0)}
}

// Look compares now with the look before. ok is false when only time passed.
func (d *Detector) Look(now time.Time) (j Jump, ok bool) {
	now = now.Round(0)
	gap := now.Sub(d.last)
	d.last = now
	switch over := gap - d.every; {
	case gap < 0:
		return Jump{Kind: SetBack, Gap: gap, At: now}, true
	case gap <= d.every+d.every/2:
		return Jump{}, false
	case over > absurd:
		return Jump{Kind: SetOn, Gap: over, Major: true, At: now}, true
	default:
		return Jump{Kind: Slept, Gap: over, Major: over > major, At: now}, true
	}
}

// Hooks are called one at a time from the goroutine of Watch. Either may be nil.
type Hooks struct {
	// Sleep: the machine is about to sleep. Save what is quick to save and return
	// within two seconds. It is not called on every system, nor before every sleep.
	Sleep func()
	// Jumped: the machine woke, or its clock was set.
	Jumped func(Jump)
}

// signal is what a system's own notice says.
type signal struct {
	asleep bool          // about to sleep; false: woke
	done   chan struct{} // closed when the hook has returned
}

// Watch looks at the clock until ctx ends.
func Watch(ctx context.Context, clock engine.Clock, every time.Duration, hooks Hooks) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d := NewDetector(every, clock.Now())
	tick, signals := make(chan time.Time), make(chan signal, 4)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for clock.Sleep(ctx, every) == nil {
			select {
			case tick <- clock.Now():
			case <-ctx.Done():
				return
			}
		}
	}()
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		listen(ctx, signals)
	}()
	defer func() { stop(); <-ended; <-listening }()
	look := func(now time.Time) {
		if j, ok := d.Look(now); ok && hooks.Jumped != nil {
			hooks.Jumped(j)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick:
			look(now)
		case s := <-signals:
			if s.asleep && hooks.Sleep != nil {
				hooks.Sleep()
			}
			if !s.asleep {
				wake(d, clock.Now(), look)
			}
			if s.done != nil {
				close(s.done)
			}
		}
	}
}

// wake looks at once when the system says that it woke, instead of at the next
// tick. A look that comes early sees less than one interval and finds nothing
// unless there really was a sleep.
func wake(d *Detector, now time.Time, look func(time.Time)) {
	if now.Sub(d.last) > d.every+d.every/2 || now.Before(d.last) {
		look(now)
	}
}
