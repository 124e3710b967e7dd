package source

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	usentences "github.com/clipperhouse/uax29/v2/sentences"
)

// sentences cuts running text [from,to) of body. It looks at a mask of the same
// length, in which line ends and marks of the format are blanks, finds the
// boundaries of Unicode (UAX 29), and then takes back those that a reader would
// not make. Wrong boundaries do no harm to quotes, which are runs of sentences.
func sentences(body []byte, from, to int, b *marks) [][2]int {
	m := mask(body[from:to], from, b)
	var ends []int
	for start := 0; start < len(m); {
		// Blocks are looked at in pieces, so that no input costs more than its
		// length times a constant.
		end := pieceEnd(m, start)
		it := usentences.FromBytes(m[start:end])
		at := start
		for it.Next() {
			at += len(it.Value())
			ends = append(ends, at)
		}
		start = end
	}
	for _, h := range b.hard {
		if h > from && h < to {
			ends = append(ends, h-from)
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	hard := make(map[int]bool, len(b.hard))
	for _, h := range b.hard {
		hard[h-from] = true
	}
	var out [][2]int
	start := 0
	for i, e := range ends {
		if i < len(ends)-1 && !hard[e] && !boundary(m, start, e) {
			continue
		}
		e = stranded(m, start, e)
		out = append(out, [2]int{from + start, from + e})
		start = e
	}
	if start < len(m) && len(out) > 0 {
		out[len(out)-1][1] = to
	}
	return out
}

// pieceEnd is where the piece that begins at start ends: at a blank before 8 kB.
func pieceEnd(m []byte, start int) int {
	const most = 8 << 10
	if len(m)-start <= most {
		return len(m)
	}
	if i := bytes.LastIndexByte(m[start:start+most], ' '); i > most/2 {
		return start + i + 1
	}
	end := start + most
	for end > start && !utf8.RuneStart(m[end]) {
		end--
	}
	return end
}

// mask is a copy of s in which everything that would mislead the cutter is a
// blank or, after the end of a sentence, a closing bracket. Same length as s.
func mask(s []byte, offset int, b *marks) []byte {
	m := bytes.Clone(s)
	for i, c := range m {
		if c < ' ' {
			m[i] = ' '
		}
	}
	for _, k := range b.skip {
		for i := max(k[0]-offset, 0); i < min(k[1]-offset, len(m)); i++ {
			m[i] = ' '
		}
	}
	for _, sep := range []string{"\u2028", "\u2029", "\u0085", "\u200b", "\ufeff"} {
		for at := 0; ; {
			i := bytes.Index(m[at:], []byte(sep))
			if i < 0 {
				break
			}
			for j := range len(sep) {
				m[at+i+j] = ' '
			}
			at += i + len(sep)
		}
	}
	if b.notes {
		for _, at := range noteAfter.FindAllSubmatchIndex(m, -1) {
			fill(m[at[2]:at[3]])
		}
	}
	for i := 0; i < len(m); i++ {
		if m[i] == '.' || m[i] == '!' || m[i] == '?' {
			i = maskAfter(m, i)
		}
	}
	return m
}

// noteAfter finds " 14,15" in "models. 14,15 We". The numbers belong to the
// sentence before.
var noteAfter = regexp.MustCompile(`[\pL)”"]{2}[.?!]( ?\d{1,3}(?: ?[,–-] ?\d{1,3}){0,6})(?: \p{Lu}|$)`)

// maskAfter handles what follows a full stop at i directly: marks of emphasis,
// and references glued to it ("biased.12,13 We", "biased.[12] We").
func maskAfter(m []byte, i int) int {
	j := i + 1
	for j < len(m) {
		switch {
		case m[j] == ')' || m[j] == '"' || m[j] == '\'':
			j++
			continue
		case bytes.HasPrefix(m[j:], []byte(" »")):
			m[j] = ')'
			j += len(" »")
			continue
		case m[j] == '*' || m[j] == '_' || m[j] == '`' || m[j] == '~':
			m[j] = ')'
			j++
			continue
		case m[j] == '[':
			n := reference(m[j:])
			if n == 0 {
				return j - 1
			}
			fill(m[j : j+n])
			j += n
			continue
		case m[j] >= '0' && m[j] <= '9' && m[i] == '.' && wordBefore(m, i) >= 3:
			n := superscript(m[j:])
			if n == 0 {
				return j - 1
			}
			fill(m[j : j+n])
			j += n
			continue
		case m[j] == 0xC2 && j+1 < len(m) && (m[j+1] == 0xB9 || m[j+1] == 0xB2 || m[j+1] == 0xB3): // ¹ ² ³
			fill(m[j : j+2])
			j += 2
			continue
		}
		break
	}
	return j - 1
}

func fill(b []byte) {
	for i := range b {
		b[i] = ')'
	}
}

// reference is the length of "[12]", "[12, 13–15]", "[a]" or "[citation needed]" at the start of m.
func reference(m []byte) int {
	z := bytes.IndexByte(m[:min(len(m), 26)], ']')
	if z < 2 {
		return 0
	}
	in := string(m[1:z])
	if len(in) == 1 || in == "citation needed" || strings.HasPrefix(in, "note ") {
		return z + 1
	}
	if strings.Trim(in, "0123456789 ,;-–") == "" {
		return z + 1
	}
	return 0
}

// superscript is the length of "12,13" when a blank and a capital follow.
func superscript(m []byte) int {
	n := 0
	for n < len(m) && n < 12 && (m[n] >= '0' && m[n] <= '9' || m[n] == ',' || m[n] == '-') {
		n++
	}
	if n == len(m) {
		return n
	}
	if m[n] != ' ' || n+1 >= len(m) {
		return 0
	}
	if r, _ := utf8.DecodeRune(m[n+1:]); !unicode.IsUpper(r) {
		return 0
	}
	return n
}

// wordBefore is the number of ASCII letters that stand directly before i.
func wordBefore(m []byte, i int) int {
	n := 0
	for i-n-1 >= 0 && (m[i-n-1]|0x20) >= 'a' && (m[i-n-1]|0x20) <= 'z' {
		n++
	}
	return n
}

const (
	closers = ")]}\"'”’»›*_`"
	openers = "([{\"'“‘«‹„¿¡*_`"
)

// wordEdges end the word before a full stop.
const wordEdges = " \u00a0/—–" + openers

// lastBytes is all that has to be looked at of a sentence that may be long.
func lastBytes(m []byte) []byte {
	const n = 240
	if len(m) <= n {
		return m
	}
	i := len(m) - n
	for !utf8.RuneStart(m[i]) {
		i++
	}
	return m[i:]
}

// boundary reports whether a reader would end the sentence m[start:end] there.
func boundary(m []byte, start, end int) bool {
	left := strings.TrimRight(string(lastBytes(m[start:end])), " \u00a0")
	right := strings.TrimLeft(string(m[end:min(end+80, len(m))]), " \u00a0")
	if left == "" || right == "" {
		return false
	}
	if !strings.ContainsFunc(left, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return false // only marks: belongs to what follows
	}
	core := strings.TrimRight(left, closers)
	first := strings.TrimLeft(right, openers)
	r, _ := utf8.DecodeRuneInString(first)
	if unicode.IsLower(r) {
		return false
	}
	if !strings.HasSuffix(core, ".") {
		return true
	}
	if enumerator(core) {
		return false
	}
	word := strings.TrimSuffix(core, ".")
	if i := strings.LastIndexAny(word, wordEdges); i >= 0 {
		_, n := utf8.DecodeRuneInString(word[i:])
		word = word[i+n:]
	}
	next := first
	if i := strings.IndexAny(next, " ,.;:"); i > 0 {
		next = next[:i]
	}
	switch kindOf(word, next) {
	case glued:
		return false
	case glueBeforeName:
		return starters[next]
	case glueBeforeNumber:
		return !(r >= '0' && r <= '9' || right[0] == '(')
	}
	return true
}

// enumerator: the whole sentence is "1." or "(2)." or "3.1." or "A.".
func enumerator(core string) bool {
	in := strings.Trim(core, " ().")
	if len(in) == 1 && in[0] >= 'A' && in[0] <= 'Z' {
		return true
	}
	return len(in) > 0 && len(core) <= 9 && strings.Trim(in, "0123456789.") == ""
}

// stranded moves an opening mark at the end of a sentence to the next one.
func stranded(m []byte, start, end int) int {
	if end >= len(m) {
		return end
	}
	m = lastBytes(m[start:end])
	base := end - len(m)
	t := strings.TrimRight(string(m), " ")
	for _, q := range []string{"“", "«", "„", "(", "[", "\""} {
		if k := strings.TrimSuffix(t, q); k != t && strings.HasSuffix(k, " ") && strings.TrimSpace(k) != "" {
			return base + len(k)
		}
	}
	return end
}
