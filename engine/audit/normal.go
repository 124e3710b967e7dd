package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Levels of the normaliser of D2. A higher level forgives more of what copying and
// extraction do to text, and never case, digits or punctuation.
const (
	LevelBytes  = 0 // the same bytes
	LevelSpace  = 1 // NFC, line ends, runs of white space, curly quotes, invisible characters
	LevelPDF    = 2 // line-end hyphens and ligatures too
	maxEllipsis = 1000
	maxTyped    = 1200 // characters of a typed quote (D3)
)

// Found says where a typed or imported quote stands: [From,To) in bytes of the
// body, and the level at which it was found. The slice of the body is what is
// shown, never the typed words.
type Found struct {
	From, To int
	Level    int64
	// More counts further places where the same words stand, up to 1.
	More int
}

// Locate finds a typed or imported quote in a body, at the lowest level that
// finds it. An ellipsis ("…", "...", "[…]") stands for up to 1,000 characters
// between parts in their order.
func Locate(body, quote string) (Found, bool) {
	if strings.TrimSpace(quote) == "" {
		return Found{}, false
	}
	if i := strings.Index(body, quote); i >= 0 {
		f := Found{From: i, To: i + len(quote)}
		if strings.Contains(body[i+1:], quote) {
			f.More = 1
		}
		return f, true
	}
	for level := int64(LevelSpace); level <= LevelPDF; level++ {
		b, at := normalise(body, level)
		parts := splitEllipsis(quote, level)
		if f, ok := locateParts(b, at, parts); ok {
			f.Level = level
			return f, true
		}
	}
	return Found{}, false
}

func splitEllipsis(quote string, level int64) []string {
	q := strings.NewReplacer("[…]", "…", "[...]", "…", "(…)", "…", "(...)", "…", "...", "…").Replace(quote)
	var out []string
	for _, p := range strings.Split(q, "…") {
		n, _ := normalise(p, level)
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

func locateParts(b string, at []int, parts []string) (Found, bool) {
	if len(parts) == 0 {
		return Found{}, false
	}
	for start := 0; ; {
		i := strings.Index(b[start:], parts[0])
		if i < 0 {
			return Found{}, false
		}
		i += start
		end, ok := i+len(parts[0]), true
		for _, p := range parts[1:] {
			window := b[end:]
			if limit := maxEllipsis + len(p); len(window) > limit {
				window = window[:limit]
			}
			j := strings.Index(window, p)
			if j < 0 {
				ok = false
				break
			}
			end += j + len(p)
		}
		if ok {
			// A match that ends inside a ligature takes the whole of it.
			stop := end
			for stop < len(at)-1 && at[stop] == at[end-1] {
				stop++
			}
			f := Found{From: at[i], To: at[stop]}
			if strings.Contains(b[i+1:], parts[0]) {
				f.More = 1
			}
			return f, true
		}
		start = i + 1
	}
}

var (
	ligatures = map[rune]string{'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st"}
	straight  = map[rune]rune{'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '“': '"', '”': '"', '„': '"', '‟': '"', '«': '"', '»': '"', '‹': '\'', '›': '\''}
)

func invisible(r rune) bool {
	switch r {
	case 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF:
		return true
	}
	return false
}

// normalise gives s at a level of D2 and, for each byte of the result (and its
// end), the byte offset in s where it comes from.
func normalise(s string, level int64) (string, []int) {
	out := make([]byte, 0, len(s))
	at := make([]int, 0, len(s)+1)
	put := func(t string, from int) {
		for range len(t) {
			at = append(at, from)
		}
		out = append(out, t...)
	}
	space, last := -1, 0 // start of a pending run of white space; end of the last character kept
	for i := 0; i < len(s); {
		n := norm.NFC.NextBoundaryInString(s[i:], true)
		if n <= 0 {
			n = len(s) - i
		}
		seg := s[i : i+n]
		if len(seg) > 1 {
			seg = norm.NFC.String(seg)
		}
		for _, r := range seg {
			if unicode.IsSpace(r) {
				if space < 0 {
					space = i
				}
				continue
			}
			// U+0002 is what PDF extraction leaves for a line-end hyphen.
			if invisible(r) || level >= LevelPDF && r == 0x02 {
				continue
			}
			if space >= 0 {
				if level >= LevelPDF && hyphenBreak(out, s[space:i], r) {
					out, at = out[:len(out)-1], at[:len(at)-1]
				} else if len(out) > 0 {
					put(" ", last)
				}
				space = -1
			}
			if q, ok := straight[r]; ok {
				r = q
			}
			if l, ok := ligatures[r]; ok && level >= LevelPDF {
				put(l, i)
			} else {
				put(string(r), i)
			}
			last = i + n
		}
		i += n
	}
	// A match that ends at the end of the text ends with its last character.
	return string(out), append(at, last)
}

// hyphenBreak: a letter, a hyphen, a line end, a lower-case letter.
func hyphenBreak(before []byte, gap string, next rune) bool {
	n := len(before)
	if n < 2 || before[n-1] != '-' || !strings.Contains(gap, "\n") || !unicode.IsLower(next) {
		return false
	}
	r, _ := utf8.DecodeLastRune(before[:n-1])
	return unicode.IsLetter(r)
}
