package sample

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryQuoteIsInItsFile(t *testing.T) {
	_, bodies, err := Documents()
	if err != nil {
		t.Fatal(err)
	}
	form, err := Form()
	if err != nil {
		t.Fatal(err)
	}
	e, err := Finished()
	if err != nil {
		t.Fatal(err)
	}
	if len(bodies) != 5 || len(form.Questions) != 3 || len(e.Questions) != len(form.Questions) {
		t.Fatalf("%d documents, %d questions, %d worked on", len(bodies), len(form.Questions), len(e.Questions))
	}
	for i, q := range e.Questions {
		used := map[int]bool{}
		for j, c := range q.Claims {
			if n := strings.Count(string(bodies[c.File]), c.Sentence); n != 1 {
				t.Errorf("question %d, claim %d: its sentence stands %d times in %s", i+1, j, n, c.File)
			}
		}
		for _, s := range q.Answer {
			for _, n := range s.Claims {
				if n < 0 || n >= len(q.Claims) {
					t.Fatalf("question %d: the answer names claim %d", i+1, n)
				}
				used[n] = true
			}
		}
		if len(used) != len(q.Claims) {
			t.Errorf("question %d: the answer uses %d of %d claims", i+1, len(used), len(q.Claims))
		}
	}
}

// The quotes are those that were picked for the corpus, so that the example and
// the measure of a model's work agree on what an answer is.
func TestQuotesAreGold(t *testing.T) {
	body, err := os.ReadFile("expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Questions []struct {
			Gold []struct{ File, Sentence string }
		}
	}
	if err := json.Unmarshal(body, &expected); err != nil {
		t.Fatal(err)
	}
	e, err := Finished()
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range e.Questions {
		gold := map[string]bool{}
		for _, g := range expected.Questions[i].Gold {
			gold[g.File+g.Sentence] = true
		}
		for _, c := range q.Claims {
			if !gold[c.File+c.Sentence] {
				t.Errorf("question %d quotes what is not in expected.json: %s", i+1, c.Sentence)
			}
		}
	}
}

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	docs, err := Unpack(dir)
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(docs, "*"))
	if err != nil || len(found) != 5 {
		t.Fatalf("%d documents, %v", len(found), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "LICENSE.md")); err != nil {
		t.Error("the licence did not come along")
	}
	if err := os.WriteFile(found[0], []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(dir); err != nil {
		t.Fatal(err)
	}
	if body, err := os.ReadFile(found[0]); err != nil || string(body) != "mine" {
		t.Errorf("a changed file was written over: %q, %v", body, err)
	}
}
