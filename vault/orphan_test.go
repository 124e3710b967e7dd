package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"cairn/vault"
	"cairn/vault/vaulttest"
)

// The child of a process that was killed may still be trying its copy when the next
// process tries its own: they don't meet.
func TestTryBesideAnOrphan(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	h.end()
	if err := os.Remove(filepath.Join(string(h.dir), "clean")); err != nil {
		t.Fatal(err)
	}
	orphan := filepath.Join(string(h.dir), "vault.try", "copy-1", "vault")
	tried := ""
	h.opts.Probe = func(_ context.Context, args []string) error {
		tried = args[0]
		// The orphan goes on writing where it was.
		err := os.MkdirAll(orphan, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(orphan, "DISCARD"), []byte("x"), 0o600)
		}
		return err
	}
	h.open()
	if tried == "" || filepath.Dir(tried) == filepath.Dir(orphan) {
		t.Errorf("the copy was tried in %q", tried)
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	h.sound()
}

// With a process that lives the child has its time.
func TestProbeChildIsWaitedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(probeEnv, "1")
	if err := vault.ProbeChild(os.Args[0])(t.Context(), []string{dir}); err != nil {
		t.Error(err)
	}
}
