package model

import (
	"context"
	"errors"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/model/fakeollama"
)

// hand moves a client's time by hand: nothing in these tests waits.
type hand struct {
	t     *testing.T
	clock *clock.Fake
	ticks chan time.Time
}

func begin(t *testing.T, address string, limits Limits) (*Client, *hand) {
	t.Helper()
	h := &hand{t: t, clock: clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), ticks: make(chan time.Time)}
	c, err := New(Config{Address: address, Clock: h.clock, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	c.ticks = func(time.Duration) (<-chan time.Time, func()) { return h.ticks, func() {} }
	t.Cleanup(c.Reset)
	return c, h
}

// pass lets awake time go by, or less when done closes first.
func (h *hand) pass(d time.Duration, done <-chan result) (result, bool) {
	for d > 0 {
		step := min(d, 15*time.Second)
		d -= step
		h.clock.Advance(step)
		for range 2 { // the second tick shows that the first one was looked at
			select {
			case h.ticks <- time.Time{}:
			case r := <-done:
				return r, true
			}
		}
	}
	return result{}, false
}

type result struct {
	rep Reply
	err error
}

func ask(c Chatter, ctx context.Context, r Request, onText func(string)) <-chan result {
	out := make(chan result, 1)
	go func() {
		rep, err := c.Chat(ctx, r, onText)
		out <- result{rep, err}
	}()
	return out
}

func await(t *testing.T, c <-chan result) result {
	t.Helper()
	select {
	case r := <-c:
		return r
	case <-time.After(20 * time.Second):
		t.Fatal("the call does not return")
		return result{}
	}
}

func scripted(t *testing.T, script func(r fakeollama.ChatRequest, n int) *fakeollama.Script) *fakeollama.Server {
	t.Helper()
	s := fakeollama.New(func(fakeollama.ChatRequest) string { return "yes" })
	s.Script = script
	s.Clock = clock.NewFake(time.Unix(1, 0))
	s.Run(t)
	return s
}

// always answers every chat in the same way.
func always(s *fakeollama.Script) func(fakeollama.ChatRequest, int) *fakeollama.Script {
	return func(fakeollama.ChatRequest, int) *fakeollama.Script { return s }
}

func request(prompt string) Request { return Request{Model: fakeollama.DefaultModel, Prompt: prompt} }

func wantErr(t *testing.T, err error, kind engine.Kind, is error) {
	t.Helper()
	var e *engine.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v (%T) is no *engine.Error", err, err)
	}
	if e.Kind != kind || !errors.Is(err, is) {
		t.Errorf("kind %q, cause %v; want kind %q, cause %v", e.Kind, e.Err, kind, is)
	}
	if e.What == "" || (e.Safe == "" && e.Kind != engine.KindCancelled) {
		t.Errorf("the error tells too little: %+v", e)
	}
}
