//go:build !unix

package setup

import "os/exec"

// ownGroup does nothing here: the command alone is ended.
func ownGroup(*exec.Cmd) {}

// endGroup ends the command.
func endGroup(cmd *exec.Cmd, _ bool) { _ = cmd.Process.Kill() }
