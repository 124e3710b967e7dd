//go:build unix

package source

import (
	"os"
	"syscall"
)

// killedBySystem: a SIGKILL that was not ours is the system short of memory.
func killedBySystem(s *os.ProcessState) bool {
	ws, ok := s.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

func limit(resource int, n uint64) {
	// A limit that can't be set leaves the others: the parent's deadline and
	// memory watch do not depend on it.
	_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n})
}
