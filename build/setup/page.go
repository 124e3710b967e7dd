package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cairn/build/stage"
)

// Modules installs the page's tools exactly as the lock file names them.
func Modules(p Place) stage.Stage {
	dir := filepath.Join(p.Repo, "frontend")
	stamp := filepath.Join(dir, "node_modules", ".cairn-stamp")
	print := func() (string, error) { return fingerprint(dir, []string{"package.json", "package-lock.json"}) }
	return stage.Stage{
		Name:  "modules",
		About: "install the page's tools from the lock file",
		Guess: 25 * time.Second,
		Fresh: func(context.Context) (bool, string) {
			want, err := print()
			return err == nil && readStamp(stamp) == want, "the page's tools are installed"
		},
		Run: func(ctx context.Context, pr *stage.Progress) error {
			if err := needNode(ctx); err != nil {
				return err
			}
			if err := (Command{Dir: dir, Args: []string{"npm", "ci", "--no-audit", "--no-fund"}}).Run(ctx); err != nil {
				return err
			}
			want, err := print()
			if err != nil {
				return err
			}
			return stage.WriteFile(stamp, []byte(want+"\n"), 0o600)
		},
	}
}

// Page builds the page that the window and the tests show.
func Page(p Place) stage.Stage {
	dir := filepath.Join(p.Repo, "frontend")
	stamp := filepath.Join(p.Repo, "bin", "page.stamp")
	print := func() (string, error) { return fingerprint(dir, []string{"."}, "node_modules", "dist", "e2e") }
	return stage.Stage{
		Name:  "page",
		About: "build the page",
		Guess: 15 * time.Second,
		Fresh: func(context.Context) (bool, string) {
			if _, err := os.Stat(filepath.Join(dir, "dist", "index.html")); err != nil {
				return false, ""
			}
			want, err := print()
			return err == nil && readStamp(stamp) == want, "the page is built and unchanged"
		},
		Run: func(ctx context.Context, pr *stage.Progress) error {
			err := Command{Dir: dir, Args: []string{"npm", "run", "build"}, Line: func(text string) { pr.Note(shorten(text, 60)) }}.Run(ctx)
			if err != nil {
				return err
			}
			want, err := print()
			if err != nil {
				return err
			}
			return stage.WriteFile(stamp, []byte(want+"\n"), 0o600)
		},
	}
}

// oldestNode is the oldest Node that the page's tools run on.
const oldestNode = 20

func needNode(ctx context.Context) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("the page needs Node with npm (version 20 or newer): install it from nodejs.org or your system's packages, and run this command again")
	}
	out, err := Command{Args: []string{"node", "--version"}}.Output(ctx)
	if err != nil {
		return err
	}
	if v := nodeMajor(string(out)); v < oldestNode {
		return fmt.Errorf("the page needs Node %d or newer, and here is %s", oldestNode, strings.TrimSpace(string(out)))
	}
	return nil
}

func nodeMajor(text string) int {
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "v"), ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return n
}
