package clock

import (
	"context"
	"sync"
	"time"
)

// Fake is a clock that stands still until Advance or a Sleep moves it. Sleep
// returns at once after moving the time on, so tests never wait.
type Fake struct {
	mu  sync.Mutex
	now time.Time
}

// NewFake starts at a fixed moment.
func NewFake(now time.Time) *Fake { return &Fake{now: now.Round(0)} }

// Now gives the fake time.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Advance moves the time by d, which may be negative: clocks are set back too.
func (f *Fake) Advance(d time.Duration) {
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
