package vault_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/vault/vaulttest"
)

// What was set aside goes unless it is plainly another task's, whatever its name
// says.
func TestDeleteSetAside(t *testing.T) {
	h := newHome(t)
	gw, kw := &vaulttest.Writer{Salt: "goes"}, &vaulttest.Writer{Salt: "stays"}
	gone, lines := vaulttest.Start(t, h, gw, "the task with the zyxquark")
	lines = append(lines, vaulttest.Add(t, h, gone, gw, "zyxquark", "checkpoint")...)
	kept, others := vaulttest.Start(t, h, kw, "another task")
	others = append(others, vaulttest.Add(t, h, kept, kw, "x", "checkpoint")...)
	put := func(dir, name, body string) string {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	aside, journals := h.dir.Aside(), h.dir.Journals()
	half := joined(others)[:len(joined(others))-20]
	stay := []string{
		put(aside, kept+"-line-3-1.part", half),
		put(aside, kept+"-line-9-1.part", string(others[2][:40])),
		put(aside, "somebody's copy", joined(others)),
		put(journals, "copy of the other.jsonl", joined(others)),
		put(filepath.Join(aside, "home-1", "journal"), kept+".jsonl", joined(others)),
	}
	go1 := []string{
		put(aside, gone+"-line-3-1.part", string(lines[2][:40])),
		put(aside, gone+"-1.jsonl", "\x00\x00"),
		put(aside, kept+"-line-9-2.part", joined(lines)),        // under another's name
		put(aside, kept+"-line-9-3.part", half+"\x00zyxquark"),  // what a bad disk leaves
		put(aside, "cut.part", string(lines[1][:40])),           // no telling whose
		put(aside, "mixed", joined(others)+joined(lines[2:])),   // of both
		put(aside, "damaged", joined(others[:1])+"zyxquark\n{"), // not lines
		put(journals, "copy.jsonl.bak", joined(lines)),
		put(filepath.Join(aside, "home-2", "journal"), gone+".jsonl", joined(lines)),
		put(filepath.Join(aside, "home-3", "journal"), kept+".jsonl", joined(others)+"zyxquark"),
		put(filepath.Join(string(h.dir), "draft"), strings.Repeat("0", 64), "zyxquark, of a branch that is no more"),
	}
	w, err := h.Weigh(bg, gone)
	if err != nil || w.Aside != 9 {
		t.Errorf("weighed %+v, %v", w, err)
	}
	if e, err := h.Delete(bg, gone); err != nil || e.Aside != w.Aside {
		t.Fatalf("erased %+v, %v", e, err)
	}
	for _, path := range stay {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("another task's %s: %v", filepath.Base(path), err)
		}
	}
	for _, path := range go1 {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", filepath.Base(path), err)
		}
	}
	h.traceless([][]byte{[]byte("zyxquark"), []byte(gone)})
	for _, path := range append(stay, filepath.Join(journals, "copy of the other.jsonl")) {
		_ = os.Remove(path)
	}
	h.reopen()
	h.quiet()
	h.traceless([][]byte{[]byte("zyxquark"), []byte(gone)})
}

// A text that the deleted task's run had stored, and that no line names, does not
// come to the disk later with other texts.
func TestDeletedTextIsNotWrittenLater(t *testing.T) {
	h := newHome(t)
	gone, _ := vaulttest.Start(t, h, &vaulttest.Writer{Salt: "goes"}, "task")
	kw := &vaulttest.Writer{Salt: "stays"}
	kept, _ := vaulttest.Start(t, h, kw, "another task")
	small := []byte(strings.Repeat("zyxquark ", 2000)) // waits in memory
	if _, err := h.PutBlob(bg, small); err != nil {
		t.Fatal(err)
	}
	large := append(noise(1, 2<<20), "zyxquark"...) // goes to disk at once
	if _, err := h.PutBlob(bg, large); err != nil {
		t.Fatal(err)
	}
	mine, err := h.PutBlob(bg, noise(2, 5000)) // of the other task, which runs
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Delete(bg, gone); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if _, err := h.PutBlob(bg, noise(byte(10+i), 600<<10)); err != nil {
			t.Fatal(err)
		}
	}
	vaulttest.Add(t, h, kept, kw, mine.String(), "checkpoint")
	h.crash()
	h.open()
	h.traceless([][]byte{[]byte("zyxquark"), large[1000:1064]})
	if _, err := h.Blob(bg, mine); err != nil {
		t.Errorf("the running task's text: %v", err)
	}
}
