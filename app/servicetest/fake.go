// Package servicetest holds a dto.Service for tests of what calls one.
package servicetest

import (
	"context"
	"sync"

	"cairn/app/dto"
)

// Call is one call that Fake got, without its context.
type Call struct {
	Method string
	Args   []any
}

// Fake answers every call with what Answer gives for it, or with zero values.
// It is safe for concurrent use.
type Fake struct {
	// Answer may be nil. A result of another type than the method's is a mistake
	// in the test and panics.
	Answer func(method string, args []any) (any, error)
	// Events are what Watch gives out, in order, before it waits for its context.
	Events []dto.Event
	// Live, when not nil, gives further events until it is closed.
	Live chan dto.Event

	mu    sync.Mutex
	calls []Call
}

var _ dto.Service = (*Fake)(nil)

// Calls gives what was called so far, in order.
func (f *Fake) Calls() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Call(nil), f.calls...)
}

func ask[T any](f *Fake, method string, args ...any) (out T, err error) {
	f.mu.Lock()
	f.calls = append(f.calls, Call{method, args})
	f.mu.Unlock()
	if f.Answer == nil {
		return out, nil
	}
	v, err := f.Answer(method, args)
	if v != nil {
		out = v.(T)
	}
	return out, err
}

func (f *Fake) Watch(ctx context.Context, task string, fn func(dto.Event)) error {
	if _, err := ask[bool](f, "Watch", task); err != nil {
		return err
	}
	for _, e := range f.Events {
		fn(e)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-f.Live:
			if !ok {
				return nil
			}
			fn(e)
		}
	}
}

func (f *Fake) Tasks(_ context.Context) ([]dto.TaskSummary, error) {
	return ask[[]dto.TaskSummary](f, "Tasks")
}

func (f *Fake) View(_ context.Context, task string, at int64) (dto.View, error) {
	return ask[dto.View](f, "View", task, at)
}

func (f *Fake) Sources(_ context.Context, task string) ([]dto.Source, error) {
	return ask[[]dto.Source](f, "Sources", task)
}

func (f *Fake) SourceText(_ context.Context, task, source string, from, to int64) (dto.SourceText, error) {
	return ask[dto.SourceText](f, "SourceText", task, source, from, to)
}

func (f *Fake) Timeline(_ context.Context, task string, full bool) ([]dto.Entry, error) {
	return ask[[]dto.Entry](f, "Timeline", task, full)
}

func (f *Fake) Candidates(_ context.Context, task string) ([]dto.Question, error) {
	return ask[[]dto.Question](f, "Candidates", task)
}

func (f *Fake) CheckForm(_ context.Context, form dto.NewTask) (dto.FormCheck, error) {
	return ask[dto.FormCheck](f, "CheckForm", form)
}

func (f *Fake) Create(_ context.Context, form dto.NewTask) (string, error) {
	return ask[string](f, "Create", form)
}

func (f *Fake) Run(_ context.Context, task string) error {
	_, err := ask[bool](f, "Run", task)
	return err
}

func (f *Fake) Stop(_ context.Context, task string) error {
	_, err := ask[bool](f, "Stop", task)
	return err
}

func (f *Fake) Delete(_ context.Context, task string) (string, error) {
	return ask[string](f, "Delete", task)
}

func (f *Fake) Ask(_ context.Context, task, text string) (string, error) {
	return ask[string](f, "Ask", task, text)
}

func (f *Fake) DropQuestion(_ context.Context, task, question, reason string) error {
	_, err := ask[bool](f, "DropQuestion", task, question, reason)
	return err
}

func (f *Fake) ReopenQuestion(_ context.Context, task, question string) error {
	_, err := ask[bool](f, "ReopenQuestion", task, question)
	return err
}

func (f *Fake) AcceptCandidate(_ context.Context, task, question, source string, from, to int64) (string, error) {
	return ask[string](f, "AcceptCandidate", task, question, source, from, to)
}

func (f *Fake) Accept(_ context.Context, task, claim string) error {
	_, err := ask[bool](f, "Accept", task, claim)
	return err
}

func (f *Fake) Judge(_ context.Context, task, claim, verdict, reason string) error {
	_, err := ask[bool](f, "Judge", task, claim, verdict, reason)
	return err
}

func (f *Fake) Retract(_ context.Context, task, claim, reason string) error {
	_, err := ask[bool](f, "Retract", task, claim, reason)
	return err
}

func (f *Fake) Edit(_ context.Context, task, claim, text string) (string, error) {
	return ask[string](f, "Edit", task, claim, text)
}

func (f *Fake) AddNote(_ context.Context, task string, note dto.Note) (string, error) {
	return ask[string](f, "AddNote", task, note)
}

func (f *Fake) SetAside(_ context.Context, task, source, reason string) error {
	_, err := ask[bool](f, "SetAside", task, source, reason)
	return err
}

func (f *Fake) TakeBack(_ context.Context, task, source string) error {
	_, err := ask[bool](f, "TakeBack", task, source)
	return err
}

func (f *Fake) Undo(_ context.Context, task string) (string, error) {
	return ask[string](f, "Undo", task)
}

func (f *Fake) Export(_ context.Context, task, path string, withhold bool) (dto.Verification, error) {
	return ask[dto.Verification](f, "Export", task, path, withhold)
}

func (f *Fake) RenderExport(_ context.Context, task string, withhold bool) (string, error) {
	return ask[string](f, "RenderExport", task, withhold)
}

func (f *Fake) PreviewImport(_ context.Context, path string) (dto.Preview, error) {
	return ask[dto.Preview](f, "PreviewImport", path)
}

func (f *Fake) AcceptImport(_ context.Context, token, folder string) (string, error) {
	return ask[string](f, "AcceptImport", token, folder)
}

func (f *Fake) Setup(_ context.Context) (dto.Setup, error) {
	return ask[dto.Setup](f, "Setup")
}

func (f *Fake) Preferences(_ context.Context) (dto.Preferences, error) {
	return ask[dto.Preferences](f, "Preferences")
}

func (f *Fake) SetPreferences(_ context.Context, p dto.Preferences) error {
	_, err := ask[bool](f, "SetPreferences", p)
	return err
}

func (f *Fake) SetModel(_ context.Context, task, model string) error {
	_, err := ask[bool](f, "SetModel", task, model)
	return err
}

func (f *Fake) Doctor(_ context.Context) ([]dto.Check, error) {
	return ask[[]dto.Check](f, "Doctor")
}
