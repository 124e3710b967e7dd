//go:build !unix

package main

import "time"

// cpu is not known here.
func cpu() (time.Duration, error) {
	return 0, notHere("the processor time of a process is only read on Unix systems")
}
