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

var shareWords = set("accuraci precis recal f1 score auc rate share macro micro for on in and to with of at from by when")
