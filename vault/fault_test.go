package vault_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

// failAt makes the disk fail once at a point.
func (h *home) failAt(point string, err error) {
	done := false
	h.hook(func(p string) error {
		if p == point && !done {
			done = true
			return err
		}
		return nil
	})
}

// hook reopens the vault with a hook.
func (h *home) hook(fn func(string) error) {
	h.t.Helper()
	h.end()
	h.opts.Hook = fn
	h.open()
}

func TestSyncErrors(t *testing.T) {
	for _, point := range []string{vault.PointJournal, vault.PointJournalDone, vault.PointVault, vault.PointVaultDone} {
		t.Run(point, func(t *testing.T) {
			h := newHome(t)
			h.failAt("none", nil)
			w := &vaulttest.Writer{}
			id, all := vaulttest.Start(t, h, w, "task")
			blob, _ := h.PutBlob(bg, noise(9, 4000))
			all = append(all, vaulttest.Add(t, h, id, w, blob.String())...)
			h.failAt(point, syscall.EIO)
			lost := w.Group("not acknowledged")
			vaulttest.Kind(t, h.Append(bg, id, lost), engine.KindReadOnly)

			// Nothing is written any more, everything can be read.
			vaulttest.Kind(t, h.Append(bg, id, lost), engine.KindReadOnly)
			vaulttest.Kind(t, h.PutLocal(bg, "a", "b", nil), engine.KindReadOnly)
			_, err := h.PutBlob(bg, []byte("x"))
			vaulttest.Kind(t, err, engine.KindReadOnly)
			_, err = h.Delete(bg, id)
			vaulttest.Kind(t, err, engine.KindReadOnly)
			if got := vaulttest.Read(t, h, id, 1); point != vault.PointVaultDone {
				vaulttest.Same(t, got, all)
			}
			if st, err := h.Stats(bg); err != nil || !st.ReadOnly {
				t.Errorf("stats %+v, %v", st, err)
			}
			inode := inodes(t, h)

			h.opts.Hook = nil
			h.reopen()
			h.reported("Everything saved was copied to new files.")
			got := vaulttest.Read(t, h, id, 1)
			vaulttest.Same(t, got[:len(all)], all)
			if len(got) != len(all) { // what was not acknowledged may be there, whole
				vaulttest.Same(t, got, append(all, lost...))
			}
			if body, err := h.Blob(bg, blob); err != nil || !bytes.Equal(body, noise(9, 4000)) {
				t.Errorf("text: %v", err)
			}
			for path, old := range inodes(t, h) {
				if inode[path] != nil && os.SameFile(old, inode[path]) {
					t.Errorf("%s is still the file of the failed sync", path)
				}
			}
			vaulttest.Add(t, h, id, vaulttest.Continue(got, ""), "it goes on")
			h.sound()
			h.reopen()
			h.quiet()
		})
	}
}

// inodes gives the files that hold what is saved. Another name keeps each from
// being reused as another file when it is removed.
func inodes(t *testing.T, h *home) map[string]os.FileInfo {
	t.Helper()
	out, keep := map[string]os.FileInfo{}, t.TempDir()
	for _, dir := range []string{h.dir.Vault(), h.dir.Journals()} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && (strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".mem")) {
				out[path], err = d.Info()
				err = errors.Join(err, os.Link(path, filepath.Join(keep, d.Name())))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestDiskFull(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	free := uint64(1 << 40)
	h.opts.FreeSpace = func(string) (uint64, error) { return free, nil }
	h.reopen()
	next := w.Group("a", "b")

	free = vault.DefaultFloor - 1
	for range 3 {
		vaulttest.Kind(t, h.Append(bg, id, next), engine.KindDiskFull)
	}
	_, err := h.PutBlob(bg, []byte("x"))
	vaulttest.Kind(t, err, engine.KindDiskFull)
	if err := h.PutLocal(bg, "task", "paused", []byte("disk full")); err != nil {
		t.Errorf("the pause can't be noted: %v", err)
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	h.reopen() // also with a full disk
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)

	free = 1 << 20 // too little even to open safely: memory maps would end the process
	h.end()
	vaulttest.Kind(t, h.tryOpen(), engine.KindDiskFull)

	free = 1 << 40
	h.open()
	if err := h.Append(bg, id, next); err != nil {
		t.Fatalf("after space was freed: %v", err)
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), append(all, next...))
	h.sound()
}

// The disk fills in the middle of a write: it is taken back, and the store goes
// on when there is space, without a new start.
func TestDiskFullInTheMiddle(t *testing.T) {
	h := newHome(t)
	var fail error
	h.hook(func(p string) error {
		if p == vault.PointJournalHalf {
			return fail
		}
		return nil
	})
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	next := w.Group("a", "b")
	other := (&vaulttest.Writer{Salt: "other"}).Group("task")
	fail = fmt.Errorf("write: %w", syscall.ENOSPC)
	for range 2 {
		vaulttest.Kind(t, h.Append(bg, id, next), engine.KindDiskFull)
		_, err := h.Begin(bg, "", other)
		vaulttest.Kind(t, err, engine.KindDiskFull)
	}
	names, err := filepath.Glob(filepath.Join(h.dir.Journals(), "*"))
	if err != nil || len(names) != 1 {
		t.Errorf("journals %v: the new branch's was not taken back", names)
	}
	h.sound()
	fail = nil
	if err := h.Append(bg, id, next); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Begin(bg, "", other); err != nil {
		t.Fatal(err)
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), append(all, next...))
	h.sound()
}

func TestJournalChangedWhileOpen(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	appendFile(t, h.dir.Journal(id), "somebody's note\n")
	vaulttest.Kind(t, h.Append(bg, id, w.Group("x")), engine.KindDamaged)
	body, err := os.ReadFile(h.dir.Journal(id))
	if err != nil || !strings.HasSuffix(string(body), "somebody's note\n") {
		t.Errorf("the file was changed: %v", err)
	}
	h.reopen()
	h.reported("moved to aside/")
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	h.sound()
}

// What a newer Cairn wrote is refused, and not one byte is changed.
func TestNewer(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, h *home){
		"store": func(t *testing.T, h *home) {
			path := filepath.Join(string(h.dir.Vault()), "MANIFEST")
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			binary.BigEndian.PutUint16(body[4:], 0xCA02)
			spoilFile(t, path, body)
			spoilFile(t, filepath.Join(string(h.dir), "format"), []byte("cairn store 2\n"))
		},
		"store of before the file format": func(t *testing.T, h *home) {
			path := filepath.Join(string(h.dir.Vault()), "MANIFEST")
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			binary.BigEndian.PutUint16(body[4:], 0xCA02)
			spoilFile(t, path, body)
			if err := os.Remove(filepath.Join(string(h.dir), "format")); err != nil {
				t.Fatal(err)
			}
		},
		"format record": func(t *testing.T, h *home) { putRaw(t, h, "mformat", vault.SealedFormat(t, 2, "3.1")) },
		"envelope":      func(t *testing.T, h *home) { putRaw(t, h, "mformat", vault.SealedVersion(t, 2)) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			vaulttest.Start(t, h, &vaulttest.Writer{}, "task")
			h.end()
			spoil(t, h)
			before := contents(t, string(h.dir))
			err := h.tryOpen()
			vaulttest.Kind(t, err, engine.KindNewer)
			h.Store = nil
			if name == "format record" && !strings.Contains(err.Error(), "Cairn 3.1") {
				t.Errorf("the version needed is not named: %v", err)
			}
			after := contents(t, string(h.dir))
			for path, body := range before {
				if strings.HasSuffix(path, ".jsonl") && after[path] != body {
					t.Errorf("%s was changed", path)
				}
			}
			if strings.HasPrefix(name, "store") && fmt.Sprint(before) != fmt.Sprint(after) {
				t.Error("the folder was changed")
			}
		})
	}
}

// A manifest whose format number rotted is damage, not a newer Cairn's: the file
// beside it says which format the store has.
func TestRottenFormatNumber(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	h.end()
	path := filepath.Join(string(h.dir.Vault()), "MANIFEST")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint16(body[4:], 0xCA21)
	spoilFile(t, path, body)
	h.open()
	h.reported("set aside")
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	h.sound()
}

// A journal under another's name is not a second history of that branch.
func TestSwappedJournals(t *testing.T) {
	h := newHome(t)
	one, two := &vaulttest.Writer{Salt: "one"}, &vaulttest.Writer{Salt: "two"}
	a, linesA := vaulttest.Start(t, h, one, "task")
	b, linesB := vaulttest.Start(t, h, two, "task")
	linesB = append(linesB, vaulttest.Add(t, h, b, two, "more")...)
	h.end()
	tmp := h.dir.Journal(a) + ".swap"
	for _, move := range [][2]string{{h.dir.Journal(a), tmp}, {h.dir.Journal(b), h.dir.Journal(a)}, {tmp, h.dir.Journal(b)}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	h.open()
	h.reported("did not begin with the line that it is named by")
	vaulttest.Same(t, vaulttest.Read(t, h, a, 1), linesA)
	vaulttest.Same(t, vaulttest.Read(t, h, b, 1), linesB)
	for _, id := range []string{a, b} {
		if br, err := h.Branch(bg, id); err != nil || br.Damage != "" {
			t.Errorf("%+v, %v", br, err)
		}
	}
	h.sound()
}

func putRaw(t *testing.T, h *home, key string, value []byte) {
	t.Helper()
	o := badger.DefaultOptions(h.dir.Vault()).WithLogger(nil).WithExternalMagic(0xCA01)
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(txn *badger.Txn) error { return txn.Set([]byte(key), value) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		out[path] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// planted makes a vault in which a task left traces everywhere that Cairn puts
// any, and another task that must stay.
func planted(t *testing.T) (h *home, gone string, traces [][]byte, kept map[string][][]byte) {
	h = newHome(t)
	word := []byte("Quadrumvirate")
	w := &vaulttest.Writer{Salt: "gone"}
	texts := [][]byte{noise(1, 5000), append(noise(2, 600<<10), word...), []byte(vaulttest.Filler(4000, string(word)))}
	gone, lines := vaulttest.Start(t, h, w, "task "+string(word))
	for _, body := range texts {
		blob, err := h.PutBlob(bg, body)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, vaulttest.Add(t, h, gone, w, blob.String(), string(word), "checkpoint")...)
		traces = append(traces, blob[:], []byte(blob.String()))
	}
	unnamed := append(noise(3, 2<<20), word...) // of a call that was killed
	if _, err := h.PutBlob(bg, unnamed); err != nil {
		t.Fatal(err)
	}
	fork, err := h.Begin(bg, gone, vaulttest.Continue(lines, "fork").Group("fork "+string(word)))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{gone, fork} {
		raw, err := ledger.ParseHash(id)
		if err != nil {
			t.Fatal(err)
		}
		traces = append(traces, []byte(id), raw[:])
		if err := h.PutLocal(bg, id, "folder", word); err != nil {
			t.Fatal(err)
		}
		if err := h.PutDraft(id, word); err != nil {
			t.Fatal(err)
		}
	}
	traces = append(traces, word, texts[0][100:164], texts[1][300<<10:300<<10+64], unnamed[1<<20:1<<20+64])
	kw := &vaulttest.Writer{Salt: "kept"}
	other, keptLines := vaulttest.Start(t, h, kw, "another task")
	for i := range 20 {
		blob, err := h.PutBlob(bg, noise(byte(50+i), 3000))
		if err != nil {
			t.Fatal(err)
		}
		keptLines = append(keptLines, vaulttest.Add(t, h, other, kw, blob.String(), "checkpoint")...)
	}
	if err := h.PutLocal(bg, other, "folder", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	// A crash, a torn save and a store that was set aside leave copies.
	h.crash()
	appendFile(t, h.dir.Journal(gone), string(word))
	spoilFile(t, filepath.Join(string(h.dir.Vault()), "MANIFEST"), make([]byte, 64))
	h.open()
	h.reported("set aside")
	return h, gone, traces, map[string][][]byte{other: keptLines}
}

func (h *home) traceless(traces [][]byte) {
	h.t.Helper()
	for path, body := range contents(h.t, string(h.dir)) {
		for i, trace := range traces {
			if strings.Contains(body, string(trace)) {
				h.t.Errorf("%s still holds trace %d (%.20q)", path, i, trace)
			}
			if strings.Contains(path, string(trace)) {
				h.t.Errorf("%s has trace %d in its name", path, i)
			}
		}
	}
}

func (h *home) keeps(kept map[string][][]byte) {
	h.t.Helper()
	h.holds(kept)
	for id, lines := range kept {
		for i := range 20 {
			if _, err := h.Blob(bg, ledger.HashOf(noise(byte(50+i), 3000))); err != nil {
				h.t.Errorf("text %d of the other task: %v", i, err)
			}
		}
		if v, err := h.Local(bg, id, "folder"); err != nil || string(v) != "kept" {
			h.t.Errorf("local record of the other task: %q %v", v, err)
		}
		vaulttest.Add(h.t, h, id, vaulttest.Continue(lines, "kept"), "it goes on")
	}
	h.sound()
}

func TestDeleteLeavesNothing(t *testing.T) {
	h, gone, traces, kept := planted(t)
	found := 0
	for _, body := range contents(t, string(h.dir)) {
		for _, trace := range traces {
			if strings.Contains(body, string(trace)) {
				found++
				break
			}
		}
	}
	if found < 5 {
		t.Fatalf("only %d files hold traces before: the test would find nothing", found)
	}
	e, err := h.Delete(bg, gone)
	if err != nil {
		t.Fatal(err)
	}
	if e.Branches != 2 || e.Lines != 11 || e.Blobs < 3 {
		t.Errorf("erased %+v", e)
	}
	h.traceless(traces)
	h.keeps(kept)
	h.reopen()
	h.quiet()
	h.traceless(traces)
	h.end()
	h.traceless(traces)
}

// A deletion that a crash interrupts is finished at the next start.
func TestDeleteInterrupted(t *testing.T) {
	t.Parallel()
	for _, point := range []string{vault.PointDelete, vault.PointDeleteJournal, vault.PointDeleteCopied, vault.PointDeleteSwapped} {
		t.Run(point, func(t *testing.T) {
			h, gone, traces, kept := planted(t)
			var left vault.Home
			h.hook(func(p string) error {
				if p == point && left == "" {
					left = vault.Home(filepath.Join(t.TempDir(), "home"))
					copyTree(t, string(h.dir), string(left))
				}
				return nil
			})
			if _, err := h.Delete(bg, gone); err != nil {
				t.Fatal(err)
			}
			h.end()
			h.dir, h.opts.Hook = left, nil
			h.open()
			h.reported("A deletion that had been interrupted was finished.")
			h.traceless(traces)
			h.keeps(kept)
			h.reopen()
			h.quiet()
		})
	}
}

func TestDeleteNeedsSpace(t *testing.T) {
	h := newHome(t)
	id, all := vaulttest.Start(t, h, &vaulttest.Writer{}, "task")
	h.opts.FreeSpace = func(string) (uint64, error) { return 70 << 20, nil }
	h.reopen()
	_, err := h.Delete(bg, id)
	vaulttest.Kind(t, err, engine.KindDiskFull)
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
}

// An error of the disk while opening is not damage: nothing is set aside, and the
// next start has everything.
func TestDiskErrorIsNotDamage(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	h.end()
	if err := os.Remove(filepath.Join(string(h.dir), "clean")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err  error
		kind engine.Kind
	}{
		{fmt.Errorf("open a table: %w", syscall.EIO), engine.KindReadOnly},
		// Badger passes some on as words.
		{fmt.Errorf("open a table err: %+v", syscall.EIO), engine.KindReadOnly},
		{fmt.Errorf("open a table err: %+v", syscall.ENOSPC), engine.KindDiskFull},
	} {
		h.opts.Probe = func(context.Context, []string) error { return c.err }
		vaulttest.Kind(t, h.tryOpen(), c.kind)
		if sides, _ := filepath.Glob(filepath.Join(h.dir.Aside(), "vault-*")); len(sides) != 0 {
			t.Errorf("%v: the store was set aside: %v", c.err, sides)
		}
	}
	h.Store, h.opts.Probe = nil, nil
	h.open()
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	h.sound()
}

// A rebuilding that was cut off after the old store was moved goes on from it: no
// text that is still in it is lost, also when the new store was begun and is broken.
func TestRebuildingIsResumed(t *testing.T) {
	t.Run("not begun", func(t *testing.T) { testRebuildingIsResumed(t, false) })
	t.Run("begun", func(t *testing.T) { testRebuildingIsResumed(t, true) })
}

func testRebuildingIsResumed(t *testing.T, begun bool) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	blob, err := h.PutBlob(bg, noise(3, 5000))
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, vaulttest.Add(t, h, id, w, blob.String())...)
	h.end()
	// As a start left it that ended just after the move.
	if err := os.Rename(h.dir.Vault(), filepath.Join(h.dir.Aside(), "vault-7")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(h.dir), "rebuilding"), []byte("vault-7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if begun {
		err := errors.Join(os.Mkdir(h.dir.Vault(), 0o700),
			os.WriteFile(filepath.Join(h.dir.Vault(), "MANIFEST"), []byte("half"), 0o600),
			os.Remove(filepath.Join(string(h.dir), "clean")))
		if err != nil {
			t.Fatal(err)
		}
	}
	h.open()
	if begun {
		h.reported("The store was set aside")
	} else {
		h.reported("had been cut off")
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	if body, err := h.Blob(bg, blob); err != nil || !bytes.Equal(body, noise(3, 5000)) {
		t.Errorf("the text: %v", err)
	}
	h.sound()
	h.reopen()
	h.sound()
}
