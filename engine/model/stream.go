package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lines reads a stream of one JSON value a line, with bounds.
type lines struct {
	r    *bufio.Reader
	read int
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// errHalf is a stream that ended inside a line.
var errHalf = errors.New("the stream ended inside a line")

// next gives the next line that is not blank. io.EOF means a clean end between
// two lines; everything else is an error of the connection or ErrTooMuch. A last
// line without its end is only taken when whole says that it is a whole value.
func (l *lines) next(whole func([]byte) bool) ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		l.read += len(part)
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrTooMuch, maxLine)
		case l.read > maxReply:
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooMuch, maxReply)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil:
			if line = bytes.TrimSpace(line); len(line) > 0 {
				return line, nil
			}
			line = line[:0]
		case errors.Is(err, io.EOF):
			line = bytes.TrimSpace(line)
			if len(line) == 0 {
				return nil, io.EOF
			}
			if whole(line) {
				return line, nil
			}
			return nil, errHalf
		default:
			return nil, err
		}
	}
}
