package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func init() { children["child-disk"] = childDisk }

// smallDisk is a small file system in memory. It is mounted where only the process
// that holds it sees it, and reached through that process: no rights are needed
// where the kernel lets everybody do that, and nothing is left when it ends.
type smallDisk struct {
	dir    string // its root, as this process reaches it
	holder *exec.Cmd
	hold   io.Closer
}

// childDisk mounts the file system on a folder and holds it until its input ends.
func childDisk(args []string) int {
	err := errors.New("a folder and a size are needed")
	if len(args) == 2 {
		err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	}
	if err == nil {
		err = unix.Mount("tmpfs", args[0], "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0700,size="+args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mount a small disk:", err)
		return endError
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return endError
	}
	return endGood
}

// newDisk makes a file system of size bytes, seen at the folder at.
func newDisk(ctx context.Context, program, at string, size int64) (*smallDisk, error) {
	if err := os.MkdirAll(at, 0o700); err != nil {
		return nil, fmt.Errorf("make a small disk: %w", err)
	}
	d := &smallDisk{holder: exec.CommandContext(ctx, program, "child-disk", at, strconv.FormatInt(size, 10))}
	own := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		own.Cloneflags |= syscall.CLONE_NEWUSER
		own.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		own.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	d.holder.SysProcAttr = own
	var said strings.Builder
	d.holder.Stderr = &said
	in, err := d.holder.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a small disk: %w", err)
	}
	out, err := d.holder.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a small disk: %w", err)
	}
	if err := d.holder.Start(); err != nil {
		return nil, fmt.Errorf("make a small disk: %w", err)
	}
	d.hold = in
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("make a small disk: %s", said.String()), d.close())
	}
	d.dir = filepath.Join("/proc", strconv.Itoa(d.holder.Process.Pid), "root", at)
	if free, err := d.free(); err != nil || free > size {
		return nil, errors.Join(fmt.Errorf("make a small disk: it is not seen at %s", d.dir), err, d.close())
	}
	return d, nil
}

// close ends the disk with all that is on it.
func (d *smallDisk) close() error {
	err := d.hold.Close()
	_ = d.holder.Wait() // whatever it says, the disk is gone
	return err
}

func (d *smallDisk) free() (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(d.dir, &st); err != nil {
		return 0, fmt.Errorf("ask for free space: %w", err)
	}
	return int64(st.Bavail) * st.Bsize, nil
}

func (d *smallDisk) filler() string { return filepath.Join(d.dir, "filler") }

// fill leaves n bytes free, as another program would that fills the disk while
// Cairn works; what Cairn writes meanwhile is the other's gain or loss.
func (d *smallDisk) fill(n int64) error {
	f, err := os.OpenFile(d.filler(), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("fill the disk: %w", err)
	}
	for range 4 {
		free, ferr := d.free()
		info, serr := f.Stat()
		if err = errors.Join(ferr, serr); err != nil || free <= n {
			break
		}
		err = unix.Fallocate(int(f.Fd()), 0, info.Size(), free-n)
		if errors.Is(err, unix.ENOSPC) { // somebody was faster
			err = nil
		}
		if err != nil {
			break
		}
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("fill the disk: %w", err)
	}
	return nil
}

// clear gives all room back.
func (d *smallDisk) clear() error {
	if err := os.Remove(d.filler()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("give room back: %w", err)
	}
	return nil
}

// missingDisk says why a small disk can't be made here.
func missingDisk() string {
	exe, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	at, err := os.MkdirTemp("", "cairn-lab-*")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(at)
	d, err := newDisk(context.Background(), exe, at, 1<<20)
	if err == nil {
		err = errors.Join(d.fill(0), d.close())
	}
	if err != nil {
		return "no small disk can be mounted here: " + err.Error()
	}
	return ""
}
