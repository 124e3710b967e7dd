package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/engine"
)

func TestScan(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, n := range []string{"b.txt", "a/z.md", "a.txt", "é.txt", ".hidden", ".git/config", "x.cairn.md", "~$b.docx", "b.txt~", "t.tmp", "a/.DS_Store",
		"d.pdf.part", "Thumbs.db", "a/日本.txt"} {
		put(t, dir, n)
	}
	put(t, outside, "secret.txt")
	for name, to := range map[string]string{"out.txt": filepath.Join(outside, "secret.txt"), "in.txt": filepath.Join(dir, "b.txt"),
		"loop": dir, "broken.txt": filepath.Join(dir, "nothing")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no links on this system")
		}
	}
	files, err := Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Rel)
		if want := map[string]string{"out.txt": LinkOut, "loop": LinkFolder, "broken.txt": LinkBroken}[f.Rel]; f.Skip != want {
			t.Errorf("%s: %q, want %q", f.Rel, f.Skip, want)
		} else if f.Skip != "" {
			if f.Size != 0 || strings.Contains(Explain(f.Skip), "can't be read (") {
				t.Errorf("%+v, %s", f, Explain(f.Skip))
			}
			continue
		}
		if f.Name != filepath.Base(f.Path) || !filepath.IsAbs(f.Path) || f.Size == 0 || f.ModTime.IsZero() {
			t.Errorf("file %+v", f)
		}
	}
	want := []string{"a.txt", "a/z.md", "a/日本.txt", "b.txt", "broken.txt", "in.txt", "loop", "out.txt", "é.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestScanErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file.txt")
	empty := t.TempDir()
	put(t, empty, ".hidden")
	for what, path := range map[string]string{"There is no folder": filepath.Join(dir, "no"), "is a file, not a folder": filepath.Join(dir, "file.txt"),
		"There are no files": empty, "No folder is named": " "} {
		_, err := Scan(t.Context(), path)
		var e *engine.Error
		if !errors.As(err, &e) || e.Kind != engine.KindSource || !strings.Contains(e.What, what) || e.Do == "" || e.Safe == "" {
			t.Errorf("%s: %+v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Scan(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A folder that may not be read is listed, and the others are read.
func TestScanDeniedFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "closed", "a.txt")
	put(t, dir, "open.txt")
	closed := filepath.Join(dir, "closed")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("this user may read everything")
	}
	files, err := Scan(t.Context(), dir)
	if err != nil || len(files) != 2 || files[0].Rel != "closed" || files[1].Rel != "open.txt" {
		t.Errorf("%+v, %v", files, err)
	}
	if _, err := Scan(t.Context(), closed); engine.KindOf(err) != engine.KindSource || !strings.Contains(err.Error(), "may not be read") {
		t.Errorf("%v", err)
	}
}
