package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func sampleTable() Table {
	return Table{Headings: []string{"One", "Zwei ä"}, Sentences: []Sentence{
		{From: 0, To: 5, Heading: -1, Start: true}, {From: 7, To: 9, Heading: 0, Start: true, Head: true, Page: 1}, {From: 9, To: 300, Heading: 1, Page: 2}}}
}

func TestTableBlob(t *testing.T) {
	table := sampleTable()
	b := table.Encode()
	back, err := DecodeTable(b)
	if err != nil || fmt.Sprint(back) != fmt.Sprint(table) {
		t.Fatalf("%+v, %v", back, err)
	}
	for i := range b { // cut off anywhere
		if _, err := DecodeTable(b[:i]); err == nil {
			t.Errorf("accepted %d of %d bytes", i, len(b))
		}
	}
	if _, err := DecodeTable(append(b, 0)); err == nil {
		t.Error("accepted a byte too many")
	}
	newer := []byte(strings.Replace(string(b), tableMagic+"\x01", tableMagic+"\x02", 1))
	if _, err := DecodeTable(newer); !errors.Is(err, ErrTableNewer) {
		t.Errorf("a newer version: %v", err)
	}
	longer := []byte(strings.Replace(string(b), tableMagic+"\x01\x02", tableMagic+"\x01\x82\x00", 1))
	if _, err := DecodeTable(longer); err == nil {
		t.Error("accepted a number in its long form")
	}
	if _, err := DecodeTable([]byte(tableMagic + "\x01\xff\xff\xff\xff\x03")); err == nil {
		t.Error("accepted a count without items")
	}
}

func TestTableSlices(t *testing.T) {
	body := []byte("One. Two. Three.")
	table := Table{Headings: []string{"H"}, Sentences: []Sentence{{From: 0, To: 4, Heading: -1}, {From: 5, To: 9, Heading: 0}, {From: 10, To: 16, Heading: 0}}}
	for _, c := range []struct {
		from, to int64
		want     string
	}{{1, 1, "One."}, {1, 3, "One. Two. Three."}, {2, 3, "Two. Three."}, {0, 1, ""}, {3, 2, ""}, {1, 4, ""}, {-1, -1, ""}} {
		if got := table.Slice(body, c.from, c.to); got != c.want {
			t.Errorf("%d-%d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if got := table.Slice([]byte("short"), 1, 3); got != "" {
		t.Errorf("another body: %q", got)
	}
	if a, b, ok := table.Find(6, 12); a != 2 || b != 3 || !ok {
		t.Errorf("found %d to %d", a, b)
	}
	if _, _, ok := table.Find(4, 5); ok {
		t.Error("found a sentence in a gap")
	}
	if table.Heading(1) != "" || table.Heading(2) != "H" || table.Heading(9) != "" {
		t.Error("headings are wrong")
	}
}

func TestTableCheck(t *testing.T) {
	body := []byte("äb cd")
	good := Table{Sentences: []Sentence{{From: 0, To: 3, Heading: -1}, {From: 4, To: 6, Heading: -1}}}
	if err := good.Check(body); err != nil {
		t.Error(err)
	}
	for what, s := range map[string][]Sentence{
		"outside":          {{From: 0, To: 7, Heading: -1}},
		"empty":            {{From: 3, To: 3, Heading: -1}},
		"negative":         {{From: -1, To: 3, Heading: -1}},
		"overlap":          {{From: 0, To: 4, Heading: -1}, {From: 3, To: 6, Heading: -1}},
		"inside character": {{From: 1, To: 3, Heading: -1}},
		"ends inside":      {{From: 0, To: 1, Heading: -1}},
		"no heading":       {{From: 0, To: 3, Heading: 0}},
		"heading below":    {{From: 0, To: 3, Heading: -2}},
		"page":             {{From: 0, To: 3, Heading: -1, Page: -1}},
	} {
		bad := Table{Sentences: s}
		if bad.Check(body) == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// A table that is accepted has one encoding: its own.
func FuzzDecodeTable(f *testing.F) {
	table := sampleTable()
	f.Add(table.Encode())
	f.Add((&Table{}).Encode())
	f.Add([]byte(tableMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := DecodeTable(b)
		if err != nil {
			return
		}
		if string(table.Encode()) != string(b) {
			t.Fatalf("%x decodes and encodes to %x", b, table.Encode())
		}
		_ = table.Check([]byte("some body"))
		_ = table.Slice([]byte("some body"), 1, table.Len())
	})
}
