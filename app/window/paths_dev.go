//go:build window && dev

package window

// typedPaths: the development build is driven by a browser without native
// dialogs, so there a path may be typed.
const typedPaths = true
