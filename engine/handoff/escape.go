package handoff

import (
	"fmt"
	"strings"
	"unicode"
)

// hidden are characters that a reader can't see or that turn text around: they
// are shown by their code, never written.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
		return true
	case r == 0x2028 || r == 0x2029 || r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0:
		return true
	case r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0000 && r <= 0xE0FFF: // variation selectors, tags
		return true
	}
	return false
}

// inline writes foreign text (a person's, a model's, a source's) on one line, so
// that it can't become structure: no heading, link, HTML, code, comment, math, tag
// or list, in plain Markdown and in its common extensions.
func inline(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) && !hidden(r) }), " ")
	return escape(s)
}

// lines writes foreign text of several lines, each after prefix.
func lines(b *strings.Builder, prefix, s string) {
	for _, l := range strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		b.WriteString(strings.TrimRight(prefix+inline(l), " ") + "\n")
	}
}

func escape(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		switch {
		case hidden(r):
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
			continue
		case strings.ContainsRune("\\`*_[]<>|~$^@", r):
			b.WriteByte('\\')
		case strings.ContainsRune("%={}!", r) && (i == 0 || at(rs, i+1) == r || at(rs, i-1) == r || r == '!' && at(rs, i+1) == '['):
			b.WriteByte('\\') // "%%comment%%", "==mark==", "{{", "![", a heading's underline
		case r == '#' && !unicode.IsSpace(at(rs, i+1)) || r == '#' && i == 0:
			b.WriteByte('\\')
		case r == '&' && entityAt(rs[i:]):
			b.WriteByte('\\')
		case r == ':' && i+1 < len(rs) && (rs[i+1] == '/' || unicode.IsLetter(rs[i+1]) || rs[i+1] == ':'):
			b.WriteByte('\\') // "http://", ":smile:", "key:: value"
		case r == '.' && i >= 3 && strings.EqualFold(string(rs[i-3:i]), "www"):
			b.WriteByte('\\')
		case (r == '-' || r == '+' || r == '(') && i == 0:
			b.WriteByte('\\')
		case (r == '.' || r == ')') && i > 0 && allDigits(rs[:i]) && at(rs, i+1) == ' ':
			b.WriteByte('\\') // "1." at the start is a list
		}
		b.WriteRune(r)
	}
	return b.String()
}

func at(rs []rune, i int) rune {
	if i < 0 || i >= len(rs) {
		return ' '
	}
	return rs[i]
}

// entityAt: "&amp;", "&#58;".
func entityAt(rs []rune) bool {
	for i := 1; i < len(rs) && i < 40; i++ {
		switch r := rs[i]; {
		case r == ';':
			return i > 1
		case r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			return false
		}
	}
	return false
}

func allDigits(rs []rune) bool {
	for _, r := range rs {
		if r < '0' || r > '9' {
			return false
		}
	}
	return len(rs) <= 9
}

// yaml writes a text as a double-quoted scalar of one line, in ASCII.
func yaml(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.Join(strings.Fields(s), " ") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case hidden(r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, "\\U%08x", r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
