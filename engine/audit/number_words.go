package audit

import (
	"math/big"
	"strings"
	"unicode"
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
