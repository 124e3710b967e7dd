package home

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSynced(t *testing.T) {
	dir := t.TempDir()
	make := func(parts ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stick := make("stick", "deep", "records")
	if err := os.Mkdir(filepath.Join(dir, "stick", ".stfolder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		make("Dropbox", "cairn"):                         "Dropbox",
		make("Dropbox (Private)", "cairn"):               "Dropbox",
		make("OneDrive - A University", "x", "cairn"):    "OneDrive",
		make("Mobile Documents", "com~apple~CloudDocs"):  "iCloud",
		make("CloudStorage", "GoogleDrive-a@b.org", "c"): "Google Drive",
		stick:                      "Syncthing",
		make("dropboxes", "cairn"): "",
		make("documents", "onedriveless", "about dropbox"): "",
	} {
		if got := Look(filepath.Join(path, "not", "there yet")).Synced; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	link := filepath.Join(dir, "plain")
	if err := os.Symlink(filepath.Join(dir, "Dropbox"), link); err != nil {
		t.Skip("no links here:", err)
	}
	if got := Look(filepath.Join(link, "cairn")).Synced; got != "Dropbox" {
		t.Errorf("through a link: %q", got)
	}
}

func TestWarnings(t *testing.T) {
	if w := (Place{Insensitive: true}).Warnings(); len(w) != 0 {
		t.Errorf("%q", w)
	}
	w := Place{Network: "nfs4", Synced: "Dropbox"}.Warnings()
	if len(w) != 2 || !strings.Contains(w[0], "nfs4") || !strings.Contains(w[1], "Dropbox") {
		t.Errorf("%q", w)
	}
}

// A file system whose names don't tell capitals apart is recognised by what it does.
func TestInsensitive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Records")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(dir), "rECORDS"))
	if got := insensitive(dir); got != (err == nil) {
		t.Errorf("%v, but the other capitals give %v", got, err)
	}
	if err := os.Link(dir, filepath.Join(filepath.Dir(dir), "x")); err == nil {
		t.Skip("folders can be linked here")
	}
	other := filepath.Join(filepath.Dir(dir), "rECORDS")
	if os.Symlink(dir, other) == nil && !insensitive(dir) {
		t.Error("the same folder under other capitals was not noticed")
	}
}
