package app

import (
	"context"

	"cairn/app/dto"
	"cairn/app/view"
	"cairn/engine"
)

// halfImports are the branches that an import had begun to copy when the program
// ended. Nobody accepted them, they are shown nowhere, and their files are still
// with the person.
func (s *Service) halfImports(ctx context.Context) ([]engine.Branch, error) {
	branches, err := s.cfg.Store.Branches(ctx)
	if err != nil {
		return nil, err
	}
	var out []engine.Branch
	for _, b := range branches {
		half, err := s.desk.HalfTaken(ctx, b.ID)
		if err != nil {
			return nil, err
		}
		if half {
			out = append(out, b)
		}
	}
	return out, nil
}

// dropHalfImports removes for good what imports had copied when the program ended,
// whole tasks and alternatives alike, and says so.
func (s *Service) dropHalfImports(ctx context.Context) error {
	half, err := s.halfImports(ctx)
	if err != nil {
		return err
	}
	for _, b := range half {
		s.desk.Forget(b.ID)
		if _, err := s.cfg.Store.Delete(ctx, b.ID); err != nil {
			return err
		}
	}
	if n := int64(len(half)); n > 0 {
		s.notice(view.Count(n, "import was", "imports were") + " cut off when Cairn ended; what had been copied is removed. Open the file again to take it over.")
	}
	return nil
}

// halvesCheck says what an import left undone, where this service does not mend it.
func (s *Service) halvesCheck(ctx context.Context) []dto.Check {
	half, err := s.halfImports(ctx)
	if err != nil || len(half) == 0 {
		return nil // what can't be listed is said of the tasks
	}
	return []dto.Check{{
		Name: "Imports", Value: view.Count(int64(len(half)), "import was", "imports were") + " cut off and can't be seen in the list",
		Mend: "Import the file again, which completes it. Else it is removed when the window is opened or a task is run.",
	}}
}
