//go:build unix

package vault

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeSpace is the number of bytes that this user can still write to the disk
// that holds dir.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("ask for free space: %w", err)
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil //nolint:unconvert // types differ by system
}

// onDisk is what a file takes on disk in bytes.
func onDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return info.Size()
}

func dirSync(f *os.File) error { return f.Sync() }
