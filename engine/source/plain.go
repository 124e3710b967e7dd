package source

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainBlocks divides a text file: paragraphs are separated by blank lines,
// `# …` lines are headings, list items and short lines stand by themselves.
func plainBlocks(body []byte) []block {
	var out []block
	for at := 0; at < len(body); {
		end := paragraphEnd(body, at)
		out = append(out, paragraph(body, at, end)...)
		at = end
	}
	return out
}

// paragraphEnd is the offset of the first blank line after at, or the end.
func paragraphEnd(body []byte, at int) int {
	seen := false
	for at < len(body) {
		z := bytes.IndexByte(body[at:], '\n')
		if z < 0 {
			return len(body)
		}
		if len(bytes.TrimSpace(body[at:at+z])) > 0 {
			seen = true
		} else if seen {
			return at + z + 1
		}
		at += z + 1
	}
	return at
}

// line is one line of a paragraph, without its line end.
type line struct{ from, to int }

func linesOf(body []byte, from, to int) []line {
	var out []line
	for at := from; at < to; {
		z := bytes.IndexByte(body[at:to], '\n')
		if z < 0 {
			z = to - at
		}
		if a, b := trim(body, at, at+z); a < b {
			out = append(out, line{a, b})
		}
		at += z + 1
	}
	return out
}

// paragraph divides one run of lines without a blank one.
func paragraph(body []byte, from, to int) []block {
	lines := linesOf(body, from, to)
	longest := 0
	for _, l := range lines {
		longest = max(longest, l.to-l.from)
	}
	var out []block
	open := -1 // index of the block being filled
	for i, l := range lines {
		s := body[l.from:l.to]
		if isHashHeading(s) {
			out = append(out, block{from: l.from, to: l.to, kind: head, begins: true})
			open = -1
			continue
		}
		if bullet(s) {
			open = -1
		}
		if open < 0 {
			out = append(out, block{from: l.from, to: l.to, begins: true})
			open = len(out) - 1
			continue
		}
		if brokenOnPurpose(body, lines[i-1], l, longest) {
			m := out[open].inside()
			m.hard = append(m.hard, l.from)
		}
		out[open].to = l.to
	}
	return out
}

// isHashHeading: one to six #, a blank, and words that are not a whole paragraph.
func isHashHeading(s []byte) bool {
	n := 0
	for n < len(s) && s[n] == '#' {
		n++
	}
	return n >= 1 && n <= 6 && n+1 < len(s) && s[n] == ' ' && len(s) <= 300
}

// bullet: "- ", "* ", "• ", "1. ", "(a) ", "2) " begin an item of a list.
func bullet(s []byte) bool {
	r, n := utf8.DecodeRune(s)
	if strings.ContainsRune("-*+•‣▪●–", r) {
		return n < len(s) && s[n] == ' '
	}
	i := 0
	if s[0] == '(' {
		i = 1
	}
	start := i
	for i < len(s) && i-start < 3 && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == start && i < len(s) && s[i] >= 'a' && s[i] <= 'h' && start == 1 {
		i++
	}
	return i > start && i+1 < len(s) && (s[i] == '.' || s[i] == ')') && s[i+1] == ' '
}

// brokenOnPurpose: the line end before next is the author's, not the editor's,
// because the next word would have fitted into the line.
func brokenOnPurpose(body []byte, prev, next line, longest int) bool {
	first, _ := utf8.DecodeRune(body[next.from:next.to])
	if unicode.IsLower(first) {
		return false
	}
	word := bytes.IndexByte(body[next.from:next.to], ' ')
	if word < 0 {
		word = next.to - next.from
	}
	return prev.to-prev.from+1+word+8 < longest || longest > 400 || prev.to-prev.from < 24
}

// plainTitle is the `# ` heading at the top, or a short first line with a blank
// line below it.
func plainTitle(body []byte) string {
	from, to := trim(body, 0, len(body))
	top := body[from:to]
	z := bytes.IndexByte(top, '\n')
	if z < 0 {
		return ""
	}
	first := bytes.TrimSpace(top[:z])
	if isHashHeading(first) {
		return headingText(string(first))
	}
	below := top[z+1:]
	if nl := bytes.IndexByte(below, '\n'); nl >= 0 && len(bytes.TrimSpace(below[:nl])) == 0 {
		return titleLine(string(first))
	}
	return ""
}

// titleLine accepts a line that looks like a title.
func titleLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) < 3 || len(s) > 160 || strings.ContainsAny(s[len(s)-1:], ".,;") {
		return ""
	}
	if !strings.ContainsFunc(s, unicode.IsLetter) {
		return ""
	}
	return s
}

// recordBlocks divides a table of separated values into its records. A quoted
// field may hold line ends; where quotes are not in pairs, lines are records.
func recordBlocks(body []byte) []block {
	var out []block
	quoted := false
	start := 0
	for i := 0; i <= len(body); i++ {
		if i < len(body) && body[i] == '"' {
			quoted = !quoted
		}
		if i < len(body) && (body[i] != '\n' || quoted && i-start < 64<<10) {
			continue
		}
		if quoted && i < len(body) { // a quote without its pair: this record was one line
			z := bytes.IndexByte(body[start:], '\n')
			i = start + z
		}
		quoted = false
		if a, b := trim(body, start, i); a < b {
			out = append(out, block{from: a, to: b, kind: row, begins: true})
		}
		start = i + 1
	}
	return out
}
