package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func init() { children["child-power"] = childPower }

// childPower is the writing child with its syncs watched, through the socket that
// it gets as file 3.
func childPower(args []string) int {
	if err := giveNotices(3); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return endError
	}
	return childWrite(args)
}

// missingWatch says why syncs can't be watched here.
func missingWatch() string {
	exe, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	dir, err := os.MkdirTemp("", "cairn-lab-*")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	w, err := startWatched(context.Background(), exe, settings{})
	if err != nil {
		return "the kernel gives no notice of system calls here: " + err.Error()
	}
	w.stop()
	return ""
}

// watchedChild is a writing child whose syncs wait for the laboratory.
type watchedChild struct {
	cmd      *exec.Cmd
	listener int
	out      *os.File
	said     bytes.Buffer // standard error
	text     []byte       // of its output, up to now less than a line
	acks     []ack
}

func startWatched(ctx context.Context, program string, c settings) (*watchedChild, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	r, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a child: %w", err), theirs.Close())
	}
	c.program = program
	args := c.args()
	args[0] = "child-power"
	w := &watchedChild{cmd: exec.CommandContext(ctx, program, args...), out: r}
	w.cmd.ExtraFiles, w.cmd.Stdout, w.cmd.Stderr = []*os.File{theirs}, out, &w.said
	// A group of its own: the children that it starts end with it.
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w.cmd.Cancel = func() error { return syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) }
	w.cmd.WaitDelay = time.Second
	err = w.cmd.Start()
	err = errors.Join(err, theirs.Close(), out.Close())
	if err == nil {
		w.listener, err = takeNotices(ours)
	}
	if err != nil {
		if w.cmd.Process != nil {
			w.stop()
		}
		return nil, fmt.Errorf("start a child: %w %s", err, w.said.String())
	}
	return w, nil
}

// halt stops the child and waits until all its threads have stopped: an image is of
// one instant.
func (w *watchedChild) halt() error {
	if err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop a child: %w", err)
	}
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, w.cmd.Process.Pid, &info, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			return nil
		}
		if err != unix.EINTR {
			return fmt.Errorf("stop a child: %w", err)
		}
	}
}

// stop ends the child and all that it started.
func (w *watchedChild) stop() {
	_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	_ = w.cmd.Wait()
	_ = w.out.Close()
	if w.listener > 0 {
		_ = unix.Close(w.listener)
	}
}

// read takes in what the child said, without waiting; more is false at its end.
func (w *watchedChild) read() (more bool, err error) {
	buf := make([]byte, 1<<16)
	for {
		fds := []unix.PollFd{{Fd: int32(w.out.Fd()), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, 0); err == unix.EINTR {
			continue
		} else if err != nil {
			return false, fmt.Errorf("read a child: %w", err)
		} else if n == 0 {
			return true, nil
		}
		n, err := unix.Read(int(w.out.Fd()), buf)
		if err != nil {
			return false, fmt.Errorf("read a child: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		w.text = append(w.text, buf[:n]...)
		for {
			line, rest, ok := strings.Cut(string(w.text), "\n")
			if !ok {
				break
			}
			w.text = []byte(rest)
			if a, ok := parseAck(line); ok {
				w.acks = append(w.acks, a)
			}
		}
	}
}

// next waits for the child to sync or to say something; ended when it is over.
func (w *watchedChild) next(ctx context.Context) (sync bool, ended bool, err error) {
	for ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}, {Fd: int32(w.out.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 1000)
		switch {
		case err == unix.EINTR || err == nil && n == 0:
		case err != nil:
			return false, false, fmt.Errorf("watch a child: %w", err)
		case fds[0].Revents&unix.POLLIN != 0:
			return true, false, nil
		case fds[1].Revents != 0:
			more, err := w.read()
			return false, !more, err
		}
	}
	return false, false, ctx.Err()
}

// cut lets a child work on a home until its K-th sync and cuts the power there,
// before what is to be synced is on the disk, or soon after.
func (o Options) cut(ctx context.Context, h *powerHome, seed uint64) (Trial, error) {
	dice := rand.New(rand.NewPCG(seed, 2))
	t := Trial{Seed: seed}
	if err := os.MkdirAll(string(h.dir), 0o700); err != nil {
		return t, fmt.Errorf("make a home: %w", err)
	}
	saved, err := readDisk(string(h.dir))
	if err != nil {
		return t, err
	}
	defer saved.close()
	c := settings{home: h.dir, seed: seed, early: o.Break == "early-ack"}
	if dice.IntN(2) == 0 {
		c.groups = 1 + dice.IntN(6)
	}
	at, before := dice.IntN(60), dice.IntN(4) > 0
	w, err := startWatched(ctx, o.Program, c)
	if err != nil {
		return t, err
	}
	syncs, ended, err := w.until(ctx, saved, string(h.dir), at, before)
	if err == nil && !ended {
		err = w.halt()
	}
	if err == nil {
		_, err = w.read()
	}
	if err != nil {
		w.stop()
		return t, err
	}
	now, err := readDisk(string(h.dir))
	w.stop()
	if err != nil {
		return t, err
	}
	if ended && w.cmd.ProcessState.ExitCode() != endGood {
		return t, fmt.Errorf("seed %d: the writing child ended by itself after %d syncs: %s", seed, syncs, w.said.String())
	}
	switch {
	case ended:
		t.Kind = "after a good end"
	case len(w.acks) == 0:
		t.Kind = "while opening"
	case c.groups > 0 && len(w.acks) >= c.groups:
		t.Kind = "while ending"
	default:
		t.Kind = "while saving"
	}
	image := string(h.dir) + ".image"
	if h.pages, h.hits, err = saved.image(now, image, dice); err != nil {
		return t, err
	}
	t.Landed = h.pages+h.hits > 0
	if err := errors.Join(os.RemoveAll(string(h.dir)), os.Rename(image, string(h.dir))); err != nil {
		return t, fmt.Errorf("put the image in place: %w", err)
	}
	h.acks = append(h.acks, w.acks...)
	if t.Lost, err = inJournals(h.dir, h.acks); err != nil {
		return t, err
	}
	kept, err := keep(h.dir, seed)
	if err != nil {
		return t, err
	}
	j, crashed, err := o.judge(ctx, h.dir)
	t.Crashed = crashed
	if err != nil && ctx.Err() == nil {
		t.Lost = append(t.Lost, err.Error())
		return t, nil
	}
	t.Lost = j.told(append(append(t.Lost, j.missing(h.acks)...), j.wrong()...))
	return t, errors.Join(err, kept(len(t.Lost) > 0))
}

// until answers syncs up to the K-th, keeping what they made durable in saved.
func (w *watchedChild) until(ctx context.Context, saved *disk, home string, at int, before bool) (syncs int, ended bool, err error) {
	for {
		sync, over, err := w.next(ctx)
		if err != nil || over {
			return syncs, over, err
		}
		if !sync {
			if syncs > at { // it went on after the last sync
				return syncs, false, nil
			}
			continue
		}
		n, err := receive(w.listener)
		if errors.Is(err, errGone) {
			continue
		}
		if err != nil {
			return syncs, false, err
		}
		if n.nr == unix.SYS_OPENAT {
			if err := saved.open(w.listener, n, home); err != nil {
				return syncs, false, err
			}
			continue
		}
		if syncs >= at && before || syncs > at {
			return syncs, false, nil
		}
		if err := saved.sync(n, home); err != nil {
			return syncs, false, err
		}
		syncs++
		if err := reply(w.listener, n); err != nil {
			return syncs, false, err
		}
	}
}

// open opens, for a child, a file of which every write is synced.
func (d *disk) open(listener int, n notice, home string) error {
	path, err := pathAt(n, n.args[1])
	if err != nil {
		return err
	}
	if !within(home, path) {
		return let(listener, n)
	}
	f, err := os.OpenFile(path, int(n.args[2]), os.FileMode(n.args[3])&0o777)
	var e unix.Errno
	if errors.As(err, &e) {
		return refuse(listener, n, e)
	}
	if err != nil {
		return fmt.Errorf("open a file for a child: %w", err)
	}
	id, err := identify(path)
	if err != nil {
		return errors.Join(fmt.Errorf("open a file for a child: %w", err), f.Close())
	}
	d.direct[id] = f // kept open for its number not to be used again
	return giveFile(listener, n, f)
}

// close closes what was kept open.
func (d *disk) close() {
	for _, f := range d.direct {
		_ = f.Close() // the child wrote through its own
	}
}

// within: a file in the home, which was not removed while it was open.
func within(home, path string) bool {
	return (path == home || strings.HasPrefix(path, home+"/")) && !strings.HasSuffix(path, " (deleted)")
}

// sync makes durable what a call asks for.
func (d *disk) sync(n notice, home string) error {
	if n.nr == unix.SYS_MSYNC {
		path, err := mappedAt(n.pid, n.args[0])
		if err != nil || !within(home, path) {
			return err
		}
		return d.keep(path, path, home)
	}
	link := fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(n.args[0]))
	path, err := os.Readlink(link)
	if err != nil {
		return fmt.Errorf("look what is synced: %w", err)
	}
	if !within(home, path) {
		return nil
	}
	return d.keep(link, path, home)
}

// keep makes a file's bytes or a folder's names durable as they are now, and the
// names that lead there. Badger maps and syncs whole files, so that a range is the
// file.
func (d *disk) keep(from, path, home string) error {
	info, err := os.Stat(from)
	if err != nil {
		return fmt.Errorf("look what is synced: %w", err)
	}
	id, err := identify(from)
	if err != nil {
		return fmt.Errorf("look what is synced: %w", err)
	}
	if info.IsDir() {
		d.dirs[id], err = readNames(path)
	} else {
		d.files[id], err = readContent(from)
	}
	for e := (entry{id, info.IsDir()}); err == nil && path != home; e.dir = true {
		parent, name := filepath.Split(path)
		path = filepath.Clean(parent)
		var folder inode
		if folder, err = identify(path); err != nil {
			break
		}
		if d.dirs[folder] == nil {
			d.dirs[folder] = map[string]entry{}
		}
		d.dirs[folder][name] = e
		e.id = folder
	}
	if err != nil {
		return fmt.Errorf("look what is synced: %w", err)
	}
	return nil
}

// mappedAt gives the file that is mapped at an address, "" for none that has a name.
func mappedAt(pid uint32, address uint64) (string, error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return "", fmt.Errorf("look what is synced: %w", err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil || address < from || address >= to {
			continue
		}
		_, path, _ := strings.Cut(strings.TrimSpace(line), "/")
		if path == "" {
			return "", nil
		}
		return "/" + path, nil
	}
	return "", nil
}
