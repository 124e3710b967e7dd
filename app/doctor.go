package app

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/view"
)

// lowSpace is the free space below which doctor says something.
const lowSpace = 1 << 30

// Doctor looks at everything that Cairn needs and says what is wrong and how to
// mend it.
func (s *Service) Doctor(ctx context.Context) ([]dto.Check, error) {
	out := []dto.Check{
		{Name: "Version", Value: s.cfg.Version + ", " + runtime.GOOS + "/" + runtime.GOARCH, Good: true},
		{Name: "Records", Value: s.cfg.Home.Dir, Good: true},
		{Name: "Cache", Value: s.cfg.Home.Cache, Good: true},
		s.private(),
		s.space(),
	}
	if s.cfg.Health != nil {
		out = append(out, s.cfg.Health(ctx)...)
	}
	out = append(out, s.tasksCheck(ctx)...)
	return append(out, s.runtimeChecks(ctx)...), nil
}

func (s *Service) private() dto.Check {
	c := dto.Check{Name: "Private", Value: "only you can open the records", Good: true}
	info, err := os.Stat(s.cfg.Home.Dir)
	switch {
	case err != nil:
		return dto.Check{Name: "Private", Value: "the folder can't be looked at", Mend: "Look whether you may read " + s.cfg.Home.Dir + "."}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return dto.Check{Name: "Private", Value: "others on this computer can open the records", Mend: "Run: chmod 700 " + s.cfg.Home.Dir}
	}
	return c
}

func (s *Service) space() dto.Check {
	free, err := freeSpace(s.cfg.Home.Dir)
	if err != nil {
		return dto.Check{Name: "Free space", Value: "not known here", Good: true}
	}
	c := dto.Check{Name: "Free space", Value: size(free), Good: free >= lowSpace}
	if !c.Good {
		c.Mend = "Free some space: a task pauses when the disk is full, and loses nothing."
	}
	return c
}

// tasksCheck looks at the tasks, their folders, and what an import left undone.
func (s *Service) tasksCheck(ctx context.Context) []dto.Check {
	tasks, err := s.Tasks(ctx)
	if err != nil {
		p := problem.Of(err)
		return []dto.Check{{Name: "Tasks", Value: p.What, Mend: p.Do}}
	}
	var damaged []string
	for _, t := range tasks {
		if t.State == "damaged" {
			damaged = append(damaged, t.Title+": "+t.Line)
		}
	}
	c := dto.Check{Name: "Tasks", Value: view.Count(int64(len(tasks)), "task", "tasks") + ", all whole", Good: true}
	switch {
	case len(tasks) == 0:
		c.Value = "none yet"
	case len(damaged) > 0:
		c = dto.Check{Name: "Tasks", Value: strings.Join(damaged, "; "), Mend: "The other tasks are whole. Import a good copy of the damaged one, or delete it."}
	}
	out := append([]dto.Check{c}, s.halvesCheck(ctx)...)
	return append(out, s.foldersCheck(ctx, tasks)...)
}

func (s *Service) runtimeChecks(ctx context.Context) []dto.Check {
	built := dto.Check{Name: "Built-in runtime", Value: "not built", Good: true}
	if exists(s.cfg.Home.Runtime()) {
		built.Value = s.cfg.Home.Runtime()
	}
	set, err := s.Setup(ctx)
	if err != nil {
		p := problem.Of(err)
		return []dto.Check{built, {Name: "Ollama", Value: p.What, Mend: p.Do}}
	}
	ollama := dto.Check{Name: "Ollama", Value: set.Runtime, Good: set.Runtime != ""}
	if !ollama.Good {
		ollama.Value, ollama.Mend = set.Sentence, "Start Ollama, or build the built-in runtime with: go run ./build run"
	}
	models := dto.Check{Name: "Models", Good: len(usable(set.Models)) > 0}
	var names []string
	for _, m := range set.Models {
		name := m.Name
		if m.Default {
			name += " (default)"
		}
		if m.Trial {
			name += " (for trying only)"
		}
		names = append(names, name)
	}
	models.Value = strings.Join(names, ", ")
	if !models.Good {
		models.Value = "none"
		models.Mend = "Get one with: ollama pull llama3.2. Everything but the model's own work goes on without."
	}
	speed := []dto.Check{}
	for _, m := range set.Models {
		if k, ok := s.models.speed(m.Name); ok {
			speed = append(speed, dto.Check{Name: "Speed of " + m.Name, Good: true,
				Value: fmt.Sprintf("reads %.0f and writes %.0f tokens a second", k.ReadRate, k.WriteRate)})
		}
	}
	return append([]dto.Check{built, ollama, models}, speed...)
}
