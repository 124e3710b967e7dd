//go:build !linux

package vault

import "os"

// reserveBlocks does nothing where the platform has no call for it that is
// known to work with memory maps; the free-space floor holds there.
func reserveBlocks(*os.File, int64) error { return nil }
