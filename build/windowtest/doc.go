// Package windowtest drives the real window, built and started as people get
// it, on a screen without a monitor. `go run ./build test --only window` builds what it
// needs and runs it.
package windowtest
