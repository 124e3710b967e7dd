//go:build unix

package app

import "golang.org/x/sys/unix"

// freeSpace is what a person without special rights can still write at path.
func freeSpace(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
