//go:build unix

package model

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// terminate asks a process and its group to end. A process that is gone is fine.
func terminate(pid int) { sendSignal(pid, syscall.SIGTERM) }

// kill ends a process and its group.
func kill(pid int) { sendSignal(pid, syscall.SIGKILL) }

func sendSignal(pid int, s syscall.Signal) {
	if syscall.Kill(-pid, s) != nil { // it may not lead a group
		_ = syscall.Kill(pid, s) // gone already: nothing left to do
	}
}

// freeBytes is the space that is left for this user on the disk of dir.
func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
