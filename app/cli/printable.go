package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// printable makes text that may come from anywhere fit for a terminal: what would
// steer it, and what nobody sees and yet turns the words around it or makes two
// names look alike, is shown by its number. Joiners between characters beyond ASCII
// are part of how those scripts are written and stay; a soft hyphen within a word
// is left out. The window does the same (frontend/src/lib/foreign.ts).
func printable(s string) string {
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	rs := []rune(s)
	near := func(i int, ok func(rune) bool) bool {
		return i > 0 && i+1 < len(rs) && ok(rs[i-1]) && ok(rs[i+1])
	}
	var out strings.Builder
	for i, r := range rs {
		switch {
		case !unseen(r), joiner(r) && near(i, func(r rune) bool { return r > 0x7f }):
			out.WriteRune(r)
		case r == 0xad && near(i, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }):
		default:
			fmt.Fprintf(&out, "[U+%04X]", r)
		}
	}
	return out.String()
}

// seen makes everything printable that a command writes for people. Each Write is
// whole text, as Fprint gives it.
type seen struct{ w io.Writer }

func (s seen) Write(b []byte) (int, error) {
	if _, err := io.WriteString(s.w, printable(string(b))); err != nil {
		return 0, fmt.Errorf("print: %w", err)
	}
	return len(b), nil
}

// unseen: controls but tab and line end, marks of direction, joiners, fillers, tags.
func unseen(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2028, 0x2029, 0x3164, 0xffa0:
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

func joiner(r rune) bool { return r >= 0x200b && r <= 0x200d || r == 0x2060 }
