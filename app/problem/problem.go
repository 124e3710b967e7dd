// Package problem turns errors into what people read and back, so that an error
// crosses the window's bindings and the socket without losing its parts.
package problem

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"cairn/app/dto"
	"cairn/engine"
)

// Of gives the parts of err that people read. An error without parts of its own
// keeps its text under What.
func Of(err error) dto.Problem {
	if err == nil {
		return dto.Problem{}
	}
	var e *engine.Error
	if errors.As(err, &e) {
		p := dto.Problem{Kind: string(e.Kind), What: e.What, Safe: e.Safe, Do: e.Do}
		if p.What == "" {
			p.What = Sentence(cause(e))
		}
		return p
	}
	p := dto.Problem{Kind: string(engine.KindOf(err)), What: Sentence(err.Error())}
	switch {
	case errors.Is(err, context.Canceled):
		p.What, p.Safe = "It was stopped before it was done.", "Everything saved before is still saved."
	case errors.Is(err, context.DeadlineExceeded):
		p.What, p.Safe = "It took too long and was given up.", "Everything saved before is still saved."
	default:
		p.Safe = "Nothing that was saved is lost."
		p.Do = "Try again; if it happens again, run `cairn doctor`."
	}
	return p
}

func cause(e *engine.Error) string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "it did not work (" + string(e.Kind) + ")"
}

// Error is the way back: the engine's error that p was made from, without its
// cause.
func Error(p dto.Problem) error {
	return &engine.Error{Kind: engine.Kind(p.Kind), What: p.What, Safe: p.Safe, Do: p.Do}
}

// Sentence begins s with a capital letter and ends it with a full stop. A name of
// a file at its beginning keeps its case.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	if c := s[0]; c >= 'a' && c <= 'z' && !fileName(s) {
		s = string(c-'a'+'A') + s[1:]
	}
	return Stop(s)
}

// Stop ends s with a full stop, unless it ends as a sentence does already.
func Stop(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// fileName: the first word of s has a point or a slash inside, as names of files
// and paths have.
func fileName(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return strings.ContainsAny(strings.TrimRight(word, ".,:;!?"), `./\`)
}

// Cancelled: somebody ended it, so it is not worth a line in a log.
func Cancelled(err error) bool {
	return err != nil && (errors.Is(err, context.Canceled) || engine.KindOf(err) == engine.KindCancelled)
}

// Caught is the error for a recovered panic. The stack is kept in the cause for
// the log and for nobody else.
func Caught(v any) error {
	return &engine.Error{
		Kind: engine.KindInternal,
		What: "Something inside Cairn went wrong while doing this.",
		Safe: "Everything saved before is still saved.",
		Do:   "Try again; if it happens again, quit and open Cairn anew.",
		Err:  fmt.Errorf("recovered: %v\n%s", v, debug.Stack()),
	}
}
