package audit

import (
	"math/big"
	"strings"
	"unicode"
)

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

// dateLike: the text holds a date written in digits.
func dateLike(text string) bool {
	for i := 0; i+7 < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' && (text[i+1] == '-' || text[i+1] == '/' || text[i+1] == '.' || text[i+2] == '-' || text[i+2] == '/' || text[i+4] == '-') {
			return true
		}
	}
	return false
}
