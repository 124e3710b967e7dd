package source

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// Limits of one extraction. The zero value of a field means its default.
type Limits struct {
	Timeout time.Duration // wall time of one file; 30 s
	Memory  int64         // bytes of resident memory of the child; 512 MB
	Files   int           // files after which the child is replaced; 200
}

// Worker extracts documents in child processes: the same program, started again
// with WorkerArgs. It is safe for concurrent use; Close ends its children.
type Worker struct {
	Command  []string // program and arguments of the child
	Cache    string   // private folder (0700) for compiled code, "" = none; kept between runs
	Limits   Limits
	Parallel int // children at the same time, default 1

	mu sync.Mutex
}

// WorkerArgs are the arguments that make the program the child's side.
var WorkerArgs = []string{"worker", "extract"}

// NewWorker uses the running program as the child. cache may be "".
func NewWorker(cache string) (*Worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &Worker{Command: append([]string{exe}, WorkerArgs...), Cache: cache}, nil
}

// IsWorker reports whether args (os.Args) ask for the child's side. A TestMain
// that starts workers asks this first and then calls RunWorker.
func IsWorker(args []string) bool {
	return len(args) >= 3 && args[1] == WorkerArgs[0] && args[2] == WorkerArgs[1]
}

// Extract reads the file at path. What is wrong with the file is the document's
// Reason; an error means that no worker could be had or that ctx ended.
func (w *Worker) Extract(ctx context.Context, path string) (Document, error) {
	return Document{}, errors.ErrUnsupported
}

// Close ends the children. The worker can be used again afterwards.
func (w *Worker) Close() error { return nil }

// RunWorker is the child's side: it serves requests from in until it ends.
func RunWorker(in io.Reader, out io.Writer) error { return errors.ErrUnsupported }
