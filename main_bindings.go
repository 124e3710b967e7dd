//go:build window && bindings

package main

import (
	"io/fs"
	"os"
	"testing/fstest"
)

// Plain interfaces, not classes: the page gets JSON and needs no constructors.
// Wails reads this variable before its flags.
func init() {
	if err := os.Setenv("tsoutputtype", "interfaces"); err != nil {
		panic(err)
	}
}

// page is empty: a program built with the tag `bindings` only writes
// frontend/wailsjs and must not need the built page that needs those files.
func page() (fs.FS, error) {
	return fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}, nil
}
