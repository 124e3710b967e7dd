// Package search ranks passages and sentences for a question with textbook BM25,
// in memory. It is deterministic: the same documents and query give the same
// list on every machine.
package search

import (
	"cmp"
	"math"
	"slices"

	"cairn/engine/source"
)

// The constants of BM25, and what the other signals are worth beside a word in
// the text. They were chosen on 174 questions of the test corpus; the floor of
// the recall test holds them.
const (
	k1            = 1.2
	lengthWeight  = 0.75 // BM25's b
	headingWeight = 2    // a word in the heading above a passage, in occurrences
	titleWeight   = 0.25 // the same in the document's title
	contextWeight = 0.6  // a sentence's share of its passage's score
	relatedWeight = 0.25 // a related word beside a word of the query
	numberFactor  = 1.5  // a sentence with a number, where an amount is asked for
	leastTerms    = 3    // a sentence with fewer terms is a fragment
)

// Doc is one document as the index takes it. The index keeps neither body nor
// table.
type Doc struct {
	Source string // source id
	Title  string
	Body   []byte
	Table  *source.Table
}

// Hit is a ranked run of sentences (numbers from 1, inclusive).
type Hit struct {
	Source   string
	From, To int64
	Score    float64
}

// Index holds the terms of the documents. It is safe for concurrent reading.
type Index struct {
	docs      []string // source ids, in order
	languages []int    // that occur, in the order of the table of languages
	terms     map[string]int32
	passages  field
	sentences field
	inPassage []int32 // sentence → its passage
}

// field is one collection of units that are ranked against each other.
type field struct {
	units    []unit
	postings [][]posting // by term
	total    float64     // sum of lengths
}

type unit struct {
	doc      int32
	from, to int32
	length   float32
	head     bool // a heading: helps its passage, is no hit itself
	number   bool // holds a number
}

type posting struct {
	unit   int32
	weight float32 // occurrences
}

// New indexes docs. The order of docs does not matter.
func New(docs []Doc) *Index {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(x, y Doc) int { return cmp.Compare(x.Source, y.Source) })
	in := &indexer{x: &Index{terms: map[string]int32{}}, stems: make([]map[string]int32, len(languages))}
	for _, d := range docs {
		if d.Table != nil {
			in.add(d)
		}
	}
	for l, m := range in.stems {
		if m != nil {
			in.x.languages = append(in.x.languages, l)
		}
	}
	return in.x
}

type indexer struct {
	x     *Index
	stems []map[string]int32 // by language: word → term, -1 for a stop word
}

// count is a bag of terms.
type count map[int32]float32

func (in *indexer) add(d Doc) {
	x := in.x
	doc := int32(len(x.docs))
	x.docs = append(x.docs, d.Source)
	lang := languageOf(d.Body[:min(len(d.Body), 32<<10)])
	title := in.count(nil, []byte(d.Title), lang, 1)
	headings := map[int]count{}
	sentence := 0
	for _, p := range Passages(d.Table, d.Body) {
		number := int32(len(x.passages.units))
		sum := count{}
		var length float32
		for ; sentence < int(p.To); sentence++ {
			s := d.Table.Sentences[sentence]
			c := in.count(nil, d.Body[s.From:s.To], lang, 1)
			n := x.sentences.add(unit{doc: doc, from: int32(sentence + 1), to: int32(sentence + 1), head: s.Head, number: hasNumber(d.Body[s.From:s.To])}, c, 0)
			x.inPassage = append(x.inPassage, number)
			if s.Head {
				continue // comes in by its weight below
			}
			length += n
			for t, w := range c {
				sum[t] += w
			}
		}
		if p.Heading >= 0 {
			h, ok := headings[p.Heading]
			if !ok {
				h = in.count(nil, []byte(d.Table.Headings[p.Heading]), lang, 1)
				headings[p.Heading] = h
			}
			for t := range h {
				sum[t] += headingWeight
			}
		}
		for t := range title {
			sum[t] += titleWeight
		}
		x.passages.add(unit{doc: doc, from: int32(p.From), to: int32(p.To)}, sum, length)
	}
}

// add files a unit; length 0 means the sum of its weights.
func (f *field) add(u unit, c count, length float32) float32 {
	n := int32(len(f.units))
	var sum float32
	for t, w := range c {
		for int(t) >= len(f.postings) {
			f.postings = append(f.postings, nil)
		}
		f.postings[t] = append(f.postings[t], posting{n, w})
		sum += w
	}
	if u.length = length; length == 0 {
		u.length = sum
	}
	f.units = append(f.units, u)
	f.total += float64(u.length)
	return u.length
}

// count adds the terms of text to c.
func (in *indexer) count(c count, text []byte, lang int, weight float32) count {
	if c == nil {
		c = count{}
	}
	if in.stems[lang] == nil {
		in.stems[lang] = map[string]int32{}
	}
	known := in.stems[lang]
	eachWord(text, func(w string) {
		t, ok := known[w]
		if !ok {
			t = -1
			if s := stem(w, lang); s != "" {
				if t, ok = in.x.terms[s]; !ok {
					t = int32(len(in.x.terms))
					in.x.terms[s] = t
				}
			}
			known[w] = t
		}
		if t >= 0 {
			c[t] += weight
		}
	})
	return c
}

// stem is the term of a word, "" for one that says nothing.
func stem(w string, lang int) string {
	l := languages[lang]
	if l.stop(w) || len(w) == 1 && (w[0] < '0' || w[0] > '9') {
		return ""
	}
	if w[0] >= '0' && w[0] <= '9' {
		return w
	}
	return l.stem(w, false)
}

// queryTerm is a term of a query with what a match is worth.
type queryTerm struct {
	term   int32
	weight float64
}

// queryTerms are the terms of a query in each language of the index, in order
// of appearance, without repeats; then words that answers to such a question
// use, at a lower weight.
func (x *Index) queryTerms(query string) []queryTerm {
	var out []queryTerm
	add := func(word string, lang int, weight float64) {
		t, ok := x.terms[stem(word, lang)]
		if ok && !slices.ContainsFunc(out, func(q queryTerm) bool { return q.term == t }) {
			out = append(out, queryTerm{t, weight})
		}
	}
	var words []string
	eachWord([]byte(query), func(w string) { words = append(words, w) })
	for _, l := range x.languages {
		for _, w := range words {
			add(w, l, 1)
		}
	}
	if slices.Contains(x.languages, 0) {
		for _, w := range words {
			for _, r := range related[stem(w, 0)] {
				add(r, 0, relatedWeight)
			}
		}
	}
	return out
}

// scores is the BM25 score of every unit of f.
func (f *field) scores(terms []queryTerm) []float64 {
	out := make([]float64, len(f.units))
	n := float64(len(f.units))
	if n == 0 || f.total == 0 {
		return out
	}
	average := f.total / n
	for _, q := range terms {
		if int(q.term) >= len(f.postings) {
			continue
		}
		list := f.postings[q.term]
		df := float64(len(list))
		idf := q.weight * math.Log(1+(n-df+0.5)/(df+0.5))
		for _, p := range list {
			tf := float64(p.weight)
			out[p.unit] += idf * tf * (k1 + 1) / (tf + k1*(1-lengthWeight+lengthWeight*float64(f.units[p.unit].length)/average))
		}
	}
	return out
}

// Passages ranks passages for a query: at most perDoc of one document and limit
// in all (0 = no bound). Only passages with a word of the query are in the list.
func (x *Index) Passages(query string, perDoc, limit int) []Hit {
	return x.best(&x.passages, x.passages.scores(x.queryTerms(query)), perDoc, limit)
}

// Sentences ranks single sentences in the same way, headings and fragments
// aside. The passage around a sentence counts as well, because a sentence alone
// is short ("They collected 19,276 of them"), and a question for an amount
// prefers sentences with numbers.
func (x *Index) Sentences(query string, perDoc, limit int) []Hit {
	terms := x.queryTerms(query)
	s := x.sentences.scores(terms)
	p := x.passages.scores(terms)
	amount := asksAmount(query)
	for i, u := range x.sentences.units {
		if u.head || u.length < leastTerms {
			s[i] = 0
			continue
		}
		s[i] += contextWeight * p[x.inPassage[i]]
		if amount && u.number {
			s[i] *= numberFactor
		}
	}
	return x.best(&x.sentences, s, perDoc, limit)
}

// best sorts what has a score: higher first, then by source id, then by place.
func (x *Index) best(f *field, scores []float64, perDoc, limit int) []Hit {
	var order []int32
	for i, s := range scores {
		// Processors differ in the last bits; what is equal on paper shall tie.
		if scores[i] = math.Round(s*1e6) / 1e6; scores[i] > 0 {
			order = append(order, int32(i))
		}
	}
	// Units are in the order of source ids and places, so their number breaks ties.
	slices.SortFunc(order, func(a, b int32) int {
		if c := cmp.Compare(scores[b], scores[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	taken := make(map[int32]int, len(x.docs))
	var out []Hit
	for _, i := range order {
		u := f.units[i]
		if perDoc > 0 && taken[u.doc] >= perDoc {
			continue
		}
		taken[u.doc]++
		out = append(out, Hit{Source: x.docs[u.doc], From: int64(u.from), To: int64(u.to), Score: scores[i]})
		if limit > 0 && len(out) >= limit {
			break
		}
	}
	return out
}
