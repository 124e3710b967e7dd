package app

import (
	"context"
	"sync"

	"cairn/app/dto"
)

// bus gives events to whoever watches. Events of a task are numbered in order
// without gaps; a watcher that is too slow loses some, sees the gap in the
// numbers and fetches the view again. So nobody who runs a task ever waits.
type bus struct {
	mu   sync.Mutex
	seq  map[string]int64
	subs map[*subscriber]bool
}

type subscriber struct {
	task string // "" = every task
	c    chan dto.Event
}

// buffered events of one watcher.
const buffered = 256

func newBus() *bus { return &bus{seq: map[string]int64{}, subs: map[*subscriber]bool{}} }

// send numbers an event and gives it out.
func (b *bus) send(e dto.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq[e.Task]++
	e.Seq = b.seq[e.Task]
	for s := range b.subs {
		if s.task != "" && e.Task != "" && s.task != e.Task {
			continue
		}
		select {
		case s.c <- e:
		default: // too slow: the gap tells it to fetch
		}
	}
}

// last is the number of a task's newest event.
func (b *bus) last(task string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seq[task]
}

// watch calls fn for each event until ctx ends.
func (b *bus) watch(ctx context.Context, task string, fn func(dto.Event)) error {
	s := &subscriber{task: task, c: make(chan dto.Event, buffered)}
	b.mu.Lock()
	b.subs[s] = true
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.subs, s)
		b.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-s.c:
			fn(e)
		}
	}
}
