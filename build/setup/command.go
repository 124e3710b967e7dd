package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Command is a child process whose output is kept for the case that it fails.
type Command struct {
	Dir   string
	Env   []string // added to this process's environment
	Args  []string
	Quiet bool              // run it with low priority, where the system has "nice"
	Line  func(text string) // gets each line of output as it comes; may be nil
}

// Run runs the command until it ends. The error of a command that ended badly
// carries the last lines of its output: they say why.
func (c Command) Run(ctx context.Context) error {
	args := c.Args
	if c.Quiet {
		if nice, err := exec.LookPath("nice"); err == nil {
			args = append([]string{nice, "-n", "10"}, args...)
		}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.WaitDelay = 5 * time.Second
	ownGroup(cmd)
	tail := &tailWriter{line: c.Line}
	cmd.Stdout, cmd.Stderr = tail, tail
	err := cmd.Run()
	tail.flush()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var missing *exec.Error
	if errors.As(err, &missing) {
		return fmt.Errorf("%s is not installed here: %w", c.Args[0], err)
	}
	return fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, tail.text())
}

// Output runs the command and gives what it wrote to standard output.
func (c Command) Output(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// tailWriter hands on whole lines and keeps the last of them.
type tailWriter struct {
	mu    sync.Mutex
	part  []byte
	lines []string
	line  func(string)
}

// kept is how many last lines a failed command shows.
const kept = 60

func (t *tailWriter) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.part = append(t.part, b...)
	for {
		i := bytes.IndexAny(t.part, "\n\r")
		if i < 0 {
			return len(b), nil
		}
		t.add(string(t.part[:i]))
		t.part = t.part[i+1:]
	}
}

// escapes are a terminal's control sequences: colours, cursor movements.
var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

func (t *tailWriter) add(text string) {
	text = escapes.ReplaceAllString(text, "")
	if strings.TrimSpace(text) == "" {
		return
	}
	t.lines = append(t.lines, text)
	if len(t.lines) > kept {
		t.lines = t.lines[1:]
	}
	if t.line != nil {
		t.line(text)
	}
}

func (t *tailWriter) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.part) > 0 {
		t.add(string(t.part))
		t.part = nil
	}
}

func (t *tailWriter) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
