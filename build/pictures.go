package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"

	"cairn/build/setup"
	"cairn/build/stage"
)

func picturesCommand(flags *flag.FlagSet) func(context.Context, *tool) error {
	out := flags.String("o", "", "`folder` to put the pictures in, instead of docs/pictures")
	return func(ctx context.Context, t *tool) error {
		folder := *out
		if folder == "" {
			folder = picturesFolder(t.place)
		}
		folder, err := filepath.Abs(folder)
		if err != nil {
			return err
		}
		stages := []stage.Stage{
			setup.Packages(setup.Wants{Window: true, Runtime: true, Tests: true}, keyboard()),
			setup.Modules(t.place), setup.Page(t.place), setup.Program(t.place, setup.Dev),
			setup.BuildRuntime(t.place), setup.Starter(t.place),
			{Name: "pictures", About: "make the pictures from the running program", Guess: 3 * guessWindow,
				Run: func(ctx context.Context, p *stage.Progress) error { return t.pictures(ctx, p, folder) }},
		}
		_, err = t.runner.Run(ctx, stages)
		return err
	}
}

// pictures starts the program's dev build on a fresh home folder, with the
// starter model, and lets a browser walk through its states.
func (t *tool) pictures(ctx context.Context, p *stage.Progress, folder string) error {
	browser := setup.Browser()
	if browser == "" {
		return errors.New("there is no Chromium here")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	s, err := t.serve(ctx, append(t.environment(), "CAIRN_CACHE="+t.place.Cache)...)
	if err != nil {
		return err
	}
	defer s.stop()
	return setup.Command{
		Dir: filepath.Join(t.place.Repo, "frontend"),
		Env: []string{
			"CAIRN_URL=" + s.url, "CAIRN_BROWSER=" + browser, "CAIRN_HOME=" + s.home, "CAIRN_PICTURES=" + folder,
			"CAIRN_SAMPLE=" + filepath.Join(t.place.Repo, "app", "sample", "files"),
		},
		Args: []string{"node", filepath.Join(t.place.Repo, "build", "pictures", "shoot.mjs")},
		Line: func(text string) { p.Note(text) },
	}.Run(ctx)
}
