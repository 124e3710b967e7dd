// Command cairn runs long research tasks on a local model and keeps a checked
// record of where they stand.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := openWindow(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
