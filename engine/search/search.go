// Package search ranks passages and sentences for a question with textbook BM25,
// in memory. It is deterministic: the same documents and query give the same list.
package search

import "cairn/engine/source"

// Doc is one document as the index takes it.
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

// Passage is a run of consecutive sentences that is shown together.
type Passage struct {
	From, To int64
	Heading  int // index into the table's headings, -1 for none
}

// Index holds the terms of the documents, not their text.
type Index struct{}

// New indexes docs.
func New(docs []Doc) *Index { return &Index{} }

// Passages ranks passages: at most perDoc of one document (0 = no limit), at
// most limit in all (0 = no limit).
func (x *Index) Passages(query string, perDoc, limit int) []Hit { return nil }

// Sentences ranks single sentences in the same way.
func (x *Index) Sentences(query string, perDoc, limit int) []Hit { return nil }

// Passages cuts a document into passages. Every sentence is in exactly one.
func Passages(t *source.Table, body []byte) []Passage { return nil }
