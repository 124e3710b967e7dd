//go:build !linux

package power

import "context"

// listen has nothing to listen to here; the detector does without.
func listen(context.Context, chan<- signal) {}
