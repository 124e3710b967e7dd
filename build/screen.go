package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"cairn/build/setup"
	"cairn/build/stage"
	"cairn/engine/clock"
)

// onScreen puts a command on a screen without a monitor, in a desktop session
// of its own.
func onScreen(args ...string) []string {
	return append([]string{"dbus-run-session", "--", "xvfb-run", "-a", "-s", "-screen 0 1440x960x24",
		"env", "GDK_BACKEND=x11", "WEBKIT_DISABLE_COMPOSITING_MODE=1", "LIBGL_ALWAYS_SOFTWARE=1"}, args...)
}

// serving is the program serving its page to a browser.
type serving struct {
	url    string
	home   string
	cancel context.CancelFunc
	ended  chan error
}

// serve starts the program's dev build in a fresh home folder, with env added,
// and waits until its page can be fetched. The caller calls stop.
func (t *tool) serve(ctx context.Context, env ...string) (*serving, error) {
	port, err := setup.FreePort()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "cairn-home-*")
	if err != nil {
		return nil, fmt.Errorf("make a home folder: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	address := fmt.Sprintf("localhost:%d", port)
	s := &serving{url: "http://" + address, home: home, cancel: cancel, ended: make(chan error, 1)}
	cmd := setup.Command{
		Dir: t.place.Repo,
		Env: append([]string{"CAIRN_HOME=" + home, "CAIRN_CACHE=" + filepath.Join(home, "cache")}, env...),
		Args: onScreen(setup.Dev.Path(t.place), "-assetdir", filepath.Join(t.place.Repo, "frontend", "dist"),
			"-devserver", address),
	}
	go func() { s.ended <- cmd.Run(ctx) }()
	var c clock.Real
	for deadline := c.Now().Add(60 * time.Second); c.Now().Before(deadline); {
		if fetches(ctx, s.url) {
			return s, nil
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			s.stop()
			return nil, fmt.Errorf("the program ended before it served its page: %w", err)
		default:
		}
		if err := c.Sleep(ctx, 200*time.Millisecond); err != nil {
			s.stop()
			return nil, err
		}
	}
	s.stop()
	return nil, errors.New("the program did not serve its page within a minute")
}

// stop ends the program and removes its home folder.
func (s *serving) stop() {
	s.cancel()
	<-s.ended
	_ = os.RemoveAll(s.home)
}

func fetches(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err == nil && resp.StatusCode == http.StatusOK
}

// window runs the tests of the real window.
func (t *tool) window(ctx context.Context, p *stage.Progress) (outcome, error) {
	env := []string{
		"CAIRN_WINDOW_PROGRAM=" + setup.Window.Path(t.place),
		"CAIRN_TERMINAL_PROGRAM=" + setup.Terminal.Path(t.place),
	}
	return t.goTest(ctx, p, 0, env, "-count=1", "-timeout", "10m", windowTests)
}
