package vault_test

import (
	"os"
	"path/filepath"
	"testing"

	"cairn/engine/ledger"
	"cairn/vault/vaulttest"
)

// The list of the store's tables is gone or cut. Badger would begin a new one and
// remove every table that is not in it, texts and all; the store is set aside before
// and built again, and nothing is lost.
func TestLostListOfTables(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"cut":     func(path string) error { return os.Truncate(path, 17) },
	} {
		for _, clean := range []bool{true, false} {
			h := newHome(t)
			w := &vaulttest.Writer{}
			var texts []ledger.Hash
			id, all := vaulttest.Start(t, h, w, "task")
			for i := range 3 {
				text, err := h.PutBlob(bg, noise(byte(i), 4000))
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, text)
				all = append(all, vaulttest.Add(t, h, id, w, text.String(), "checkpoint")...)
				h.reopen() // a table of its own
			}
			if err := h.PutLocal(bg, "machine", "folder", []byte("/somewhere")); err != nil {
				t.Fatal(err)
			}
			h.end()
			if !clean {
				if err := os.Remove(filepath.Join(string(h.dir), "clean")); err != nil {
					t.Fatal(err)
				}
			}
			if err := spoil(filepath.Join(h.dir.Vault(), "MANIFEST")); err != nil {
				t.Fatal(err)
			}
			h.open()
			h.reported("The store was set aside")
			h.holds(map[string][][]byte{id: all})
			for i, text := range texts {
				if _, err := h.Blob(bg, text); err != nil {
					t.Errorf("%s, clean %v: text %d: %v", name, clean, i, err)
				}
			}
			if v, err := h.Local(bg, "machine", "folder"); err != nil || string(v) != "/somewhere" {
				t.Errorf("%s, clean %v: local record %q, %v", name, clean, v, err)
			}
			h.sound()
		}
	}
}
