// Package handoff writes and reads name.cairn.md: one Markdown file for people,
// and in it one block with the ledger's own lines, the quoted passages and a seal.
// The readable part is rendered from the block, so the two can't tell different
// stories. docs/format-handoff.md is the normative text of the format.
package handoff

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"

	"cairn/engine/ledger"
)

// FormatVersion is the `v` of a block, Renderer that of the readable part.
const (
	FormatVersion = 1
	Renderer      = 1
)

// Limits of a file. Larger work travels as an archive.
const (
	MaxFile     = 100 << 20
	MaxLines    = 200_000
	MaxSegments = 64
)

const (
	beginPrefix = "<!-- cairn:begin"
	endMarker   = "<!-- cairn:end -->"
	fenceOpen   = "```cairn-jsonl"
	fenceClose  = "```"
	passageMark = `{"passage":`
	sealMark    = `{"seal":`
)

var beginLine = regexp.MustCompile(`^<!-- cairn:begin v=([1-9][0-9]{0,8}) segments=([1-9][0-9]{0,8}) lines=([1-9][0-9]{0,8}) bytes=([1-9][0-9]{0,11}) sha256=([0-9a-f]{64}) -->$`)

// Passage is a run of sentences of a source with the text around a quote, so that
// the quote can be judged without the source. Marks are the sentences' places in
// Text, "<first byte>-<last byte>" counted from 1, one per sentence From..To.
type Passage struct {
	Body    string   `json:"body" is:"hash"` // hash of the source's text
	From    int64    `json:"from" is:"pos"`
	Heading string   `json:"heading,omitempty" is:"text"`
	Marks   []string `json:"marks" is:"range,max=4096"`
	Page    int64    `json:"page,omitempty"`
	Source  string   `json:"source" is:"id=s"`
	Text    string   `json:"text" is:"slice"`
	To      int64    `json:"to" is:"pos"`
}

// Seal ends a segment. Counts are of this segment; Claims, Questions and Sources
// count lines of these ops.
type Seal struct {
	App       string `json:"app" is:"line"`
	Chain     string `json:"chain" is:"hash"` // chain value after the segment's last line
	Claims    int64  `json:"claims"`
	First     int64  `json:"first" is:"pos"`    // seq of the segment's first line
	Fold      int64  `json:"fold" is:"pos"`     // version of the rules that State was folded with
	Genesis   string `json:"genesis" is:"hash"` // chain value after line 1
	Last      int64  `json:"last" is:"pos"`     // seq of its last line
	Lines     int64  `json:"lines" is:"pos"`    // ledger lines
	Passages  int64  `json:"passages"`          // passage lines
	Questions int64  `json:"questions"`
	Render    int64  `json:"render" is:"pos"` // renderer of the readable part
	Sources   int64  `json:"sources"`
	State     string `json:"state" is:"hash"` // state hash after the last line
	V         int64  `json:"v" is:"pos"`      // format of the segment
	Withheld  int64  `json:"withheld"`        // lines of which only the hash is here
}

type passageLine struct {
	Passage *Passage `json:"passage"`
}

type sealLine struct {
	Seal *Seal `json:"seal"`
}

// begin writes the marker line above a block.
func begin(segments, lines int, block []byte) string {
	return fmt.Sprintf("%s v=%d segments=%d lines=%d bytes=%d sha256=%s -->", beginPrefix, FormatVersion, segments, lines, len(block), ledger.HashOf(block))
}

// marker is a begin line that was read.
type marker struct {
	version, segments, lines, bytes int64
	sha256                          string
}

func parseBegin(line []byte) (marker, bool) {
	m := beginLine.FindSubmatch(line)
	if m == nil {
		return marker{}, false
	}
	n := func(i int) int64 {
		v, err := strconv.ParseInt(string(m[i]), 10, 64)
		if err != nil {
			return -1
		}
		return v
	}
	return marker{n(1), n(2), n(3), n(4), string(m[5])}, true
}

// stripCR takes the CR off each line's end; mail and some editors put it there.
func stripCR(b []byte) []byte {
	if !bytes.Contains(b, []byte("\r\n")) {
		return b
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
}
