package source

import (
	"os"
	"syscall"
)

// createNoWindow keeps a console window from flashing up.
const createNoWindow = 0x08000000

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: createNoWindow}
}

// resident is not known here; the child watches itself.
func resident(int) int64 { return 0 }

func killedBySystem(*os.ProcessState) bool { return false }

// confine: Windows has no such limits for a process on itself; the deadline and
// the child's own watch remain.
func confine(int64) {}
