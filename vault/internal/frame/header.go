// Package frame reads as much of a ledger line as storage needs: where it
// stands, which group it belongs to and what it continues. It knows nothing of
// ops; ledger.Decode is the strict reader. Both stores (vault and the in-memory
// one of vaulttest) frame groups with it, so that they refuse the same things.
package frame

import (
	"bytes"
	"errors"
	"fmt"

	"cairn/engine/ledger"
)

// MaxLine is the largest line in bytes, without its LF (DESIGN 3.1).
const MaxLine = 64 << 10

// Header is what storage reads of one line.
type Header struct {
	Seq   int64       // place in the ledger, from 1; 0 on a withheld line
	Group int64       // "g"; 0 on a withheld line
	N     int64       // "n": lines of the group, only on its last line; else 0
	Prev  ledger.Hash // chain value before the line
	Hash  ledger.Hash // the line's hash; on a withheld line the one it stands for

	Withheld bool // {"h":"…"}: only the hash is here
}

// errForm is the cause of every refusal by the scanner.
var errForm = errors.New("not a ledger line")

// Parse reads the header of one line, given without LF. It checks the form of
// what it passes over only as far as needed to find the end of each value.
func Parse(line []byte) (Header, error) {
	var h Header
	if len(line) > MaxLine {
		return h, fmt.Errorf("read line: %d bytes, %d allowed: %w", len(line), MaxLine, errForm)
	}
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return h, fmt.Errorf("read line: no object: %w", errForm)
	}
	if withheld(line) {
		hash, err := ledger.ParseHash(string(line[6:70]))
		if err != nil {
			return h, fmt.Errorf("read withheld line: %w", err)
		}
		return Header{Hash: hash, Withheld: true}, nil
	}
	have, err := h.fields(line)
	if err != nil {
		return h, err
	}
	if have != hasAll || h.Seq < 1 || h.Group < 1 || h.N < 0 {
		return h, fmt.Errorf("read line: seq, g, prev and v must be there: %w", errForm)
	}
	h.Hash = ledger.HashOf(line)
	return h, nil
}

// withheld reports whether line has exactly the form {"h":"<64 characters>"}.
func withheld(line []byte) bool {
	return len(line) == 72 && bytes.HasPrefix(line, []byte(`{"h":"`)) && line[70] == '"'
}

const (
	hasSeq = 1 << iota
	hasGroup
	hasPrev
	hasVersion
	hasAll = hasSeq | hasGroup | hasPrev | hasVersion
)

// fields walks the top-level names of a line and keeps those of the header.
func (h *Header) fields(line []byte) (have int, err error) {
	last := ""
	for i := 1; i < len(line)-1; {
		end, err := stringEnd(line, i)
		if err != nil {
			return 0, err
		}
		name := string(line[i+1 : end-1])
		if name <= last { // sorted and without repeats, so no second seq can hide behind the first
			return 0, fmt.Errorf("read line: name %q out of order: %w", name, errForm)
		}
		last = name
		if end >= len(line)-1 || line[end] != ':' {
			return 0, fmt.Errorf("read line: no value for %q: %w", name, errForm)
		}
		start := end + 1
		if end, err = valueEnd(line, start); err != nil {
			return 0, err
		}
		value := line[start:end]
		switch name {
		case "seq":
			h.Seq, err = integer(value)
			have |= hasSeq
		case "g":
			h.Group, err = integer(value)
			have |= hasGroup
		case "n":
			h.N, err = integer(value)
		case "v":
			_, err = integer(value)
			have |= hasVersion
		case "prev":
			if len(value) != 66 || value[0] != '"' {
				return 0, fmt.Errorf("read line: prev: %w", errForm)
			}
			h.Prev, err = ledger.ParseHash(string(value[1:65]))
			have |= hasPrev
		}
		if err != nil {
			return 0, fmt.Errorf("read line: %s: %w", name, err)
		}
		if i = end; i > len(line)-1 {
			return 0, fmt.Errorf("read line: no end: %w", errForm)
		}
		if i < len(line)-1 {
			if line[i] != ',' || i+1 == len(line)-1 {
				return 0, fmt.Errorf("read line: text after the value of %q: %w", name, errForm)
			}
			i++
		}
	}
	return have, nil
}

// integer reads a non-negative decimal number of at most 16 digits.
func integer(b []byte) (int64, error) {
	if len(b) == 0 || len(b) > 16 || (b[0] == '0' && len(b) > 1) {
		return 0, fmt.Errorf("not a number: %w", errForm)
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("not a number: %w", errForm)
		}
		n = n*10 + int64(c-'0')
	}
	return n, nil
}

// stringEnd gives the index after the string that starts at i.
func stringEnd(b []byte, i int) (int, error) {
	if i >= len(b) || b[i] != '"' {
		return 0, fmt.Errorf("read line: no string at byte %d: %w", i, errForm)
	}
	for j := i + 1; j < len(b); j++ {
		switch c := b[j]; {
		case c == '\\':
			j++
		case c == '"':
			return j + 1, nil
		case c < 0x20 || c > 0x7e:
			return 0, fmt.Errorf("read line: byte %#x in a string: %w", c, errForm)
		}
	}
	return 0, fmt.Errorf("read line: string without end: %w", errForm)
}

// valueEnd gives the index after the value that starts at i.
func valueEnd(b []byte, i int) (int, error) {
	if i < len(b) && b[i] == '"' {
		return stringEnd(b, i)
	}
	depth, start := 0, i
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			end, err := stringEnd(b, i)
			if err != nil {
				return 0, err
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return nonEmpty(start, i)
			}
			if depth--; depth == 0 {
				return i + 1, nil
			}
		case ',':
			if depth == 0 {
				return nonEmpty(start, i)
			}
		default:
			if c <= 0x20 || c > 0x7e {
				return 0, fmt.Errorf("read line: byte %#x between values: %w", c, errForm)
			}
		}
		i++
	}
	return 0, fmt.Errorf("read line: value without end: %w", errForm)
}

func nonEmpty(start, end int) (int, error) {
	if start == end {
		return 0, fmt.Errorf("read line: empty value: %w", errForm)
	}
	return end, nil
}
