package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"cairn/build/report"
	"cairn/build/setup"
	"cairn/build/stage"
)

// browser runs the page's tests in a real browser against the program's dev
// build, with the runtime's folders empty: nothing in them needs a model.
func (t *tool) browser(ctx context.Context, p *stage.Progress) (outcome, error) {
	browser := setup.Browser()
	if browser == "" {
		return outcome{}, errors.New("there is no Chromium here")
	}
	tmp, err := os.MkdirTemp("", "cairn-browser-*")
	if err != nil {
		return outcome{}, fmt.Errorf("make a folder for the results: %w", err)
	}
	defer os.RemoveAll(tmp)
	p.Note("starting the program")
	s, err := t.serve(ctx)
	if err != nil {
		return outcome{}, err
	}
	defer s.stop()
	var said []string
	file := filepath.Join(tmp, "results.json")
	run := setup.Command{
		Dir:  filepath.Join(t.place.Repo, "frontend"),
		Env:  []string{"CAIRN_URL=" + s.url, "CAIRN_BROWSER=" + browser, "CAIRN_RESULTS=" + file, "CAIRN_HOME=" + s.home},
		Args: []string{"npm", "run", "--silent", "e2e"},
		Line: func(text string) { said = append(said, text); p.Note(text) },
	}
	runErr := run.Run(ctx)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	counts, failures, skips := report.TAP(said)
	if runErr != nil && counts.Failed == 0 {
		return outcome{}, runErr
	}
	return outcome{counts, failures, skips}, nil
}
