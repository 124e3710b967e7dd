package source

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/engine/ledger"
)

func testWorker(t testing.TB) *Worker {
	t.Helper()
	w := &Worker{Command: append([]string{childProgram}, WorkerArgs...), Cache: sharedCache}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func write(t testing.TB, name string, body []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExtractInChild(t *testing.T) {
	w := testWorker(t)
	body := []byte("# A title\n\nOne sentence here. And another one, by J. Smith et al. in 2004.\n")
	d, err := w.Extract(t.Context(), write(t, "a.md", body))
	if err != nil {
		t.Fatal(err)
	}
	if d.Reason != "" || d.Media != "markdown" || d.Title != "A title" || d.Name != "a.md" || d.File != ledger.HashOf(body) || d.Bytes != int64(len(body)) {
		t.Errorf("document %+v", d)
	}
	if got := d.Table.Slice(d.Body, 3, 3); got != "And another one, by J. Smith et al. in 2004." {
		t.Errorf("sentence 3 is %q", got)
	}
}

// A file's name need not be UTF-8; the file is read all the same.
func TestNameThatIsNotUTF8(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a\xff\xfeb.txt")
	if err := os.WriteFile(path, []byte("Some words here."), 0o600); err != nil {
		t.Skip("this file system wants names in UTF-8:", err)
	}
	d, err := testWorker(t).Extract(t.Context(), path)
	if err != nil || d.Reason != "" || len(d.Table.Sentences) != 1 {
		t.Errorf("%+v %v", d, err)
	}
}

// One child serves several files, and several files are read at the same time.
func TestExtractConcurrently(t *testing.T) {
	w := testWorker(t)
	w.Parallel, w.Limits.Files = 2, 3
	var wg sync.WaitGroup
	for range 10 {
		path := write(t, "a.txt", []byte("Some words here."))
		wg.Go(func() {
			if d, err := w.Extract(t.Context(), path); err != nil || d.Reason != "" || len(d.Table.Sentences) != 1 {
				t.Errorf("%+v %v", d, err)
			}
		})
	}
	wg.Wait()
}

func TestReasons(t *testing.T) {
	w := testWorker(t)
	big := filepath.Join(t.TempDir(), "big.txt")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(200 << 20); err != nil {
		t.Fatal(err)
	}
	f.Close()
	long := bytes.Repeat([]byte("Words and words and words. "), (MaxText+1000)/27+1)
	for _, c := range []struct{ name, path, want, media string }{
		{"nothing", write(t, "a.txt", nil), Empty, "text"},
		{"blanks", write(t, "a.txt", []byte(" \n\t\r\n ")), Empty, "text"},
		{"binary", write(t, "a.txt", bytes.Repeat([]byte{1, 2, 3, 0xfe, 0x80, 7}, 500)), Binary, "text"},
		{"200 MB", big, TooLarge, "text"},
		{"too much text", write(t, "long.txt", long), TooLarge, "text"},
		{"picture", write(t, "a.txt", []byte("\x89PNG\r\n\x1a\n and so on")), NoText, "png"},
		{"not a pdf", write(t, "a.pdf", []byte("%PDF-1.7 but nothing more")), Damaged, "pdf"},
		{"gone", filepath.Join(t.TempDir(), "gone.txt"), Vanished, ""},
		{"a folder", t.TempDir(), Denied, ""},
		{"page without text", write(t, "a.html", []byte("<html><body><script>var a = 1</script></body></html>")), NoText, "html"},
	} {
		d, err := w.Extract(t.Context(), c.path)
		if err != nil || d.Reason != c.want || d.Media != c.media || d.Body != nil || len(d.Table.Sentences) != 0 {
			t.Errorf("%s: %+v, %v; want reason %s, kind %s", c.name, d, err, c.want, c.media)
		}
		if (d.File == ledger.Hash{}) != (c.want == Denied || c.want == Vanished) {
			t.Errorf("%s: file hash %s", c.name, d.File)
		}
		if s := Explain(d.Reason); len(s) < 20 || strings.Contains(s, "can't be read (") {
			t.Errorf("%s: %q does not explain %s", c.name, s, d.Reason)
		}
	}
}

func TestDeniedFile(t *testing.T) {
	path := write(t, "secret.txt", []byte("Words."))
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("this user may read everything")
	}
	d, err := testWorker(t).Extract(t.Context(), path)
	if err != nil || d.Reason != Denied {
		t.Errorf("%+v, %v", d, err)
	}
}

// A child that hangs, eats memory, dies or lies costs its file, nothing else.
func TestBadChild(t *testing.T) {
	path := write(t, "a.txt", []byte("Words."))
	for how, want := range map[string]string{"hang": Timeout, "spin": Timeout, "eat": Memory, "die": Damaged, "panic": Damaged,
		"garbage": Damaged, "flood": Damaged, "lie": Damaged} {
		t.Run(how, func(t *testing.T) {
			limits := Limits{Timeout: 300 * time.Millisecond, Memory: 1 << 40}
			switch how {
			case "eat":
				if resident(os.Getpid()) == 0 {
					t.Skip("the memory of another process is not known on this system")
				}
				limits = Limits{Timeout: time.Minute, Memory: 300 << 20}
			case "die", "panic", "garbage", "flood", "lie":
				limits.Timeout = time.Minute
			}
			w := &Worker{Command: []string{os.Args[0], "bad", how}, Limits: limits}
			d, err := w.Extract(t.Context(), path)
			if err != nil || d.Reason != want || d.File != ledger.HashOf([]byte("Words.")) {
				t.Errorf("%+v, %v; want %s", d, err, want)
			}
			if len(w.idle) != 0 {
				t.Error("the bad child is kept")
			}
		})
	}
}

func TestExtractCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	w := &Worker{Command: []string{os.Args[0], "bad", "hang"}}
	if _, err := w.Extract(ctx, write(t, "a.txt", []byte("Words."))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	w = &Worker{Command: []string{filepath.Join(t.TempDir(), "no-such-program")}}
	if _, err := w.Extract(t.Context(), write(t, "a.txt", []byte("Words."))); err == nil {
		t.Error("no error without a program")
	}
}

// A child ends when its parent does, also in the middle of a file.
func TestChildEndsWithParent(t *testing.T) {
	w := testWorker(t)
	c, err := startChild(w.Command, "", Limits{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	c.in.Close()
	select {
	case <-c.gone:
	case <-time.After(20 * time.Second):
		c.kill()
		t.Error("the child outlives its parent")
	}
}

// TestMixed reads a folder as people have it.
func TestMixed(t *testing.T) {
	dir := filepath.Join(corpus(t), "mixed")
	w := testWorker(t)
	files, err := Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		media, reason, title, sentence string
	}{
		"bates.txt":            {"html", "", "Frederick Bates (politician)", ""},
		"dummy.docx":           {"docx", Unsupported, "", ""},
		"dummy.xlsx":           {"xlsx", Unsupported, "", ""},
		"dummy_jap.docx":       {"docx", Unsupported, "", ""},
		"duplicate_media.pdf":  {"pdf", "", "duplicate_media_template", ""},
		"empty.txt":            {"text", Empty, "", ""},
		"flag_day.html":        {"html", "", "National Flag of Canada Day", ""},
		"gravity_hill.md":      {"markdown", "", "Gravity hill", ""},
		"obama.txt":            {"html", "", "Barack Obama", ""},
		"paper.pdf":            {"pdf", "", "A Perspective on Explanations of Molecular Prediction Models", ""},
		"pasa.pdf":             {"pdf", "", "PaSa: An LLM Agent for Comprehensive Academic Paper Search", "We introduce PaSa, an advanced Paper Search agent powered by large language models."},
		"sf_districts.png":     {"png", NoText, "", ""},
		"stub_retractions.csv": {"csv", "", "", ""},
	}
	seen := 0
	for _, f := range files {
		x, ok := want[f.Name]
		if !ok {
			continue
		}
		seen++
		d, err := w.Extract(t.Context(), f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if d.Media != x.media || d.Reason != x.reason || d.Title != x.title {
			t.Errorf("%s: kind %q reason %q title %q, want %q %q %q", f.Name, d.Media, d.Reason, d.Title, x.media, x.reason, x.title)
		}
		if x.sentence != "" && !hasSentence(&d, x.sentence) {
			t.Errorf("%s: no sentence %q", f.Name, x.sentence)
		}
		if d.Reason == "" {
			if err := d.Table.Check(d.Body); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("saw %d of %d files", seen, len(want))
	}
}

func hasSentence(d *Document, want string) bool {
	for i := range d.Table.Sentences {
		if d.Table.Slice(d.Body, int64(i+1), int64(i+1)) == want {
			return true
		}
	}
	return false
}
