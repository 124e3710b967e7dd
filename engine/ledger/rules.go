package ledger

import (
	"fmt"
	"strconv"
	"strings"
)

// rule is what a value must keep, made once from a field's `is` tag. Words:
//
//	text   1–8,192 bytes        line   1–1,024 bytes, no control characters
//	slice  1–16,384 bytes       name   line without "/"
//	word   [a-z0-9_]{1,64}      step   a step kind
//	hash   64 hex digits        nonce  32 hex digits
//	ref    source id/from-to    range  from-to
//	basis  a ref, or an id of a claim or assumption
//	amber  [a-z_]{1,24}, then perhaps ":" and [0-9a-z/._-]{1,128}
//	any    an object id         subject  an object id or an amber reason
//	id=…   an object id of one of these kind letters
//	one=…  one of these words   signed   an integer that may be negative
//	pos    an integer from 1
//
// and for lists max=N (items) and sorted (by byte, no repeats).
type rule struct {
	check  func(s string) error // nil: no texts here
	words  []string             // of one=
	max    int                  // items of a list
	sorted bool
	signed bool
	pos    bool
	limit  int // bytes of a text, 0: no TextError
}

var stepKinds = []string{"plan", "search", "read", "reason", "calculate", "verify", "answer", "report"}

func parseRule(tag string) (rule, error) {
	var r rule
	if tag == "" {
		return r, nil
	}
	for _, part := range strings.Split(tag, ",") {
		word, arg, _ := strings.Cut(part, "=")
		switch word {
		case "max":
			n, err := strconv.Atoi(arg)
			if err != nil {
				return r, fmt.Errorf("rule %q: %w", tag, err)
			}
			r.max = n
		case "sorted":
			r.sorted = true
		case "signed":
			r.signed = true
		case "pos":
			r.pos = true
		case "one":
			r.words = strings.Split(arg, "|")
		case "step":
			r.words = stepKinds
		case "text":
			r.limit, r.check = MaxText, anyText
		case "slice":
			r.limit, r.check = MaxSlice, anyText
		case "line":
			r.limit, r.check = MaxShort, shortText
		case "name":
			r.limit, r.check = MaxShort, baseName
		case "word":
			r.check = plainWord
		case "hash":
			r.check = hexOf(64)
		case "nonce":
			r.check = hexOf(32)
		case "range":
			r.check = func(s string) error { _, _, err := parseRange(s); return err }
		case "ref":
			r.check = func(s string) error { _, err := parseRef(s); return err }
		case "basis":
			r.check = basisItem
		case "amber":
			r.check = amberID
		case "any":
			r.check = idOf(kindLetters)
		case "subject":
			r.check = func(s string) error {
				if IDKind(s) != 0 {
					return nil
				}
				return amberID(s)
			}
		case "id":
			r.check = idOf(arg)
		default:
			return r, fmt.Errorf("rule %q: unknown word %q", tag, word)
		}
	}
	return r, nil
}

// text checks s against the rule; field is its name on the line.
func (r *rule) text(field, s string) error {
	if r.limit > 0 && len(s) > r.limit {
		return &TextError{Field: field, Size: len(s), Limit: r.limit}
	}
	if r.words != nil {
		for _, w := range r.words {
			if w == s {
				return nil
			}
		}
		return errForm("%s: %q is none of %s", field, s, strings.Join(r.words, ", "))
	}
	if r.check == nil {
		return nil
	}
	if err := r.check(s); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

func (r *rule) integer(field string, n int64) error {
	switch {
	case n > MaxInt || n < -MaxInt:
		return errForm("%s: the integer %d is beyond ±(2^53−1)", field, n)
	case r.pos && n < 1:
		return errForm("%s: %d is below 1", field, n)
	case n < 0 && !r.signed:
		return errForm("%s: %d is below 0", field, n)
	}
	return nil
}

// list checks the number of items and, for texts, their order.
func (r *rule) list(field string, n int) error {
	if r.max > 0 && n > r.max {
		return errForm("%s: %d items are more than %d", field, n, r.max)
	}
	return nil
}

func (r *rule) order(field string, list []string) error {
	if !r.sorted {
		return nil
	}
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return errForm("%s: not sorted or an item twice", field)
		}
	}
	return nil
}

func anyText(string) error { return nil }

func shortText(s string) error {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7f {
			return errForm("a control character at byte %d", i)
		}
	}
	return nil
}

func baseName(s string) error {
	if strings.IndexByte(s, '/') >= 0 {
		return errForm("a file's base name has no /")
	}
	return shortText(s)
}

func plainWord(s string) error {
	if len(s) > maxWord {
		return errForm("a word of %d bytes", len(s))
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return errForm("%q is not a word of a–z, 0–9 and _", s)
		}
	}
	return nil
}

func hexOf(digits int) func(string) error {
	return func(s string) error {
		if len(s) != digits || !isHex(s) {
			return errForm("%q is not %d lower-case hex digits", s, digits)
		}
		return nil
	}
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func idOf(letters string) func(string) error {
	return func(s string) error {
		k := IDKind(s)
		if k == 0 || strings.IndexByte(letters, k) < 0 {
			return errForm("%q is not an id of kind %s", s, letters)
		}
		return nil
	}
}

func basisItem(s string) error {
	if k := IDKind(s); k == 'c' || k == 'm' {
		return nil
	}
	_, err := parseRef(s)
	return err
}

func amberID(s string) error {
	word, rest, more := strings.Cut(s, ":")
	ok := len(word) >= 1 && len(word) <= 24 && isName(word)
	if more {
		ok = ok && len(rest) >= 1 && len(rest) <= 128
		for i := 0; i < len(rest) && ok; i++ {
			c := rest[i]
			ok = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("/._-", c) >= 0
		}
	}
	if !ok {
		return errForm("%q is no object id and no reason id", s)
	}
	return nil
}

// WhoKey, WhoDigest and WhoProgram make the `who` of a line: a person's key in
// hex, a model's digest (a leading "sha256:" is taken off), a program's own name.
func WhoKey(hex string) string       { return "key:" + hex }
func WhoDigest(digest string) string { return "digest:" + strings.TrimPrefix(digest, "sha256:") }
func WhoProgram(name string) string  { return "program:" + name }

func checkWho(s string) error {
	kind, rest, ok := strings.Cut(s, ":")
	ok = ok && rest != "" && len(s) <= MaxWho
	switch kind {
	case "key":
		ok = ok && isHex(rest)
	case "digest", "program":
		for i := 0; i < len(rest) && ok; i++ {
			c := rest[i]
			ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-", c) >= 0
		}
	default:
		ok = false
	}
	if !ok {
		return errForm("who: %q is no key, digest or program name", s)
	}
	return nil
}
