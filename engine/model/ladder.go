package model

import (
	"context"
	"errors"
	"time"

	"cairn/engine"
)

// Ladder makes a call again when that can help: the same request once at once,
// then after 2, 10 and 60 seconds while the server is away, its runner has died
// or its queue is full. A loop is asked once more with other options. It always
// ends; what to do then (wait, split, set aside) is the caller's decision.
type Ladder struct {
	Chatter Chatter
	Clock   engine.Clock
	// OnTry, when set, is told before another try: its number from 1, how long
	// the ladder waits first, and the reply and error of the try before, so that
	// each can be recorded.
	OnTry func(try int, wait time.Duration, before Reply, err error)
}

var waits = []time.Duration{0, 2 * time.Second, 10 * time.Second, 60 * time.Second}

// Chat is Chatter's Chat with other tries. The reply and the error are the last
// try's. onText begins again from the start with each try; OnTry tells when.
func (l Ladder) Chat(ctx context.Context, r Request, onText func(string)) (Reply, error) {
	options, loops := r.Options, 0
	for try := 0; ; try++ {
		rep, err := l.Chatter.Chat(ctx, r, onText)
		if err == nil || ctx.Err() != nil || rep.Reason == ReasonLength || try >= tries(err) {
			return rep, err
		}
		if errors.Is(err, ErrLoop) {
			loops++
			r.Options = options.Vary(loops)
		}
		if l.OnTry != nil {
			l.OnTry(try+1, waits[try], rep, err)
		}
		if waits[try] > 0 {
			if l.Clock.Sleep(ctx, waits[try]) != nil {
				rep.Outcome, rep.Reason = Cancelled, ""
				return rep, &engine.Error{Kind: engine.KindCancelled, What: "The call to the model was stopped.", Safe: safe, Err: context.Cause(ctx)}
			}
		}
	}
}

// tries says how many more tries an error is worth in all.
func tries(err error) int {
	switch {
	case errors.Is(err, ErrAway), errors.Is(err, ErrBusy), errors.Is(err, ErrRunner), errors.Is(err, ErrLoading), errors.Is(err, ErrLost):
		return len(waits)
	case errors.Is(err, ErrLoop):
		return 1
	case errors.Is(err, ErrCut):
		return 1 // without a last line the same bytes often work
	case errors.Is(err, ErrSilent):
		return 1
	case errors.Is(err, ErrRefused):
		var said *serverError
		if errors.As(err, &said) && said.status >= 500 {
			return 1
		}
	}
	return 0
}
