package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"cairn/vault/internal/frame"
)

// writeJournal appends a group to its branch's journal and syncs it, and gives
// the bytes written. A write that fails is taken back; after a sync that fails
// nothing is.
func (s *Store) writeJournal(r *branchRecord, group [][]byte) (int64, error) {
	path, body := s.home.Journal(r.id.String()), join(group)
	fresh := r.size == 0
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, fileError("write the journal", err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != r.size {
		if err == nil {
			err = fmt.Errorf("the journal has %d bytes instead of %d: another program changed it", info.Size(), r.size)
		}
		return 0, damaged("The journal was changed while Cairn is running.", errors.Join(err, f.Close()))
	}
	if err := s.extend(f, r.size, body); err != nil {
		undo := f.Truncate(r.size)
		if fresh && undo == nil {
			undo = os.Remove(path)
		}
		if err, undo = errors.Join(err, f.Close()), errors.Join(undo); undo != nil {
			return 0, s.fail("take back a write to the journal", errors.Join(err, undo))
		}
		return 0, fileError("write the journal", err)
	}
	err = s.hook(PointJournal)
	if err == nil && !planted(faultNoJournalSync) {
		err = f.Sync()
	}
	if planted(faultIgnoredSync) {
		err = nil
	}
	if err = errors.Join(err, f.Close()); err == nil && fresh {
		err = syncDir(s.home.Journals())
	}
	if err == nil {
		err = s.hook(PointJournalDone)
	}
	if err != nil {
		return 0, s.fail("save the journal", err)
	}
	return int64(len(body)), nil
}

// extend writes body at the end of a journal; in two halves for a test's hook.
func (s *Store) extend(f *os.File, size int64, body []byte) error {
	if s.o.Hook == nil {
		_, err := f.WriteAt(body, size)
		return err
	}
	half := len(body) / 2
	if _, err := f.WriteAt(body[:half], size); err != nil {
		return err
	}
	if err := s.hook(PointJournalHalf); err != nil {
		return err
	}
	_, err := f.WriteAt(body[half:], size+int64(half))
	return err
}

func join(lines [][]byte) []byte {
	n := 0
	for _, l := range lines {
		n += len(l) + 1
	}
	b := make([]byte, 0, n)
	for _, l := range lines {
		b = append(append(b, l...), '\n')
	}
	return b
}

// tailChain gives the chain value after the last line of a journal, read from
// its end. ok is false when the file does not end in a line that tells it; then
// the whole has to be read.
func tailChain(path string, size int64) (at frame.At, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return at, false, fileError("read a journal", err)
	}
	defer f.Close()
	n := min(size, 2*(frame.MaxLine+1))
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, size-n); err != nil && err != io.EOF {
		return at, false, fileError("read a journal", err)
	}
	if n == 0 || buf[n-1] != '\n' {
		return at, false, nil
	}
	buf = buf[:n-1]
	line := buf[bytes.LastIndexByte(buf, '\n')+1:]
	h, perr := frame.Parse(line)
	if perr != nil || h.Withheld {
		return at, false, nil
	}
	return frame.At{Seq: h.Seq, Group: h.Group, Chain: h.Prev.Extend(h.Hash)}, true, nil
}

// readJournal reads a whole journal: its lines, and what follows the last LF.
func readJournal(path string) (lines [][]byte, torn []byte, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fileError("read a journal", err)
	}
	end := bytes.LastIndexByte(b, '\n') + 1
	return splitLines(b[:end]), b[end:], nil
}
