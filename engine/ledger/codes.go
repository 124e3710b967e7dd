package ledger

import "errors"

// Codes of refused lines and ledgers: what docs/vectors says of each broken one,
// and what another implementation must find too. vault/FORMAT.md lists them.
const (
	CodeForm     = "form"     // not the canonical bytes of an object
	CodeSize     = "size"     // a line above 64 KiB
	CodeNewer    = "newer"    // of a format version to come
	CodeOp       = "op"       // no op, or an unknown one
	CodeAuthor   = "author"   // the author may not write it
	CodeField    = "field"    // a name, type or value against the rules of its op
	CodeChain    = "chain"    // the line does not continue the one before it
	CodeSeq      = "seq"      // not the next number
	CodeGroup    = "group"    // g, n, or the size of a group
	CodeWithheld = "withheld" // a line is withheld that may not be
)

// coded is an error with its code.
type coded struct {
	code string
	err  error
}

func (e *coded) Error() string { return e.err.Error() }
func (e *coded) Unwrap() error { return e.err }

func errCode(code, format string, args ...any) error {
	return &coded{code, errForm(format, args...)}
}

// CodeOf gives the code of an error of Decode, VerifyChain or Grouper, "" for
// another error.
func CodeOf(err error) string {
	var c *coded
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, ErrNewer):
		return CodeNewer
	}
	return ""
}

// classify gives a refused line the code of the first step that it fails: size,
// form, version, op, author, fields. Decode walks the line once and meets them in
// another order.
func classify(line []byte, err error) error {
	if errors.Is(err, ErrNewer) || CodeOf(err) != "" {
		return err
	}
	return &coded{codeOfLine(line), err}
}

func codeOfLine(line []byte) string {
	if len(line) > MaxLine {
		return CodeSize
	}
	o, err := ParseCanonical(line)
	if err != nil {
		return CodeForm
	}
	op, _ := o["op"].(string)
	if _, known := kinds[op]; !known {
		return CodeOp
	}
	if by, _ := o["by"].(string); !MayWrite(op, By(by)) {
		return CodeAuthor
	}
	return CodeField
}
