package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Renaming over a device or folder would destroy it; behind a link the file
// itself is replaced and the link stays.
func TestWriteWholeReplacesOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	if err := writeWhole(dir, []byte("x")); !errors.Is(err, errNotAFile) {
		t.Errorf("over a folder: %v", err)
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		if err := writeWhole(os.DevNull, []byte("x")); !errors.Is(err, errNotAFile) {
			t.Errorf("over a device: %v", err)
		}
	}
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := writeWhole(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "new" {
		t.Errorf("behind a link: %q, %v", b, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link itself was replaced")
	}
}
