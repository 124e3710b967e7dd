package model

import (
	"context"
	"sync"
	"time"

	"cairn/engine"
)

const (
	// tick is how often the watch looks at the clock.
	tick = time.Second
	// sleepGap is a step of the clock between two looks that no busy computer
	// explains: it slept. A stall that is taken for sleep only gives the call
	// more time, which is harmless.
	sleepGap = 22500 * time.Millisecond
)

// newTicks gives a channel that is ready every d. It wakes the watch; time is
// read from the clock alone, so a timer that stands still in sleep does no harm.
func newTicks(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// expired is the cause with which a watch cancels a call.
type expired struct {
	reason string
	after  time.Duration
}

func (e *expired) Error() string {
	return "nothing useful for " + e.after.Round(time.Second).String() + " (" + e.reason + ")"
}
func (e *expired) Unwrap() error { return ErrSilent }

// watch bounds one call in awake time: the time to the first byte, the gap
// between bytes after it, and the whole. A sleep is not charged and begins the
// running phase anew.
type watch struct {
	clock  engine.Clock
	lim    Limits
	cancel context.CancelCauseFunc
	done   chan struct{}

	mu      sync.Mutex
	start   time.Time
	last    time.Time
	silent  time.Duration // since the last byte, awake
	total   time.Duration // awake
	asleep  time.Duration
	first   time.Duration // awake time until the first byte
	started bool
}

// startWatch runs until stop is called; the context it returns is cancelled
// with an *expired when a limit is passed.
func startWatch(ctx context.Context, clock engine.Clock, lim Limits, ticks func(time.Duration) (<-chan time.Time, func())) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	now := clock.Now()
	w := &watch{clock: clock, lim: lim, cancel: cancel, done: make(chan struct{}), start: now, last: now}
	c, stop := ticks(tick)
	go func() {
		defer close(w.done)
		defer stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-c:
				if e := w.look(); e != nil {
					cancel(e)
					return
				}
			}
		}
	}()
	return ctx, w
}

// charge takes over the time since the last look. Callers hold mu.
func (w *watch) charge() {
	now := w.clock.Now()
	d := now.Sub(w.last)
	w.last = now
	switch {
	case d < 0: // the clock was set back
		d = 0
	case d > sleepGap:
		w.asleep += d - tick
		w.silent = 0
		d = tick
	}
	w.silent += d
	w.total += d
}

func (w *watch) look() *expired {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.charge()
	switch {
	case w.lim.Wall > 0 && w.total > w.lim.Wall:
		return &expired{ReasonWall, w.total}
	case !w.started && w.silent > w.lim.FirstByte:
		return &expired{ReasonFirstByte, w.silent}
	case w.started && w.silent > w.lim.Gap:
		return &expired{ReasonGap, w.silent}
	}
	return nil
}

// touch says that bytes arrived (or were taken by the server).
func (w *watch) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.charge()
	w.silent = 0
	if !w.started {
		w.started, w.first = true, w.total
	}
}

// stop ends the watch and waits for it.
func (w *watch) stop() {
	w.cancel(nil)
	<-w.done
}

// times gives awake and asleep time so far, and awake time to the first byte.
func (w *watch) times() (awake, asleep, first time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.charge()
	return w.total, w.asleep, w.first
}
