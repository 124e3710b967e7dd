package vault_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// kept is a home with forks, texts in parts and local records, and what it holds.
type kept struct {
	lines map[string][][]byte
	texts map[ledger.Hash][]byte
	root  string
}

func fill(t *testing.T, h *home) kept {
	t.Helper()
	k := kept{lines: family(t, h), texts: map[ledger.Hash][]byte{}}
	list, err := h.Branches(bg)
	if err != nil {
		t.Fatal(err)
	}
	k.root = list[0].Root
	w := vaulttest.Continue(k.lines[k.root], "")
	for i, size := range []int{0, 10, 300 << 10, 700 << 10} {
		body := noise(byte(50+i), size)
		hash, err := h.PutBlob(bg, body)
		if err != nil {
			t.Fatal(err)
		}
		k.texts[hash] = body
		k.lines[k.root] = append(k.lines[k.root], vaulttest.Add(t, h, k.root, w, hash.String())...)
	}
	if err := h.PutLocal(bg, k.root, "folder", []byte("/documents")); err != nil {
		t.Fatal(err)
	}
	return k
}

func (h *home) same(k kept) {
	h.t.Helper()
	h.holds(k.lines)
	for hash, body := range k.texts {
		if got, err := h.Blob(bg, hash); err != nil || !bytes.Equal(got, body) {
			h.t.Errorf("text of %d bytes: %d, %v", len(body), len(got), err)
		}
	}
	if got, err := h.Local(bg, k.root, "folder"); err != nil || string(got) != "/documents" {
		h.t.Errorf("folder %q, %v", got, err)
	}
}

func backup(t *testing.T, h *home, folder string, at time.Time, keep int) (vault.Backup, []string) {
	t.Helper()
	b, removed, err := h.Backup(bg, folder, at, keep, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b, removed
}

func TestBackupAndRestore(t *testing.T) {
	h := newHome(t)
	k := fill(t, h)
	elsewhere := filepath.Join(t.TempDir(), "stick")
	b, _ := backup(t, h, elsewhere, noon, 3)
	if b.Histories != int64(len(k.lines)) || b.Records == 0 || b.Lines == 0 || filepath.Dir(b.Path) != elsewhere {
		t.Errorf("%+v", b)
	}
	// What comes later is not in it.
	vaulttest.Add(t, h, k.root, vaulttest.Continue(k.lines[k.root], ""), "later")

	fresh := newHome(t)
	fresh.end()
	if err := os.RemoveAll(string(fresh.dir)); err != nil {
		t.Fatal(err)
	}
	restore(t, fresh, b.Path, false)
	fresh.open()
	fresh.quiet()
	fresh.same(k)
	fresh.sound()
}

func restore(t *testing.T, h *home, path string, aside bool) vault.Restored {
	t.Helper()
	r, err := tryRestore(h, path, aside)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tryRestore(h *home, path string, aside bool) (vault.Restored, error) {
	lock, err := vault.Lock(h.dir)
	if err != nil {
		return vault.Restored{}, err
	}
	defer func() { _ = lock.Release() }()
	return vault.Restore(bg, h.dir, lock, path, aside, h.opts, nil)
}

// Restoring never overwrites: it refuses, or sets what is there aside whole.
func TestRestoreSetsAside(t *testing.T) {
	h := newHome(t)
	k := fill(t, h)
	b, _ := backup(t, h, "", noon, 3)
	later := vaulttest.Add(t, h, k.root, vaulttest.Continue(k.lines[k.root], ""), "later")
	h.end()
	_, err := tryRestore(h, b.Path, false)
	vaulttest.Kind(t, err, engine.KindUsage)
	h.open()
	h.quiet()
	h.end()
	r := restore(t, h, b.Path, true)
	h.open()
	h.same(k)
	h.sound()
	if list, err := vault.Backups(h.dir.Backups()); err != nil || len(list) != 1 {
		t.Errorf("backups %v, %v", list, err)
	}
	old := newHome(t)
	old.end()
	if err := os.RemoveAll(string(old.dir)); err != nil {
		t.Fatal(err)
	}
	copyTree(t, r.Aside, string(old.dir))
	old.open()
	k.lines[k.root] = append(k.lines[k.root], later...)
	old.same(k)
	old.quiet()
}

// A crash at any place of a restore leaves the old records or the backup's.
func TestRestoreInterrupted(t *testing.T) {
	h := newHome(t)
	k := fill(t, h)
	b, _ := backup(t, h, "", noon, 3)
	later := vaulttest.Add(t, h, k.root, vaulttest.Continue(k.lines[k.root], ""), "later")
	h.end()
	cut := vault.RestoreSteps(t, h.dir, b.Path)
	if len(cut) < 4 {
		t.Fatalf("%d places", len(cut))
	}
	for i, dir := range cut {
		c := &home{t: t, dir: dir, opts: h.opts}
		c.open()
		want := kept{lines: map[string][][]byte{}, texts: k.texts, root: k.root}
		for id, lines := range k.lines {
			want.lines[id] = lines
		}
		if i == 0 { // nothing was moved
			want.lines[k.root] = append(want.lines[k.root][:len(want.lines[k.root]):len(want.lines[k.root])], later...)
		}
		c.same(want)
		c.sound()
		c.reopen()
		c.quiet()
		c.end()
	}
}

func TestBackupsRotate(t *testing.T) {
	h := newHome(t)
	fill(t, h)
	other := filepath.Join(h.dir.Backups(), "notes.txt")
	for i := range 5 {
		_, removed := backup(t, h, "", noon.Add(time.Duration(i)*time.Hour), 3)
		if want := max(0, min(1, i-2)); len(removed) != want {
			t.Errorf("backup %d removed %v", i, removed)
		}
		if i == 0 {
			if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := vault.Backups(h.dir.Backups())
	if err != nil || len(list) != 3 || !list[0].At.Equal(noon.Add(4*time.Hour)) || !list[2].At.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("a file that is no backup was removed")
	}
	_, _, err = h.Backup(bg, "", noon.Add(4*time.Hour), 1, nil)
	vaulttest.Kind(t, err, engine.KindUsage)
	if list, _ := vault.Backups(h.dir.Backups()); len(list) != 3 {
		t.Error("a backup that was not made removed others")
	}
}

// One flipped bit anywhere in a backup is found, and so is every cut.
func TestBackupDamage(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, _ := vaulttest.Start(t, h, w, "task")
	blob, err := h.PutBlob(bg, noise(7, 2000))
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.Add(t, h, id, w, blob.String())
	b, _ := backup(t, h, "", noon, 0)
	whole, err := os.ReadFile(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, body []byte) {
		t.Helper()
		if err := os.WriteFile(b.Path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := vault.VerifyBackup(bg, b.Path, nil); engine.KindOf(err) != engine.KindVerification && engine.KindOf(err) != engine.KindNewer {
			t.Errorf("%s: %v", what, err)
		}
	}
	for at := range whole {
		if at > 100 && at < len(whole)-100 && at%7 != 0 {
			continue // the middle is all alike
		}
		body := bytes.Clone(whole)
		body[at] ^= 1 << (at % 8)
		try(fmt.Sprintf("bit at %d", at), body)
	}
	for at := 0; at < len(whole); at += 101 {
		try(fmt.Sprintf("cut at %d", at), whole[:at])
	}
	try("longer", append(bytes.Clone(whole), 0))
	// A whole check names it, and a restore refuses it before anything moves.
	body := bytes.Clone(whole)
	body[len(body)/2] ^= 4
	if err := os.WriteFile(b.Path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := h.Examine(bg, nil)
	if err != nil || len(r.Faults) != 1 || !strings.HasPrefix(r.Faults[0].File, "backups/") {
		t.Errorf("%+v, %v", r, err)
	}
	h.end()
	_, err = tryRestore(h, b.Path, true)
	vaulttest.Kind(t, err, engine.KindVerification)
	h.open()
	h.quiet()
}

// A damaged store gives no backup, and no other backup goes for it.
func TestNoBackupOfDamage(t *testing.T) {
	h := newHome(t)
	h.opts.FreeSpace = func(string) (uint64, error) { return 1 << 40, nil }
	fill(t, h)
	backup(t, h, "", noon, 1)
	free := uint64(1 << 20)
	h.opts.FreeSpace = func(string) (uint64, error) { return free, nil }
	h.end()
	free = 1 << 40
	h.open()
	free = 1 << 20
	_, _, err := h.Backup(bg, "", noon.Add(time.Hour), 1, nil)
	vaulttest.Kind(t, err, engine.KindDiskFull)
	ended, stop := context.WithCancel(bg)
	stop()
	free = 1 << 40
	_, _, err = h.Backup(ended, "", noon.Add(time.Hour), 1, nil)
	vaulttest.Kind(t, err, engine.KindCancelled)
	left, err := filepath.Glob(filepath.Join(h.dir.Backups(), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// Deleting a task takes it out of the backups in the folder, and no other.
func TestDeletionReachesBackups(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{Salt: "planted"}
	id, _ := vaulttest.Start(t, h, w, "task planted-in-a-line")
	mine, _ := h.PutBlob(bg, []byte("planted-in-a-text "+string(noise(1, 100))))
	shared, _ := h.PutBlob(bg, []byte("shared "+string(noise(2, 100))))
	vaulttest.Add(t, h, id, w, mine.String(), shared.String())
	w2 := &vaulttest.Writer{Salt: "other"}
	other, lines := vaulttest.Start(t, h, w2, "task")
	lines = append(lines, vaulttest.Add(t, h, other, w2, shared.String())...)
	b, _ := backup(t, h, "", noon, 0)
	bad := filepath.Join(h.dir.Backups(), "cairn-20200101T000000Z.cairnbackup")
	for _, path := range []string{bad, b.Path + ".tmp"} {
		if err := os.WriteFile(path, []byte("planted-in-a-ruin"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	weighed, err := h.Weigh(bg, id)
	if err != nil {
		t.Fatal(err)
	}
	e, err := h.Delete(bg, id)
	if err != nil || e.Backups != 1 || weighed.Backups != 1 {
		t.Fatalf("%+v, weighed %+v, %v", e, weighed, err)
	}
	names := glob(t, filepath.Join(h.dir.Backups(), "*"))
	if len(names) != 1 {
		t.Fatalf("left %v", names)
	}
	fresh := newHome(t)
	fresh.end()
	if err := os.RemoveAll(string(fresh.dir)); err != nil {
		t.Fatal(err)
	}
	restore(t, fresh, b.Path, false)
	fresh.open()
	fresh.holds(map[string][][]byte{other: lines})
	if _, err := fresh.Blob(bg, shared); err != nil {
		t.Error(err)
	}
	_, err = fresh.Blob(bg, mine)
	vaulttest.Kind(t, err, engine.KindNotFound)
	fresh.sound()
}
