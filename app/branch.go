package app

import (
	"context"

	"cairn/app/dto"
	"cairn/app/view"
	"cairn/engine/task"
)

// Branch begins an alternative of a task after the checkpoint at a line, 0 for the
// newest; its id. The task itself stays as it is.
func (s *Service) Branch(ctx context.Context, id string, at int64, name string) (string, error) {
	h, err := s.handle(ctx, id)
	if err != nil {
		return "", err
	}
	made, err := h.task.Fork(ctx, at, name)
	if err != nil {
		return "", err
	}
	s.bus.send(dto.Event{Kind: "tasks"})
	return made.Branch, nil
}

// Join takes over the results of another alternative or task, and says what came.
func (s *Service) Join(ctx context.Context, id, other string) (string, error) {
	from, err := s.handle(ctx, other)
	if err != nil {
		return "", err
	}
	var got task.Joined
	err = s.act(ctx, id, func(t *task.Task) (err error) { got, err = t.Join(ctx, from.task); return err })
	if err != nil {
		return "", err
	}
	said := "Taken over: " + view.Count(int64(got.Lines-got.Asked), "entry", "entries")
	if got.Claims+got.Sources > 0 {
		said += ", among them " + view.Count(int64(got.Claims), "claim", "claims") + " and " + view.Count(int64(got.Sources), "document", "documents")
	}
	said += "."
	if got.Asked > 0 {
		said += " Two people decided differently " + view.Count(int64(got.Asked), "time", "times") + ": each is a question for you."
	}
	return said, nil
}
