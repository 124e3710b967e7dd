package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cairn/app/dto"
	"cairn/engine"
	"cairn/engine/model"
)

// errDeleted is the cause for which a run of a deleted task ends.
var errDeleted = errors.New("the task is being deleted")

func (s *Service) loadPreferences(ctx context.Context) error {
	s.prefs = dto.Preferences{Theme: "system", AutoGoOn: true}
	body, err := s.cfg.Store.Local(ctx, "app", "preferences")
	if engine.KindOf(err) == engine.KindNotFound && err != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	if err := json.Unmarshal(body, &s.prefs); err != nil {
		// Settings of this machine only: the usual ones take their place.
		s.prefs = dto.Preferences{Theme: "system", AutoGoOn: true}
		s.report(fmt.Errorf("read the settings: %w", err))
	}
	return nil
}

// Preferences are the settings of this machine.
func (s *Service) Preferences(context.Context) (dto.Preferences, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prefs, nil
}

// SetPreferences keeps them; a changed address is looked at at once.
func (s *Service) SetPreferences(ctx context.Context, p dto.Preferences) error {
	if !slices.Contains([]string{"system", "light", "dark"}, p.Theme) {
		return usage("There is no theme “"+p.Theme+"”.", "Choose system, light or dark.")
	}
	p.Ollama, p.Model = strings.TrimSpace(p.Ollama), strings.TrimSpace(p.Model)
	if _, err := model.ParseAddress(p.Ollama); err != nil {
		return err
	}
	body, err := json.Marshal(p)
	if err == nil {
		err = s.cfg.Store.PutLocal(ctx, "app", "preferences", body)
	}
	if err != nil {
		return fmt.Errorf("keep the settings: %w", err)
	}
	s.mu.Lock()
	moved := s.prefs.Ollama != p.Ollama
	s.prefs = p
	s.mu.Unlock()
	if moved {
		s.models.forget()
	} else {
		s.models.wake()
	}
	return nil
}
