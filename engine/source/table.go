package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Sentence is an exact slice of a body, as byte offsets.
type Sentence struct {
	From, To int
	Heading  int  // index into Table.Headings of the section it stands in, -1 for none
	Start    bool // begins a paragraph, list item, table row or heading
	Head     bool // is itself a heading (or a part of a long one)
	Page     int  // page it begins on, from 1; 0 when the document has no pages
}

// Table is the sentence table of one body. Sentences are numbered from 1 in
// ledger and prompts; Sentences[0] is number 1.
type Table struct {
	Headings  []string
	Sentences []Sentence
}

// Len is the number of sentences.
func (t *Table) Len() int64 { return int64(len(t.Sentences)) }

// Slice gives the bytes from the start of sentence `from` to the end of sentence
// `to` (numbers from 1, inclusive), or "" when there is no such run.
func (t *Table) Slice(body []byte, from, to int64) string {
	if from < 1 || to < from || to > int64(len(t.Sentences)) {
		return ""
	}
	a, b := t.Sentences[from-1].From, t.Sentences[to-1].To
	if a < 0 || b > len(body) || a > b {
		return ""
	}
	return string(body[a:b])
}

// At is sentence number n (from 1).
func (t *Table) At(n int64) (Sentence, bool) {
	if n < 1 || n > int64(len(t.Sentences)) {
		return Sentence{}, false
	}
	return t.Sentences[n-1], true
}

// Heading is the heading above sentence number n, "" when there is none.
func (t *Table) Heading(n int64) string {
	s, ok := t.At(n)
	if !ok || s.Heading < 0 || s.Heading >= len(t.Headings) {
		return ""
	}
	return t.Headings[s.Heading]
}

// Find gives the smallest run of sentences that holds the bytes [from,to) of
// the body, or false where they touch no sentence.
func (t *Table) Find(from, to int) (first, last int64, ok bool) {
	for i, s := range t.Sentences {
		if s.To <= from {
			continue
		}
		if s.From >= to {
			break
		}
		if first == 0 {
			first = int64(i + 1)
		}
		last = int64(i + 1)
	}
	return first, last, first > 0
}

// Check says what is wrong with t as the table of body: offsets outside of it,
// out of order, overlapping, or inside a character. A table that passes can be
// sliced without further checks.
func (t *Table) Check(body []byte) error {
	end := 0
	for i, s := range t.Sentences {
		switch {
		case s.From < end || s.To <= s.From || s.To > len(body):
			return fmt.Errorf("sentence %d: bytes %d to %d do not follow byte %d of %d", i+1, s.From, s.To, end, len(body))
		case !utf8.RuneStart(body[s.From]) || (s.To < len(body) && !utf8.RuneStart(body[s.To])):
			return fmt.Errorf("sentence %d: cut inside a character", i+1)
		case s.Heading < -1 || s.Heading >= len(t.Headings):
			return fmt.Errorf("sentence %d: there is no heading %d", i+1, s.Heading)
		case s.Page < 0:
			return fmt.Errorf("sentence %d: page %d", i+1, s.Page)
		}
		end = s.To
	}
	return nil
}

// The blob of a table: magic, version, headings, sentences, all numbers as
// minimal unsigned varints. A table has exactly one encoding.
const (
	tableMagic   = "cairn-table"
	tableVersion = 1
)

const (
	flagStart = 1 << iota
	flagHead
)

// Encode gives the table's only byte form.
func (t *Table) Encode() []byte {
	b := make([]byte, 0, 64+8*len(t.Sentences))
	b = append(b, tableMagic...)
	b = binary.AppendUvarint(b, tableVersion)
	b = binary.AppendUvarint(b, uint64(len(t.Headings)))
	for _, h := range t.Headings {
		b = binary.AppendUvarint(b, uint64(len(h)))
		b = append(b, h...)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Sentences)))
	end := 0
	for _, s := range t.Sentences {
		var flags uint64
		if s.Start {
			flags |= flagStart
		}
		if s.Head {
			flags |= flagHead
		}
		b = binary.AppendUvarint(b, uint64(s.From-end)) // gap to the sentence before
		b = binary.AppendUvarint(b, uint64(s.To-s.From))
		b = binary.AppendUvarint(b, uint64(s.Heading+1))
		b = binary.AppendUvarint(b, uint64(s.Page))
		b = binary.AppendUvarint(b, flags)
		end = s.To
	}
	return b
}

// ErrTableNewer: the table was written by a newer program.
var ErrTableNewer = errors.New("the sentence table has a newer version than this program knows")

// DecodeTable reads what Encode wrote. It refuses every other byte sequence.
// Whether the table fits a body is Check's matter.
func DecodeTable(b []byte) (Table, error) {
	r := tableReader{b: b}
	var t Table
	if !strings.HasPrefix(string(b[:min(len(b), len(tableMagic))]), tableMagic) {
		return t, errors.New("read sentence table: it does not begin with " + tableMagic)
	}
	r.at = len(tableMagic)
	if v := r.number(); r.err == nil && v > tableVersion {
		return t, fmt.Errorf("read sentence table: version %d: %w", v, ErrTableNewer)
	} else if r.err == nil && v != tableVersion {
		return t, fmt.Errorf("read sentence table: no version %d", v)
	}
	n := r.count(1)
	for i := 0; i < n && r.err == nil; i++ {
		t.Headings = append(t.Headings, r.text())
	}
	n = r.count(5)
	if r.err == nil && n > 0 {
		t.Sentences = make([]Sentence, 0, n)
	}
	end := 0
	for i := 0; i < n && r.err == nil; i++ {
		var s Sentence
		s.From = end + r.number()
		s.To = s.From + r.number()
		s.Heading = r.number() - 1
		s.Page = r.number()
		flags := r.number()
		if flags&^(flagStart|flagHead) != 0 || s.To <= s.From || s.To > maxOffset || s.Heading >= len(t.Headings) {
			r.fail("sentence %d is ill-formed", i+1)
		}
		s.Start, s.Head = flags&flagStart != 0, flags&flagHead != 0
		t.Sentences = append(t.Sentences, s)
		end = s.To
	}
	if r.err == nil && r.at != len(b) {
		r.fail("%d bytes too many", len(b)-r.at)
	}
	if r.err != nil {
		return Table{}, fmt.Errorf("read sentence table: %w", r.err)
	}
	return t, nil
}

// maxOffset bounds every number of a table, so that sums can't overflow.
const maxOffset = 1 << 30

type tableReader struct {
	b   []byte
	at  int
	err error
}

func (r *tableReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *tableReader) number() int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.at:])
	switch {
	case n <= 0:
		r.fail("it ends in byte %d", r.at)
		return 0
	case v > maxOffset:
		r.fail("number %d is too large", v)
		return 0
	case n > 1 && r.b[r.at+n-1] == 0: // a longer form of a smaller number
		r.fail("number at byte %d is not in its short form", r.at)
		return 0
	}
	r.at += n
	return int(v)
}

// count reads the length of a list whose items take at least size bytes each.
func (r *tableReader) count(size int) int {
	n := r.number()
	if r.err == nil && n > (len(r.b)-r.at)/size {
		r.fail("%d items do not fit in %d bytes", n, len(r.b)-r.at)
		return 0
	}
	return n
}

func (r *tableReader) text() string {
	n := r.count(1)
	if r.err != nil {
		return ""
	}
	s := string(r.b[r.at : r.at+n])
	if !utf8.ValidString(s) {
		r.fail("heading at byte %d is not UTF-8", r.at)
		return ""
	}
	r.at += n
	return s
}
