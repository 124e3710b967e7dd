package setup

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"cairn/build/stage"
)

// Variant is one way of building the program.
type Variant struct {
	Name string   // names the file in bin/
	Tags []string // build tags
}

// The variants that are built here.
var (
	Terminal = Variant{Name: "cairn-terminal"} // needs no graphics library
	Window   = Variant{Name: "cairn", Tags: []string{"window", "desktop", "production"}}
	Dev      = Variant{Name: "cairn-dev", Tags: []string{"window", "dev"}} // serves the page to a browser
)

// BuildTags are the variant's tags on this system.
func (v Variant) BuildTags() []string {
	if len(v.Tags) > 0 && runtime.GOOS == "linux" {
		return append(append([]string{}, v.Tags...), "webkit2_41")
	}
	return v.Tags
}

// Path is where the variant's program lies.
func (v Variant) Path(p Place) string { return filepath.Join(p.Repo, "bin", exe(v.Name)) }

// Program builds a variant of the program. Go's own cache decides what has to
// be done, so it always runs; an unchanged program takes about a second.
func Program(p Place, v Variant) stage.Stage {
	s := stage.Stage{Name: "program", About: "build the program", Guess: 60 * time.Second}
	switch v.Name {
	case Window.Name:
		s.About = "build the program with its window"
	case Terminal.Name:
		s.Name, s.About = "program-t", "build the program for the terminal"
	case Dev.Name:
		s.Name, s.About = "program-d", "build the program that serves its page to a browser"
	}
	s.Run = func(ctx context.Context, pr *stage.Progress) error {
		// Without tables for a debugger linking is much quicker; panics still
		// name functions and lines.
		args := []string{"go", "build", "-v", "-ldflags", "-s -w", "-o", v.Path(p)}
		if tags := v.BuildTags(); len(tags) > 0 {
			args = append(args, "-tags", strings.Join(tags, ","))
		}
		return Command{Dir: p.Repo, Args: append(args, "."), Line: func(text string) {
			if isPackage(text) {
				pr.Note("package " + shorten(text, 50))
			}
		}}.Run(ctx)
	}
	return s
}
