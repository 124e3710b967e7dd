package audit

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball"
	"golang.org/x/text/unicode/norm"
)

// token is a word of a text, without numbers that numbers.go reads. Low is lower
// case, Stem its stem in the text's language.
type token struct {
	Text, Low, Stem string
	First           bool // first word of a sentence or after a colon
	Stop            bool // carries no content of its own
}

// clean brings a text into the form that all word checks read.
func clean(s string) string {
	n, _ := normalise(norm.NFC.String(s), LevelPDF)
	return n
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// tokens cuts a cleaned text into words. A run of letters and digits that begins
// with a letter is one word ("F1", "GPT-4"); scripts without spaces give pairs of
// characters.
func tokens(s, lang string) []token {
	var out []token
	rs := []rune(s)
	first := true
	for i := 0; i < len(rs); {
		r := rs[i]
		if !isWord(r) {
			switch r {
			case '.', '!', '?', ':', ';', '\n', '。', '！', '？':
				first = true
			}
			i++
			continue
		}
		if isCJK(r) {
			j := i
			for j < len(rs) && isCJK(rs[j]) {
				j++
			}
			if j-i == 1 {
				out = append(out, token{Text: string(r), Low: string(r), Stem: string(r)})
			}
			for k := i; k+1 < j; k++ {
				p := string(rs[k : k+2])
				out = append(out, token{Text: p, Low: p, Stem: p})
			}
			i = j
			continue
		}
		j := i
		for j < len(rs) && !isCJK(rs[j]) && (isWord(rs[j]) ||
			rs[j] == '\'' && j+1 < len(rs) && unicode.IsLetter(rs[j+1]) ||
			rs[j] == '-' && j+1 < len(rs) && unicode.IsDigit(rs[j+1]) && unicode.IsLetter(r) ||
			rs[j] == '&' && j > i && unicode.IsUpper(rs[j-1]) && j+1 < len(rs) && unicode.IsUpper(rs[j+1])) {
			j++
		}
		w := strings.TrimSuffix(strings.TrimSuffix(string(rs[i:j]), "'s"), "'")
		if t, ok := newToken(w, lang); ok {
			t.First = first
			out = append(out, t)
		}
		first = false
		i = j
	}
	return out
}

func newToken(w, lang string) (token, bool) {
	if w == "" {
		return token{}, false
	}
	low := strings.ToLower(w)
	return token{Text: w, Low: low, Stem: stem(low, lang), Stop: stopWord(low, lang) || isDigit([]rune(w)[0]) && (!hasLetter(w) || attachedNumber(w))}, true
}

// stem is the stem of a lower-case word: Snowball where it knows the language, a
// light cutting of endings for German, the word itself otherwise.
func stem(w, lang string) string {
	name := map[string]string{"en": "english", "fr": "french", "es": "spanish", "ru": "russian",
		"sv": "swedish", "no": "norwegian", "hu": "hungarian"}[lang]
	if name != "" {
		if s, err := snowball.Stem(w, name, true); err == nil && s != "" {
			return s
		}
		return w
	}
	if lang == "de" {
		w = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss").Replace(w)
		for _, end := range []string{"ungen", "ern", "em", "en", "er", "es", "e", "s", "n"} {
			if strings.HasSuffix(w, end) && len(w)-len(end) >= 4 {
				return strings.TrimSuffix(w, end)
			}
		}
	}
	return w
}

// language guesses the language of a text from its commonest little words; "en"
// where nothing speaks for another.
func language(s string) string {
	best, most := "en", 0
	seen := map[string]int{}
	letters, cyrillic := 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		seen[w]++
		for _, r := range w {
			letters++
			if unicode.Is(unicode.Cyrillic, r) {
				cyrillic++
			}
		}
	}
	if letters > 0 && cyrillic*2 > letters {
		return "ru"
	}
	for _, l := range []string{"en", "de", "fr", "es", "sv"} {
		n := 0
		for _, w := range strings.Fields(marks[l]) {
			n += seen[w]
		}
		if n > most {
			best, most = l, n
		}
	}
	return best
}

// marks are little words that tell languages apart.
var marks = map[string]string{
	"en": "the of and to is was were that with for by from this are as on it we they",
	"de": "der die das und ist nicht mit von ein eine den dem des im zu auf für wurde wurden sich",
	"fr": "le la les des et est une dans que pour qui sur pas du au avec sont ont été",
	"es": "el los las una que del en por con para es fue se como más son y al",
	"sv": "och att det som en är av för på med den till inte har ett",
}

// jaccard is the overlap of two sets of words: shared over all.
func jaccard(a, b map[string]bool) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	shared := 0
	for w := range a {
		if b[w] {
			shared++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// wordSet is every word of a text in lower case, numbers included.
func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(clean(s)), func(r rune) bool { return !isWord(r) }) {
		m[w] = true
	}
	return m
}

// overlap is the Jaccard overlap of a set from wordSet with the words of a text,
// read as they stand. It is quick, for looking through many claims.
func overlap(a map[string]bool, s string) float64 {
	words, shared := 0, 0
	seen := make(map[string]bool, len(a))
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !isWord(r) }) {
		if seen[w] {
			continue
		}
		seen[w] = true
		words++
		if a[w] {
			shared++
		}
	}
	if words+len(a) == 0 {
		return 1
	}
	return float64(shared) / float64(len(a)+words-shared)
}

// content is the set of content-word stems of a text.
func content(ts []token) map[string]bool {
	m := map[string]bool{}
	for _, t := range ts {
		if !t.Stop {
			m[t.Stem] = true
		}
	}
	return m
}

// alike: two stems stand for the same word. Stemmers cut "annotation" and
// "annotated" differently; a long shared beginning is enough.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	if synonym(a) != "" && synonym(a) == synonym(b) {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 5 {
		return false
	}
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n >= 5 && len(a)-n <= 3 && len(b)-n <= 5
}
