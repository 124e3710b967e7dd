package search

import (
	"unicode"
	"unicode/utf8"

	"cairn/engine/source"
)

// The size of a passage in words. A passage is a paragraph where that is within
// these bounds: shorter ones are joined, longer ones divided between sentences.
const (
	leastWords = 60
	mostWords  = 180
)

// Passage is a run of consecutive sentences (numbers from 1, inclusive) that is
// shown together. It never crosses a heading; the heading's own sentences belong
// to the first passage below it.
type Passage struct {
	From, To int64
	Heading  int // index into the table's headings, -1 for none
	Words    int
}

// Passages cuts a document into passages: a pure function of table and body.
// Every sentence is in exactly one.
func Passages(t *source.Table, body []byte) []Passage {
	var out []Passage
	n := len(t.Sentences)
	for i := 0; i < n; {
		j := i + 1 // the section [i,j): headings, then text under the last of them
		for j < n && (!t.Sentences[j].Head || t.Sentences[j-1].Head) {
			j++
		}
		out = section(out, t, body, i, j)
		i = j
	}
	return out
}

// section cuts sentences [i,j), all under one heading or run of headings.
func section(out []Passage, t *source.Table, body []byte, i, j int) []Passage {
	heading := t.Sentences[j-1].Heading
	first := len(out)
	add := func(from, to, words int) {
		out = append(out, Passage{From: int64(from + 1), To: int64(to), Heading: heading, Words: words})
	}
	start, words := i, 0
	for k := i; k < j; {
		end := k + 1
		for end < j && !t.Sentences[end].Start {
			end++
		}
		count := 0
		for s := k; s < end; s++ {
			count += wordsIn(body[t.Sentences[s].From:t.Sentences[s].To])
		}
		if words+count > mostWords && words >= leastWords/2 {
			add(start, k, words)
			start, words = k, 0
		}
		if words += count; words > mostWords {
			start, words = divide(t, body, start, end, words, add)
		}
		if k = end; words >= leastWords {
			add(start, k, words)
			start, words = k, 0
		}
	}
	if start == j {
		return out
	}
	// What is left is short: it joins the passage before where that has room.
	if last := len(out) - 1; last >= first && out[last].Words+words <= mostWords {
		out[last].To, out[last].Words = int64(j), out[last].Words+words
		return out
	}
	add(start, j, words)
	return out
}

// divide cuts sentences [start,end), together too long, into parts of nearly
// equal size. It returns where the last part begins, which is still open.
func divide(t *source.Table, body []byte, start, end, count int, add func(from, to, words int)) (int, int) {
	aim := count / ((count + mostWords - 1) / mostWords)
	words := 0
	for s := start; s < end; s++ {
		n := wordsIn(body[t.Sentences[s].From:t.Sentences[s].To])
		if words >= leastWords/2 && (words+n > mostWords || words+n/2 > aim) {
			add(start, s, words)
			start, words = s, 0
		}
		words += n
	}
	return start, words
}

// wordsIn counts words; two characters of a script without blanks count as one.
func wordsIn(b []byte) int {
	words, wide := 0, 0
	in := false
	for i := 0; i < len(b); {
		r, n := rune(b[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(b[i:])
		}
		i += n
		switch {
		case bigramRune(r):
			wide++
			in = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				words++
			}
			in = true
		case r == ' ' || r == '\n' || r == '\t':
			in = false
		}
	}
	return words + (wide+1)/2
}
