package vault_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

// A crash can cut the last save anywhere. One vault, and a task for every byte.
func TestTornAtEveryByte(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{Salt: "0000"}
	w.Group("task")
	length := len(joined(w.Group("a", "b")))
	type task struct {
		id    string
		saved [][]byte
		cut   [][]byte
		keep  int
	}
	var tasks []task
	for keep := range length + 1 {
		w := &vaulttest.Writer{Salt: fmt.Sprintf("%04d", keep)}
		id, saved := vaulttest.Start(t, h, w, "task")
		tasks = append(tasks, task{id, saved, w.Group("a", "b"), keep})
	}
	h.end()
	for _, k := range tasks {
		body := joined(k.saved) + joined(k.cut)[:k.keep]
		if err := os.WriteFile(h.dir.Journal(k.id), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.open()
	for _, k := range tasks {
		want := k.saved
		if k.keep == length {
			want = append(want, k.cut...)
		}
		vaulttest.Same(t, vaulttest.Read(t, h, k.id, 1), want)
		journal, err := os.ReadFile(h.dir.Journal(k.id))
		if err != nil || string(journal) != joined(want) {
			t.Fatalf("cut after %d bytes: the journal was left as\n%s", k.keep, journal)
		}
		sides, err := filepath.Glob(filepath.Join(h.dir.Aside(), k.id+"*"))
		if err != nil || (len(sides) == 1) != (k.keep > 0 && k.keep < length) {
			t.Fatalf("cut after %d bytes: side files %v", k.keep, sides)
		}
		if len(sides) == 1 {
			if side, err := os.ReadFile(sides[0]); err != nil || string(side) != joined(k.cut)[:k.keep] {
				t.Fatalf("cut after %d bytes: the side file holds %q", k.keep, side)
			}
		}
	}
	h.reported("was cut off and had not been confirmed")
	h.reported("were in its journal and not yet in the store")
	h.sound()
	h.reopen()
	h.quiet()
}

// A power cut can leave zeros where the last write was to go.
func TestZerosAtTheEnd(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	h.end()
	appendFile(t, h.dir.Journal(id), joined(w.Group("lost"))[:50]+strings.Repeat("\x00", 4096))
	h.open()
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
	h.reported("was cut off")
	h.sound()
}

// ... or pages of its middle, with the later ones written. That is a save that was
// cut off as well, and the task goes on. What the store had to have before is damage.
func TestZerosInTheMiddle(t *testing.T) {
	zeros := func(group [][]byte, line int) string {
		group[line] = bytes.Repeat([]byte{0}, len(group[line]))
		return joined(group)
	}
	for line := range 3 {
		h := newHome(t)
		w := &vaulttest.Writer{}
		id, all := vaulttest.Start(t, h, w, "task")
		next := *w
		h.end()
		appendFile(t, h.dir.Journal(id), zeros(w.Group("a", "b", "c", "d"), line))
		h.open()
		vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
		h.reported("was cut off")
		h.sound()
		all = append(all, vaulttest.Add(t, h, id, &next, "it goes on")...)
		h.reopen()
		h.quiet()
		vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)

		h.end()
		appendFile(t, h.dir.Journal(id), zeros(next.Group("a", "b", "c"), line)+joined(next.Group("one more")))
		h.open()
		vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
		h.reported("A task is damaged")
	}
}

// The same in the first save of a task, of which the store knows nothing yet.
func TestZerosAtTheBeginning(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	h.end()
	group := (&vaulttest.Writer{Salt: "new"}).Group("another", "a", "b", "c")
	fresh := h.dir.Journal(ledger.Hash{}.Extend(ledger.HashOf(group[0])).String())
	group[0] = bytes.Repeat([]byte{0}, len(group[0]))
	if err := os.WriteFile(fresh, []byte(joined(group)), 0o600); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.reported("The first save of a task was cut off")
	h.sound()
	if list, err := h.Branches(bg); err != nil || len(list) != 1 || list[0].Damage != "" {
		t.Fatalf("branches: %v, %v", list, err)
	}
	vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all)
}

func appendFile(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// family makes a task with forks of forks and texts, and gives its lines by branch.
func family(t *testing.T, h *home) map[string][][]byte {
	t.Helper()
	w := &vaulttest.Writer{Salt: "root"}
	root, all := vaulttest.Start(t, h, w, "task")
	for i := range 40 {
		blob, err := h.PutBlob(bg, fmt.Appendf(nil, "text %d %s", i, vaulttest.Filler(3000, "filler")))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, vaulttest.Add(t, h, root, w, blob.String(), vaulttest.Filler(500, "x"), "checkpoint")...)
	}
	out := map[string][][]byte{root: all}
	parent, prefix := root, all[:61]
	for i := range 6 {
		fw := vaulttest.Continue(prefix, fmt.Sprint("fork", i))
		group := fw.Group("fork", "checkpoint")
		id, err := h.Begin(bg, parent, group)
		if err != nil {
			t.Fatal(err)
		}
		lines := append(append([][]byte{}, prefix...), group...)
		lines = append(lines, vaulttest.Add(t, h, id, fw, "more", "checkpoint")...)
		out[id] = lines
		parent, prefix = id, lines
	}
	return out
}

func (h *home) holds(want map[string][][]byte) {
	h.t.Helper()
	list, err := h.Branches(bg)
	if err != nil || len(list) != len(want) {
		h.t.Fatalf("%d branches of %d: %v", len(list), len(want), err)
	}
	for id, lines := range want {
		vaulttest.Same(h.t, vaulttest.Read(h.t, h, id, 1), lines)
		b, err := h.Branch(bg, id)
		if err != nil || b.Damage != "" {
			h.t.Errorf("branch %s: %v %s", id, err, b.Damage)
		}
	}
}

func TestStoreFolderDeleted(t *testing.T) {
	h := newHome(t)
	want := family(t, h)
	before, err := h.Branches(bg)
	if err != nil {
		t.Fatal(err)
	}
	h.end()
	if err := os.RemoveAll(h.dir.Vault()); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.holds(want)
	after, err := h.Branches(bg)
	if err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("branches\n%+v\nbecame\n%+v", before, after)
	}
	if !h.Rebuilt {
		t.Error("opened without saying that it was rebuilt")
	}
	h.reported("built again from the journals")
	h.sound()
	// Texts are lost, and that is not the same as damage: they are made again.
	lost, _ := h.PutBlob(bg, []byte("text 1 "+vaulttest.Filler(3000, "filler")))
	_, err = h.Blob(bg, lost)
	if err != nil {
		t.Errorf("a text can't be stored again: %v", err)
	}
	h.reopen()
	h.quiet()
	h.holds(want)
}

func TestJournalsDeleted(t *testing.T) {
	h := newHome(t)
	want := family(t, h)
	h.end()
	if err := os.RemoveAll(h.dir.Journals()); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.holds(want)
	h.reported("was written again from the store")
	h.sound()
	h.reopen()
	h.quiet()
}

func TestJournalShorterThanStore(t *testing.T) {
	h := newHome(t)
	want := family(t, h)
	h.end()
	for id := range want {
		body, err := os.ReadFile(h.dir.Journal(id))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(h.dir.Journal(id), body[:len(body)*2/3], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.open()
	h.holds(want)
	h.reported("was completed from the store")
	h.sound()
}

// The same place with another line: both are kept, and neither goes on.
func TestTwoHistories(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	all = append(all, vaulttest.Add(t, h, id, w, "a", "checkpoint")...)
	vault2 := append(append([][]byte{}, all...), vaulttest.Add(t, h, id, w, "the store's", "checkpoint")...)
	h.end()
	ow := vaulttest.Continue(all, "other")
	journal := append(append([][]byte{}, all...), ow.Group("the journal's", "checkpoint")...)
	journal = append(journal, ow.Group("and more")...)
	if err := os.WriteFile(h.dir.Journal(id), []byte(joined(journal)), 0o600); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.reported("Both are kept")
	for range 2 {
		list, err := h.Branches(bg)
		if err != nil || len(list) != 2 {
			t.Fatalf("%d branches, %v", len(list), err)
		}
		for _, b := range list {
			if b.Damage == "" || b.Root != id {
				t.Errorf("branch %+v", b)
			}
			want := vault2
			if b.ID != id {
				want = journal
			}
			vaulttest.Same(t, vaulttest.Read(t, h, b.ID, 1), want)
			vaulttest.Kind(t, h.Append(bg, b.ID, vaulttest.Continue(want, "x").Group("x")), engine.KindDamaged)
		}
		h.reopen()
		h.quiet()
	}
	if _, err := h.Begin(bg, id, vaulttest.Continue(all, "again").Group("fork")); err != nil {
		t.Errorf("a fork from the last good place: %v", err)
	}
}

func TestJournalLineChanged(t *testing.T) {
	for name, ahead := range map[string]bool{"as long as the store": false, "longer": true} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			w := &vaulttest.Writer{}
			id, all := vaulttest.Start(t, h, w, "task")
			for i := range 5 {
				all = append(all, vaulttest.Add(t, h, id, w, fmt.Sprint("claim ", i), "checkpoint")...)
			}
			h.end()
			body := strings.Replace(joined(all), "claim 2", "claim 7 with more words", 1)
			if ahead {
				more := w.Group("only in the journal")
				body, all = body+joined(more), append(all, more...)
			}
			if err := os.WriteFile(h.dir.Journal(id), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			h.open()
			h.reported("the store has the right one")
			h.holds(map[string][][]byte{id: all})
			h.sound()
		})
	}
}

// With the store gone a broken chain can't be mended: what is before it is kept,
// what is after it is named.
func TestRebuildFromBrokenJournal(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	for i := range 5 {
		all = append(all, vaulttest.Add(t, h, id, w, fmt.Sprint("claim ", i), "checkpoint")...)
	}
	other, kept := vaulttest.Start(t, h, &vaulttest.Writer{Salt: "other"}, "task")
	third, _ := vaulttest.Start(t, h, &vaulttest.Writer{Salt: "third"}, "first words")
	fork, err := h.Begin(bg, third, vaulttest.Continue(vaulttest.Read(t, h, third, 1), "f").Group("fork"))
	if err != nil {
		t.Fatal(err)
	}
	h.end()
	replace(t, h.dir.Journal(id), "claim 2", "claim 7")
	replace(t, h.dir.Journal(third), "first words", "other words")
	if err := os.RemoveAll(h.dir.Vault()); err != nil {
		t.Fatal(err)
	}
	h.open()
	for range 2 {
		b, err := h.Branch(bg, id)
		if err != nil || b.Damage == "" || b.Head.Seq != 5 {
			t.Fatalf("branch %+v, %v", b, err)
		}
		vaulttest.Same(t, vaulttest.Read(t, h, id, 1), all[:5])
		vaulttest.Same(t, vaulttest.Read(t, h, other, 1), kept)
		for _, id := range []string{third, fork} {
			if b, err := h.Branch(bg, id); err != nil || b.Damage == "" {
				t.Errorf("branch %+v, %v: not named as damaged", b, err)
			}
		}
		h.reopen()
		h.quiet()
	}
	if _, err := h.Begin(bg, id, vaulttest.Continue(all[:5], "again").Group("fork")); err != nil {
		t.Errorf("a fork from the last good checkpoint: %v", err)
	}
}

func replace(t *testing.T, path, old, new string) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(body, []byte(old)) {
		t.Fatalf("%s holds no %q: %v", path, old, err)
	}
	if err := os.WriteFile(path, bytes.Replace(body, []byte(old), []byte(new), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}

// stored finds a text inside Badger's files with some extension and gives the
// file and where the text begins, the last time it is there.
func stored(t *testing.T, dir, ext string, text []byte) (string, int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"+ext))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.LastIndex(body, text); i >= 0 {
			return name, i
		}
	}
	t.Fatalf("no %s file in %v holds the text", ext, names)
	return "", 0
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body[at] ^= 0x10
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// noise is text that can't be compressed, so that it stands in files as it is.
func noise(seed byte, n int) []byte {
	var out []byte
	for h := ledger.HashOf([]byte{seed}); len(out) < n; h = ledger.HashOf(h[:]) {
		out = append(out, h[:]...)
	}
	return out[:n]
}

func TestBitFlipInStoredText(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	var blobs []ledger.Hash
	id, all := vaulttest.Start(t, h, w, "task")
	for i := range 12 {
		blob, err := h.PutBlob(bg, noise(byte(i), 4000))
		if err != nil {
			t.Fatal(err)
		}
		blobs = append(blobs, blob)
		all = append(all, vaulttest.Add(t, h, id, w, blob.String(), "checkpoint")...)
	}
	if err := h.PutLocal(bg, "machine", "folder", []byte("/somewhere")); err != nil {
		t.Fatal(err)
	}
	h.end()
	// In the middle of the text, in the sum over it, in the magic.
	for i, back := range []int{-2000, 60, 12 + 37 + 45} {
		file, at := stored(t, string(h.dir.Vault()), ".sst", noise(byte(i), 4000))
		flip(t, file, at-back)
	}
	h.open()
	for i, blob := range blobs {
		_, err := h.Blob(bg, blob)
		if i < 3 {
			vaulttest.Kind(t, err, engine.KindDamaged)
		} else if err != nil {
			t.Errorf("text %d: %v", i, err)
		}
	}
	if wrong, err := h.Check(bg); err != nil || len(wrong) < 3 {
		t.Errorf("a full check finds %q, %v", wrong, err)
	}
	// The next start builds a new store; everything but the damaged texts is in it.
	h.reopen()
	h.reported("did not pass its check")
	h.holds(map[string][][]byte{id: all})
	for i, blob := range blobs {
		if _, err := h.Blob(bg, blob); (err == nil) != (i >= 3) {
			t.Errorf("text %d: %v", i, err)
		}
	}
	if v, err := h.Local(bg, "machine", "folder"); err != nil || string(v) != "/somewhere" {
		t.Errorf("local record %q, %v", v, err)
	}
	h.sound()
	// A damaged text that is stored again is whole.
	if _, err := h.PutBlob(bg, noise(0, 4000)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Blob(bg, blobs[0]); err != nil {
		t.Error(err)
	}
	h.reopen()
	h.quiet()
}

func TestBitFlipInStoredLine(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	for i := range 10 {
		all = append(all, vaulttest.Add(t, h, id, w, fmt.Sprintf("%x", noise(byte(i), 40)))...)
	}
	h.end()
	// Lines are compressed; their chain value stands before them as it is.
	after4 := vaulttest.Continue(all[:4], "").Chain()
	file, at := stored(t, string(h.dir.Vault()), ".sst", after4[:16])
	flip(t, file, at)
	h.open()
	n := 0
	err := h.Lines(bg, id, 1, func(int64, []byte) error { n++; return nil })
	vaulttest.Kind(t, err, engine.KindDamaged)
	if n != 4 {
		t.Errorf("%d lines before the damaged one, want 4", n)
	}
	h.reopen()
	h.holds(map[string][][]byte{id: all})
	h.sound()
}

// One flipped bit in a live log makes Badger drop everything after it without a
// word. Lines come back from the journal, texts from the copy of the log.
func TestBitFlipInLog(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	var blobs []ledger.Hash
	for i := range 12 {
		blob, err := h.PutBlob(bg, noise(byte(i), 4000))
		if err != nil {
			t.Fatal(err)
		}
		blobs = append(blobs, blob)
		all = append(all, vaulttest.Add(t, h, id, w, blob.String(), "checkpoint")...)
	}
	if err := h.PutLocal(bg, "machine", "folder", []byte("/somewhere")); err != nil {
		t.Fatal(err)
	}
	h.crash()
	file, at := stored(t, string(h.dir.Vault()), ".mem", noise(3, 4000))
	flip(t, file, at+100)
	h.open()
	if h.Clean || h.Rebuilt {
		t.Errorf("opened %+v", h.Opened)
	}
	h.reported("were in its journal and not yet in the store")
	h.holds(map[string][][]byte{id: all})
	for i, blob := range blobs {
		if _, err := h.Blob(bg, blob); (err == nil) != (i != 3) {
			t.Errorf("text %d: %v", i, err)
		}
	}
	if v, err := h.Local(bg, "machine", "folder"); err != nil || string(v) != "/somewhere" {
		t.Errorf("local record %q, %v", v, err)
	}
	h.sound()
}

func TestCrashLeavesNoCopies(t *testing.T) {
	h := newHome(t)
	want := family(t, h)
	h.crash()
	h.open()
	h.quiet()
	h.holds(want)
	left, err := os.ReadDir(h.dir.Aside())
	if err != nil || len(left) > 0 {
		t.Errorf("left aside after a crash that lost nothing: %v %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(string(h.dir), "vault.try")); err == nil {
		t.Error("the copy that was tried is still there")
	}
	h.sound()
}

func TestUnopenableStore(t *testing.T) {
	zeros := func(t *testing.T, h *home) {
		spoilFile(t, filepath.Join(string(h.dir.Vault()), "MANIFEST"), make([]byte, 100))
	}
	cut := func(t *testing.T, h *home) {
		names, err := filepath.Glob(filepath.Join(string(h.dir.Vault()), "*.sst"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no tables: %v", err)
		}
		body, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		spoilFile(t, names[0], body[:len(body)-500])
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *home)
		crash bool
	}{
		{"manifest of zeros after a good end", zeros, false},
		{"manifest of zeros after a crash", zeros, true},
		// Badger panics on a goroutine of its own: only the child can die of it.
		{"table cut after a crash", cut, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			want := family(t, h)
			h.reopen() // so that there is a table
			if c.crash {
				h.crash()
			} else {
				h.end()
			}
			c.spoil(t, h)
			t.Setenv(probeEnv, "good")
			h.opts.Probe = vault.ProbeChild(os.Args[0])
			h.open()
			h.reported("The store was set aside because it can't be opened any more.")
			if !h.Rebuilt {
				t.Error("opened without saying that it was rebuilt")
			}
			h.holds(want)
			if _, err := h.Blob(bg, ledger.HashOf([]byte("text 7 "+vaulttest.Filler(3000, "filler")))); err != nil {
				t.Errorf("a text that was whole in the old store: %v", err)
			}
			h.sound()
			h.reopen()
			h.quiet()
			h.holds(want)
		})
	}
}

func spoilFile(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestProbeInChild(t *testing.T) {
	for mode, rebuilt := range map[string]bool{"good": false, "panic": true} {
		t.Run(mode, func(t *testing.T) {
			h := newHome(t)
			want := family(t, h)
			h.crash()
			t.Setenv(probeEnv, mode)
			h.opts.Probe = vault.ProbeChild(os.Args[0])
			h.open()
			if h.Rebuilt != rebuilt {
				t.Errorf("opened %+v", h.Opened)
			}
			h.holds(want)
			h.sound()
		})
	}
}

// The second start without a good end reads everything on the copy.
func TestSecondCrashReadsAll(t *testing.T) {
	h := newHome(t)
	w := &vaulttest.Writer{}
	id, all := vaulttest.Start(t, h, w, "task")
	blob, _ := h.PutBlob(bg, noise(1, 4000))
	all = append(all, vaulttest.Add(t, h, id, w, blob.String())...)
	h.reopen()
	h.crash()
	file, at := stored(t, string(h.dir.Vault()), ".sst", noise(1, 4000))
	flip(t, file, at+9)
	h.open()
	h.quiet()
	h.crash()
	h.open()
	h.reported("set aside")
	h.holds(map[string][][]byte{id: all})
}
