package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"cairn/build/stage"
)

// langgraph is what the bench compares with, pinned; what these need is chosen by
// the installer.
var langgraph = []string{"langgraph-checkpoint-sqlite==3.1.2", "langgraph-checkpoint==4.3.2", "langchain-core==1.8.3", "ormsgpack==1.13.1"}

// LangGraph installs LangGraph's SqliteSaver into a folder of the cache, from the
// Python package index. It ends well also where that is not possible; Python then
// says why.
func LangGraph(p Place) stage.Stage {
	return stage.Stage{
		Name: "langgraph", About: "fetch " + langgraph[0] + " to compare with", Guess: 40 * time.Second,
		Run: func(ctx context.Context, progress *stage.Progress) error {
			if _, err := Python(p); err == nil {
				progress.Result("is there")
				return nil
			}
			err := installLangGraph(ctx, p, progress)
			if err != nil && ctx.Err() == nil {
				progress.Result("not possible here: " + firstLine(err.Error()))
				err = os.WriteFile(filepath.Join(p.Cache, "langgraph-why"), []byte(firstLine(err.Error())), 0o600)
			}
			return err
		},
	}
}

func installLangGraph(ctx context.Context, p Place, progress *stage.Progress) error {
	python, err := exec.LookPath("python3")
	if err != nil {
		return errors.New("there is no python3")
	}
	dir := langgraphDir(p)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear the old packages: %w", err)
	}
	note := func(text string) { progress.Note(text) }
	if err := (Command{Args: []string{python, "-m", "venv", dir}, Line: note}).Run(ctx); err != nil {
		return fmt.Errorf("make a folder for Python's packages: %w", err)
	}
	args := append([]string{venvPython(dir), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"}, langgraph...)
	if err := (Command{Args: args, Line: note}).Run(ctx); err != nil {
		return fmt.Errorf("install LangGraph's packages: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "ready"), []byte(strings.Join(langgraph, "\n")), 0o600)
}

// Python is the Python that has LangGraph's packages; the error says why there is none.
func Python(p Place) (string, error) {
	dir := langgraphDir(p)
	if got := readStamp(filepath.Join(dir, "ready")); got == strings.Join(langgraph, "\n") {
		return venvPython(dir), nil
	}
	if why := readStamp(filepath.Join(p.Cache, "langgraph-why")); why != "" {
		return "", errors.New(why)
	}
	return "", errors.New("LangGraph's packages are not installed")
}

func langgraphDir(p Place) string { return filepath.Join(p.Cache, "langgraph") }

func venvPython(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "Scripts", "python.exe")
	}
	return filepath.Join(dir, "bin", "python3")
}
