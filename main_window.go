//go:build window && !bindings

package main

import (
	"embed"
	"io/fs"
)

//go:embed all:frontend/dist
var dist embed.FS

// page is the built page. The build program makes frontend/dist first.
func page() (fs.FS, error) { return fs.Sub(dist, "frontend/dist") }
