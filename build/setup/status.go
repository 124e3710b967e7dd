package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"cairn/app/dto"
	"cairn/build/stage"
)

// Tell writes the status file, in which a window that is open already reads
// how the set-up behind it goes on.
func (p Place) Tell(s dto.Setup) error {
	if s.Models == nil {
		s.Models = []dto.Model{}
	}
	body, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write how the set-up goes on: %w", err)
	}
	return stage.WriteFile(p.Status(), append(body, '\n'), 0o600)
}

// Untell removes the status file.
func (p Place) Untell() error {
	if err := os.Remove(p.Status()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove how the set-up goes on: %w", err)
	}
	return nil
}

// statusOf turns a running stage into what the window shows.
func statusOf(kind, sentence string, s stage.State) dto.Setup {
	out := dto.Setup{Stage: kind, Sentence: sentence, Done: s.Done, Total: s.Total, LeftS: -1}
	if s.Total == 0 { // no counted work: the share of the estimated time
		out.Total = int64(math.Ceil((s.Spent + s.Left).Seconds()))
		out.Done = min(int64(s.Spent.Seconds()), out.Total)
	}
	if s.Left > 0 {
		out.LeftS = math.Ceil((s.Left + s.After).Seconds())
	}
	return out
}

// Telling makes a stage write the status file while it runs, and its error when
// it fails. Status files written in between may fail without harm: the window
// finds what was put in place without being told.
func (p Place) Telling(s stage.Stage, kind, sentence, do string) stage.Stage {
	run := s.Run
	s.Run = func(ctx context.Context, pr *stage.Progress) error {
		if err := p.Tell(dto.Setup{Stage: kind, Sentence: sentence, LeftS: -1}); err != nil {
			return err
		}
		pr.Watch(func(st stage.State) { _ = p.Tell(statusOf(kind, sentence, st)) })
		err := run(ctx, pr)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil: // stopped on purpose: nothing goes on any more
			return errors.Join(err, p.Untell())
		}
		return errors.Join(err, p.Tell(dto.Setup{Stage: "error", Sentence: sentence + " did not work.", LeftS: -1, Error: &dto.Problem{
			Kind: "internal", What: firstLine(err.Error()),
			Safe: "Search, reading sources and everything you do yourself work without it.", Do: do,
		}}))
	}
	return s
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
