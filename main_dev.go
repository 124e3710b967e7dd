//go:build window && dev

package main

import "strings"

// The development build serves its page to a browser; Wails reads these flags
// from the command line by itself, and the commands must not see them.
func init() {
	arguments = func(args []string) []string {
		own := []string{} // not nil: the command library reads the whole command line for that
		for i := 0; i < len(args); i++ {
			name := strings.TrimLeft(args[i], "-")
			name, _, whole := strings.Cut(name, "=")
			switch name {
			case "assetdir", "devserver", "frontenddevserverurl", "loglevel":
				if !whole {
					i++ // its value
				}
				continue
			}
			own = append(own, args[i])
		}
		return own
	}
}
