//go:build unix && !linux

package model

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// bind gives the child its own process group, so that it can be ended together
// with its runners and a Ctrl-C in the terminal does not end it first.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// born tells one process from a later one with the same number, by what ps says
// about its start. "" when there is no such process or only its remains.
func born(pid int) string {
	out, err := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	stat, start, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if strings.HasPrefix(stat, "Z") {
		return ""
	}
	return strings.TrimSpace(start)
}
