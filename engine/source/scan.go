package source

import (
	"context"
	"errors"
	"time"
)

// File is one file of a folder of sources. Path and Rel stay on this machine.
type File struct {
	Path    string // absolute
	Rel     string // path below the folder, with slashes
	Name    string // base name, which may stand in a ledger
	Size    int64
	ModTime time.Time
}

// Scan lists the files of dir and below, sorted by Rel.
func Scan(ctx context.Context, dir string) ([]File, error) { return nil, errors.ErrUnsupported }
