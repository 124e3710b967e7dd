package frame

import (
	"fmt"
	"strings"
)

// MaxLocal is the largest value of a local record in bytes.
const MaxLocal = 240 << 10

// Local checks a local record: scope and name are 1–200 bytes without NUL.
func Local(scope, name string, value []byte) error {
	for _, s := range []string{scope, name} {
		if s == "" || len(s) > 200 || strings.ContainsRune(s, 0) {
			return fmt.Errorf("check local record: scope and name need 1 to 200 bytes without NUL")
		}
	}
	if len(value) > MaxLocal {
		return fmt.Errorf("check local record: %d bytes, %d allowed", len(value), MaxLocal)
	}
	return nil
}
