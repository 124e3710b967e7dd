package source

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How a full stop after a word is to be read.
type glue uint8

const (
	none             glue = iota
	glued                 // never ends a sentence
	glueBeforeName        // ends one only before a word that begins sentences
	glueBeforeNumber      // ends one unless a number follows
)

// abbreviations without their last full stop, in lower case.
var abbreviations = map[string]glue{}

// starters begin sentences and are not names.
var starters = map[string]bool{}

func init() {
	for kind, list := range map[glue]string{
		glued: `e.g i.e eg ie cf vs viz resp approx ca dr mr mrs ms prof st rev hon lt sgt capt gov sen fig figs eq eqs
			sect secs tabs chap vol vols p pp eds trans univ z.b bzw d.h u.a o.ä vgl usw.u abb bd hrsg ggf evtl sog
			p.ex mme mlle sra ej pág núm z.t i.d.r incl excl esp spp subsp op`,
		glueBeforeName: `al inc ltd co corp jr sr ph.d m.sc b.sc m.d bros assoc assn ave blvd rd a.m p.m est u.s u.k u.n e.u usw m mt gen col
			rep sec tab ref refs ch ed dept sp var cit`,
		glueBeforeNumber: `no nos nr art para jan feb mar apr jun jul aug sep sept oct nov dec`,
	} {
		for _, w := range strings.Fields(list) {
			abbreviations[w] = kind
		}
	}
	for _, w := range strings.Fields(`The This That These Those We Our In It Its A An He She They His Her Their However But And For If
		There When Where As To On At By With While Although Though Since Here Then Thus Finally First Second Third Moreover Furthermore
		Therefore Hence Also After Before During From Both Each Most Many Some Such All One Two Other Another You Your I My What Which
		Who How Why Yet So Not No Nor Instead Overall Given Because Under Using Based Compared Consequently Additionally Specifically
		Similarly Recently Later Today Der Die Das Ein Eine Es Wir Le La Les Un Une Il El Los Las Una`) {
		starters[w] = true
	}
}

// kindOf reads word (before a full stop) and next (the word after it).
func kindOf(word, next string) glue {
	if k, ok := abbreviations[strings.ToLower(word)]; ok {
		return k
	}
	if k, ok := germanOrdinal(word, next); ok {
		return k
	}
	if initials(word) {
		return glueBeforeName
	}
	return none
}

// initials: "J" or "U.S" or "J.-P".
func initials(word string) bool {
	if word == "" || len(word) > 12 {
		return false
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '.' || r == '-' }) {
		r, n := utf8.DecodeRuneInString(part)
		if n != len(part) || !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

var germanMonths = " Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhundert "

// germanOrdinal: "am 3. Oktober".
func germanOrdinal(word, next string) (glue, bool) {
	if len(word) > 2 || word == "" || strings.Trim(word, "0123456789") != "" || next == "" {
		return none, false
	}
	if strings.Contains(germanMonths, " "+next+" ") && next != "April" && next != "August" && next != "September" && next != "November" {
		return glued, true
	}
	return none, false
}
