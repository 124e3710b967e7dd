//go:build !linux

package main

import (
	"context"
	"errors"
)

// smallDisk is a small file system; there is none here.
type smallDisk struct{ dir string }

var errNoDisk = errors.New("a small disk can be mounted only on Linux")

func newDisk(context.Context, string, string, int64) (*smallDisk, error) { return nil, errNoDisk }

func (d *smallDisk) close() error         { return errNoDisk }
func (d *smallDisk) free() (int64, error) { return 0, errNoDisk }
func (d *smallDisk) fill(int64) error     { return errNoDisk }
func (d *smallDisk) clear() error         { return errNoDisk }

func missingDisk() string { return errNoDisk.Error() }
