package search

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"cairn/engine/source"
	"cairn/engine/source/sourcetest"
)

func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("CAIRN_CORPUS")
	if dir == "" {
		t.Skip("CAIRN_CORPUS names no folder of test documents")
	}
	return dir
}

var loaded = map[string][]Doc{}
var loading sync.Mutex

// load reads a folder as documents named by their file names.
func load(t testing.TB, dir string) []Doc {
	t.Helper()
	loading.Lock()
	defer loading.Unlock()
	if d, ok := loaded[dir]; ok {
		return d
	}
	w := sourcetest.Worker(t)
	files, err := source.Scan(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []Doc
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".json") {
			continue
		}
		d, err := w.Extract(context.Background(), f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if d.Reason == "" {
			out = append(out, Doc{Source: f.Name, Title: d.Title, Body: d.Body, Table: &d.Table})
		}
	}
	loaded[dir] = out
	return out
}

type question struct {
	Paper, Question string
	Answers         []struct {
		Unanswerable bool
		Spans        []string
		Evidence     []string `json:"evidence"`
		Paragraphs   [][]int  `json:"evidence_paragraphs"`
	}
}

var blankLine = regexp.MustCompile(`\n[ \t]*\n`)

// paragraphsOf gives the blocks of a paper as its README counts them: byte ranges.
func paragraphsOf(body []byte) [][2]int {
	var out [][2]int
	at := 0
	for _, m := range append(blankLine.FindAllIndex(body, -1), []int{len(body), len(body)}) {
		from, to := at, m[0]
		for from < to && body[from] == '\n' {
			from++
		}
		for to > from && body[to-1] == '\n' {
			to--
		}
		if from < to {
			out = append(out, [2]int{from, to})
		}
		at = m[1]
	}
	return out
}

// Recall of evidence paragraphs among the first ten paragraphs that search puts
// up, each question by itself in its own paper. The reference figures are 0.615
// (BM25 alone) and 0.649 (with stop list and stemmer).
func TestRecallPapers(t *testing.T) {
	dir := corpus(t)
	docs := load(t, filepath.Join(dir, "papers"))
	var questions []question
	raw, err := os.ReadFile(filepath.Join(dir, "questions.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &questions); err != nil {
		t.Fatal(err)
	}
	byName := map[string]Doc{}
	index := map[string]*Index{}
	for _, d := range docs {
		byName[strings.TrimSuffix(d.Source, ".txt")] = d
	}
	at := []int{1, 5, 10, 20}
	sum := make([]float64, len(at))
	passageSum := make([]float64, len(at))
	spanSum := make([]float64, len(at))
	n, spans := 0, 0
	for _, q := range questions {
		d := byName[q.Paper]
		x := index[q.Paper]
		if x == nil {
			x = New([]Doc{d})
			index[q.Paper] = x
		}
		paragraphs := paragraphsOf(d.Body)
		gold := map[int]bool{}
		for _, a := range q.Answers {
			for _, places := range a.Paragraphs {
				for _, p := range places {
					gold[p] = true
				}
			}
		}
		if len(gold) == 0 {
			continue
		}
		n++
		hits := x.Passages(q.Question, 0, 0)
		order, ends := inOrder(d, paragraphs, hits)
		for i, k := range at {
			sum[i] += recall(order[:min(k, len(order))], gold)
			if len(ends) > 0 {
				passageSum[i] += recall(order[:ends[min(k, len(ends))-1]], gold)
			}
		}
		found := spanRecall(x, d, q, at)
		if found != nil {
			spans++
			for i := range at {
				spanSum[i] += found[i]
			}
		}
	}
	for i, k := range at {
		t.Logf("recall@%d: %.3f of evidence paragraphs by paragraphs, %.3f by passages; %.3f of answer spans by sentences",
			k, sum[i]/float64(n), passageSum[i]/float64(n), spanSum[i]/float64(spans))
	}
	if n != 174 {
		t.Errorf("%d questions with evidence in the text instead of 174", n)
	}
	if r := sum[2] / float64(n); r < floorRecall10 {
		t.Errorf("recall@10 is %.3f, below %.3f", r, floorRecall10)
	}
}

const floorRecall10 = 0.66

// inOrder expands ranked passages to paragraphs; ends[k] is how many paragraphs
// the first k+1 passages hold.
func inOrder(d Doc, paragraphs [][2]int, hits []Hit) (order, ends []int) {
	seen := map[int]bool{}
	for _, h := range hits {
		from, to := d.Table.Sentences[h.From-1].From, d.Table.Sentences[h.To-1].To
		for i, p := range paragraphs {
			if p[0] < to && p[1] > from && d.Body[p[0]] != '#' && !seen[i] {
				seen[i] = true
				order = append(order, i)
			}
		}
		ends = append(ends, len(order))
	}
	return order, ends
}

func recall(order []int, gold map[int]bool) float64 {
	n := 0
	for _, p := range order {
		if gold[p] {
			n++
		}
	}
	return float64(n) / float64(len(gold))
}

// spanRecall: the share of a question's answer spans that stand in the first
// sentences; nil when it has none.
func spanRecall(x *Index, d Doc, q question, at []int) []float64 {
	var spans []string
	for _, a := range q.Answers {
		for _, s := range a.Spans {
			if len(s) >= 8 && strings.Contains(string(d.Body), s) {
				spans = append(spans, s)
			}
		}
	}
	if len(spans) == 0 {
		return nil
	}
	hits := x.Sentences(q.Question, 0, 0)
	out := make([]float64, len(at))
	for _, s := range spans {
		for i, h := range hits {
			if strings.Contains(d.Table.Slice(d.Body, h.From, h.To), s) {
				for j, k := range at {
					if i < k {
						out[j] += 1 / float64(len(spans))
					}
				}
				break
			}
		}
	}
	return out
}

// The sample: how many gold sentences are among four a document.
func TestSampleCandidates(t *testing.T) {
	dir := filepath.Join(corpus(t), "sample")
	docs := load(t, dir)
	x := New(docs)
	byName := map[string]Doc{}
	for _, d := range docs {
		byName[d.Source] = d
	}
	var expected struct {
		Questions []struct {
			Question string
			Gold     []struct{ File, Sentence string }
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &expected); err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, q := range expected.Questions {
		found := 0
		hits := x.Sentences(q.Question, 4, 0)
		for _, g := range q.Gold {
			for _, h := range hits {
				if h.Source == g.File && byName[g.File].Table.Slice(byName[g.File].Body, h.From, h.To) == g.Sentence {
					found++
				}
			}
		}
		t.Logf("%d of %d gold sentences among four a document: %s", found, len(q.Gold), q.Question)
		all += found
	}
	if all < floorSample {
		t.Errorf("%d of 25 gold sentences, fewer than %d", all, floorSample)
	}
}

const floorSample = 12
