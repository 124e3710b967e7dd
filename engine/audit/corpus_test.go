package audit

import (
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// corpus gives the folder of real documents, or skips.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CAIRN_CORPUS")
	if dir == "" {
		t.Skip("CAIRN_CORPUS is not set: the real documents are not here")
	}
	return dir
}

var sentenceEnd = regexp.MustCompile(`[.!?]["')]*\s+`)

// paper is one file cut roughly; the checks don't depend on where a sentence ends.
func papers(t *testing.T, dir string) map[string][]string {
	out := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(dir, "papers", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no papers in %s: %v", dir, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(b), "\n\n") {
			if strings.HasPrefix(block, "#") || strings.HasPrefix(block, "**") {
				continue
			}
			for _, s := range sentenceEnd.Split(strings.TrimSpace(block), -1) {
				if n := len(strings.Fields(s)); n >= 8 && n <= 40 {
					out[filepath.Base(f)] = append(out[filepath.Base(f)], s)
				}
			}
		}
	}
	return out
}

func caught(w wordCheck) bool { return w.refuse != "" || len(w.flags) > 0 }

// Lie 25a on real papers: the claim is a true sentence of the paper, the number
// cited is that of another sentence of the same paper. Lie 25b: one name of the
// cited sentence is swapped for another name of the same paper.
func TestCommonestLieOnRealPapers(t *testing.T) {
	all := papers(t, corpus(t))
	r := rand.New(rand.NewSource(7))
	var a, aCaught, aRefused, b, bCaught int
	for _, name := range sortedKeys(all) {
		ss := all[name]
		names := namesOf(ss)
		for i := 0; i < 40 && len(ss) > 10; i++ {
			claim, cited := ss[r.Intn(len(ss))], ss[r.Intn(len(ss))]
			if jaccard(wordSet(claim), wordSet(cited)) > 0.4 {
				continue
			}
			e := newEvidence([]string{cited}, nil)
			w := e.holdAgainst(claim, nil)
			a++
			if caught(w) {
				aCaught++
			}
			if w.refuse != "" {
				aRefused++
			}
		}
		for i := 0; i < 40 && len(names) > 3; i++ {
			s := ss[r.Intn(len(ss))]
			from := nameIn(s)
			to := names[r.Intn(len(names))]
			if from == "" || strings.Contains(strings.ToLower(s), strings.ToLower(strings.TrimSuffix(to, "s"))) || isAcronymOf(s, to) {
				continue
			}
			w := newEvidence([]string{s}, nil).holdAgainst(strings.Replace(s, from, to, 1), nil)
			b++
			if caught(w) {
				bCaught++
			} else {
				t.Logf("missed: %s → %s in %s", from, to, s)
			}
		}
	}
	t.Logf("25a: %d lies, %d caught (%.1f %%), %d of them refused; 25b: %d lies, %d caught (%.1f %%)",
		a, aCaught, 100*float64(aCaught)/float64(a), aRefused, b, bCaught, 100*float64(bCaught)/float64(b))
	if a < 1000 || float64(aCaught) < 0.95*float64(a) {
		t.Errorf("25a: %d of %d caught, at least 95 %% wanted", aCaught, a)
	}
	if b < 300 || float64(bCaught) < 0.95*float64(b) {
		t.Errorf("25b: %d of %d caught, at least 95 %% wanted", bCaught, b)
	}
}

func isAcronymOf(s, name string) bool {
	return newEvidence([]string{s}, nil).initial[strings.ToLower(name)]
}

func sortedKeys(m map[string][]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sortStrings(out)
	return out
}

func sortStrings(s []string) {
	for i := range s {
		for j := i + 1; j < len(s); j++ {
			if s[j] < s[i] {
				s[i], s[j] = s[j], s[i]
			}
		}
	}
}

// nameIn is a capitalised word in the middle of a sentence.
func nameIn(s string) string {
	for i, w := range strings.Fields(s) {
		w = strings.Trim(w, ".,;:()[]'\"")
		if i > 0 && len(w) >= 3 && unicode.IsUpper([]rune(w)[0]) && !strings.ContainsAny(w, "{}$\\_/-") && !strings.Contains(w, "REF") && !strings.Contains(w, "LINEFORM") && !strings.Contains(w, "DISPLAY") && !stopWord(strings.ToLower(w), "en") {
			return w
		}
	}
	return ""
}

func namesOf(ss []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range ss {
		if n := nameIn(s); n != "" && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// People's own answers beside the paragraphs that prove them are the nearest
// thing to honest findings that can be had in number. They are short and were
// written with the whole paper in mind, so this only reports, and holds a floor.
func TestPeoplesAnswersOnRealPapers(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(corpus(t), "questions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file []struct {
		Question string
		Answers  []struct {
			FreeForm string `json:"free_form"`
			Evidence []string
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	n, refused, flagged := 0, map[string]int{}, 0
	for _, q := range file {
		for _, a := range q.Answers {
			if len(strings.Fields(a.FreeForm)) < 6 || len(a.Evidence) == 0 {
				continue
			}
			n++
			w := newEvidence(a.Evidence, nil).holdAgainst(a.FreeForm, nil)
			if w.refuse != "" {
				refused[w.refuse]++
				t.Logf("%s %s | %s", w.refuse, w.message, a.FreeForm)
			} else if len(w.flags) > 0 {
				flagged++
				t.Logf("%v %v | %s", w.flags, w.why, a.FreeForm)
			}
		}
	}
	t.Logf("%d answers of people: refused %v, flagged %d", n, refused, flagged)
	// Their numbers often come from tables, which are not among the paragraphs: D5
	// is right there. Their words must pass.
	if n == 0 || refused["D23"]*20 > n {
		t.Errorf("%v of %d answers of people are refused", refused, n)
	}
}
