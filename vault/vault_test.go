package vault_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/engine"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

var bg = context.Background()

// home is an open vault in a folder of its own, and the lock on it.
type home struct {
	t    testing.TB
	dir  vault.Home
	lock *vault.HomeLock
	opts vault.Options
	*vault.Store
	vault.Opened
}

// roomy says that there is always space: tests must not hang on the disk they run on.
func roomy(string) (uint64, error) { return 1 << 40, nil }

func newHome(t testing.TB) *home {
	t.Helper()
	h := &home{t: t, dir: vault.Home(filepath.Join(t.TempDir(), "home")), opts: vault.Options{FreeSpace: roomy}}
	h.open()
	t.Cleanup(func() { h.end() })
	return h
}

func (h *home) open() {
	h.t.Helper()
	if err := h.tryOpen(); err != nil {
		h.t.Fatalf("open: %v", err)
	}
}

func (h *home) tryOpen() error {
	lock, err := vault.Lock(h.dir)
	if err != nil {
		return err
	}
	h.lock = lock
	h.Store, h.Opened, err = vault.Open(h.dir, lock, h.opts)
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	return nil
}

// end closes the vault as a good end does.
func (h *home) end() {
	h.t.Helper()
	if h.Store == nil {
		return
	}
	if err := errors.Join(h.Close(), h.lock.Release()); err != nil {
		h.t.Errorf("close: %v", err)
	}
	h.Store = nil
}

func (h *home) reopen() {
	h.t.Helper()
	h.end()
	h.open()
}

// crash gives a folder as a kill at this instant would leave it: a copy, made
// while the vault is open, that becomes this home.
func (h *home) crash() {
	h.t.Helper()
	to := vault.Home(filepath.Join(h.t.TempDir(), "home"))
	copyTree(h.t, string(h.dir), string(to))
	h.end()
	h.dir = to
}

func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func (h *home) reported(words string) {
	h.t.Helper()
	for _, line := range h.Report {
		if strings.Contains(line, words) {
			return
		}
	}
	h.t.Errorf("no report says %q: %q", words, h.Report)
}

func (h *home) quiet() {
	h.t.Helper()
	if len(h.Report) > 0 {
		h.t.Errorf("nothing should have been reported: %q", h.Report)
	}
}

// sound fails the test where a full check finds something.
func (h *home) sound() {
	h.t.Helper()
	wrong, err := h.Check(bg)
	if err != nil || len(wrong) > 0 {
		h.t.Errorf("check: %v %q", err, wrong)
	}
}

func TestVault(t *testing.T) {
	vaulttest.Suite(t, func(t *testing.T) vaulttest.Closer { return newHome(t).Store })
}

func TestReopen(t *testing.T) {
	h := newHome(t)
	if !h.Clean {
		t.Error("a new folder counts as clean")
	}
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task", "checkpoint")
	body := []byte("a reply")
	blob, _ := h.PutBlob(bg, body)
	for range 20 {
		all = append(all, vaulttest.Add(t, h, id, w, "a", blob.String())...)
		h.reopen()
		h.quiet()
		if !h.Clean || h.Rebuilt {
			t.Fatalf("opened %+v", h.Opened)
		}
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	if got, err := h.Blob(bg, blob); err != nil || string(got) != "a reply" {
		t.Fatalf("%q %v", got, err)
	}
	h.sound()
	journal, err := os.ReadFile(h.dir.Journal(id))
	if err != nil || string(journal) != joined(all) {
		t.Fatalf("the journal is not the lines: %v", err)
	}
}

func joined(lines [][]byte) string {
	var b strings.Builder
	for _, l := range lines {
		b.Write(l)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLock(t *testing.T) {
	h := newHome(t)
	before := listing(t, string(h.dir))
	_, err := vault.Lock(h.dir)
	vaulttest.Kind(t, err, engine.KindBusy)
	if after := listing(t, string(h.dir)); after != before {
		t.Errorf("a refused start changed the folder:\n%s\n%s", before, after)
	}
	if _, _, err := vault.Open(h.dir, nil, h.opts); err == nil {
		t.Error("opened without the lock")
	}
	other, err := vault.Lock(vault.Home(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := vault.Open(h.dir, other, h.opts); err == nil {
		t.Error("opened with the lock of another folder")
	}
	if err := errors.Join(other.Release(), other.Release()); err != nil {
		t.Error(err)
	}
	h.end()
	lock, err := vault.Lock(h.dir)
	if err != nil {
		t.Fatalf("the lock is not free after the end: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := vault.Open(h.dir, lock, h.opts); err == nil {
		t.Error("opened with a lock that was given back")
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			b.WriteString(path + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestModes(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, _ := vaulttest.Start(t, h, w, "task")
	if err := h.PutDraft(id, []byte("draft")); err != nil {
		t.Fatal(err)
	}
	h.reopen()
	err := filepath.Walk(string(h.dir), func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = os.ModeDir | 0o700
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
