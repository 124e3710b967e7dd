package source

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"cairn/engine/ledger"
)

// Parent and child speak in frames: four bytes of length, big-endian, then the
// bytes. A request is one frame, a reply three: header, body, table.

type request struct {
	Path []byte `json:"path"` // bytes: a name need not be UTF-8
}

type replyHeader struct {
	Title     string `json:"title,omitempty"`
	Media     string `json:"media,omitempty"`
	Extractor string `json:"extractor,omitempty"`
	Reason    string `json:"reason,omitempty"`
	File      string `json:"file,omitempty"`
	Bytes     int64  `json:"bytes,omitempty"`
	Pages     int    `json:"pages,omitempty"`
	BadPages  int    `json:"bad_pages,omitempty"`
	Spent     bool   `json:"spent,omitempty"`
}

const (
	maxHeader = 64 << 10
	maxTable  = 128 << 20
)

func writeFrame(w io.Writer, b []byte) error {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(b)))
	if _, err := w.Write(n[:]); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return writeFrame(w, b)
}

func readFrame(r io.Reader, most int) ([]byte, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, fmt.Errorf("read frame: %w", err)
	}
	size := binary.BigEndian.Uint32(n[:])
	if int64(size) > int64(most) {
		return nil, fmt.Errorf("read frame: %d bytes, more than %d", size, most)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("read frame: %w", err)
	}
	return b, nil
}

// hashFile reads a file once, without holding it: hash, size and its first bytes.
func hashFile(path string) (ledger.Hash, int64, []byte, error) {
	var h ledger.Hash
	info, err := os.Stat(path)
	if err != nil {
		return h, 0, nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would never end
		return h, 0, nil, fmt.Errorf("not a regular file: %s", info.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return h, 0, nil, err
	}
	defer f.Close()
	sum := sha256.New()
	head := &headKeeper{}
	n, err := io.Copy(io.MultiWriter(sum, head), f)
	if err != nil {
		return h, 0, nil, err
	}
	copy(h[:], sum.Sum(nil))
	return h, n, head.b, nil
}

// headKeeper keeps the first bytes of a stream.
type headKeeper struct{ b []byte }

func (k *headKeeper) Write(p []byte) (int, error) {
	if room := 8192 - len(k.b); room > 0 {
		k.b = append(k.b, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
