//go:build unix

package source

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Pipes, sockets and links to them are listed with the reason and never opened: the
// test would wait for ever at an opened pipe.
func TestScanOddFiles(t *testing.T) {
	dir, err := os.MkdirTemp("", "odd") // short, as names of sockets must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	pipe := filepath.Join(dir, "pipe.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "sock"))
	if err != nil {
		t.Skip("no sockets here: ", err)
	}
	defer l.Close()
	if err := os.Symlink(pipe, filepath.Join(dir, "to-pipe.txt")); err != nil {
		t.Fatal(err)
	}
	files, err := Scan(t.Context(), dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("%+v, %v", files, err)
	}
	for _, f := range files {
		if f.Skip != NotRegular {
			t.Errorf("%s: %q", f.Rel, f.Skip)
		}
	}
	if _, err := HashFile(pipe); err == nil {
		t.Error("a pipe was hashed")
	}
	if d, err := testWorker(t).Extract(t.Context(), pipe); err != nil || d.Reason != Denied {
		t.Errorf("%+v, %v", d, err)
	}
}

// A folder with nothing but a link that leads out is not said to be empty.
func TestScanOnlyALink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, outside, "paper.txt")
	if err := os.Symlink(filepath.Join(outside, "paper.txt"), filepath.Join(dir, "paper.txt")); err != nil {
		t.Skip("no links on this system")
	}
	files, err := Scan(t.Context(), dir)
	if err != nil || len(files) != 1 || files[0].Skip != LinkOut {
		t.Errorf("%+v, %v", files, err)
	}
}
