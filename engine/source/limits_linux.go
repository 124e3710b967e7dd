package source

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// childAttributes: an own process group, so that Ctrl-C in a terminal reaches
// the parent only; and the end of the parent ends the child.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

var pageSize = int64(os.Getpagesize())

// resident is the resident memory of a process in bytes, 0 when not known.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0
	}
	n, err := strconv.ParseInt(string(f[1]), 10, 64)
	if err != nil {
		return 0
	}
	return n * pageSize
}
