//go:build !linux

package main

import "context"

// appMemory needs what only Linux tells of a process.
func appMemory(context.Context, Machine) (float64, error) {
	return 0, notHere("proportional memory is read from /proc")
}
