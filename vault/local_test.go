package vault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/engine"
	"cairn/vault/vaulttest"
)

// Local records stand in no journal; small ones come back from their copies.
func TestLocalRecordsOutliveTheStore(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, h *home){
		"the folder is deleted": func(t *testing.T, h *home) {
			if err := os.RemoveAll(h.dir.Vault()); err != nil {
				t.Fatal(err)
			}
		},
		"the store can't be opened": func(t *testing.T, h *home) {
			if err := os.WriteFile(filepath.Join(h.dir.Vault(), "MANIFEST"), []byte("no manifest"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, path := range glob(t, filepath.Join(h.dir.Vault(), "*.sst")) {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			id, _ := vaulttest.Start(t, h, &vaulttest.Writer{}, "task")
			large := bytes.Repeat([]byte("0123456789abcdef"), 8<<10)
			for _, value := range []string{"/old", "/home/documents"} {
				if err := h.PutLocal(bg, id, "folder", []byte(value)); err != nil {
					t.Fatal(err)
				}
			}
			for name, value := range map[string][]byte{"large": noise(3, 64<<10), "shrunk": large, "grown": []byte("small")} {
				if err := h.PutLocal(bg, id, name, value); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.PutLocal(bg, id, "grown", noise(4, 64<<10)); err != nil {
				t.Fatal(err)
			}
			h.end()
			lose(t, h)
			h.open()
			if !h.Rebuilt {
				t.Fatal("not rebuilt")
			}
			if got, err := h.Local(bg, id, "folder"); err != nil || string(got) != "/home/documents" {
				t.Errorf("folder %q, %v", got, err)
			}
			if got, err := h.Local(bg, id, "shrunk"); err != nil || !bytes.Equal(got, large) {
				t.Errorf("a large record that compresses well: %d bytes, %v", len(got), err)
			}
			for _, name := range []string{"large", "grown"} {
				_, err := h.Local(bg, id, name)
				vaulttest.Kind(t, err, engine.KindNotFound) // absent, not what it was once
			}
			h.reopen()
			h.quiet()
		})
	}
}

func TestDeletionTakesCopiesOfLocalRecords(t *testing.T) {
	h := newHome(t)
	id, _ := vaulttest.Start(t, h, &vaulttest.Writer{}, "task")
	other, _ := vaulttest.Start(t, h, &vaulttest.Writer{Salt: "other"}, "task")
	for _, b := range []string{id, other} {
		if err := h.PutLocal(bg, b, "folder", []byte("planted "+b)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Delete(bg, id); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range glob(t, filepath.Join(string(h.dir), "local", "*")) {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(body)
	}
	if got := all.String(); strings.Contains(got, id) || !strings.Contains(got, other) {
		t.Errorf("left: %q", got)
	}
}

// A lost text that a saved line names is stored again, durable at once.
func TestPutNamed(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, _ := vaulttest.Start(t, h, w, "task")
	body := noise(5, 300<<10)
	blob, err := h.PutBlob(bg, body)
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.Add(t, h, id, w, blob.String())
	h.end()
	if err := os.RemoveAll(h.dir.Vault()); err != nil {
		t.Fatal(err)
	}
	h.open()
	if here, err := h.HasBlob(bg, blob); here || err != nil {
		t.Fatalf("here %v, %v", here, err)
	}
	for range 2 {
		if got, err := h.PutNamed(bg, 2, body); got != blob || err != nil {
			t.Fatal(got, err)
		}
	}
	h.crash()
	h.open()
	if got, err := h.Blob(bg, blob); err != nil || !bytes.Equal(got, body) {
		t.Errorf("after a crash: %d bytes, %v", len(got), err)
	}
	h.sound()
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths
}
