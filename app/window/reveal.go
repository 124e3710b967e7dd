//go:build window

package window

import (
	"os/exec"
	"path/filepath"
	"runtime"

	"cairn/engine"
)

const goos = runtime.GOOS

// reveal opens the folder of path in the system's file manager. The path is an
// argument of its own and never part of a command text.
func reveal(path string) error {
	var cmd *exec.Cmd
	switch goos {
	case "darwin":
		cmd = exec.Command("open", "-R", path)
	case "windows":
		cmd = exec.Command("explorer", "/select,"+filepath.Clean(path))
	default:
		cmd = exec.Command("xdg-open", filepath.Dir(path))
	}
	if err := cmd.Start(); err != nil {
		return &engine.Error{
			Kind: engine.KindNotFound, What: "No file manager could be opened.",
			Safe: "The file is where it was saved.", Do: "Open the folder " + filepath.Dir(path) + " yourself.", Err: err,
		}
	}
	go func() { _ = cmd.Wait() }() // reap it; how it ended is its own matter
	return nil
}
