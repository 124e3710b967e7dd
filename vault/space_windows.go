package vault

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// freeSpace is the number of bytes that this user can still write to the disk
// that holds dir.
func freeSpace(dir string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, fmt.Errorf("ask for free space: %w", err)
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, fmt.Errorf("ask for free space: %w", err)
	}
	return free, nil
}

func onDisk(info fs.FileInfo) int64 { return info.Size() }

// dirSync: a folder can't be synced on Windows; renames there are ordered.
func dirSync(*os.File) error { return nil }
