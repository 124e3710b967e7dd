package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
	"golang.org/x/text/unicode/norm"
)

// language has a stemmer and a list of words that say nothing.
type language struct {
	name string
	stem func(string, bool) string
	stop func(string) bool
}

// languages, English first: it is taken where no other has clearly more of its
// small words in a text.
var languages = []language{
	{"english", english.Stem, func(w string) bool { return englishStop[w] }},
	{"french", french.Stem, french.IsStopWord},
	{"spanish", spanish.Stem, spanish.IsStopWord},
	{"russian", russian.Stem, russian.IsStopWord},
	{"swedish", swedish.Stem, swedish.IsStopWord},
	{"norwegian", norwegian.Stem, norwegian.IsStopWord},
	{"hungarian", hungarian.Stem, hungarian.IsStopWord},
}

var englishStop = wordSet(`a about above after again against all also am an and any are aren as at be because been before being
		below between both but by can cannot could couldn did didn do does doesn doing don down during each either else etc ever every few for
		from further had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself
		just may me might more most must my myself neither no nor not of off on once only or other our ours ourselves out over own per same shall
		she should shouldn so some such than that the their theirs them themselves then there these they this those though through thus to too
		under until up upon us very was wasn we were weren what when where whether which while who whom whose why will with within without would
		wouldn yet you your yours yourself yourselves one`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// languageOf counts small words in a sample of a text.
func languageOf(sample []byte) int {
	var hits [16]int
	total := 0
	eachWord(sample, func(w string) {
		total++
		for i, l := range languages {
			if l.stop(w) {
				hits[i]++
			}
		}
	})
	best := 0
	for i := range languages {
		if hits[i] > hits[best] && (best != 0 || hits[i] > hits[0]+hits[0]/4) {
			best = i
		}
	}
	if hits[best]*10 < total { // hardly any small words: a table, a list of names
		return 0
	}
	return best
}

// eachWord calls fn for each word of b in lower case and NFC. Digits with a
// thousands comma are one word; runs of a script without blanks come as pairs of
// characters.
func eachWord(b []byte, fn func(string)) {
	s := norm.NFC.String(string(b))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case bigramRune(r):
			i = bigrams(s, i, fn)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			j := i + n
			for j < len(s) {
				r, n := utf8.DecodeRuneInString(s[j:])
				if inNumber(s, j) {
					j++
					continue
				}
				if bigramRune(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
					break
				}
				j += n
			}
			w := s[i:j]
			if w[0] <= '9' {
				w = strings.ReplaceAll(w, ",", "")
			}
			if len(w) <= 64 {
				fn(strings.ToLower(w))
			}
			i = j
		default:
			i += n
		}
	}
}

// inNumber: a comma or point between two digits.
func inNumber(s string, j int) bool {
	return (s[j] == ',' || s[j] == '.') && j+1 < len(s) && s[j-1] >= '0' && s[j-1] <= '9' && s[j+1] >= '0' && s[j+1] <= '9'
}

func bigramRune(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// bigrams gives the overlapping pairs of a run that begins at i.
func bigrams(s string, i int, fn func(string)) int {
	prev := -1
	start := i
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !bigramRune(r) {
			break
		}
		if prev >= 0 {
			fn(s[prev : i+n])
		}
		prev = i
		i += n
	}
	if prev == start { // a single character
		fn(s[start:i])
	}
	return i
}
