package ledger

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Object is a canonical JSON object in memory: its values are string, int64,
// bool, []any and Object.
type Object map[string]any

// MaxInt is the largest integer on a line; -MaxInt is the smallest.
const MaxInt = 1<<53 - 1

const hexDigits = "0123456789abcdef"

// plain marks the bytes that stand for themselves in a string.
var plain = func() (t [256]bool) {
	for c := 0x20; c <= 0x7e; c++ {
		t[c] = true
	}
	for _, c := range "\"\\<>&`" {
		t[c] = false
	}
	return t
}()

// Canonical gives the only bytes that stand for v (DESIGN 3.1). v is an Object,
// a map[string]any, a list, a string, an integer, a bool, or a struct (or a
// pointer to one) with `json` tags. Empty values, names outside [a-z_]+,
// integers beyond MaxInt, text that is not UTF-8 and nesting beyond MaxDepth are
// errors; fields tagged omitempty are left out when empty.
func Canonical(v any) ([]byte, error) { return AppendCanonical(nil, v) }

// AppendCanonical is Canonical, appended to b; for who writes many values into
// the same room. On an error it gives nil, and what b had room for is overwritten.
func AppendCanonical(b []byte, v any) ([]byte, error) {
	if b == nil {
		b = make([]byte, 0, 256) // most records and ids fit
	}
	return appendValue(b, v, 0)
}

func appendValue(b []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case string:
		if v == "" {
			return nil, errForm("an empty text must be left out")
		}
		return appendString(b, v)
	case int64:
		return appendInt(b, v)
	case int:
		return appendInt(b, int64(v))
	case bool:
		if v {
			return append(b, "true"...), nil
		}
		return append(b, "false"...), nil
	case Object:
		return appendObject(b, v, depth+1)
	case map[string]any:
		return appendObject(b, v, depth+1)
	case []any:
		return appendList(b, v, depth+1)
	case []string:
		return appendList(b, v, depth+1)
	case []int64:
		return appendList(b, v, depth+1)
	case []Object:
		return appendList(b, v, depth+1)
	}
	return appendStruct(b, v, depth+1)
}

func appendObject(b []byte, o map[string]any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, errForm("nested deeper than %d", MaxDepth)
	}
	if len(o) == 0 {
		return nil, errForm("an empty object must be left out")
	}
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if !isName(name) {
			return nil, errForm("name %q: only a–z and _ are allowed", name)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, '"', ':')
		var err error
		if b, err = appendValue(b, o[name], depth); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return append(b, '}'), nil
}

func appendList[T any](b []byte, list []T, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, errForm("nested deeper than %d", MaxDepth)
	}
	if len(list) == 0 {
		return nil, errForm("an empty list must be left out")
	}
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendValue(b, v, depth); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendInt(b []byte, n int64) ([]byte, error) {
	if n > MaxInt || n < -MaxInt {
		return nil, errForm("the integer %d is beyond ±(2^53−1)", n)
	}
	return appendDecimal(b, n), nil
}

func appendDecimal(b []byte, n int64) []byte {
	if n < 0 {
		b = append(b, '-')
		n = -n
	}
	var d [20]byte
	i := len(d)
	for {
		i--
		d[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return append(b, d[i:]...)
		}
	}
}

// appendString writes s with its quotes.
func appendString(b []byte, s string) ([]byte, error) {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
			i++
		case c < utf8.RuneSelf:
			b = appendEscape(b, rune(c))
			i++
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size <= 1 {
				return nil, errForm("text is not valid UTF-8 at byte %d", i)
			}
			if r > 0xffff {
				r -= 0x10000
				b = appendEscape(b, 0xd800+r>>10)
				b = appendEscape(b, 0xdc00+r&0x3ff)
			} else {
				b = appendEscape(b, r)
			}
			i += size
		}
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"'), nil
}

func appendEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// isName reports whether s is an object name: [a-z_]+.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return s != ""
}
