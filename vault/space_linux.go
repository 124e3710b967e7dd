package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserveBlocks gives a file its blocks on disk up to size bytes. A file system
// that can't is left as it is; the free-space floor still holds there.
func reserveBlocks(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}
