package app

import (
	"context"
	"slices"
	"strings"

	"cairn/app/dto"
	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/task"
)

// setModel is the line that chooses a model.
func setModel(name string) ledger.Set { return ledger.Set{Model: name} }

// act lets a person's act happen on a task and tells the watchers.
func (s *Service) act(ctx context.Context, id string, fn func(t *task.Task) error) error {
	h, err := s.handle(ctx, id)
	if err != nil {
		return err
	}
	if err := fn(h.task); err != nil {
		return err
	}
	h.after()
	return nil
}

// after tells that a person's act was saved.
func (h *handle) after() {
	h.s.bus.send(dto.Event{Task: h.id, Kind: "saved"})
	h.tell()
}

// Ask adds a question and gives its id.
func (s *Service) Ask(ctx context.Context, id, text string) (out string, err error) {
	err = s.act(ctx, id, func(t *task.Task) error { out, err = t.Ask(ctx, text); return err })
	return out, err
}

// DropQuestion takes a question out of the task.
func (s *Service) DropQuestion(ctx context.Context, id, question, reason string) error {
	return s.act(ctx, id, func(t *task.Task) error { return t.Drop(ctx, question, strings.TrimSpace(reason)) })
}

// ReopenQuestion opens a closed, parked or dropped question again.
func (s *Service) ReopenQuestion(ctx context.Context, id, question string) error {
	return s.act(ctx, id, func(t *task.Task) error { return t.Reopen(ctx, question) })
}

// AcceptCandidate makes a sentence that search found a claim; its id.
func (s *Service) AcceptCandidate(ctx context.Context, id, question, source string, from, to int64) (out string, err error) {
	err = s.act(ctx, id, func(t *task.Task) error {
		out, err = t.AcceptCandidate(ctx, question, source, from, to)
		return err
	})
	return out, err
}

// Accept records that the person looked at a claim and found it right.
func (s *Service) Accept(ctx context.Context, id, claim string) error {
	return s.act(ctx, id, func(t *task.Task) error { return t.Accept(ctx, claim) })
}

// Judge records the person's verdict on a claim, with a reason that may be empty:
// says_more and unsure leave it standing, as one that still needs a look.
func (s *Service) Judge(ctx context.Context, id, claim, verdict, reason string) error {
	if !slices.Contains([]string{"right", "wrong", "says_more", "unsure"}, verdict) {
		return &engine.Error{
			Kind: engine.KindUsage, What: "There is no verdict “" + verdict + "”.", Safe: "Nothing was changed.",
			Do: "Say right, wrong, says_more or unsure.",
		}
	}
	return s.act(ctx, id, func(t *task.Task) error { return t.Judge(ctx, claim, verdict, strings.TrimSpace(reason)) })
}

// Retract takes a claim back, with the reason.
func (s *Service) Retract(ctx context.Context, id, claim, reason string) error {
	return s.act(ctx, id, func(t *task.Task) error { return t.Retract(ctx, claim, reason) })
}

// Edit puts the person's wording in the place of a claim; the new claim's id.
func (s *Service) Edit(ctx context.Context, id, claim, text string) (out string, err error) {
	err = s.act(ctx, id, func(t *task.Task) error { out, err = t.Edit(ctx, claim, text); return err })
	return out, err
}

// AddNote adds a note on an object of the task, or on the task itself.
func (s *Service) AddNote(ctx context.Context, id string, n dto.Note) (out string, err error) {
	err = s.act(ctx, id, func(t *task.Task) error {
		out, err = t.Note(ctx, ledger.Note{On: n.On, Text: n.Text, For: strings.TrimSpace(n.For), Due: strings.TrimSpace(n.Due)})
		return err
	})
	return out, err
}

// SetAside takes a source out of the work, with the reason.
func (s *Service) SetAside(ctx context.Context, id, source, reason string) error {
	return s.act(ctx, id, func(t *task.Task) error { return t.Scope(ctx, source, "aside", strings.TrimSpace(reason)) })
}

// TakeBack brings a source back.
func (s *Service) TakeBack(ctx context.Context, id, source string) error {
	return s.act(ctx, id, func(t *task.Task) error { return t.Scope(ctx, source, "back", "") })
}

// Undo takes the person's last act back and says what it was.
func (s *Service) Undo(ctx context.Context, id string) (string, error) {
	var what string
	err := s.act(ctx, id, func(t *task.Task) (err error) { what, err = t.Undo(ctx); return err })
	if err != nil {
		return "", err
	}
	return "Undone: " + what + ".", nil
}
