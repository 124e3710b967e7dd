package model

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// bind gives the child its own process group, so that it can be ended together
// with its runners and a Ctrl-C in the terminal does not end it first, and makes
// the system end it when this process dies, however it dies.
func bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// born tells one process from a later one with the same number: its start in
// clock ticks, with the boot it belongs to. "" when there is no such process or
// only its remains.
func born(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name in brackets may hold anything; the fields follow the last bracket.
	_, rest, ok := strings.Cut(string(b[strings.LastIndexByte(string(b), ')'):]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return fields[19] + "@" + strings.TrimSpace(string(boot))
}
