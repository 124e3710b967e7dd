// Package killtest kills the real program at random moments while it works on
// the sample with a real model, and wants every task to end in a finished, verified
// hand-off all the same. `go run ./build test --only real` runs it.
package killtest
