//go:build unix && !linux

package source

import "syscall"

// childAttributes: an own process group, so that Ctrl-C reaches the parent only.
// The child notices the parent's end by the end of its input.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// resident is not known here; the child watches itself.
func resident(int) int64 { return 0 }
