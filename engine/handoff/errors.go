package handoff

import (
	"fmt"

	"cairn/engine"
)

// Broken says which line of a file does not fit, and why. It is the cause inside
// the *engine.Error of kind KindVerification that Parse and Verify return.
type Broken struct {
	FileLine int64  // line of the file, from 1; 0 when the file as a whole does not fit
	Line     int64  // line of the block, from 1; 0 outside of it
	Why      string // a part of a sentence: "its hash does not fit the next line"
	Readable bool   // only the readable part was changed; the record is intact
}

func (b *Broken) Error() string {
	switch {
	case b.Line > 0:
		return fmt.Sprintf("line %d of the record (line %d of the file): %s", b.Line, b.FileLine, b.Why)
	case b.FileLine > 0:
		return fmt.Sprintf("line %d of the file: %s", b.FileLine, b.Why)
	}
	return b.Why
}

func broken(fileLine, line int64, format string, args ...any) error {
	return refuse(&Broken{FileLine: fileLine, Line: line, Why: fmt.Sprintf(format, args...)})
}

func refuse(b *Broken) error {
	e := &engine.Error{Kind: engine.KindVerification, Err: b,
		Safe: "Nothing was imported or changed.",
		Do:   "Ask the sender for the file again, and send it as an attachment."}
	switch {
	case b.Readable:
		e.What = fmt.Sprintf("The readable part was changed, first at line %d of the file.", b.FileLine)
		e.Safe = "The record below it is intact."
		e.Do = "Import the file to see what the record says, or ask the sender for it again."
	case b.Line > 0:
		e.What = fmt.Sprintf("Line %d of the record no longer fits (line %d of the file): %s.", b.Line, b.FileLine, b.Why)
	case b.FileLine > 0:
		e.What = fmt.Sprintf("Line %d of the file no longer fits: %s.", b.FileLine, b.Why)
	default:
		e.What = "This file does not hold: " + b.Why + "."
	}
	return e
}

func newer(err error, what string) error {
	return &engine.Error{Kind: engine.KindNewer, Err: err, What: what,
		Safe: "Nothing was imported or changed.", Do: "Install a newer Cairn and open the file with it."}
}
