//go:build window && !dev

package window

// typedPaths: only paths that a dialog, a drop or a double click gave are taken.
const typedPaths = false
