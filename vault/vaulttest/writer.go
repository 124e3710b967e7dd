package vaulttest

import (
	"bytes"
	"fmt"
	"strings"

	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// Writer makes groups of lines that continue each other, as a task would write
// them, for tests of storage. The ops mean nothing; form and chain are right.
// The zero value writes a root branch from seq 1.
type Writer struct {
	at frame.At
	// Salt goes into every line, so that two writers make different ledgers.
	Salt string
}

// Continue gives a writer whose next line follows the n-th of these lines.
func Continue(lines [][]byte, salt string) *Writer {
	w := &Writer{Salt: salt}
	for _, line := range lines {
		h, err := frame.Parse(line)
		if err == nil {
			w.at, err = w.at.Step(h)
		}
		if err != nil {
			panic(err) // the test gave lines that are none
		}
	}
	return w
}

// Seq is the number of the last line written.
func (w *Writer) Seq() int64 { return w.at.Seq }

// Chain is the chain value after the last line written.
func (w *Writer) Chain() ledger.Hash { return w.at.Chain }

// Group makes the next group, one line per text. Texts are quoted as they are:
// printable ASCII without quote, backslash, angle brackets and ampersand.
func (w *Writer) Group(texts ...string) [][]byte {
	g := w.at.Group + 1
	out := make([][]byte, len(texts))
	for i, text := range texts {
		var b bytes.Buffer
		fmt.Fprintf(&b, `{"at":1767225600000,"by":"engine","g":%d,`, g)
		if i == len(texts)-1 {
			fmt.Fprintf(&b, `"n":%d,`, len(texts))
		}
		fmt.Fprintf(&b, `"op":"note","prev":"%s","seq":%d,"text":"%s","v":1,"who":"%s"}`,
			w.at.Chain, w.at.Seq+1, text, w.Salt)
		out[i] = b.Bytes()
		w.take(out[i])
	}
	return out
}

// Withhold replaces a line by its hash, as an exported file does with log lines.
func Withhold(line []byte) []byte {
	return []byte(`{"h":"` + ledger.HashOf(line).String() + `"}`)
}

func (w *Writer) take(line []byte) {
	h, err := frame.Parse(line)
	if err == nil {
		w.at, err = w.at.Step(h)
	}
	if err != nil {
		panic(err) // a text with characters that Group can't quote
	}
}

// Filler is n bytes of text that belong to no other: for lines of a given size.
func Filler(n int, mark string) string {
	return strings.Repeat(mark+" ", n/(len(mark)+1)+1)[:n]
}
