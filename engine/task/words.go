package task

import (
	"hash/fnv"
	"strings"
	"unicode"
)

// runLength is how many words in a row, the same as in a document, count as its
// words: shorter runs stand in any text about the matter.
const runLength = 4

// words recognises what was taken from documents: runs of their words, their
// file names, and their titles.
type words struct {
	runs  map[uint64]struct{}
	names []string // lower case
}

// add takes in a text of the documents.
func (w *words) add(text string) {
	if w.runs == nil {
		w.runs = map[uint64]struct{}{}
	}
	eachRun(text, func(run uint64) bool { w.runs[run] = struct{}{}; return true })
}

// forgive takes out what other texts say as well.
func (w *words) forgive(text string) {
	if len(w.runs) > 0 {
		eachRun(text, func(run uint64) bool { delete(w.runs, run); return true })
	}
	text = strings.ToLower(text)
	kept := w.names[:0]
	for _, n := range w.names {
		if !strings.Contains(text, n) {
			kept = append(kept, n)
		}
	}
	w.names = kept
}

// called takes in a file's base name and a title. What many texts would have by
// chance ("a.md", "Notes") counts for nothing.
func (w *words) called(name, title string) {
	name, title = strings.ToLower(name), strings.ToLower(strings.TrimSpace(title))
	w.names = append(w.names, name)
	if i := strings.LastIndexByte(name, '.'); i >= 8 {
		w.names = append(w.names, name[:i])
	}
	if len(title) >= 10 || strings.ContainsAny(title, " ") && len(title) >= 6 {
		w.names = append(w.names, title)
	}
}

// in reports whether a text has words of the documents.
func (w *words) in(text string) bool {
	if w == nil || text == "" {
		return false
	}
	lower := strings.ToLower(text)
	for _, n := range w.names {
		if strings.Contains(lower, n) {
			return true
		}
	}
	found := false
	if len(w.runs) > 0 {
		eachRun(text, func(run uint64) bool {
			_, found = w.runs[run]
			return !found
		})
	}
	return found
}

// eachRun calls fn with the digest of each run of words, however they are written,
// until fn gives false.
func eachRun(text string, fn func(uint64) bool) {
	var last [runLength]uint64
	n := 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strings.ToLower(word)))
		copy(last[:], last[1:])
		last[runLength-1] = h.Sum64()
		if n++; n < runLength {
			continue
		}
		run := uint64(14695981039346656037)
		for _, w := range last {
			run = (run ^ w) * 1099511628211
		}
		if !fn(run) {
			return
		}
	}
}
