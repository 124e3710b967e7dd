package ledger

import (
	"errors"
	"fmt"
)

// ErrNewer is what errors.Is finds in the refusal of a line, record or file of a
// newer format than this program reads. Nothing was changed.
var ErrNewer = errors.New("a newer Cairn is needed")

// NewerError names the version that is needed.
type NewerError struct{ Version int64 }

func (e *NewerError) Error() string {
	return fmt.Sprintf("this is of format version %d and this program reads up to version %d: a newer Cairn is needed; nothing was changed",
		e.Version, FormatVersion)
}

// Is makes errors.Is(err, ErrNewer) hold.
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// FormError says why bytes are not the canonical form, or values not an op's.
type FormError struct{ Why string }

func (e *FormError) Error() string { return e.Why }

func errForm(format string, args ...any) error {
	return &FormError{Why: fmt.Sprintf(format, args...)}
}

// TextError refuses a text that is too long for a line.
type TextError struct {
	Field       string // name on the line
	Size, Limit int    // bytes of UTF-8
}

func (e *TextError) Error() string {
	return fmt.Sprintf("%s is %d bytes long and at most %d fit. Shorten it, or put the long text into a file among the sources.",
		e.Field, e.Size, e.Limit)
}

// LineError names the line of a ledger that does not fit.
type LineError struct {
	Line int // place among the lines given, from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }
