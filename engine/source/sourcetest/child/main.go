// Command child is the worker's side for tests. The race detector makes the
// compilation of PDFium twenty times slower, so tests that run under it start
// this program, built without it, in place of themselves.
package main

import (
	"fmt"
	"os"

	"cairn/engine/source"
)

func main() {
	if err := source.RunWorker(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
