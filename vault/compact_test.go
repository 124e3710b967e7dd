package vault_test

import (
	"fmt"
	"testing"

	"cairn/engine"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

// What was replaced, and texts that no line names, take space until the store is
// written anew. What is saved is the same afterwards.
func TestCompactGivesSpaceBack(t *testing.T) {
	h := newHome(t)
	k := fill(t, h)
	for i := range 24 { // spilled to disk, and never named
		if _, err := h.PutBlob(bg, noise(byte(100+i), 250<<10)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		if err := h.PutLocal(bg, k.root, "list", noise(byte(i), 100<<10)); err != nil {
			t.Fatal(err)
		}
	}
	h.reopen()
	c, err := h.Compact(bg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kB before, %d kB after", c.Before>>10, c.After>>10)
	// How much of what was replaced Badger has given up by itself meanwhile depends on
	// how busy the machine is; the texts that no line names go with the compaction.
	if c.Before-c.After < 4<<20 || c.Dropped < 20 {
		t.Errorf("%+v", c)
	}
	h.same(k)
	h.sound()
	w := vaulttest.Continue(k.lines[k.root], "")
	k.lines[k.root] = append(k.lines[k.root], vaulttest.Add(t, h, k.root, w, "it goes on")...)
	h.reopen()
	h.quiet()
	h.same(k)
	if again, err := h.Compact(bg, nil); err != nil || again.Dropped != 0 {
		t.Errorf("%+v, %v", again, err)
	}
}

// A text that a running step stored and its line has not named yet is not dropped.
func TestCompactKeepsWhatIsAboutToBeNamed(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, _ := vaulttest.Start(t, h, w, "task")
	body := noise(1, 2<<20) // more than waits in memory
	blob, err := h.PutBlob(bg, body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Compact(bg, nil); err != nil {
		t.Fatal(err)
	}
	vaulttest.Add(t, h, id, w, blob.String())
	h.reopen()
	if got, err := h.Blob(bg, blob); err != nil || len(got) != len(body) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	h.sound()
}

func TestCompactInterrupted(t *testing.T) {
	for _, point := range []string{vault.PointDeleteCopied, vault.PointDeleteSwapped} {
		t.Run(point, func(t *testing.T) {
			h := newHome(t)
			k := fill(t, h)
			h.failAt(point, fmt.Errorf("pulled"))
			_, err := h.Compact(bg, nil)
			vaulttest.Kind(t, err, engine.KindReadOnly)
			h.opts.Hook = nil
			h.reopen()
			h.same(k)
			h.sound()
		})
	}
	h := newHome(t)
	h.opts.FreeSpace = func(string) (uint64, error) { return 65 << 20, nil }
	h.reopen()
	_, err := h.Compact(bg, nil)
	vaulttest.Kind(t, err, engine.KindDiskFull)
}
