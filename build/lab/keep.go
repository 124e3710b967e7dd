package main

import (
	"fmt"
	"os"
	"path/filepath"

	"cairn/vault"
)

// keep copies a home as a fault left it into the folder CAIRN_LAB_KEEP, where one is
// named, before it is judged: opening mends what there is to see. What it gives is
// called with whether something was wrong; if nothing was, the copy goes.
func keep(home vault.Home, seed uint64) (func(wrong bool) error, error) {
	to := os.Getenv("CAIRN_LAB_KEEP")
	if to == "" {
		return func(bool) error { return nil }, nil
	}
	to = filepath.Join(to, fmt.Sprintf("home-%d", seed))
	files, err := filesOf(string(home))
	if err == nil {
		err = stock{dir: string(home), files: files}.copyTo(to)
	}
	if err != nil {
		return nil, fmt.Errorf("keep a home: %w", err)
	}
	return func(wrong bool) error {
		if wrong {
			return nil
		}
		return os.RemoveAll(to)
	}, nil
}
