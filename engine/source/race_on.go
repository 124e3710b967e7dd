//go:build race

package source

// raceDetector: its shadow memory needs terabytes of address space.
const raceDetector = true
