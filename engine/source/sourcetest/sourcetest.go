// Package sourcetest gives tests a worker that reads documents, PDF included,
// also under the race detector and without a TestMain.
package sourcetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"cairn/engine/source"
)

var once sync.Once
var child, cache string
var failure error

// Worker gives a worker whose child is built once for the test process. It skips
// the test where there is no Go tool to build it.
func Worker(t testing.TB) *source.Worker {
	t.Helper()
	once.Do(func() {
		var dir string
		if dir, failure = os.MkdirTemp("", "cairn-child"); failure != nil {
			return
		}
		child, cache = filepath.Join(dir, "child"), filepath.Join(dir, "code")
		if runtime.GOOS == "windows" {
			child += ".exe"
		}
		failure = Build(child)
	})
	if failure != nil {
		t.Skipf("the reading process can't be built here: %v", failure)
	}
	w := &source.Worker{Command: append([]string{child}, source.WorkerArgs...), Cache: cache}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// Build makes the child's program at path.
func Build(path string) error {
	return exec.Command("go", "build", "-o", path, "cairn/engine/source/sourcetest/child").Run()
}
