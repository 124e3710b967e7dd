package handoff

import (
	"cairn/engine/source"
	"cairn/engine/state"
)

// Text is a source's stored text with its sentence table.
type Text struct {
	Body  []byte
	Table *source.Table
}

// Input of an export.
type Input struct {
	// Lines calls fn for every line of the branch from seq 1 on, prefix of its
	// parents included, raw bytes without LF.
	Lines func(fn func(seq int64, line []byte) error) error
	// Texts gives a source's text, or an error of kind KindNotFound where it is not
	// here; its quotes then travel without the text around them.
	Texts func(sourceID string) (Text, error)
	// Withhold leaves out the log lines (calls, refusals, accounts); only their
	// hashes travel. Lines of imported segments stay as they came.
	Withhold bool
	// Segments are the segments of the file that this branch was imported from, as
	// Parsed.Segments gave them, oldest first.
	Segments [][]byte
	App      string // name and version, e.g. "Cairn 0.1.0"
}

// Result of reading a file.
type Result struct {
	Lines, Withheld           int64
	Claims, Questions, Quotes int64 // live claims, questions, quotes of live claims
	Sources, Passages         int64
	Checkpoints, Segments     int64
	Chain, Genesis, State     string // hex
	Block                     string // sha256 of the block
	Title, Goal               string
	Readable                  bool  // the readable part is what the record renders to
	Changed                   int64 // first line of the file that differs, 0 when Readable
	Findings                  []state.Finding
	Warnings                  []string // sentences for the preview
}

// Parsed is a file that holds, ready for an import. Nothing of it was run.
type Parsed struct {
	Lines    [][]byte // ledger lines, seq 1 first; withheld ones as {"h":…}
	Passages []Passage
	Segments [][]byte // keep them: the next export puts them first
	Seals    []Seal
	State    *state.State
	Result   Result
}
