package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"cairn/engine"
)

// Probe tries to open a copy of the store. args are for ProbeMain, which must
// get them as they are; nil means that the copy opened and could be read.
type Probe func(ctx context.Context, args []string) error

// Exit codes of ProbeMain.
const (
	probeGood  = 0
	probeBad   = 1
	probeNewer = 3
	probeDisk  = 4
)

// probeAll asks for every record to be read, not only the branches: for a store
// that ended a start before.
const probeAll = "all"

// ProbeMain is the child's side: `cairn <hidden command> args…`. It opens the
// copy named by args and gives the exit code. Badger can panic on goroutines
// of its own, which nothing can catch: here that ends only the child.
// It ends when its standard input does: then nobody waits for it any more, and a
// store whose folder was taken away would keep it busy for ever.
func ProbeMain(args []string) int { return probeUntil(os.Stdin, probeHere, args) }

func probeUntil(asker io.Reader, probe Probe, args []string) int {
	done := make(chan error, 2) // the later one ends with the process
	go func() { done <- probe(context.Background(), args) }()
	go func() {
		_, err := io.Copy(io.Discard, asker)
		done <- errors.Join(errors.New("try a copy of the store: the process that asked for it is gone"), err)
	}()
	err := <-done
	switch {
	case err == nil:
		return probeGood
	case engine.KindOf(err) == engine.KindNewer:
		return probeNewer
	case diskFault(err):
		fmt.Fprintln(os.Stderr, err)
		return probeDisk
	default:
		fmt.Fprintln(os.Stderr, err)
		return probeBad
	}
}

// ProbeChild gives a Probe that starts a program: exe, lead, then the args.
func ProbeChild(exe string, lead ...string) Probe {
	return func(ctx context.Context, args []string) error {
		cmd := exec.CommandContext(ctx, exe, append(lead, args...)...)
		tail := &lastBytes{}
		cmd.Stderr = tail
		if _, err := cmd.StdinPipe(); err != nil { // open as long as this process lives
			return fmt.Errorf("try a copy of the store: %w", err)
		}
		err := cmd.Run()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == probeNewer {
			return newer("found by trying a copy")
		}
		if errors.As(err, &exit) && exit.ExitCode() == probeDisk {
			return unreadable(fmt.Errorf("try a copy of the store: %s", tail))
		}
		if err != nil {
			return fmt.Errorf("try a copy of the store: %w: %s", err, tail)
		}
		return nil
	}
}

// lastBytes keeps the beginning of what a child says, enough for a report.
type lastBytes struct{ b bytes.Buffer }

func (l *lastBytes) Write(p []byte) (int, error) {
	l.b.Write(p[:min(len(p), max(0, 400-l.b.Len()))])
	return len(p), nil
}

func (l *lastBytes) String() string { return strings.TrimSpace(l.b.String()) }

var _ io.Writer = (*lastBytes)(nil)

// probeHere opens the copy in this process.
func probeHere(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("try a copy of the store: no folder named")
	}
	s, err := openTrial(args[0])
	if err != nil {
		return err
	}
	err = readable(ctx, s, len(args) > 1 && args[1] == probeAll)
	return errors.Join(err, s.close())
}

// readable reads the format and all branches; with all every record there is.
func readable(ctx context.Context, s *kv, all bool) error {
	if err := checkStored(s); err != nil && !errors.Is(err, errEmpty) {
		return err
	}
	if _, err := readBranches(s); err != nil {
		return err
	}
	if !all {
		return nil
	}
	if err := s.each(nil, nil, func(key, env []byte) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		_, err := unseal(kindOfKey(key), key, env)
		return true, err
	}); err != nil {
		return err
	}
	return s.verifyTables()
}

// try makes a copy of the store and has it probed. The copy shares the tables, which
// openTrial does not change, and is removed afterwards.
func (s *Store) try(ctx context.Context, all bool) (err error) {
	// A child of a process that was killed may still be at work on its own copy: what
	// it keeps from being removed goes at the next start, and this copy has a place of
	// its own.
	_ = os.RemoveAll(s.home.probe())
	if err := os.MkdirAll(s.home.probe(), 0o700); err != nil {
		return fileError("copy the store", err)
	}
	place, err := os.MkdirTemp(s.home.probe(), "copy-*")
	if err != nil {
		return fileError("copy the store", err)
	}
	defer func() {
		err = errors.Join(err, remove(place))
		_ = os.Remove(s.home.probe()) // unless such a child's copy is still in it
	}()
	dir := filepath.Join(place, "vault")
	if err := copyStore(s.home.Vault(), dir); err != nil {
		return err
	}
	args := []string{dir}
	if all {
		args = append(args, probeAll)
	}
	if err := s.o.Probe(ctx, args); err != nil {
		switch k := engine.KindOf(err); {
		case k == engine.KindNewer, k == engine.KindReadOnly, k == engine.KindDiskFull, ctx.Err() != nil:
			return err
		case diskFault(err):
			return unreadable(err)
		}
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

func copyStore(from, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return fileError("copy the store", err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return fileError("copy the store", err)
	}
	for _, e := range entries {
		a, b := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if e.Name() == "LOCK" || e.IsDir() {
			continue
		}
		if filepath.Ext(e.Name()) == ".sst" && os.Link(a, b) == nil {
			continue
		}
		if err := copySparse(a, b); err != nil {
			return err
		}
	}
	return nil
}
