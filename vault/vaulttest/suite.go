package vaulttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"cairn/engine"
	"cairn/engine/ledger"
)

// Closer is a store that can be closed; both stores of Cairn can.
type Closer interface {
	engine.Store
	Close() error
}

// Suite holds a store to what engine.Store promises. open gives an empty store
// for each part; it is closed at the end of it.
func Suite(t *testing.T, open func(t *testing.T) Closer) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(*testing.T, Closer)
	}{
		{"lines come back as they were", testLines},
		{"groups that don't fit are refused", testRefused},
		{"quotas of a group", testQuotas},
		{"withheld lines", testWithheld},
		{"forks read their parents' prefix", testForks},
		{"texts", testBlobs},
		{"local records", testLocals},
		{"drafts", testDrafts},
		{"deletion", testDelete},
		{"deletion of an alternative", testDeleteFork},
		{"several goroutines", testConcurrent},
		{"ended contexts", testContext},
		{"after Close", testClosed},
	} {
		t.Run(part.name, func(t *testing.T) {
			s := open(t)
			defer func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			part.run(t, s)
		})
	}
}

var bg = context.Background()

// Read gives all lines of a branch from a seq on.
func Read(t testing.TB, s engine.Store, branch string, from int64) [][]byte {
	t.Helper()
	var out [][]byte
	next := max(from, 1)
	err := s.Lines(bg, branch, from, func(seq int64, line []byte) error {
		if seq != next {
			t.Fatalf("line %d came where %d was due", seq, next)
		}
		next++
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatalf("read lines: %v", err)
	}
	return out
}

// Same fails the test where two runs of lines differ.
func Same(t testing.TB, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, got[i], want[i])
		}
	}
}

// Start begins a root branch with one group.
func Start(t testing.TB, s engine.Store, w *Writer, texts ...string) (string, [][]byte) {
	t.Helper()
	group := w.Group(texts...)
	id, err := s.Begin(bg, "", group)
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	return id, group
}

// Add appends a group.
func Add(t testing.TB, s engine.Store, branch string, w *Writer, texts ...string) [][]byte {
	t.Helper()
	group := w.Group(texts...)
	if err := s.Append(bg, branch, group); err != nil {
		t.Fatalf("append: %v", err)
	}
	return group
}

// Kind fails the test where err is not of a kind.
func Kind(t testing.TB, err error, want engine.Kind) {
	t.Helper()
	if err == nil || engine.KindOf(err) != want {
		t.Fatalf("error %v of kind %q, want kind %q", err, engine.KindOf(err), want)
	}
}

func testLines(t *testing.T, s Closer) {
	w := &Writer{}
	id, all := Start(t, s, w, "one", "two")
	if want := (ledger.Hash{}).Extend(ledger.HashOf(all[0])).String(); id != want {
		t.Fatalf("id %s, want the chain value of the first line %s", id, want)
	}
	for i := range 30 {
		all = append(all, Add(t, s, id, w, fmt.Sprintf("a %d", i), "b", "c")...)
	}
	Same(t, Read(t, s, id, 1), all)
	Same(t, Read(t, s, id, 0), all)
	Same(t, Read(t, s, id, 50), all[49:])
	Same(t, Read(t, s, id, w.Seq()+1), nil)
	b, err := s.Branch(bg, id)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Branch{ID: id, Root: id, From: 1, Head: engine.Head{Seq: w.Seq(), Group: 31, Chain: w.Chain()}}
	if b != want {
		t.Fatalf("branch\n got %+v\nwant %+v", b, want)
	}
	stop := errors.New("enough")
	n := 0
	err = s.Lines(bg, id, 1, func(int64, []byte) error {
		if n++; n == 5 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 5 {
		t.Fatalf("a callback's error must end the reading: %v after %d lines", err, n)
	}
	// The callback may call the store.
	err = s.Lines(bg, id, 1, func(int64, []byte) error { _, err := s.Branch(bg, id); return err })
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Branch(bg, strings.Repeat("0", 64))
	Kind(t, err, engine.KindNotFound)
	Kind(t, s.Lines(bg, "no id", 1, nil), engine.KindNotFound)
	Kind(t, s.Append(bg, strings.Repeat("0", 64), w.Group("x")), engine.KindNotFound)
}

func testRefused(t *testing.T, s Closer) {
	w := &Writer{}
	id, all := Start(t, s, w, "one")
	next := (&Writer{at: w.at}).Group("two", "three")
	edit := func(i int, old, new string) [][]byte {
		g := [][]byte{bytes.Clone(next[0]), bytes.Clone(next[1])}
		g[i] = bytes.Replace(g[i], []byte(old), []byte(new), 1)
		if bytes.Equal(g[i], next[i]) {
			t.Fatalf("nothing to replace: %s", old)
		}
		return g
	}
	for name, group := range map[string][][]byte{
		"empty group":                  nil,
		"cut":                          next[:1],
		"without its beginning":        next[1:],
		"lines exchanged":              {next[1], next[0]},
		"seq skipped":                  edit(0, `"seq":2`, `"seq":3`),
		"other chain":                  edit(0, `"prev":"`+w.Chain().String()[:4], `"prev":"0000`),
		"text changed after the chain": edit(0, "two", "too"),
		"group number used before":     edit(0, `"g":2`, `"g":1`),
		"two group numbers":            edit(1, `"g":2`, `"g":3`),
		"wrong count":                  edit(1, `"n":2`, `"n":3`),
		"no count":                     edit(1, `"n":2,`, ``),
		"LF in a line":                 {append(bytes.Clone(next[0]), '\n'), next[1]},
		"not JSON":                     {[]byte("prose"), next[1]},
		"not ASCII":                    edit(0, "two", "tw\u00f6"),
	} {
		if err := s.Append(bg, id, group); err == nil || engine.KindOf(err) != engine.KindUsage {
			t.Errorf("%s: error %v, want kind usage", name, err)
		}
	}
	Same(t, Read(t, s, id, 1), all)
	if err := s.Append(bg, id, next); err != nil {
		t.Fatalf("the right group is refused after the wrong ones: %v", err)
	}
	Kind(t, s.Append(bg, id, next), engine.KindUsage)
	// A branch that is here already; its id is told.
	again, err := s.Begin(bg, "", all)
	Kind(t, err, engine.KindUsage)
	if again != id {
		t.Errorf("id %q, want %s", again, id)
	}
	_, err = s.Begin(bg, "", (&Writer{at: w.at}).Group("not the first line"))
	Kind(t, err, engine.KindUsage)
	_, err = s.Begin(bg, strings.Repeat("0", 64), (&Writer{at: w.at}).Group("no such parent"))
	Kind(t, err, engine.KindNotFound)
}

func testQuotas(t *testing.T, s Closer) {
	w := &Writer{}
	id, all := Start(t, s, w, "one")
	texts := make([]string, 257)
	for i := range texts {
		texts[i] = "x"
	}
	try := &Writer{at: w.at}
	Kind(t, s.Append(bg, id, try.Group(texts...)), engine.KindUsage)
	all = append(all, Add(t, s, id, w, texts[:256]...)...)

	big := Filler(60<<10, "big")
	try = &Writer{at: w.at}
	Kind(t, s.Append(bg, id, try.Group(big, big, big, big, big, big, big, big, big)), engine.KindUsage)
	all = append(all, Add(t, s, id, w, big, big, big, big, big, big, big, big)...)
	try = &Writer{at: w.at}
	long := try.Group("short")
	long[0] = bytes.Replace(long[0], []byte("short"), []byte(Filler(65<<10, "line")), 1)
	Kind(t, s.Append(bg, id, long), engine.KindUsage)
	Same(t, Read(t, s, id, 1), all)
}

func testWithheld(t *testing.T, s Closer) {
	w := &Writer{}
	first := w.Group("task", "question")
	second := w.Group("start")
	third := w.Group("call", "claim", "checkpoint")
	id, err := s.Begin(bg, "", first)
	if err != nil {
		t.Fatal(err)
	}
	second[0] = Withhold(second[0])
	if err := s.Append(bg, id, second); err != nil {
		t.Fatalf("a group of a withheld line: %v", err)
	}
	third[0] = Withhold(third[0])
	if err := s.Append(bg, id, third); err != nil {
		t.Fatalf("a group with a withheld line: %v", err)
	}
	all := append(append(first, second...), third...)
	all = append(all, Add(t, s, id, w, "import")...)
	Same(t, Read(t, s, id, 1), all)
	b, _ := s.Branch(bg, id)
	if b.Head.Chain != w.Chain() || b.Head.Seq != 7 || b.Head.Group != 4 {
		t.Fatalf("head %+v", b.Head)
	}
	_, err = s.Begin(bg, "", [][]byte{Withhold((&Writer{}).Group("x")[0])})
	Kind(t, err, engine.KindUsage)
}

func testForks(t *testing.T, s Closer) {
	w := &Writer{}
	root, all := Start(t, s, w, "task")
	for i := range 10 {
		all = append(all, Add(t, s, root, w, fmt.Sprintf("r%d", i), "checkpoint")...)
	}
	fork := func(parent string, prefix [][]byte, salt string) (string, [][]byte, *Writer) {
		fw := Continue(prefix, salt)
		group := fw.Group("fork", "checkpoint")
		id, err := s.Begin(bg, parent, group)
		if err != nil {
			t.Fatalf("fork: %v", err)
		}
		return id, append(append([][]byte{}, prefix...), group...), fw
	}
	a, aLines, aw := fork(root, all[:7], "a")
	b, bLines, _ := fork(a, aLines, "b")
	// Forked from a, but before a's own first line: the root owns that prefix.
	c, cLines, _ := fork(a, all[:5], "c")
	aLines = append(aLines, Add(t, s, a, aw, "a goes on")...)
	all = append(all, Add(t, s, root, w, "the root goes on")...)
	for id, want := range map[string][][]byte{root: all, a: aLines, b: bLines, c: cLines} {
		Same(t, Read(t, s, id, 1), want)
		Same(t, Read(t, s, id, 6), want[5:])
	}
	got, err := s.Branch(bg, b)
	if err != nil || got.Root != root || got.Parent != a || got.From != 10 {
		t.Fatalf("branch %+v, %v", got, err)
	}
	list, err := s.Branches(bg)
	if err != nil || len(list) != 4 {
		t.Fatalf("%d branches, %v", len(list), err)
	}
	for i := 1; i < len(list); i++ {
		if list[i-1].ID >= list[i].ID {
			t.Fatal("branches are not in the order of their ids")
		}
	}
	_, err = s.Begin(bg, root, Continue(aLines, "d").Group("continues another branch"))
	Kind(t, err, engine.KindUsage)
}

func testBlobs(t *testing.T, s Closer) {
	w := &Writer{}
	id, _ := Start(t, s, w, "task")
	for _, body := range [][]byte{{}, []byte("a"), []byte(Filler(300<<10, "text")), noise(700 << 10), noise(2<<20 + 17)} {
		h, err := s.PutBlob(bg, body)
		if err != nil || h != ledger.HashOf(body) {
			t.Fatalf("put %d bytes: %v", len(body), err)
		}
		if again, err := s.PutBlob(bg, body); err != nil || again != h {
			t.Fatalf("put again: %v", err)
		}
		check := func() {
			got, err := s.Blob(bg, h)
			if err != nil || !bytes.Equal(got, body) {
				t.Fatalf("%d bytes came back as %d: %v", len(body), len(got), err)
			}
			if len(got) > 0 {
				got[0]++ // the bytes are the caller's
			}
			if has, err := s.HasBlob(bg, h); err != nil || !has {
				t.Fatalf("has: %v %v", has, err)
			}
		}
		check()
		Add(t, s, id, w, h.String())
		check()
	}
	none := ledger.HashOf([]byte("never stored"))
	_, err := s.Blob(bg, none)
	Kind(t, err, engine.KindNotFound)
	if has, err := s.HasBlob(bg, none); err != nil || has {
		t.Fatalf("has: %v %v", has, err)
	}
	// A line may name a text that was never here: an import without its texts.
	Add(t, s, id, w, none.String())
	_, err = s.Blob(bg, none)
	Kind(t, err, engine.KindNotFound)
}

// noise is n bytes that can't be compressed, the same in each run.
func noise(n int) []byte {
	out := make([]byte, 0, n+32)
	for h := ledger.HashOf([]byte{byte(n)}); len(out) < n; h = ledger.HashOf(h[:]) {
		out = append(out, h[:]...)
	}
	return out[:n]
}

func testLocals(t *testing.T, s Closer) {
	_, err := s.Local(bg, "machine", "folder")
	Kind(t, err, engine.KindNotFound)
	for _, v := range []string{"/a", "/b", ""} {
		if err := s.PutLocal(bg, "machine", "folder", []byte(v)); err != nil {
			t.Fatal(err)
		}
		got, err := s.Local(bg, "machine", "folder")
		if err != nil || string(got) != v || got == nil {
			t.Fatalf("%q came back as %q: %v", v, got, err)
		}
	}
	// Scope and name are apart: "a"+"bc" is not "ab"+"c".
	if err := s.PutLocal(bg, "a", "bc", []byte("1")); err != nil {
		t.Fatal(err)
	}
	_, err = s.Local(bg, "ab", "c")
	Kind(t, err, engine.KindNotFound)
	Kind(t, s.PutLocal(bg, "", "x", nil), engine.KindUsage)
	Kind(t, s.PutLocal(bg, "a\x00b", "x", nil), engine.KindUsage)
	Kind(t, s.PutLocal(bg, "a", "x", make([]byte, 1<<20)), engine.KindUsage)
}

func testDrafts(t *testing.T, s Closer) {
	id, _ := Start(t, s, &Writer{}, "task")
	_, err := s.Draft(id)
	Kind(t, err, engine.KindNotFound)
	for _, v := range []string{"half a", "half a reply"} {
		if err := s.PutDraft(id, []byte(v)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Draft(id); err != nil || string(got) != v {
			t.Fatalf("%q: %v", got, err)
		}
	}
	if err := s.PutDraft(id, nil); err != nil {
		t.Fatal(err)
	}
	_, err = s.Draft(id)
	Kind(t, err, engine.KindNotFound)
	Kind(t, s.PutDraft("../"+id, []byte("x")), engine.KindNotFound)
}

func testDelete(t *testing.T, s Closer) {
	shared, err := s.PutBlob(bg, []byte("both tasks name this"))
	if err != nil {
		t.Fatal(err)
	}
	own, _ := s.PutBlob(bg, []byte("only the first task names this"))
	w := &Writer{Salt: "first"}
	id, all := Start(t, s, w, shared.String(), own.String())
	fw := Continue(all, "fork")
	fork, err := s.Begin(bg, id, fw.Group("fork"))
	if err != nil {
		t.Fatal(err)
	}
	other, kept := Start(t, s, &Writer{Salt: "second"}, shared.String())
	unnamed, _ := s.PutBlob(bg, []byte("a running task stored this and names it next"))
	for scope, v := range map[string]string{id: "gone", "task:" + fork: "gone", other: "kept", "machine": "kept"} {
		if err := s.PutLocal(bg, scope, "x", []byte(v)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutDraft(fork, []byte("draft")); err != nil {
		t.Fatal(err)
	}

	w2, err := s.Weigh(bg, id)
	if err != nil {
		t.Fatal(err)
	}
	Same(t, Read(t, s, id, 1), all) // nothing went
	done, total := int64(0), int64(0)
	e, err := s.Delete(engine.WithProgress(bg, func(d, n int64) { done, total = d, n }), id)
	if err != nil {
		t.Fatal(err)
	}
	if e.Branches != 2 || e.Lines != 3 || e.Blobs != 1 || e.Shared != 1 || e.Drafts != 1 || e.Locals != 2 || e.Bytes == 0 {
		t.Errorf("erased %+v", e)
	}
	if w2.Bytes = e.Bytes; w2 != e {
		t.Errorf("it was weighed as %+v and erased %+v", w2, e)
	}
	if done == 0 || done != total {
		t.Errorf("told %d of %d at the end", done, total)
	}
	for _, gone := range []string{id, fork} {
		_, err = s.Branch(bg, gone)
		Kind(t, err, engine.KindNotFound)
		_, err = s.Draft(gone)
		Kind(t, err, engine.KindNotFound)
	}
	_, err = s.Blob(bg, own)
	Kind(t, err, engine.KindNotFound)
	if body, err := s.Blob(bg, shared); err != nil || string(body) != "both tasks name this" {
		t.Errorf("shared text: %q, %v", body, err)
	}
	Same(t, Read(t, s, other, 1), kept)
	for scope, want := range map[string]bool{id: false, "task:" + fork: false, other: true, "machine": true} {
		_, err := s.Local(bg, scope, "x")
		if (err == nil) != want {
			t.Errorf("local record of %s: %v", scope, err)
		}
	}
	_, err = s.Delete(bg, id)
	Kind(t, err, engine.KindNotFound)

	// What was stored and not yet named is still there to be named.
	kw := Continue(kept, "second")
	Add(t, s, other, kw, unnamed.String())
	if _, err := s.Blob(bg, unnamed); err != nil {
		t.Errorf("the running task's text: %v", err)
	}
	// The same task can come back, by import.
	if again, err := s.Begin(bg, "", all); err != nil || again != id {
		t.Errorf("begin again: %v", err)
	}
}

// An alternative goes alone, or with those that were forked from it; what it
// shares with the others stays.
func testDeleteFork(t *testing.T, s Closer) {
	w := &Writer{Salt: "main"}
	id, all := Start(t, s, w, "task")
	blob, _ := s.PutBlob(bg, []byte("only the alternative names this"))
	fw := Continue(all, "fork")
	group := fw.Group(blob.String())
	fork, err := s.Begin(bg, id, group)
	if err != nil {
		t.Fatal(err)
	}
	below, err := s.Begin(bg, fork, Continue(append(slices.Clone(all), group...), "below").Group("fork of the fork"))
	if err != nil {
		t.Fatal(err)
	}
	beside, err := s.Begin(bg, id, Continue(all, "beside").Group("beside"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Delete(bg, fork)
	if err != nil || e.Branches != 2 || e.Lines != 2 || e.Blobs != 1 {
		t.Fatalf("erased %+v, %v", e, err)
	}
	for _, gone := range []string{fork, below} {
		_, err = s.Branch(bg, gone)
		Kind(t, err, engine.KindNotFound)
	}
	_, err = s.Blob(bg, blob)
	Kind(t, err, engine.KindNotFound)
	Same(t, Read(t, s, id, 1), all)
	if n := len(Read(t, s, beside, 1)); n != len(all)+1 {
		t.Errorf("the other alternative has %d lines", n)
	}
	Add(t, s, id, w, "it goes on")
}

func testConcurrent(t *testing.T, s Closer) {
	const tasks, groups = 4, 15
	var wg sync.WaitGroup
	for i := range tasks {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := &Writer{Salt: fmt.Sprint(i)}
			group := w.Group("task")
			id, err := s.Begin(bg, "", group)
			if err != nil {
				t.Errorf("begin: %v", err)
				return
			}
			for g := range groups {
				h, err := s.PutBlob(bg, fmt.Appendf(nil, "reply %d of %d", g, i))
				if err != nil {
					t.Errorf("put: %v", err)
				}
				if err := s.Append(bg, id, w.Group(h.String(), "checkpoint")); err != nil {
					t.Errorf("append: %v", err)
				}
				n := int64(0)
				if err := s.Lines(bg, id, 1, func(int64, []byte) error { n++; return nil }); err != nil || n != w.Seq() {
					t.Errorf("read %d of %d lines: %v", n, w.Seq(), err)
				}
				if _, err := s.Blob(bg, h); err != nil {
					t.Errorf("text: %v", err)
				}
			}
		}()
	}
	wg.Wait()
	list, err := s.Branches(bg)
	if err != nil || len(list) != tasks {
		t.Fatalf("%d branches, %v", len(list), err)
	}
	for _, b := range list {
		if b.Head.Seq != 1+2*groups {
			t.Errorf("branch ends at line %d", b.Head.Seq)
		}
	}
}

func testContext(t *testing.T, s Closer) {
	w := &Writer{}
	id, all := Start(t, s, w, "task")
	ctx, cancel := context.WithCancel(bg)
	cancel()
	_, err := s.PutBlob(ctx, []byte("x"))
	Kind(t, err, engine.KindCancelled)
	Kind(t, s.Append(ctx, id, (&Writer{at: w.at}).Group("x")), engine.KindCancelled)
	Kind(t, s.Lines(ctx, id, 1, func(int64, []byte) error { return nil }), engine.KindCancelled)
	_, err = s.Delete(ctx, id)
	Kind(t, err, engine.KindCancelled)
	Same(t, Read(t, s, id, 1), all)
}

func testClosed(t *testing.T, s Closer) {
	w := &Writer{}
	id, _ := Start(t, s, w, "task")
	h, _ := s.PutBlob(bg, []byte("x"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("a second Close: %v", err)
	}
	for name, call := range map[string]func() error{
		"Begin":    func() error { _, err := s.Begin(bg, "", (&Writer{Salt: "n"}).Group("x")); return err },
		"Append":   func() error { return s.Append(bg, id, w.Group("x")) },
		"Lines":    func() error { return s.Lines(bg, id, 1, func(int64, []byte) error { return nil }) },
		"Branch":   func() error { _, err := s.Branch(bg, id); return err },
		"Branches": func() error { _, err := s.Branches(bg); return err },
		"Blob":     func() error { _, err := s.Blob(bg, h); return err },
		"HasBlob":  func() error { _, err := s.HasBlob(bg, h); return err },
		"PutBlob":  func() error { _, err := s.PutBlob(bg, []byte("y")); return err },
		"Local":    func() error { _, err := s.Local(bg, "a", "b"); return err },
		"PutLocal": func() error { return s.PutLocal(bg, "a", "b", nil) },
		"Draft":    func() error { _, err := s.Draft(id); return err },
		"PutDraft": func() error { return s.PutDraft(id, nil) },
		"Delete":   func() error { _, err := s.Delete(bg, id); return err },
		"Weigh":    func() error { _, err := s.Weigh(bg, id); return err },
	} {
		if err := call(); err == nil || engine.KindOf(err) == engine.KindNotFound {
			t.Errorf("%s after Close: error %v", name, err)
		}
	}
}
