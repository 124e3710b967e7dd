package vault_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/engine/clock"
	"cairn/engine/state"
	"cairn/engine/task"
	"cairn/engine/task/tasktest"
	"cairn/vault"
)

// everything looks through each byte under the home folder, through what the store
// had compressed, and through names, for words; each is looked for as it is written
// and as lines hold it. It gives for each word the files that have it.
func (h *home) everything(words ...string) map[string][]string {
	h.t.Helper()
	forms := map[string][][]byte{}
	for _, w := range words {
		forms[w] = [][]byte{[]byte(w), []byte(tasktest.Escaped(w))}
	}
	found := map[string][]string{}
	look := func(where string, body []byte) {
		for w, list := range forms {
			for _, form := range list {
				if bytes.Contains(body, form) {
					found[w] = append(found[w], where)
				}
			}
		}
	}
	for path, body := range contents(h.t, string(h.dir)) {
		look("the name "+path, []byte(path))
		look(path, []byte(body))
		vault.Payloads([]byte(body), func(key, payload []byte) {
			look(fmt.Sprintf("a record %q in %s", key[:1], path), key)
			look(fmt.Sprintf("a record %q in %s", key[:1], path), payload)
		})
	}
	return found
}

func (h *home) desk() *task.Desk {
	return task.NewDesk(h.Store, clock.NewFake(time.Unix(1_800_000_000, 0)), rand.Reader, "cairn test")
}

// lives is a home with two tasks that share a document, alternatives, backups,
// drafts, a torn save, and a store that was set aside.
func lives(t *testing.T, seed uint64) (h *home, a, b *tasktest.Life) {
	t.Helper()
	h = newHome(t)
	d := h.desk()
	a, err := tasktest.Grow(bg, d, h.Store, 2*seed, 20)
	if err != nil {
		t.Fatal(err)
	}
	tk, err := d.Open(bg, a.Branches[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Fork(bg, tk, 6); err != nil {
		t.Fatal(err)
	}
	if b, err = tasktest.Grow(bg, d, h.Store, 2*seed+1, 15, a.Docs[1]); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Backup(bg, "", time.Unix(1_800_000_000, 0), 0, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.PutBlob(bg, []byte("a reply that no line names, of "+a.Docs[0].Word+" and "+a.Reply)); err != nil {
		t.Fatal(err)
	}
	h.crash()
	appendFile(t, h.dir.Journal(a.Branches[0]), `{"at":1,"by":"model","text":"`+tasktest.Escaped(a.Docs[0].Word))
	if seed%2 == 0 {
		spoilFile(t, filepath.Join(string(h.dir.Vault()), "MANIFEST"), make([]byte, 64))
	}
	h.open()
	return h, a, b
}

// whole holds that every branch can be opened, and gives its state.
func (h *home) whole(d *task.Desk, want int) map[string]*state.State {
	h.t.Helper()
	all, err := d.Branches(bg)
	if err != nil || len(all) != want {
		h.t.Fatalf("%d branches instead of %d, %v", len(all), want, err)
	}
	out := map[string]*state.State{}
	for _, b := range all {
		tk, err := d.Open(bg, b.ID)
		if err != nil {
			h.t.Fatal(err)
		}
		if err := tk.Fault(); err != nil {
			h.t.Fatal(err)
		}
		out[b.ID] = tk.Snapshot()
	}
	return out
}

func (h *home) absent(words ...string) {
	h.t.Helper()
	for w, where := range h.everything(words...) {
		h.t.Errorf("%s is still in %s", w, strings.Join(where, ", "))
	}
}

func (h *home) present(words ...string) {
	h.t.Helper()
	found := h.everything(words...)
	for _, w := range words {
		if len(found[w]) == 0 {
			h.t.Errorf("%s is nowhere any more", w)
		}
	}
}

// A document that was deleted for good is in no byte under the home folder, and
// everything else is.
func TestEraseLeavesNothing(t *testing.T) {
	seeds := 3
	if testing.Short() {
		seeds = 2
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h, a, b := lives(t, seed)
			gone := a.Docs[0]
			if n := len(h.everything(gone.Word)[gone.Word]); n < 6 {
				t.Fatalf("only %d places hold the word before: the test would find nothing", n)
			}
			d := h.desk()
			before := h.whole(d, 3)
			e, err := d.Erasure(bg, a.Branches[1], gone.ID)
			if err != nil {
				t.Fatal(err)
			}
			done, err := e.Run(bg, nil)
			if err != nil {
				t.Fatal(err)
			}
			h.absent(gone.Word, gone.Called, a.Reply)
			h.present(a.Word, a.Docs[1].Word, a.Docs[2].Word, b.Word, b.Docs[0].Word, b.Reply)
			after := h.whole(d, 3)
			if was, now := before[b.Branches[0]], after[b.Branches[0]]; was.Hash() != now.Hash() || was.Chain != now.Chain {
				t.Error("the other task changed")
			}
			h.reopen()
			h.quiet()
			h.absent(gone.Word, gone.Called, a.Reply)

			// The whole task goes as well; what the other task shares with it stays.
			if _, err := h.Delete(bg, done.Moved[a.Branches[0]]); err != nil {
				t.Fatal(err)
			}
			h.absent(gone.Word, gone.Called, a.Reply, a.Word, a.Docs[2].Word)
			h.present(a.Docs[1].Word, b.Word, b.Docs[0].Word, b.Reply)
			d = h.desk()
			h.whole(d, 1)
			tk, err := d.Open(bg, b.Branches[0])
			if err != nil {
				t.Fatal(err)
			}
			src := tk.Snapshot().Sources[a.Docs[1].ID]
			if text, err := tk.Library().Text(bg, src); err != nil || string(text.Body) != a.Docs[1].Body {
				t.Errorf("the shared text: %v", err)
			}
			if err := b.Live(bg, tk, 0); err != nil {
				t.Error(err)
			}
			h.sound()
			h.end()
			h.absent(gone.Word, gone.Called, a.Reply, a.Word, a.Docs[2].Word)
		})
	}
}

// Killed at any point of it, deleting a document leaves the task as it was, or the
// task without the document; never half of both.
func TestEraseInterrupted(t *testing.T) {
	h, a, b := lives(t, 3)
	gone := a.Docs[0]
	seen := map[string]int{}
	var images []vault.Home
	h.hook(func(point string) error {
		n := seen[point]
		seen[point]++
		if n > 0 && n != 4 { // the first time at each point, and once in the middle
			return nil
		}
		image := vault.Home(filepath.Join(t.TempDir(), "home"))
		copyTree(t, string(h.dir), string(image))
		images = append(images, image)
		return nil
	})
	d := h.desk()
	before := h.whole(d, 3)
	e, err := d.Erasure(bg, a.Branches[0], gone.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Run(bg, nil); err != nil {
		t.Fatal(err)
	}
	h.end()
	undone, finished := 0, 0
	for _, image := range images {
		h.dir, h.opts.Hook = image, nil
		h.open()
		d := h.desk()
		now := h.whole(d, 3)
		half, err := d.HalfReplaced(bg)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range half { // what the app does when it starts
			if _, err := h.Delete(context.Background(), id); err != nil {
				t.Fatal(err)
			}
		}
		if all, err := h.Branches(bg); err != nil || len(all) != 3 {
			t.Fatalf("%d branches are left, %v", len(all), err)
		}
		if _, old := now[a.Branches[0]]; old {
			undone++
			for id, st := range before {
				if now[id] == nil || now[id].Chain != st.Chain {
					t.Errorf("branch %s is not as it was", id)
				}
			}
			h.present(gone.Word, a.Reply, b.Word)
		} else {
			finished++
			h.absent(gone.Word, gone.Called, a.Reply)
			h.present(a.Docs[2].Word, a.Docs[2].Called, a.Word, b.Word, b.Reply)
		}
		h.sound()
		h.end()
	}
	if undone < 5 || finished < 4 {
		t.Errorf("%d images, of which %d were undone and %d finished: not every way was seen; points %v", len(images), undone, finished, seen)
	}
}
