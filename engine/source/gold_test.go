package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every gold sentence of the sample is exactly one sentence of its file.
func TestSampleGold(t *testing.T) {
	dir := filepath.Join(corpus(t), "sample")
	var expected struct {
		Questions []struct {
			Gold []struct{ File, Sentence string }
		}
	}
	readJSON(t, filepath.Join(dir, "expected.json"), &expected)
	x := &extractor{}
	n := 0
	for _, q := range expected.Questions {
		for _, g := range q.Gold {
			d := extractFile(t, x, filepath.Join(dir, g.File))
			n++
			if !hasSentence(&d, g.Sentence) {
				from, to, exact := runOf(&d, g.Sentence)
				t.Errorf("%s: sentences %d to %d (exact run: %v), not one sentence: %q\n%q", g.File, from, to, exact, g.Sentence, d.Table.Slice(d.Body, from, to))
			}
		}
	}
	if n != 25 {
		t.Errorf("%d gold sentences instead of 25", n)
	}
}

// Evidence paragraphs of the papers are runs of sentences, and so are the
// answers' spans that are whole sentences. How many of them are is printed.
func TestPapersGold(t *testing.T) {
	dir := corpus(t)
	var questions []struct {
		Paper   string
		Answers []struct {
			Evidence []string
			Spans    []string
		}
	}
	readJSON(t, filepath.Join(dir, "questions.json"), &questions)
	docs := map[string]Document{}
	x := &extractor{}
	var paragraphs, runs, sentences, exact int
	for _, q := range questions {
		d, ok := docs[q.Paper]
		if !ok {
			d = extractFile(t, x, filepath.Join(dir, "papers", q.Paper+".txt"))
			docs[q.Paper] = d
		}
		for _, a := range q.Answers {
			for _, e := range a.Evidence {
				paragraphs++
				_, _, is := runOf(&d, e)
				if is {
					runs++
				} else {
					t.Logf("%s: not a run: %.80q", q.Paper, e)
				}
			}
			for _, s := range a.Spans {
				if !wholeSentence(&d, s) {
					continue
				}
				sentences++
				if _, _, is := runOf(&d, s); is {
					exact++
				} else {
					from, to, _ := runOf(&d, s)
					t.Logf("%s: span is not a run: %q in %q", q.Paper, s, d.Table.Slice(d.Body, from, to))
				}
			}
		}
	}
	t.Logf("%d of %d evidence paragraphs and %d of %d spans that end as sentences are exact runs", runs, paragraphs, exact, sentences)
	if runs != paragraphs {
		t.Errorf("%d of %d evidence paragraphs are runs of sentences", runs, paragraphs)
	}
	if exact*100 < sentences*95 {
		t.Errorf("%d of %d spans that are sentences are runs", exact, sentences)
	}
}

// wholeSentence: s ends with a full stop, and a sentence ended before it.
func wholeSentence(d *Document, s string) bool {
	at := strings.Index(string(d.Body), s)
	if at < 0 || !strings.HasSuffix(s, ".") || len(s) < 30 {
		return false
	}
	before := strings.TrimRight(string(d.Body[:at]), " ")
	return before == "" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "\n")
}

// runOf finds the sentences around want; exact when their slice is want.
func runOf(d *Document, want string) (from, to int64, exact bool) {
	want = strings.TrimSpace(want)
	text := string(d.Body)
	for base := 0; ; {
		at := strings.Index(text[base:], want)
		if at < 0 {
			return from, to, false
		}
		at += base
		from, to, _ = d.Table.Find(at, at+len(want))
		if d.Table.Slice(d.Body, from, to) == want {
			return from, to, true
		}
		base = at + 1
	}
}

func extractFile(t testing.TB, x *extractor, path string) Document {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := x.safely(path, raw)
	if d.Reason != "" {
		t.Fatalf("%s: %s", path, d.Reason)
	}
	return d
}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
