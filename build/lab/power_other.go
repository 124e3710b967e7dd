//go:build !linux

package main

import (
	"context"
	"errors"
)

func missingWatch() string { return "the syncs of a process can be watched on Linux only" }

func (o Options) cut(context.Context, *powerHome, uint64) (Trial, error) {
	return Trial{}, errors.New(missingWatch())
}

func memoryDir() string { return "" }
