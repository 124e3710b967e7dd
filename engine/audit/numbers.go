package audit

import (
	"math/big"
	"strings"
	"unicode"
)

// number is one quantity of a text.
type number struct {
	Text   string   // as written, with its unit: "41 %", "1 785 855", "two"
	Value  *big.Rat // magnitude; nil for a version-like literal, which compares by Text
	Alt    *big.Rat // the other reading of "1.000" or "1,000", nil when there is one only
	Digits *big.Rat // value of one unit in the last digit written, for rounding
	Unit   string   // "%", "pp", "kg", "h", "" …
	Minus  bool
	Approx bool   // "thousands of": anything of that order
	Mark   string // "about", "over", "under", … where rounding is marked
	Word   bool   // written as a word
	Weak   bool   // "one", "single", "both", "first": evidence, never demanded of a quote
	Next   string // stem of the word that follows, for "one"
	Month  bool
}

var (
	rat100  = big.NewRat(100, 1)
	ratHalf = big.NewRat(1, 2)
)

// units maps every spelling to one name.
var units = func() map[string]string {
	m := map[string]string{}
	for _, line := range strings.Split(`% percent pct prozent pourcent porciento procent
kg kilogram kilograms kilogramm kilo kilos
g gram grams gramm
mg milligram milligrams
µg μg mcg microgram micrograms
t ton tons tonne tonnes tonnen
km kilometre kilometres kilometer kilometers
m metre metres meter meters
cm centimetre centimetres centimeter centimeters
mm millimetre millimetres millimeter millimeters
nm nanometre nanometres nanometer nanometers
mile miles mi
foot feet ft
inch inches
ms millisecond milliseconds
s sec second seconds sekunde sekunden
min minute minutes minuten
h hr hrs hour hours stunde stunden heures horas
day days tag tage tagen jours días
week weeks woche wochen semaines semanas
month months monat monate monaten mois meses
year years jahr jahre jahren ans années años yr yrs
decade decades
°c celsius
°f fahrenheit
hz hertz
khz
mhz
ghz
w watt watts
kw
mw
kwh
v volt volts
j joule joules
kj
kcal
kb kilobyte kilobytes
mb megabyte megabytes
gb gigabyte gigabytes
tb terabyte terabytes
l litre litres liter liters
ml millilitre millilitres milliliter milliliters
mol
mmol
pa
kpa
bar
$ usd dollar dollars us$
€ eur euro euros
£ gbp pound pounds
¥ yen`, "\n") {
		ws := strings.Fields(line)
		for _, w := range ws {
			m[w] = ws[0]
		}
	}
	return m
}()

var magnitudes = map[string]int64{"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "hundred": 100,
	"mio": 1e6, "mrd": 1e9, "millionen": 1e6, "milliarden": 1e9, "tausend": 1e3, "hundert": 100, "mille": 1e3, "millions": 1e6, "billions": 1e9,
	"millones": 1e6, "mil": 1e3, "milliards": 1e9, "lakh": 1e5, "crore": 1e7}

var attached = map[string]int64{"k": 1e3, "K": 1e3, "M": 1e6, "mn": 1e6, "bn": 1e9, "B": 1e9, "tn": 1e12}

var wordValues = map[string]map[string]int64{
	"en": {"zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
		"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
		"eighty": 80, "ninety": 90, "dozen": 12, "twice": 2, "thrice": 3, "double": 2, "doubled": 2, "doubles": 2, "triple": 3, "tripled": 3,
		"twofold": 2, "threefold": 3, "fourfold": 4, "tenfold": 10},
	"de": {"null": 0, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
		"elf": 11, "zwölf": 12, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70,
		"achtzig": 80, "neunzig": 90, "dutzend": 12, "zweimal": 2, "dreimal": 3, "doppelt": 2},
	"fr": {"zéro": 0, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
		"onze": 11, "douze": 12, "quinze": 15, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60},
	"es": {"cero": 0, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
		"once": 11, "doce": 12, "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50},
}

// weakValues are evidence for a number and never a number that a claim must prove.
var weakValues = map[string]map[string]int64{
	"en": {"one": 1, "single": 1, "sole": 1, "both": 2, "pair": 2, "pairs": 2, "couple": 2, "first": 1, "second": 2, "third": 3, "fourth": 4,
		"fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10},
	"de": {"ein": 1, "eine": 1, "einen": 1, "einer": 1, "einem": 1, "beide": 2, "beiden": 2, "paar": 2},
	"fr": {"un": 1, "une": 1, "seul": 1}, "es": {"un": 1, "una": 1, "solo": 1, "ambos": 2},
}

var months = map[string]int64{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
	"september": 9, "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7,
	"aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12, "januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6,
	"juli": 7, "oktober": 10, "dezember": 12}

// rounding marks: a number beside one of them may be a rounded one.
var roundingMarks = []struct{ Words, Kind string }{
	{"more than", "over"}, {"less than", "under"}, {"fewer than", "under"}, {"just over", "over"}, {"a little over", "over"},
	{"just under", "under"}, {"at least", "over"}, {"up to", "about"}, {"in excess of", "over"}, {"close to", "about"},
	{"mehr als", "over"}, {"weniger als", "under"}, {"rund", "about"}, {"etwa", "about"}, {"ungefähr", "about"}, {"circa", "about"}, {"environ", "about"}, {"unos", "about"}, {"plus de", "over"},
	{"about", "about"}, {"around", "about"}, {"approximately", "about"}, {"roughly", "about"}, {"nearly", "under"},
	{"almost", "under"}, {"some", "about"}, {"over", "over"}, {"above", "over"}, {"under", "under"}, {"below", "under"},
	{"ca", "about"}, {"approx", "about"}, {"exceeding", "over"}, {"ungefaehr", "about"}, {"knapp", "under"}, {"über", "over"},
}

// numbers reads the quantities of a cleaned text. literals are words that hold
// digits without being quantities ("F1", "GPT-4", "3D"); they are names (D22).
func numbers(s, lang string) []number {
	rs := []rune(s)
	var out []number
	for i := 0; i < len(rs); {
		r := rs[i]
		switch {
		case isDigit(r) || r == '.' && i+1 < len(rs) && isDigit(rs[i+1]) && (i == 0 || !isDigit(rs[i-1]) && !unicode.IsLetter(rs[i-1])):
			if n, end, ok := digits(rs, i); ok {
				n.Mark = markBefore(rs, i, end)
				out = append(out, n)
				i = end
				continue
			}
			i = skipWord(rs, i)
		case vulgar[r] != "":
			v, _ := new(big.Rat).SetString(vulgar[r])
			out = append(out, number{Text: string(r), Value: v, Digits: new(big.Rat)})
			i++
		case unicode.IsLetter(r):
			n, end, ok := wordNumber(rs, i, lang)
			if ok {
				if !n.Weak {
					n.Mark = markBefore(rs, i, end)
				}
				out = append(out, n)
			}
			i = end
		default:
			i++
		}
	}
	// "10, 20 and 30 kg": a number without a unit takes that of the next in its list.
	for i := len(out) - 2; i >= 0; i-- {
		if out[i].Unit == "" && out[i+1].Unit == "%" && !out[i].Month && listed(s, out[i], out[i+1]) {
			out[i].Unit = out[i+1].Unit
		}
	}
	return out
}

// listed: only "and", "or", "to", commas and dashes stand between two numbers.
func listed(s string, a, b number) bool {
	i := strings.Index(s, a.Text)
	if i < 0 {
		return false
	}
	rest := s[i+len(a.Text):]
	j := strings.Index(rest, b.Text)
	if j < 0 {
		return false
	}
	gap := strings.TrimSpace(rest[:j])
	switch gap {
	case ",", "and", ", and", "or", "to", "-", "–", "und", "bis", "et", "y", "a", "/":
		return true
	}
	return false
}

var vulgar = map[rune]string{'½': "1/2", '¼': "1/4", '¾': "3/4", '⅓': "1/3", '⅔': "2/3", '⅛': "1/8"}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func skipWord(rs []rune, i int) int {
	for i < len(rs) && (isWord(rs[i]) || rs[i] == '.' && i+1 < len(rs) && isDigit(rs[i+1])) {
		i++
	}
	return i
}

func groupSpace(r rune) bool {
	return r == ' ' || r == 0xA0 || r == 0x2009 || r == 0x202F || r == '\''
}

// threeDigits: exactly three digits at i.
func threeDigits(rs []rune, i int) bool {
	if i+3 > len(rs) || !isDigit(rs[i]) || !isDigit(rs[i+1]) || !isDigit(rs[i+2]) {
		return false
	}
	return i+3 == len(rs) || !isDigit(rs[i+3])
}

const maxDigits = 40

// digits reads a number written in digits at i. ok is false for literals like
// "3D" or "1.2.3".
func digits(rs []rune, i int) (number, int, bool) {
	start := i
	n := number{}
	if i > 0 && (rs[i-1] == '-' || rs[i-1] == '−') && (i == 1 || unicode.IsSpace(rs[i-2]) || strings.ContainsRune("(=:<>~", rs[i-2])) {
		n.Minus = true
	}
	whole, frac := "", ""
	var seps []rune
	first := i
	for i < len(rs) && isDigit(rs[i]) {
		i++
	}
	whole = string(rs[first:i])
	for i < len(rs) && (rs[i] == ',' || rs[i] == '.' || groupSpace(rs[i])) && threeDigits(rs, i+1) &&
		len(whole) >= 1 && (len(seps) > 0 && seps[len(seps)-1] == rs[i] || len(seps) == 0 && len(whole) <= 3 && whole != "0") {
		if groupSpace(rs[i]) && i+4 < len(rs) && unicode.IsLetter(rs[i+4]) {
			break // "12 100k": two numbers
		}
		seps = append(seps, rs[i])
		whole += string(rs[i+1 : i+4])
		i += 4
	}
	alt := ""
	if len(seps) == 1 && (seps[0] == '.' || seps[0] == ',') {
		alt = whole[:len(whole)-3] + "." + whole[len(whole)-3:]
	}
	if i+1 < len(rs) && (rs[i] == '.' || rs[i] == ',' || rs[i] == '·') && isDigit(rs[i+1]) {
		j := i + 1
		for j < len(rs) && isDigit(rs[j]) {
			j++
		}
		frac = string(rs[i+1 : j])
		alt = ""
		i = j
		if i+1 < len(rs) && rs[i] == '.' && isDigit(rs[i+1]) {
			return n, i, false // a version: 1.2.3
		}
	}
	if len(whole)+len(frac) > maxDigits {
		return n, i, false
	}
	if whole == "" {
		whole = "0"
	}
	value, ok := new(big.Rat).SetString(whole + "." + frac + "0")
	if !ok {
		return n, i, false
	}
	if alt != "" {
		other, _ := new(big.Rat).SetString(alt)
		if seps[0] == '.' { // 1.000 is first of all a decimal
			value, other = other, value
		}
		n.Alt = other
	}
	n.Value = value
	n.Digits = lastPlace(whole, frac)
	if n.Alt != nil && seps[0] == '.' {
		n.Digits = big.NewRat(1, 1000)
	}
	return unitAfter(rs, start, i, n)
}

// lastPlace is the value of the last digit that is not a trailing zero of a whole
// number: 1,800,000 is written to the hundred thousand.
func lastPlace(whole, frac string) *big.Rat {
	ten := big.NewRat(10, 1)
	p := big.NewRat(1, 1)
	if frac != "" {
		for range frac {
			p.Quo(p, ten)
		}
		return p
	}
	t := strings.TrimRight(whole, "0")
	if t == "" {
		return p
	}
	for range len(whole) - len(t) {
		p.Mul(p, ten)
	}
	return p
}

// unitAfter reads what follows the digits: k, %, kg, million, th.
func unitAfter(rs []rune, start, i int, n number) (number, int, bool) {
	j := i
	for j < len(rs) && unicode.IsLetter(rs[j]) {
		j++
	}
	end := i
	if j > i {
		word := string(rs[i:j])
		low := strings.ToLower(word)
		switch {
		case j < len(rs) && isDigit(rs[j]):
			return n, j, false
		case low == "st" || low == "nd" || low == "rd" || low == "th" || low == "s" && n.Value.IsInt() && len(string(rs[start:i])) >= 4 || low == "x" || low == "fold" || low == "e":
			end = j
		case attached[word] != 0:
			scale(&n, attached[word])
			end = j
		case units[low] != "":
			n.Unit, end = units[low], j
		default:
			return n, j, false
		}
	} else {
		k := i
		for k < len(rs) && (groupSpace(rs[k]) && rs[k] != '\'' || rs[k] == '-' && k == i) {
			k++
		}
		if k < len(rs) && rs[k] == '%' {
			n.Unit, end = "%", k+1
		} else {
			w, e := wordAt(rs, k)
			low := strings.ToLower(w)
			if low == "per" || low == "pour" || low == "por" {
				if w2, e2 := wordAt(rs, e+1); strings.HasPrefix(strings.ToLower(w2), "cent") || strings.HasPrefix(strings.ToLower(w2), "cient") {
					low, e = "percent", e2
				}
			}
			if low == "percentage" {
				if w2, e2 := wordAt(rs, e+1); strings.HasPrefix(strings.ToLower(w2), "point") {
					n.Unit, end = "pp", e2
				}
			} else if m := magnitudes[low]; m != 0 {
				scale(&n, m)
				end = e
				if u, e2 := wordAt(rs, e+1); units[strings.ToLower(u)] != "" {
					n.Unit, end = units[strings.ToLower(u)], e2
				}
			} else if low == "pp" {
				n.Unit, end = "pp", e
			} else if u := units[low]; u != "" && !(len(low) == 1 && k == i+1 && low != strings.ToLower(w)) {
				n.Unit, end = u, e
			} else {
				n.Next = stem(low, "en")
			}
		}
	}
	if n.Unit == "" && start > 0 {
		if u := units[strings.ToLower(string(rs[start-1]))]; u == "$" || u == "€" || u == "£" || u == "¥" {
			n.Unit = u
			start--
		}
	}
	n.Text = strings.TrimSpace(string(rs[start:end]))
	return n, end, true
}

func scale(n *number, m int64) {
	f := big.NewRat(m, 1)
	n.Value = new(big.Rat).Mul(n.Value, f)
	n.Digits = new(big.Rat).Mul(n.Digits, f)
	if n.Alt != nil {
		n.Alt = new(big.Rat).Mul(n.Alt, f)
	}
}

// wordAt is the run of letters (and °) at i.
func wordAt(rs []rune, i int) (string, int) {
	j := i
	for j < len(rs) && (unicode.IsLetter(rs[j]) || rs[j] == '°' || rs[j] == '€' || rs[j] == '$' || rs[j] == '£') {
		j++
	}
	if i > len(rs) {
		return "", i
	}
	return string(rs[i:j]), j
}

// wordNumber reads a number written in words at i; end is after the word in any case.
func wordNumber(rs []rune, i int, lang string) (number, int, bool) {
	w, end := wordAt(rs, i)
	for end < len(rs) && (isDigit(rs[end]) || unicode.IsLetter(rs[end]) || rs[end] == '-' && end+1 < len(rs) && isDigit(rs[end+1])) {
		end++ // "F1", "GPT-4": a name
		w = ""
	}
	if w == "" {
		if end == i {
			end++
		}
		return number{}, end, false
	}
	low := strings.ToLower(w)
	one := big.NewRat(1, 1)
	if m, ok := months[low]; ok && unicode.IsUpper(rs[i]) {
		if low != "may" && low != "march" && low != "mar" && low != "dec" && low != "jan" && low != "mai" || nearDigit(rs, i, end) {
			return number{Text: w, Value: big.NewRat(m, 1), Digits: one, Month: true, Word: true}, end, true
		}
	}
	if lang == "en" {
		switch low {
		case "half", "halves", "halved":
			return number{Text: w, Value: ratHalf, Digits: one, Word: true}, end, true
		case "quarter", "quarters":
			return number{Text: w, Value: big.NewRat(1, 4), Digits: one, Word: true}, end, true
		case "hundreds", "thousands", "millions", "billions", "dozens":
			v := map[string]int64{"hundreds": 100, "thousands": 1e3, "millions": 1e6, "billions": 1e9, "dozens": 12}[low]
			return number{Text: w, Value: big.NewRat(v, 1), Digits: one, Word: true, Approx: true}, end, true
		}
	}
	if v, ok := weakValues[lang][low]; ok {
		next, _ := wordAt(rs, end+1)
		return number{Text: w, Value: big.NewRat(v, 1), Digits: one, Word: true, Weak: true, Next: stem(strings.ToLower(next), lang)}, end, true
	}
	v, ok := wordValues[lang][low]
	if !ok {
		if m, isMag := magnitudes[low]; isMag && lang == "en" && (low == "hundred" || low == "thousand" || low == "million" || low == "billion") {
			v, ok = m, true // "a hundred users"
		}
	}
	if !ok {
		return number{}, end, false
	}
	total, part := int64(0), v
	// "two hundred and fifty thousand", "twenty-one"
	for {
		k := end
		if k < len(rs) && (rs[k] == ' ' || rs[k] == '-') {
			k++
		}
		next, e := wordAt(rs, k)
		nl := strings.ToLower(next)
		if nl == "and" && lang == "en" && part >= 100 {
			if n2, e2 := wordAt(rs, e+1); wordValues[lang][strings.ToLower(n2)] > 0 {
				nl, e = strings.ToLower(n2), e2
			}
		}
		nv, isV := wordValues[lang][nl]
		if nl == "one" && lang == "en" {
			nv, isV = 1, true
		}
		mv, isM := magnitudes[nl]
		switch {
		case isM && nl != "mille" && nl != "mil" || isM && (lang == "fr" || lang == "es"):
			if mv > 100 {
				total, part = total+part*mv, 0
			} else {
				part *= mv
			}
		case isV && nv > 0 && (part >= 20 && part < 100 && part%10 == 0 && nv < 10 || part >= 100 && part%100 == 0 && nv < 100 || part == 0 && total > 0 && nv < 1000):
			part += nv
		default:
			n := number{Text: string(rs[i:end]), Value: big.NewRat(total+part, 1), Digits: lastPlace(big.NewInt(total+part).String(), ""), Word: true}
			u, e := wordAt(rs, min(end+1, len(rs)))
			ul := strings.ToLower(u)
			if ul == "per" {
				if w2, e2 := wordAt(rs, min(e+1, len(rs))); strings.HasPrefix(strings.ToLower(w2), "cent") {
					ul, e = "percent", e2
				}
			}
			if units[ul] != "" && len(ul) > 1 {
				n.Unit, end = units[ul], e
				n.Text = string(rs[i:end])
			} else {
				n.Next = stem(ul, lang)
			}
			return n, end, true
		}
		end = e
	}
}

func nearDigit(rs []rune, from, to int) bool {
	for k := max(0, from-6); k < from; k++ {
		if isDigit(rs[k]) {
			return true
		}
	}
	for k := to; k < min(len(rs), to+4); k++ {
		if isDigit(rs[k]) {
			return true
		}
	}
	return false
}

// markBefore: a word of rounding stands before the number ("about 20"), or after
// it ("20 or so", "20 or more").
func markBefore(rs []rune, i, end int) string {
	before := strings.ToLower(strings.TrimRight(string(rs[max(0, i-24):i]), " ~≈$€£"))
	if c := strings.TrimSpace(string(rs[max(0, i-2):i])); strings.ContainsAny(c, "~≈") {
		return "about"
	}
	before = strings.TrimSuffix(before, ".")
	before = strings.TrimSuffix(strings.TrimSuffix(before, " a total of"), " the")
	for _, m := range roundingMarks {
		if before == m.Words || strings.HasSuffix(before, " "+m.Words) || strings.HasSuffix(before, "("+m.Words) {
			return m.Kind
		}
	}
	after := strings.ToLower(string(rs[end:min(len(rs), end+14)]))
	switch {
	case strings.HasPrefix(after, " or so"), strings.HasPrefix(after, " plus or minus"):
		return "about"
	case strings.HasPrefix(after, " or more"), strings.HasPrefix(after, "+"):
		return "over"
	}
	return ""
}

// holds: evidence e shows claim number n. text is the whole evidence, lower case.
func (n number) holds(e number, text string) bool {
	if n.Value == nil || e.Value == nil {
		return n.Text == e.Text
	}
	if n.Month != e.Month {
		// 2016-11-08 shows "November".
		return n.Month && !e.Word && e.Unit == "" && sameValue(n, e) && dateLike(text)
	}
	// "−0.5" may be told as "fell by 0.5"; the other way round is another number.
	if n.Minus && !e.Minus {
		return false
	}
	if !unitFits(n, e, text) {
		// 0.41 and 41 % are the same share.
		if n.Unit == "%" && e.Unit == "" && e.Value.Cmp(big.NewRat(1, 1)) <= 0 {
			return valueFits(n, new(big.Rat).Mul(e.Value, rat100))
		}
		if n.Unit == "" && e.Unit == "%" && n.Value.Cmp(big.NewRat(1, 1)) <= 0 {
			return valueFits(n, new(big.Rat).Quo(e.Value, rat100))
		}
		return false
	}
	if n.Approx {
		hi := new(big.Rat).Mul(n.Value, big.NewRat(1000, 1))
		return e.Value.Cmp(n.Value) >= 0 && e.Value.Cmp(hi) < 0
	}
	return sameValue(n, e) || valueFits(n, e.Value)
}

func sameValue(n, e number) bool {
	if n.Value.Cmp(e.Value) == 0 {
		return true
	}
	if n.Alt != nil && e.Alt == nil && n.Alt.Cmp(e.Value) == 0 {
		return true
	}
	return e.Alt != nil && n.Alt == nil && e.Alt.Cmp(n.Value) == 0
}

// valueFits: equal, or rounded with a mark that says so.
func valueFits(n number, e *big.Rat) bool {
	if n.Value.Cmp(e) == 0 {
		return true
	}
	if n.Mark == "" || n.Digits.Sign() == 0 {
		return false
	}
	diff := new(big.Rat).Sub(e, n.Value)
	switch n.Mark {
	case "over":
		return diff.Sign() > 0 && diff.Cmp(n.Digits) < 0
	case "under":
		return diff.Sign() < 0 && new(big.Rat).Neg(diff).Cmp(n.Digits) < 0
	}
	return diff.Abs(diff).Cmp(new(big.Rat).Mul(n.Digits, ratHalf)) <= 0
}

func unitFits(n, e number, text string) bool {
	switch {
	case n.Unit == e.Unit:
		return true
	case n.Unit == "" && (e.Unit == "%" || e.Unit == "pp"):
		return n.Next == "" || shareWords[n.Next]
	case n.Unit == "":
		return true
	case e.Unit != "":
		return false
	}
	// The unit stands elsewhere: in a list, or before the number.
	if n.Unit == "%" || n.Unit == "pp" {
		return strings.Contains(text, "(%)") || strings.Contains(text, "percentage of") || strings.Contains(text, "in percent")
	}
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '°' && r != '%' && r != '$' && r != '€' }) {
		if units[f] == n.Unit {
			return true
		}
	}
	return false
}

var shareWords = set("accuraci precis recal f1 score auc rate share macro micro for on in and to with of at from by when")

// dateLike: the text holds a date written in digits.
func dateLike(text string) bool {
	for i := 0; i+7 < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' && (text[i+1] == '-' || text[i+1] == '/' || text[i+1] == '.' || text[i+2] == '-' || text[i+2] == '/' || text[i+4] == '-') {
			return true
		}
	}
	return false
}
