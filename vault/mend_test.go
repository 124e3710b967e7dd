package vault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/vault/vaulttest"
)

// A line changed in the middle of a journal leaves its size and its end as they
// were. Opening does not read so far; a check does, and the next opening mends.
func TestJournalChangedInTheMiddle(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	for i := range 5 {
		all = append(all, vaulttest.Add(t, h, id, w, fmt.Sprint("claim ", i), "checkpoint")...)
	}
	other, kept := vaulttest.Start(t, h, &vaulttest.Writer{Salt: "other"}, "task")
	h.end()
	replace(t, h.dir.Journal(id), "claim 2", "claim 7")
	altered, err := os.ReadFile(h.dir.Journal(id))
	if err != nil || string(altered) == joined(all) {
		t.Fatalf("the journal was not altered: %v", err)
	}
	h.open()
	h.quiet()
	if h.Mends() {
		t.Error("something is to be mended before anything was found")
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	for range 2 {
		wrong, err := h.Check(bg)
		if err != nil || len(wrong) != 1 || !strings.Contains(wrong[0], "line 6 of the journal") || !h.Mends() {
			t.Fatalf("check: %v %q, to be mended: %v", err, wrong, h.Mends())
		}
	}
	h.reopen()
	h.reported("a damaged line 6; the store has the right one")
	h.holds(map[string][][]byte{id: all, other: kept})
	for id, want := range map[string][][]byte{id: all, other: kept} {
		if body, err := os.ReadFile(h.dir.Journal(id)); err != nil || string(body) != joined(want) {
			t.Errorf("journal %s, %v:\n%s", id, err, body)
		}
	}
	sides, err := filepath.Glob(filepath.Join(h.dir.Aside(), id+"*"))
	if err != nil || len(sides) != 1 {
		t.Fatalf("side files %v, %v", sides, err)
	}
	if side, err := os.ReadFile(sides[0]); err != nil || string(side) != string(altered) {
		t.Errorf("the side file, %v:\n%s", err, side)
	}
	if h.Rebuilt || h.Mends() {
		t.Errorf("rebuilt: %v, still to be mended: %v", h.Rebuilt, h.Mends())
	}
	h.sound()
	h.reopen()
	h.quiet()
}

// When a record is damaged too, the store is built again only after the journals
// have taken the right lines from it.
func TestJournalChangedAndRecordDamaged(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	for i := range 5 {
		all = append(all, vaulttest.Add(t, h, id, w, fmt.Sprint("claim ", i), "checkpoint")...)
	}
	h.end()
	replace(t, h.dir.Journal(id), "claim 2", "claim 7")
	if err := os.WriteFile(filepath.Join(string(h.dir), "repair"), []byte("damage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.open()
	if !h.Rebuilt {
		t.Error("opened without saying that it was rebuilt")
	}
	h.reported("a damaged line 6; the store has the right one")
	h.holds(map[string][][]byte{id: all})
	h.sound()
	h.reopen()
	h.quiet()
}
