//go:build !linux

package main

import "context"

func vaultMemory(context.Context, Machine) (float64, error) {
	return 0, notHere("only Linux tells the proportional memory of a process")
}

func hold(context.Context, string) error {
	return notHere("only Linux tells the proportional memory of a process")
}
