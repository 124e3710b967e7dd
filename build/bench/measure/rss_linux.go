package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// vaultMemory is the proportional memory of a process that has a vault of 100,000
// lines open and has read all of them. Badger's maps of its files count.
func vaultMemory(ctx context.Context, m Machine) (float64, error) {
	home := filepath.Join(m.Dir, "home")
	if _, err := fill(ctx, m, home); err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	m.Note("opening it in a process of its own")
	var said strings.Builder
	cmd := exec.CommandContext(ctx, self, "-hold", home)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("open the vault: %w: %s", err, said.String())
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// hold opens a vault, reads in it, and prints what memory this process then takes.
func hold(ctx context.Context, home string) (err error) {
	s, done, err := open(home)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	list, err := s.Branches(ctx)
	if err != nil {
		return err
	}
	for _, b := range list {
		if err := s.Lines(ctx, b.ID, 1, func(int64, []byte) error { return nil }); err != nil {
			return err
		}
	}
	debug.FreeOSMemory()
	kb, err := pss(os.Getpid())
	if err != nil {
		return err
	}
	fmt.Println(kb / 1024)
	return nil
}
