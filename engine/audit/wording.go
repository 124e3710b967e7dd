package audit

import (
	"math/big"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// evidence is what a wording is held against: the quoted text, and around it what
// names may also come from (headings, title).
type evidence struct {
	quoted  string // cleaned
	lower   string
	lang    string
	words   []token
	stems   map[string]bool
	around  []token // headings and title
	aroundS map[string]bool
	numbers []number
	compact map[string]bool // words, and neighbours joined, letters and digits only
	initial map[string]bool // initials of runs of words
}

func newEvidence(quoted []string, around []string) *evidence {
	e := &evidence{quoted: clean(strings.Join(quoted, "\n"))}
	// Sentence ends are kept between quotes; clean folds the line end.
	e.lower = strings.ToLower(e.quoted)
	e.lang = language(e.quoted)
	e.words = tokens(e.quoted, e.lang)
	e.stems = content(e.words)
	e.around = tokens(clean(strings.Join(around, ". ")), e.lang)
	e.aroundS = content(e.around)
	e.numbers = numbers(e.quoted, e.lang)
	e.compact, e.initial = map[string]bool{}, map[string]bool{}
	for _, ts := range [][]token{e.words, e.around} {
		for i, t := range ts {
			c := compact(t.Low)
			e.compact[c] = true
			e.compact[compact(t.Stem)] = true
			if i+1 < len(ts) {
				e.compact[c+compact(ts[i+1].Low)] = true
			}
			var ini []byte
			for j := i; j < len(ts) && j < i+6; j++ {
				if len(ts[j].Low) == 0 {
					break
				}
				ini = append(ini, ts[j].Low[0])
				if len(ini) >= 2 {
					e.initial[string(ini)] = true
				}
			}
		}
	}
	return e
}

// compact leaves the letters and digits of a word.
func compact(w string) string {
	return strings.Map(func(r rune) rune {
		if isWord(r) {
			return r
		}
		return -1
	}, w)
}

// wordCheck is the outcome of holding a wording against its evidence.
type wordCheck struct {
	refuse  string // code, "" when none
	message string
	flags   []string
	why     map[string]string // flag → what it is about
}

func (w *wordCheck) flag(code, why string) {
	for _, f := range w.flags {
		if f == code {
			return
		}
	}
	w.flags = append(w.flags, code)
	if w.why == nil {
		w.why = map[string]string{}
	}
	w.why[code] = why
}

// holdAgainst applies D5, D6, D22 and D23. ordinary tells whether a capitalised
// first word is an ordinary word of the source; nil where the source is not at hand.
func (e *evidence) holdAgainst(text string, ordinary func(low string) bool) wordCheck {
	var out wordCheck
	c := clean(text)
	// The claim's own language decides its stop words; its stems are made as the evidence's.
	ts := tokens(c, e.lang)
	if bad, ok := e.wrongNumber(c); !ok {
		out.refuse, out.message = "D5", "Refused: the model gave "+bad+", "+e.itsNumbers(bad)+"."
		return out
	}
	if total, matched, inQuote := e.overlap(ts); total > 0 {
		switch {
		case matched*3 < total || inQuote == 0:
			out.refuse = "D23"
			out.message = "Refused: the wording is about something else than its quote (" + shared(matched, total) + ")."
			return out
		case matched*2 < total || inQuote*3 < total:
			out.flag("D23", "only "+shared(matched, total))
		}
	} else if !slices.ContainsFunc(numbers(c, e.lang), func(n number) bool { return !n.Weak }) {
		out.refuse, out.message = "D23", "Refused: the wording says nothing that could be compared with its quote."
		return out
	}
	if w := e.stronger(ts); w != "" {
		out.flag("D23", "“"+w+"” does not stand in its quote")
	}
	names := e.strangeNames(ts, ordinary)
	if i := slices.IndexFunc(names, longCode); i >= 0 {
		out.refuse, out.message = "D5", "Refused: the model gave "+names[i]+", which stands nowhere near its quote."
		return out
	}
	if len(names) > 0 {
		out.flag("D22", "“"+strings.Join(names, "”, “")+"”")
	}
	if w := e.clipped(ts); w != "" {
		out.flag("D6", w)
	}
	return out
}

func shared(matched, total int) string {
	return big.NewInt(int64(matched)).String() + " of " + big.NewInt(int64(total)).String() + " words in common"
}

// wrongNumber is D5: the first quantity that the evidence does not show.
func (e *evidence) wrongNumber(c string) (string, bool) {
	for _, n := range numbers(c, e.lang) {
		if n.Weak {
			if n.Value.IsInt() && n.Value.Num().Int64() == 1 && strings.EqualFold(n.Text, "one") && e.otherCount(n) {
				return n.Text, false
			}
			continue
		}
		ok := false
		for _, ev := range e.numbers {
			if n.holds(ev, e.lower) {
				ok = true
				break
			}
		}
		if !ok && n.Word && strings.Contains(" "+e.lower+" ", " "+strings.ToLower(n.Text)+" ") {
			ok = true
		}
		if !ok {
			return n.Text, false
		}
	}
	return "", true
}

// otherCount: the evidence counts the same thing and finds another number ("one
// annotator" against "two annotators").
func (e *evidence) otherCount(n number) bool {
	if n.Next == "" || stopWord(n.Next, e.lang) {
		return false
	}
	other := false
	for _, ev := range e.numbers {
		if ev.Value == nil || ev.Next == "" || !alike(ev.Next, n.Next) {
			continue
		}
		if ev.Value.Cmp(n.Value) == 0 {
			return false
		}
		other = other || !ev.Weak || ev.Value.Cmp(n.Value) > 0
	}
	return other
}

// itsNumbers says what the evidence gives instead.
func (e *evidence) itsNumbers(bad string) string {
	var like, all []string
	for _, n := range e.numbers {
		if n.Weak {
			continue
		}
		all = append(all, n.Text)
		if strings.HasSuffix(bad, "%") == (n.Unit == "%") {
			like = append(like, n.Text)
		}
	}
	if len(like) > 0 {
		all = like
	}
	switch {
	case len(all) == 0:
		return "its quote gives no number"
	case len(all) > 3:
		all = all[:3]
	}
	return "its quote says " + strings.Join(all, ", ")
}

// overlap is D23: content words of the claim, how many of them the evidence has
// (quotes, headings, title), how many the quotes themselves have.
func (e *evidence) overlap(ts []token) (total, matched, inQuote int) {
	acronyms := map[string]bool{}
	for _, t := range ts {
		if isAcronym(t.Text) {
			acronyms[t.Stem] = true
		}
	}
	for s := range content(ts) {
		total++
		switch {
		case hasStem(e.stems, s) || acronyms[s] && e.initial[s] || e.compact[compact(s)]:
			matched++
			if hasStem(e.stems, s) || !hasStem(e.aroundS, s) {
				inQuote++
			}
		case hasStem(e.aroundS, s):
			matched++
		}
	}
	// "Convolutional Neural Network" in the claim, "CNN" in the quote.
	if matched < total {
		for _, w := range e.words {
			if isAcronym(w.Text) && spelledOut(ts, w.Low) {
				n := len(strings.TrimSuffix(w.Low, "s"))
				matched, inQuote = min(total, matched+n), min(total, inQuote+n)
				break
			}
		}
	}
	return total, matched, inQuote
}

func hasStem(m map[string]bool, s string) bool {
	if m[s] {
		return true
	}
	if isCJK([]rune(s)[0]) {
		return false
	}
	for t := range m {
		if alike(s, t) {
			return true
		}
	}
	return false
}

// isAcronym: two to six letters, all capitals but for a plural s.
func isAcronym(w string) bool {
	t := strings.TrimSuffix(w, "s")
	return len(t) >= 2 && len(t) <= 6 && hasLetter(t) && t == strings.ToUpper(t)
}

// spelledOut: consecutive words of ts have the initials acronym.
func spelledOut(ts []token, acronym string) bool {
	a := strings.TrimSuffix(acronym, "s")
	if len(a) < 2 {
		return false
	}
	for i := 0; i+len(a) <= len(ts); i++ {
		ok := true
		for j := range a {
			if ts[i+j].Low == "" || ts[i+j].Low[0] != a[j] || ts[i+j].Stop {
				ok = false
				break
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// stronger is the second half of D23: the first word of the claim that makes it
// stronger, wider or causal without a word of that class in the evidence.
func (e *evidence) stronger(ts []token) string {
	for i, t := range ts {
		for _, class := range strongClasses {
			if !class.Words[t.Low] {
				continue
			}
			if (t.Low == "more" || t.Low == "less" || t.Low == "fewer") && i+1 < len(ts) && (ts[i+1].Low == "than") &&
				i+2 < len(ts) && isNumberWord(ts[i+2].Low) {
				continue // rounding, which D5 has judged
			}
			ok := false
			for _, w := range e.words {
				if inClass(w.Low, class.Class) || w.Stem == t.Stem {
					ok = true
					break
				}
			}
			if !ok {
				return t.Text
			}
		}
	}
	return ""
}

func isNumberWord(w string) bool {
	if w == "" {
		return false
	}
	_, word := wordValues["en"][w]
	return word || w[0] >= '0' && w[0] <= '9' || w == "half" || magnitudes[w] != 0
}

// strangeNames is D22: names, acronyms and words with digits that neither quotes
// nor headings nor title have.
func (e *evidence) strangeNames(ts []token, ordinary func(string) bool) []string {
	seen := map[string]bool{}
	var out []string
	for i, t := range ts {
		if !nameLike(t) || t.Stop && t.Text != strings.ToUpper(t.Text) || seen[t.Low] || len([]rune(t.Text)) < 2 && !hasDigit(t.Text) {
			continue
		}
		if isDigit([]rune(t.Text)[0]) && !hasLetter(t.Text) {
			continue // numbers are D5's
		}
		if _, month := months[t.Low]; month {
			continue
		}
		if e.hasName(t) || e.partOfAcronym(ts, i) {
			continue
		}
		if isOrdinal(t.Low) || units[strings.TrimLeft(t.Low, "0123456789")] != "" && hasDigit(t.Text) || attachedNumber(t.Text) {
			continue
		}
		if t.First && !innerCapital(t.Text) && !hasDigit(t.Text) {
			if e.lang == "de" || looksOrdinary(t.Low) || hasStem(e.stems, t.Stem) || hasStem(e.aroundS, t.Stem) || ordinary != nil && ordinary(t.Low) {
				continue
			}
		}
		if e.lang == "de" && !innerCapital(t.Text) && !hasDigit(t.Text) && germanNoun(t.Low) {
			continue
		}
		seen[t.Low] = true
		out = append(out, t.Text)
		if len(out) == 3 {
			break
		}
	}
	return out
}

// longCode: letters and at least four digits in one word ("7b13625aad14"). A small
// model makes such words up, or copies them from elsewhere; they are numbers to D5,
// and no paraphrase needs one that its source lacks.
func longCode(w string) bool {
	digits := 0
	for _, r := range w {
		if isDigit(r) {
			digits++
		}
	}
	return digits >= 4 && hasLetter(w)
}

func nameLike(t token) bool {
	rs := []rune(t.Text)
	return unicode.IsUpper(rs[0]) || hasDigit(t.Text) && hasLetter(t.Text) || innerCapital(t.Text)
}

func hasDigit(s string) bool  { return strings.ContainsAny(s, "0123456789") }
func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// innerCapital: a capital after the first letter ("FacTweet", "CNN").
func innerCapital(s string) bool {
	for i, r := range s {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

func isOrdinal(w string) bool {
	t := strings.TrimLeft(w, "0123456789")
	return t != w && (t == "st" || t == "nd" || t == "rd" || t == "th" || t == "s" || t == "x" || t == "fold")
}

func attachedNumber(w string) bool {
	t := strings.TrimLeft(w, "0123456789")
	return t != w && attached[t] != 0
}

// hasName: the evidence has this name, its demonym ("German", "Germany"), its
// plural, or its other spelling ("GPT 4", "GPT-4").
func (e *evidence) hasName(t token) bool {
	c := compact(t.Low)
	if e.compact[c] || e.compact[strings.TrimSuffix(c, "s")] || e.compact[c+"s"] || e.initial[strings.TrimSuffix(c, "s")] && len(c) <= 6 && t.Text == strings.ToUpper(t.Text) {
		return true
	}
	for _, ts := range [][]token{e.words, e.around} {
		for _, w := range ts {
			if w.Stem == t.Stem && !hasDigit(c) || sameRoot(c, compact(w.Low)) {
				return true
			}
			if len(c) >= 5 && !hasDigit(c) && unicode.IsLower([]rune(w.Text)[0]) && alike(w.Stem, t.Stem) {
				return true // an ordinary word, capitalised in the claim
			}
		}
	}
	return false
}

var demonyms = set("y n an ian ean ese ish s es ic i er ers al d e")

func sameRoot(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 4 {
		return false
	}
	if strings.HasPrefix(b, a) {
		return demonyms[b[len(a):]] || b == a
	}
	// Spain, Spanish; Italy, Italian
	r := a[:len(a)-1]
	return len(r) >= 4 && strings.HasPrefix(b, r) && demonyms[b[len(r):]] && demonyms[a[len(r):]]
}

// partOfAcronym: word i of the claim is part of the spelled-out form of an acronym
// in the evidence.
func (e *evidence) partOfAcronym(ts []token, i int) bool {
	for _, w := range e.words {
		s := strings.TrimSuffix(w.Low, "s")
		if !isAcronym(w.Text) {
			continue
		}
		for from := max(0, i-len(s)+1); from <= i; from++ {
			if from+len(s) <= len(ts) && spelledOut(ts[from:from+len(s)], s) {
				return true
			}
		}
	}
	return false
}

// looksOrdinary: endings that English common words have and names seldom.
func looksOrdinary(w string) bool {
	for _, end := range []string{"ing", "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ity", "ities", "ers", "ors", "ists", "ees", "ances", "ence", "ances", "ly", "ogy", "ies", "isms", "ives", "ures", "ants", "ents", "als", "ful", "less", "able", "ible", "ings", "ed"} {
		if strings.HasSuffix(w, end) && len(w) >= len(end)+3 {
			return true
		}
	}
	return openers[w]
}

// openers are common words that begin a claim.
var openers = set(`data dataset datasets people users user experts expert results result methods method models model tweets
	posts messages accounts features feature words word texts text classes labels classifiers classifier systems system
	women men children patients students teachers volunteers workers companies countries several many most few using
	based combining adding removing compared unlike like overall moreover additionally finally first second third
	human humans manual manually automatic automatically deep machine neural large small big high low good bad best better
	worst worse new old only half part parts training test tests experts judges coders crowd crowdworkers raters
	documents sources files pages books letters animals plants cells genes drugs doses prices costs sales taxes laws judges
	courts judges workers schools hospitals cities cars ships trains water air soil heat light sleep food meat sugar salt
	twice thrice spam fake news hate abusive bullying offensive network networks graph graphs images image videos video`)

func germanNoun(w string) bool {
	for _, end := range []string{"ung", "ungen", "heit", "keit", "keiten", "schaft", "tion", "tionen", "tät", "täten", "er", "ern", "en", "e", "nis", "nisse", "ismus", "zahl", "satz", "sätze"} {
		if strings.HasSuffix(w, end) && len(w) >= len(end)+3 {
			return true
		}
	}
	return false
}

// clipped is D6 against the cited sentences: a limit near words that the claim
// uses, and no word of that class in the claim; or a "not" that the quote lacks.
func (e *evidence) clipped(ts []token) string {
	claim := content(ts)
	for _, class := range limitClasses {
		if anyIn(ts, class.Words) {
			if class.Class == "not" && !anyIn(e.words, class.Words) {
				return "the claim says “not”, its quote does not"
			}
			continue
		}
		for i, w := range e.words {
			if !class.Words[w.Low] || w.Low == "may" && i+1 < len(e.words) && hasDigit(e.words[i+1].Text) {
				continue
			}
			// "not only X but also Y" limits nothing.
			if w.Low == "not" && i+1 < len(e.words) && (e.words[i+1].Low == "only" || e.words[i+1].Low == "just") {
				continue
			}
			near := 0
			for j := max(0, i-3); j < min(len(e.words), i+5); j++ {
				if j != i && !e.words[j].Stop && hasStem(claim, e.words[j].Stem) {
					near++
				}
			}
			if near >= 2 || near == 1 && len(claim) <= 3 || class.Class == "animal" && near >= 1 {
				return "the quoted sentence says “" + w.Text + "”, the claim does not"
			}
		}
	}
	return ""
}

func anyIn(ts []token, words map[string]bool) bool {
	for _, t := range ts {
		if words[t.Low] {
			return true
		}
	}
	return false
}

// sortedFlags puts codes in the order of the table.
func sortedFlags(flags []string) []string {
	rank := func(c string) int {
		for i, k := range Table {
			if k.ID == c {
				return i
			}
		}
		return len(Table)
	}
	sort.SliceStable(flags, func(i, j int) bool { return rank(flags[i]) < rank(flags[j]) })
	return flags
}
