package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The ways in which a reply is no JSON object.
var (
	ErrNoObject = errors.New("the reply holds no object")
	ErrHalf     = errors.New("the reply ends inside an object")
	ErrBadJSON  = errors.New("the object in the reply is broken")
)

const maxDepth = 16

// ParseJSON finds the object in a reply and gives its bytes as strict JSON. It
// takes an object with prose or a fence around it or text after it, and mends
// what can be mended in only one way: single quotes, trailing commas, raw line
// ends in strings, Python's True, False and None. NaN, an object that ends too
// early, names that stand twice and everything ambiguous are errors (ErrNoObject,
// ErrHalf, ErrBadJSON), whose text can be shown to the model. It never makes up
// a value.
func ParseJSON(reply string) ([]byte, error) {
	if !utf8.ValidString(reply) {
		return nil, fmt.Errorf("%w: it is not valid UTF-8", ErrBadJSON)
	}
	var broken error
	for at := 0; ; {
		i := strings.IndexByte(reply[at:], '{')
		if i < 0 {
			if broken != nil {
				return nil, broken
			}
			return nil, ErrNoObject
		}
		at += i
		p := &mender{in: reply, at: at}
		err := p.object(1)
		if err == nil {
			out := p.out.Bytes()
			if strict := reply[at:p.at]; json.Valid([]byte(strict)) {
				out = []byte(strict) // exactly as the model wrote it
			}
			if !json.Valid(out) {
				return nil, fmt.Errorf("%w: it can't be mended", ErrBadJSON)
			}
			return out, nil
		}
		if errors.Is(err, ErrHalf) {
			return nil, err
		}
		// Braces in prose before the object are passed over whole; an object
		// within a broken object is not the answer.
		next, ok := balanced(reply, at)
		if !ok {
			return nil, err
		}
		if broken == nil {
			broken = err
		}
		at = next
	}
}

// balanced gives the place after the brace that closes the one at from,
// braces in double-quoted strings left out of the count.
func balanced(s string, from int) (int, bool) {
	depth, quoted := 0, false
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// mender reads lenient JSON and writes strict JSON.
type mender struct {
	in  string
	at  int
	out bytes.Buffer
}

func (p *mender) bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s at byte %d", ErrBadJSON, fmt.Sprintf(format, args...), p.at)
}

// peek skips white space and gives the next byte, 0 at the end.
func (p *mender) peek() byte {
	for p.at < len(p.in) {
		switch c := p.in[p.at]; c {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return c
		}
	}
	return 0
}

func (p *mender) atEnd() bool { return p.at >= len(p.in) }

func (p *mender) object(depth int) error {
	p.at++ // the brace
	p.out.WriteByte('{')
	names := map[string]bool{}
	for {
		c := p.peek()
		switch {
		case p.atEnd():
			return ErrHalf
		case c == '}':
			p.at++
			p.out.WriteByte('}')
			return nil
		case c != '"' && c != '\'':
			return p.bad("a name in quotes is missing")
		}
		if len(names) > 0 {
			p.out.WriteByte(',')
		}
		name, err := p.str()
		if err != nil {
			return err
		}
		if names[name] {
			return p.bad("the name %q stands twice", clip(name, 40))
		}
		names[name] = true
		if c := p.peek(); c != ':' {
			if p.atEnd() {
				return ErrHalf
			}
			return p.bad("a colon is missing")
		}
		p.at++
		p.out.WriteByte(':')
		if err := p.value(depth); err != nil {
			return err
		}
		if err := p.separator('}'); err != nil {
			return err
		}
	}
}

// separator takes the comma after a member, or leaves the closing bracket.
func (p *mender) separator(closing byte) error {
	switch c := p.peek(); {
	case p.atEnd():
		return ErrHalf
	case c == ',':
		p.at++
		if p.peek() == ',' {
			return p.bad("a value is missing")
		}
	case c != closing:
		return p.bad("a comma or %q is missing", closing)
	}
	return nil
}

func (p *mender) array(depth int) error {
	p.at++
	p.out.WriteByte('[')
	for n := 0; ; n++ {
		c := p.peek()
		if p.atEnd() {
			return ErrHalf
		}
		if c == ']' {
			p.at++
			p.out.WriteByte(']')
			return nil
		}
		if n > 0 {
			p.out.WriteByte(',')
		}
		if err := p.value(depth); err != nil {
			return err
		}
		if err := p.separator(']'); err != nil {
			return err
		}
	}
}

func (p *mender) value(depth int) error {
	if depth >= maxDepth {
		return p.bad("it is nested more than %d deep", maxDepth)
	}
	c := p.peek()
	switch {
	case p.atEnd():
		return ErrHalf
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	case c == '"' || c == '\'':
		_, err := p.str()
		return err
	}
	end := p.at
	for end < len(p.in) && !strings.ContainsRune(" \t\r\n,]}:\"'{[", rune(p.in[end])) {
		end++
	}
	word := p.in[p.at:end]
	if end == len(p.in) {
		return ErrHalf // nothing closes the object any more
	}
	switch word {
	case "True":
		word = "true"
	case "False":
		word = "false"
	case "None":
		word = "null"
	}
	if word == "" || !json.Valid([]byte(word)) {
		return p.bad("%q is no value", clip(word, 40))
	}
	p.at = end
	p.out.WriteString(word)
	return nil
}

// str takes a string in either kind of quotes and gives its value.
func (p *mender) str() (string, error) {
	quote := p.in[p.at]
	var b strings.Builder // the same string between double quotes
	i := p.at + 1
	for {
		if i >= len(p.in) {
			return "", ErrHalf
		}
		c := p.in[i]
		switch {
		case c == quote:
			p.at = i + 1
			text := `"` + b.String() + `"`
			var v string
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				return "", p.bad("a string is broken")
			}
			p.out.WriteString(text)
			return v, nil
		case c == '\\':
			if i+1 >= len(p.in) {
				return "", ErrHalf
			}
			i++
			if p.in[i] == '\'' {
				b.WriteByte('\'')
			} else {
				b.WriteByte('\\')
				b.WriteByte(p.in[i])
			}
		case c == '"': // within single quotes
			b.WriteString(`\"`)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
		i++
	}
}
