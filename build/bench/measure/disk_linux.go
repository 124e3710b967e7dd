package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// blocks is what a folder takes on the disk, in bytes.
func blocks(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			sum += st.Blocks * 512
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measure the folder: %w", err)
	}
	return sum, nil
}
