package ledger

import (
	"unicode/utf16"
	"unicode/utf8"
)

// ParseCanonical reads the canonical bytes of one object, refusing everything
// that is not the only form of its value. The error is a *FormError.
func ParseCanonical(b []byte) (Object, error) {
	if len(b) > MaxLine {
		return nil, errForm("%d bytes are more than a line's %d", len(b), MaxLine)
	}
	c := cursor{b: b}
	o, err := c.object(1)
	if err != nil {
		return nil, err
	}
	if c.i != len(b) {
		return nil, c.bad("bytes after the object")
	}
	return o, nil
}

// cursor walks canonical bytes. Each method leaves i after what it read.
type cursor struct {
	b       []byte
	i       int
	scratch []byte
}

func (c *cursor) bad(what string) error { return errForm("%s at byte %d", what, c.i) }

func (c *cursor) peek() byte {
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

func (c *cursor) take(ch byte) bool {
	if c.i < len(c.b) && c.b[c.i] == ch {
		c.i++
		return true
	}
	return false
}

func (c *cursor) object(depth int) (Object, error) {
	if depth > MaxDepth {
		return nil, c.bad("nested too deep")
	}
	if !c.take('{') {
		return nil, c.bad("no object")
	}
	if c.peek() == '}' {
		return nil, c.bad("an empty object")
	}
	o := Object{}
	last := ""
	for {
		name, err := c.name()
		if err != nil {
			return nil, err
		}
		if string(name) == last {
			return nil, c.bad("a name twice")
		}
		if string(name) < last {
			return nil, c.bad("names not sorted")
		}
		last = string(name)
		v, err := c.value(depth)
		if err != nil {
			return nil, err
		}
		o[last] = v
		if c.take(',') {
			continue
		}
		if c.take('}') {
			return o, nil
		}
		return nil, c.bad("no comma or end of object")
	}
}

// name reads a name with its quotes and colon.
func (c *cursor) name() ([]byte, error) {
	if !c.take('"') {
		return nil, c.bad("no name")
	}
	start := c.i
	for c.i < len(c.b) && (c.b[c.i] >= 'a' && c.b[c.i] <= 'z' || c.b[c.i] == '_') {
		c.i++
	}
	name := c.b[start:c.i]
	if len(name) == 0 || !c.take('"') {
		return nil, c.bad("a name with other characters than a–z and _")
	}
	if !c.take(':') {
		return nil, c.bad("no colon")
	}
	return name, nil
}

func (c *cursor) value(depth int) (any, error) {
	switch ch := c.peek(); {
	case ch == '"':
		return c.text()
	case ch == '{':
		return c.object(depth + 1)
	case ch == '[':
		return c.list(depth + 1)
	case ch == 't' || ch == 'f':
		return c.boolean()
	case ch == '-' || ch >= '0' && ch <= '9':
		return c.integer()
	case ch == 'n':
		return nil, c.bad("null")
	}
	return nil, c.bad("no value")
}

func (c *cursor) list(depth int) ([]any, error) {
	if depth > MaxDepth {
		return nil, c.bad("nested too deep")
	}
	c.i++
	if c.peek() == ']' {
		return nil, c.bad("an empty list")
	}
	var list []any
	for {
		v, err := c.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if c.take(',') {
			continue
		}
		if c.take(']') {
			return list, nil
		}
		return nil, c.bad("no comma or end of list")
	}
}

func (c *cursor) boolean() (bool, error) {
	rest := c.b[c.i:]
	if len(rest) >= 4 && string(rest[:4]) == "true" {
		c.i += 4
		return true, nil
	}
	if len(rest) >= 5 && string(rest[:5]) == "false" {
		c.i += 5
		return false, nil
	}
	return false, c.bad("no value")
}

func (c *cursor) integer() (int64, error) {
	minus := c.take('-')
	start := c.i
	var n int64
	for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' {
		if n = n*10 + int64(c.b[c.i]-'0'); n > MaxInt {
			return 0, c.bad("an integer beyond ±(2^53−1)")
		}
		c.i++
	}
	switch {
	case c.i == start:
		return 0, c.bad("no integer")
	case c.b[start] == '0' && c.i-start > 1:
		return 0, c.bad("a leading zero")
	case minus && n == 0:
		return 0, c.bad("minus zero")
	case c.peek() == '.' || c.peek() == 'e' || c.peek() == 'E':
		return 0, c.bad("a number that is no integer")
	}
	if minus {
		n = -n
	}
	return n, nil
}

// text reads a string, which is never empty.
func (c *cursor) text() (string, error) {
	b, err := c.textBytes()
	return string(b), err
}

// textBytes is text without the copy: valid until the next call.
func (c *cursor) textBytes() ([]byte, error) {
	if !c.take('"') {
		return nil, c.bad("no text")
	}
	start := c.i
	for c.i < len(c.b) && plain[c.b[c.i]] {
		c.i++
	}
	if c.i >= len(c.b) {
		return nil, c.bad("text without an end")
	}
	if c.b[c.i] == '"' {
		if c.i == start {
			return nil, c.bad("an empty text")
		}
		c.i++
		return c.b[start : c.i-1], nil
	}
	return c.escaped(start)
}

// escaped goes on where textBytes met something else than a plain byte.
func (c *cursor) escaped(start int) ([]byte, error) {
	out := append(c.scratch[:0], c.b[start:c.i]...)
	for c.i < len(c.b) {
		ch := c.b[c.i]
		switch {
		case plain[ch]:
			from := c.i
			for c.i < len(c.b) && plain[c.b[c.i]] {
				c.i++
			}
			out = append(out, c.b[from:c.i]...)
		case ch == '"':
			c.i++
			c.scratch = out
			return out, nil
		case ch == '\\':
			r, err := c.escape()
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, c.bad("a raw byte that must be escaped")
		}
	}
	return nil, c.bad("text without an end")
}

// escape reads one character that had to be escaped.
func (c *cursor) escape() (rune, error) {
	if c.i+1 < len(c.b) && (c.b[c.i+1] == '"' || c.b[c.i+1] == '\\') {
		c.i += 2
		return rune(c.b[c.i-1]), nil
	}
	r, ok := c.unit()
	if !ok {
		return 0, c.bad("no lower-case \\u escape")
	}
	if utf16.IsSurrogate(r) {
		low, ok := c.unit()
		pair := utf16.DecodeRune(r, low)
		if !ok || pair == 0xfffd {
			return 0, c.bad("a lone surrogate")
		}
		return pair, nil
	}
	if r < 0x80 && (plain[r] || r == '"' || r == '\\') {
		return 0, c.bad("a needless escape")
	}
	return r, nil
}

// unit reads \uXXXX in lower case.
func (c *cursor) unit() (rune, bool) {
	if c.i+6 > len(c.b) || c.b[c.i] != '\\' || c.b[c.i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, ch := range c.b[c.i+2 : c.i+6] {
		switch {
		case ch >= '0' && ch <= '9':
			r = r<<4 | rune(ch-'0')
		case ch >= 'a' && ch <= 'f':
			r = r<<4 | rune(ch-'a'+10)
		default:
			return 0, false
		}
	}
	c.i += 6
	return r, true
}
