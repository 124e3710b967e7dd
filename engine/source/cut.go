package source

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a block of a body is.
type blockKind uint8

const (
	para blockKind = iota // running text: cut into sentences, line ends join
	head                  // a heading
	row                   // a table row or line of code: one sentence
)

// block is a run of bytes of a body that no sentence crosses. Blocks are in
// order and do not overlap. A table of a million rows is a million blocks, so
// what few blocks have is kept apart.
type block struct {
	from, to int
	marks    *marks // nil for none
	page     int32  // page it begins on, 0 for none
	kind     blockKind
	begins   bool // begins a paragraph
}

// marks is what is known about the inside of a block.
type marks struct {
	hard  []int    // offsets of line ends that end a sentence
	skip  [][2]int // bytes that are marks of the format, not text
	turns []turn   // where a further page begins
	notes bool     // numbers between a full stop and a capital are references
}

// inside gives b's marks to add to.
func (b *block) inside() *marks {
	if b.marks == nil {
		b.marks = &marks{}
	}
	return b.marks
}

var noMarks marks

// known gives b's marks to read.
func (b *block) known() *marks {
	if b.marks == nil {
		return &noMarks
	}
	return b.marks
}

// turn says that the text from offset at on stands on page.
type turn struct{ at, page int }

// MaxSentence is the number of bytes above which a sentence is divided, so that
// a quote of one sentence stays short.
const MaxSentence = 1000

// cut makes the sentence table of a body. It is a pure function; its result
// never changes for the same body and blocks.
func cut(body []byte, blocks []block) Table {
	t := Table{Sentences: make([]Sentence, 0, len(blocks)+len(body)/200)}
	heading := -1
	for _, b := range blocks {
		from, to := trim(body, b.from, b.to)
		if from >= to {
			continue
		}
		var spans [][2]int
		switch b.kind {
		case head:
			t.Headings = append(t.Headings, headingText(string(body[from:to])))
			heading = len(t.Headings) - 1
			spans = [][2]int{{from, to}}
		case row:
			if to-from > MaxSentence {
				spans = sentences(body, from, to, b.known())
			} else {
				spans = [][2]int{{from, to}}
			}
		default:
			spans = sentences(body, from, to, b.known())
		}
		first := b.begins || b.kind != para
		for _, s := range spans {
			for _, p := range divide(body, s[0], s[1]) {
				a, z := trim(body, p[0], p[1])
				if a >= z {
					continue
				}
				page := int(b.page)
				for _, u := range b.known().turns {
					if u.at <= a {
						page = u.page
					}
				}
				t.Sentences = append(t.Sentences, Sentence{From: a, To: z, Heading: heading, Start: first, Head: b.kind == head, Page: page})
				first = false
			}
		}
	}
	return t
}

// trim narrows [from,to) to what is not white space.
func trim(body []byte, from, to int) (int, int) {
	for from < to {
		r, n := utf8.DecodeRune(body[from:to])
		if !blank(r) {
			break
		}
		from += n
	}
	for to > from {
		r, n := utf8.DecodeLastRune(body[from:to])
		if !blank(r) {
			break
		}
		to -= n
	}
	return from, to
}

func blank(r rune) bool {
	return unicode.IsSpace(r) || r == 0x200B || r == 0xFEFF || r == 0x00AD || unicode.Is(unicode.Cc, r)
}

// divide cuts a long sentence into pieces of at most MaxSentence bytes: at line
// ends, then clause marks, then blanks, and only then between two characters.
func divide(body []byte, from, to int) [][2]int {
	var out [][2]int
	for to-from > MaxSentence {
		n := (to - from + MaxSentence - 1) / MaxSentence
		aim := from + (to-from)/n
		at := divideAt(body, from+(aim-from)*6/10, min(from+MaxSentence, to), aim)
		if at <= from || at >= to {
			break
		}
		out = append(out, [2]int{from, at})
		from = at
	}
	return append(out, [2]int{from, to})
}

// divideAt finds the best place in (low, high], near aim among equals.
func divideAt(body []byte, low, high, aim int) int {
	best, bestRank, bestFar := 0, -1, 0
	for i := low; i < high; i++ {
		rank := -1
		switch c := body[i]; {
		case c == '\n':
			rank = 4
		case c == ' ' && i > 0 && strings.IndexByte(";:.!?", body[i-1]) >= 0:
			rank = 3
		case c == ' ' && i > 0 && strings.IndexByte(",)|", body[i-1]) >= 0:
			rank = 2
		case c == ' ' || c == '\t':
			rank = 1
		case c >= 0xE3 && (strings.HasPrefix(string(body[i:min(i+3, len(body))]), "、") || strings.HasPrefix(string(body[i:min(i+3, len(body))]), "，")):
			rank = 2
			if i+3 <= high {
				i += 2 // the cut is after the mark
			} else {
				rank = -1
			}
		}
		if rank < 0 {
			continue
		}
		far := aim - (i + 1)
		if far < 0 {
			far = -far
		}
		if rank > bestRank || rank == bestRank && far < bestFar {
			best, bestRank, bestFar = i+1, rank, far
		}
	}
	if bestRank >= 0 {
		return best
	}
	for i := high; i > low; i-- { // one word without end: not inside a character, nor before an accent of it
		if i == len(body) {
			return i
		}
		if r, _ := utf8.DecodeRune(body[i:]); utf8.RuneStart(body[i]) && !unicode.Is(unicode.M, r) {
			return i
		}
	}
	for i := high; i > low; i-- {
		if utf8.RuneStart(body[i]) {
			return i
		}
	}
	return high
}

// headingText is a heading as people read it: one line, without marks.
func headingText(s string) string {
	s = strings.TrimRight(strings.TrimLeft(s, "# \t"), "# \t")
	s = strings.NewReplacer("**", "", "__", "", "`", "", "*", "").Replace(unlink(s))
	s = strings.Join(strings.Fields(s), " ")
	return clip(s, 300)
}

// unlink turns [words](address) into words.
func unlink(s string) string {
	for range 20 {
		i := strings.Index(s, "](")
		if i < 0 {
			return s
		}
		a, z := strings.LastIndexByte(s[:i], '['), strings.IndexByte(s[i:], ')')
		if a < 0 || z < 0 {
			return s
		}
		s = s[:a] + s[a+1:i] + s[i+z+1:]
	}
	return s
}

// clip cuts s to at most n bytes, between two characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n])
}
