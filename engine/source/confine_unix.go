//go:build unix

package source

import "syscall"

// confine narrows what this process can do: no core files, no large files, few
// open files, and where it is safe a bound on its address space.
func confine(memory int64) {
	limit(syscall.RLIMIT_CORE, 0)
	limit(syscall.RLIMIT_FSIZE, 256<<20)
	if !raceDetector {
		limit(syscall.RLIMIT_AS, uint64(memory)+addressHeadroom)
	}
}

// addressHeadroom is what Go and WebAssembly reserve without using it.
const addressHeadroom = 3 << 30
