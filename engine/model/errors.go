package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cairn/engine"
)

// What can be told apart with errors.Is on an error of this package. Each
// arrives wrapped in an *engine.Error with sentences for people.
var (
	ErrAway       = errors.New("nothing answers at the address")
	ErrLost       = errors.New("the connection was lost in the middle of a reply")
	ErrSilent     = errors.New("nothing came in the time allowed")
	ErrCut        = errors.New("the reply was ended before it was whole")
	ErrLoop       = errors.New("the model repeated itself")
	ErrTooLong    = errors.New("the input length exceeds the context length")
	ErrPromptCut  = errors.New("the server read less than was sent")
	ErrTooMuch    = errors.New("the reply is larger than a reply may be")
	ErrNoThinking = errors.New("the model does not support thinking")
	ErrNoFormat   = errors.New("the server can't hold the model to a schema")
	ErrMemory     = errors.New("not enough memory for the model")
	ErrLoading    = errors.New("loading the model took too long")
	ErrRunner     = errors.New("the model's runner stopped")
	ErrBusy       = errors.New("the server's queue is full")
	ErrRemote     = errors.New("the model runs on somebody else's computer")
	ErrProtocol   = errors.New("the answer is not Ollama's")
	ErrDisk       = errors.New("no space left on the disk")
	ErrMissing    = errors.New("the server has no such model")
	ErrRefused    = errors.New("the server refused the request")
)

const safe = "What was saved before this call is safe; only this call's reply is lost."

// explain gives the person's sentences for a cause. name is the model's, addr
// the server's address.
func explain(cause error, name, addr string) *engine.Error {
	e := &engine.Error{Kind: engine.KindModelFailed, Safe: safe, Err: cause}
	switch {
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		e.Kind = engine.KindCancelled
		e.What = "The call to the model was stopped."
	case errors.Is(cause, ErrAway):
		e.Kind = engine.KindModelAway
		e.What = fmt.Sprintf("Ollama does not answer at %s.", addr)
		e.Do = "Start Ollama, or use the built-in runtime. The task goes on by itself when it answers."
	case errors.Is(cause, ErrLost):
		e.Kind = engine.KindModelAway
		e.What = fmt.Sprintf("The connection to Ollama at %s ended in the middle of a reply.", addr)
		e.Do = "It is asked again. If it keeps happening, look whether Ollama was closed or ran out of memory."
	case errors.Is(cause, ErrSilent):
		e.Kind = engine.KindModelAway
		e.What = fmt.Sprintf("Ollama at %s accepted the call and then stayed silent.", addr)
		e.Do = "If this repeats, restart Ollama or choose a smaller model."
	case errors.Is(cause, ErrMissing):
		e.Kind = engine.KindModelMissing
		e.What = fmt.Sprintf("Ollama at %s has no model named %q.", addr, name)
		e.Do = "Choose another model for this task, or add this one in Ollama."
	case errors.Is(cause, ErrRemote):
		e.Kind = engine.KindRefused
		e.What = fmt.Sprintf("The model %q runs on somebody else's computer, not on this one; Cairn does not use it.", name)
		e.Safe = "Nothing was sent to it."
		e.Do = "Choose a model that runs here."
	case errors.Is(cause, ErrTooLong), errors.Is(cause, ErrPromptCut):
		e.What = fmt.Sprintf("The text for %q is longer than the model can take at once.", name)
		e.Do = "It is split into smaller pieces and asked again."
	case errors.Is(cause, ErrLoop):
		e.What = fmt.Sprintf("The model %q repeated itself and was stopped.", name)
		e.Do = "It is asked again a little differently."
	case errors.Is(cause, ErrTooMuch):
		e.What = fmt.Sprintf("The model %q wrote more than a reply may have and was stopped.", name)
		e.Do = "It is asked again, or the piece is set aside with this reason."
	case errors.Is(cause, ErrCut):
		e.What = fmt.Sprintf("The reply of %q was ended before it was whole.", name)
		e.Do = "It is asked again, with more room for the reply if room was missing."
	case errors.Is(cause, ErrNoThinking):
		e.What = fmt.Sprintf("The model %q can't reason aloud.", name)
		e.Do = "Switch reasoning off for it."
	case errors.Is(cause, ErrNoFormat):
		e.What = fmt.Sprintf("Ollama can't hold %q to a form of reply.", name)
		e.Do = "It is asked without; the reply is checked all the same."
	case errors.Is(cause, ErrMemory):
		e.What = fmt.Sprintf("This computer has not enough free memory for %q.", name)
		e.Do = "Close other programs, or choose a smaller model."
	case errors.Is(cause, ErrLoading):
		e.What = fmt.Sprintf("Loading %q took longer than Ollama allows. The disk is slow or memory is short.", name)
		e.Do = "It is tried again. If it keeps happening, close other programs or choose a smaller model."
	case errors.Is(cause, ErrRunner):
		e.What = fmt.Sprintf("The part of Ollama that runs %q stopped, often because memory ran out.", name)
		e.Do = "It is tried again. If it keeps happening, choose a smaller model."
	case errors.Is(cause, ErrBusy):
		e.What = fmt.Sprintf("Ollama at %s has too many calls waiting.", addr)
		e.Do = "It is tried again. Close other programs that use Ollama if it stays busy."
	case errors.Is(cause, ErrDisk):
		e.Kind = engine.KindDiskFull
		e.What = "The disk that holds the models is full."
		e.Safe = "Nothing that was there has changed."
		e.Do = "Free some space and try again."
	case errors.Is(cause, ErrProtocol):
		e.What = fmt.Sprintf("Something answers at %s, but not the way Ollama does.", addr)
		e.Do = "Check the address of Ollama in the settings."
	default:
		e.What = fmt.Sprintf("Ollama at %s refused the call for %q.", addr, name)
		e.Do = "The details are in the cause; another model or a newer Ollama may help."
	}
	return e
}

// serverError is what the server said, in its own words.
type serverError struct {
	status int // 0 for an error line in a stream
	text   string
	kind   error
}

func (e *serverError) Error() string {
	text := e.text
	if text == "" {
		text = "no reason given"
	}
	if e.status == 0 {
		return fmt.Sprintf("the server said in mid-reply: %s", text)
	}
	return fmt.Sprintf("the server said %d: %s", e.status, text)
}

func (e *serverError) Unwrap() error { return e.kind }

// classify finds out what the server meant. Statuses alone do not tell: most
// of what can be acted on comes as 500.
func classify(status int, text string) *serverError {
	t := strings.ToLower(text)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(t, p) {
				return true
			}
		}
		return false
	}
	e := &serverError{status: status, text: clip(text, 500), kind: ErrRefused}
	switch {
	case has("exceeds the context length", "exceed context window", "exceeds the available context size", "prompt is too long", "input is too long"):
		e.kind = ErrTooLong
	case has("token repeat limit"):
		e.kind = ErrLoop
	case has("does not support thinking"):
		e.kind = ErrNoThinking
	case has("model vocabulary required for format", "invalid json schema in format", "invalid format", "grammar"):
		e.kind = ErrNoFormat
	case has("no space left", "not enough space", "disk full"):
		e.kind = ErrDisk
	case has("more system memory", "unable to load full model", "out of memory", "cannot allocate memory"):
		e.kind = ErrMemory
	case has("timed out waiting for"):
		e.kind = ErrLoading
	case has("runner has unexpectedly stopped", "runner process no longer running", "runner process has terminated",
		"error was encountered while running the model", "connection refused", "unexpected eof"):
		e.kind = ErrRunner
	case status == 404 && has("model"):
		e.kind = ErrMissing
	case status == 503 || has("server busy"):
		e.kind = ErrBusy
	case status == 404, status >= 300 && status < 400:
		e.kind = ErrProtocol
	case status == 499:
		e.kind = ErrLost
	case status == 403 && text == "":
		e.text = "it does not accept calls under this address"
	case has("signin", "cloud is disabled", "remote inference"):
		e.kind = ErrRemote
	}
	return e
}

// clip shortens s to n bytes without cutting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
