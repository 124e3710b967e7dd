package source

import (
	"context"
	"time"

	"cairn/engine"
)

// Watcher says when something in a folder may have changed. It never says what:
// the receiver scans again and decides by content.
type Watcher struct {
	Dir   string
	Clock engine.Clock
	Every time.Duration // rescan without an event; default 1 minute
	Quiet time.Duration // wait for this long without events; default 400 ms
}

// Run watches until ctx ends. changed must be cheap; calls never overlap.
func (w *Watcher) Run(ctx context.Context, changed func()) error { <-ctx.Done(); return ctx.Err() }
