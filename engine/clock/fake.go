package clock

import (
	"context"
	"sync"
	"time"
)

// Fake is a clock that stands still until Advance or a Sleep moves it. Sleep
// returns at once after moving the time on, so tests never wait.
type Fake struct {
	mu    sync.Mutex
	now   time.Time
	awake time.Duration
}

// NewFake starts at a fixed moment.
func NewFake(now time.Time) *Fake { return &Fake{now: now.Round(0)} }

// Now gives the fake time.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Awake gives the awake time that passed so far.
func (f *Fake) Awake() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.awake
}

// Advance lets d pass, awake. A negative d is Jump's.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
	f.awake += max(d, 0)
}

// Jump moves the wall time by d and lets no awake time pass: the clock was set,
// forward or back, or the machine slept.
func (f *Fake) Jump(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

// Sleep moves the time by d and returns ctx.Err().
func (f *Fake) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.Advance(d)
	return nil
}
