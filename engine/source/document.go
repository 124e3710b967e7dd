// Package source reads a person's documents: it walks and watches a folder,
// extracts text in a child process with limits, and cuts that text once into
// numbered sentences. Everything here treats a document as hostile: whatever it
// does to the parser, the outcome is a Document, with text or with a reason.
package source

import "cairn/engine/ledger"

// Limits of one document. They are constants of the format: the same file gives
// the same outcome on every machine, except for timeout and memory.
const (
	MaxFile = 128 << 20 // bytes of a file; larger ones are not opened for reading
	MaxText = 20 << 20  // bytes of extracted text
)

// The reasons why a document has no text. They are written on the `source`
// line, so a code never changes its meaning.
const (
	Empty       = "empty"
	Binary      = "binary"
	TooLarge    = "too_large"
	NoText      = "no_text"
	Timeout     = "timeout"
	Memory      = "memory"
	Encrypted   = "encrypted"
	Damaged     = "damaged"
	Unsupported = "unsupported"
	Denied      = "denied"
	LinkOut     = "link_out"    // a link that leads out of the folder
	LinkFolder  = "link_folder" // a link to a folder
	LinkBroken  = "link_broken" // a link that leads nowhere
	NotRegular  = "not_regular" // a pipe, a socket, a device
	Failed      = "failed"      // what was read could not be recorded
)

// Vanished is the Reason of a file that was listed and is no longer there. Nothing
// was read of it, so it never stands on a line.
const Vanished = "vanished"

// Explain says in one sentence what a reason code means for the person.
func Explain(reason string) string {
	switch reason {
	case "":
		return ""
	case Empty:
		return "The file is empty (0 bytes, or nothing but blanks)."
	case Binary:
		return "This is not a text: it holds bytes that no document kind known here explains."
	case TooLarge:
		return "The file is too large: Cairn reads files up to 128 MB with up to 20 MB of text. Split it, or export the part you need."
	case NoText:
		return "There is no text in it: it is a picture or a scan, and Cairn does not recognise characters in pictures yet."
	case Timeout:
		return "Reading it took too long and was ended. Nothing of it was used."
	case Memory:
		return "Reading it needed too much memory and was ended. Nothing of it was used."
	case Encrypted:
		return "It is protected by a password or a rights system. Save a copy without protection to use it."
	case Damaged:
		return "The file is damaged: its structure can't be read."
	case Unsupported:
		return "Cairn can't read this kind of file yet. Save it as PDF, HTML, Markdown or plain text to use it."
	case Denied:
		return "The file can't be opened: you lack the right to read it, or its drive does not give it."
	case LinkOut:
		return "A link that leads out of the folder is not followed. Put the file itself into the folder to use it."
	case LinkFolder:
		return "A link to a folder is not followed. Put the folder itself here to use it."
	case LinkBroken:
		return "A link that leads nowhere: the file that it names is not there."
	case NotRegular:
		return "Not a regular file: a pipe, a socket or a device is never opened."
	case Failed:
		return "What was read from it could not be recorded. The other files are not touched by that."
	case Vanished:
		return "The file was gone before it could be read. Nothing of it is stored."
	}
	return "It can't be read (" + reason + ")."
}

// Document is the outcome of reading one file. Either Reason is "" and Body,
// Table hold the text, or Reason says why there is none and both are empty.
type Document struct {
	Name      string      // base name of the file
	Title     string      // "" when the document names none
	Media     string      // markdown, text, html, pdf, csv, …: what the bytes are, whatever the name says
	Extractor string      // name and version of what made the text
	Reason    string      // "" or a code above
	File      ledger.Hash // of the file's bytes; zero when it could not be opened
	Bytes     int64       // size of the file
	Body      []byte      // valid UTF-8, LF line ends
	Table     Table
	Pages     int // pages of the document, 0 when it has none
	BadPages  int // pages that could not be read and are not in Body
}
