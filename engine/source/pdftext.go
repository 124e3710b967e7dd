package source

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pdfLine is one line of a page after cleaning.
type pdfLine struct {
	text string
	page int  // from 1
	gap  bool // a blank line stood above it
}

// pdfBody turns the pages' raw text into a body and its blocks: characters
// cleaned, words mended at line ends, running heads left out, lines joined into
// paragraphs.
func pdfBody(pages []string) ([]byte, []block) {
	words := vocabulary(pages)
	var all [][]pdfLine
	for i, p := range pages {
		all = append(all, pdfLines(mend(cleanPDF(p), words), i+1))
	}
	dropRunning(all)
	return joinLines(slices.Concat(all...))
}

// cleanPDF keeps U+0002, PDFium's mark for a hyphen at a line end, for mend.
func cleanPDF(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == 2:
			b.WriteRune(r)
		case r == '\f' || r == '\v' || r == 0x2028 || r == 0x2029:
			b.WriteByte('\n')
		case r == 0xF0B7 || r == 0xF0A7: // bullets of the Symbol fonts
			b.WriteString("•")
		case unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF || r == 0xFEFF || r == 0xAD || r == utf8.RuneError || unicode.Is(unicode.Co, r):
		case r == 0xA0 || r >= 0x2000 && r <= 0x200A || r == 0x202F:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var wordPattern = regexp.MustCompile(`[\pL\pM]+(?:-[\pL\pM]+)*`)

// vocabulary counts the document's own words, which decide whether a hyphen at
// a line end belongs to the word.
func vocabulary(pages []string) map[string]int {
	words := map[string]int{}
	for _, p := range pages {
		for _, w := range wordPattern.FindAllString(p, -1) {
			words[strings.ToLower(w)]++
		}
	}
	return words
}

// keepHyphen are first parts after which a hyphen is usual.
var keepHyphen = map[string]bool{"self": true, "non": true, "well": true, "cross": true, "high": true, "low": true, "long": true,
	"short": true, "fine": true, "large": true, "small": true, "state": true, "real": true, "so": true, "zero": true, "few": true,
	"one": true, "two": true, "three": true, "multi": true, "semi": true, "co": true, "data": true, "end": true, "part": true}

var lineHyphen = regexp.MustCompile(`([\pL\pM\pN]+)(?:-?\x{02}|[-‐]\n)([^\s\x{02}]*)`)

// mend joins words that were divided at a line end. The line then ends after
// the word, so that lines keep their lengths.
func mend(s string, words map[string]int) string {
	s = lineHyphen.ReplaceAllStringFunc(s, func(m string) string {
		p := lineHyphen.FindStringSubmatch(m)
		a, rest := p[1], p[2]
		b := leadingLetters.FindString(rest)
		first, _ := utf8.DecodeRuneInString(b)
		joined, apart := words[strings.ToLower(a+b)], words[strings.ToLower(a+"-"+b)]
		if !unicode.IsLower(first) || joined <= apart && (apart > 0 || keepHyphen[strings.ToLower(a)]) {
			return a + "-" + rest + "\n"
		}
		return a + rest + "\n"
	})
	return strings.ReplaceAll(s, "\x02", "-")
}

var leadingLetters = regexp.MustCompile(`^[\pL\pM]+`)

func pdfLines(s string, page int) []pdfLine {
	var out []pdfLine
	gap := false
	for l := range strings.SplitSeq(s, "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l == "" {
			gap = true
			continue
		}
		out = append(out, pdfLine{l, page, gap && len(out) > 0})
		gap = false
	}
	return out
}

// edge is the number of lines at the top and bottom of a page where running
// heads and page numbers stand.
const edge = 2

// dropRunning takes out page numbers, and first and last lines that stand on at
// least half of the pages, numbers aside.
func dropRunning(pages [][]pdfLine) {
	if len(pages) < 3 {
		return
	}
	seen := map[string]int{}
	offsets := map[int]int{} // printed page number minus page
	for _, p := range pages {
		once := map[string]bool{}
		for i, l := range p {
			if i >= edge && i < len(p)-edge {
				continue
			}
			if k := runningKey(l.text); !once[k] {
				once[k] = true
				seen[k]++
			}
			if n, err := strconv.Atoi(l.text); err == nil {
				offsets[n-l.page]++
			}
		}
	}
	for n, p := range pages {
		if len(p) <= edge {
			continue
		}
		var kept []pdfLine
		for i, l := range p {
			if i < edge || i >= len(p)-edge {
				number, err := strconv.Atoi(l.text)
				k := runningKey(l.text)
				if err == nil && offsets[number-l.page] >= 3 || len(k) > 3 && seen[k] >= 3 && seen[k]*2 >= len(pages) {
					continue
				}
			}
			kept = append(kept, l)
		}
		pages[n] = kept
	}
}

var digits = regexp.MustCompile(`\d+`)

func runningKey(s string) string { return digits.ReplaceAllString(strings.ToLower(s), "#") }

// joinLines makes paragraphs. PDF has none: a short line that ends a sentence
// ends one, and so does a heading or an item of a list.
func joinLines(lines []pdfLine) ([]byte, []block) {
	widths := usualWidths(lines)
	notes := raisedNotes(lines)
	var body []byte
	var blocks []block
	for i, l := range lines {
		heading := isPDFHeading(lines, i, widths[i])
		if i > 0 && !heading && !newParagraph(lines[i-1], l, widths[i-1]) && blocks[len(blocks)-1].kind == para {
			b := &blocks[len(blocks)-1]
			if !glueCJK(body, l.text) && !continues(l.text) {
				body = append(body, ' ')
			}
			if l.page != lines[i-1].page {
				b.inside().turns = append(b.inside().turns, turn{len(body), l.page})
			}
			body = append(body, l.text...)
			b.to = len(body)
			continue
		}
		if len(body) > 0 {
			body = append(body, "\n\n"...)
		}
		b := block{from: len(body), kind: para, begins: true, page: int32(l.page), marks: &marks{notes: notes}}
		if heading {
			b.kind = head
		}
		body = append(body, l.text...)
		b.to = len(body)
		blocks = append(blocks, b)
	}
	return body, blocks
}

// continues: no line begins with a mark that closes something. PDFium puts what
// follows a raised or lowered figure on a line of its own.
func continues(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	if !strings.ContainsRune(",.;:)]}%’”", r) {
		return false
	}
	return n == len(s) || r != '.' || s[n] == ' '
}

var noteBetween = regexp.MustCompile(`[\pL)”"]{2}[.?!] ?\d{1,3}(?:[,–-]\d{1,3}){0,4} \p{Lu}`)

// raisedNotes: the document refers by raised numbers after the full stop, often.
func raisedNotes(lines []pdfLine) bool {
	n := 0
	for i, l := range lines {
		s := l.text
		if i+1 < len(lines) {
			s += " " + clip(lines[i+1].text, 16)
		}
		n += len(noteBetween.FindAllString(s, -1))
	}
	return n >= 8
}

// glueCJK: Chinese and Japanese lines join without a blank.
func glueCJK(body []byte, next string) bool {
	a, _ := utf8.DecodeLastRune(body)
	b, _ := utf8.DecodeRuneInString(next)
	return wideRune(a) && wideRune(b)
}

func wideRune(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60
}

// usualWidths gives for each line the length that four of five lines around it
// do not exceed: columns of one page differ from the next.
func usualWidths(lines []pdfLine) []int {
	const around = 20
	n := make([]int, len(lines))
	for i, l := range lines {
		n[i] = utf8.RuneCountInString(l.text)
	}
	out := make([]int, len(lines))
	for i := range lines {
		near := slices.Clone(n[max(0, i-around):min(len(n), i+around)])
		slices.Sort(near)
		out[i] = near[len(near)*8/10]
	}
	return out
}

func endsSentence(s string) bool {
	s = strings.TrimRight(s, closers)
	return s != "" && strings.ContainsAny(s[len(s)-1:], ".!?:") || strings.HasSuffix(s, "。")
}

func newParagraph(prev, next pdfLine, width int) bool {
	if next.gap || strings.HasPrefix(next.text, "arXiv:") {
		return true
	}
	if continues(next.text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(next.text, openers))
	if unicode.IsLower(r) {
		return false
	}
	if bullet([]byte(next.text)) && endsSentence(prev.text) {
		return true
	}
	n := utf8.RuneCountInString(prev.text)
	if endsSentence(prev.text) {
		return n < width*8/10
	}
	return n < width/2 && !strings.HasSuffix(prev.text, ",") && !wideRune(r)
}

var (
	numberedHeading = regexp.MustCompile(`^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-H]\.(?:\d{1,2}\.?)?|[A-H])\s+\pL`)
	namedHeading    = regexp.MustCompile(`(?i)^(?:abstract|summary|(?:\d+\.?\s+)?(?:introduction|background|related works?|methods?|methodology|materials and methods|experiments?|experimental setup|results|results and discussion|discussion|conclusions?|limitations|future work|acknowledge?ments?|references|bibliography|appendix|appendices|supplementary material))[.:]?$`)
)

// standsAlone: a short line of words without numbers between the end of a
// paragraph and a full line.
func standsAlone(lines []pdfLine, i, width int) bool {
	s := lines[i].text
	r, _ := utf8.DecodeRuneInString(s)
	if i == 0 || i+1 >= len(lines) || !unicode.IsUpper(r) || strings.ContainsAny(s, "0123456789=;()@/|•{}") || len(strings.Fields(s)) > 10 || len(s) < 5 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(lines[i+1].text)
	return endsSentence(lines[i-1].text) && unicode.IsUpper(next) && utf8.RuneCountInString(lines[i+1].text) >= width*85/100 &&
		utf8.RuneCountInString(s) <= width*75/100
}

func isPDFHeading(lines []pdfLine, i, width int) bool {
	s := lines[i].text
	n := utf8.RuneCountInString(s)
	if namedHeading.MatchString(s) {
		return true
	}
	if n > 90 || n > width*9/10 || endsSentence(s) || strings.HasSuffix(s, ",") {
		return false
	}
	if !numberedHeading.MatchString(s) {
		return standsAlone(lines, i, width)
	}
	if i > 0 {
		if p := lines[i-1]; !endsSentence(p.text) && utf8.RuneCountInString(p.text) > width*6/10 {
			return false
		}
	}
	if i+1 < len(lines) {
		if r, _ := utf8.DecodeRuneInString(lines[i+1].text); unicode.IsLower(r) {
			return false
		}
	}
	if s[1] == ' ' && s[0] >= 'A' && i < len(lines)/3 {
		return false // "A study of …": appendices come late
	}
	title := strings.TrimLeft(s, "0123456789. ")
	r, _ := utf8.DecodeRuneInString(title)
	if !unicode.IsUpper(r) || len(strings.Fields(title)) > 12 {
		return false
	}
	return len(digits.FindAllString(title, -1)) <= 1 && bytes.Count([]byte(title), []byte(".")) == 0
}
