package vault

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// Payloads of the record kinds. All numbers big-endian.

// branchRecord is a branch and the size of its journal up to its newest line.
//
//	root (32) · parent (32, zeros: none) · from (8) · seq (8) · group (8) ·
//	chain (32) · journal bytes (8) · damage (text to the end)
type branchRecord struct {
	id, root, parent ledger.Hash
	from             int64
	head             frame.At
	size             int64
	damage           string
}

const branchFixed = 128

func (r *branchRecord) encode() []byte {
	b := make([]byte, 0, branchFixed+len(r.damage))
	b = append(append(b, r.root[:]...), r.parent[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.from))
	b = binary.BigEndian.AppendUint64(b, uint64(r.head.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(r.head.Group))
	b = append(b, r.head.Chain[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.size))
	return append(b, r.damage...)
}

func decodeBranch(id ledger.Hash, b []byte) (*branchRecord, error) {
	if len(b) < branchFixed {
		return nil, fmt.Errorf("read branch record: cut off: %w", errDamaged)
	}
	r := &branchRecord{id: id}
	copy(r.root[:], b)
	copy(r.parent[:], b[32:])
	r.from = int64(binary.BigEndian.Uint64(b[64:]))
	r.head.Seq = int64(binary.BigEndian.Uint64(b[72:]))
	r.head.Group = int64(binary.BigEndian.Uint64(b[80:]))
	copy(r.head.Chain[:], b[88:])
	r.size = int64(binary.BigEndian.Uint64(b[120:]))
	r.damage = string(b[128:])
	if r.from < 1 || r.head.Seq < r.from-1 || r.size < 0 {
		return nil, fmt.Errorf("read branch record: impossible numbers: %w", errDamaged)
	}
	return r, nil
}

func (r *branchRecord) branch() engine.Branch {
	b := engine.Branch{ID: r.id.String(), Root: r.root.String(), From: r.from, Head: engine.Head(r.head), Damage: r.damage}
	if !r.parent.IsZero() {
		b.Parent = r.parent.String()
	}
	return b
}

// piece is a run of lines: group (8) and chain (32) before it, then the lines,
// each with its LF. The seq of the first is in the key.
type piece struct {
	before frame.At
	lines  [][]byte
}

// maxPiece is the most bytes of lines in one record, so that it fits a value
// even where it can't be compressed.
const maxPiece = maxValue - 4096

func (p piece) encode() []byte {
	n := 40
	for _, l := range p.lines {
		n += len(l) + 1
	}
	b := binary.BigEndian.AppendUint64(make([]byte, 0, n), uint64(p.before.Group))
	b = append(b, p.before.Chain[:]...)
	for _, l := range p.lines {
		b = append(append(b, l...), '\n')
	}
	return b
}

func decodePiece(seq int64, b []byte) (piece, error) {
	if len(b) < 41 || b[len(b)-1] != '\n' {
		return piece{}, fmt.Errorf("read lines record: cut off: %w", errDamaged)
	}
	p := piece{before: frame.At{Seq: seq - 1, Group: int64(binary.BigEndian.Uint64(b))}}
	copy(p.before.Chain[:], b[8:])
	p.lines = splitLines(b[40:])
	return p, nil
}

// splitLines cuts LF-ended lines, without their LFs; b ends with an LF. Each
// line has its own end, so that appending to one can't write into the next.
func splitLines(b []byte) [][]byte {
	lines := make([][]byte, 0, bytes.Count(b, []byte{'\n'}))
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		lines = append(lines, b[:i:i])
		b = b[i+1:]
	}
	return lines
}

// pieces packs consecutive lines into as few records as fit. most is the number
// of bytes after which a new one begins.
func pieces(before frame.At, lines [][]byte, most int) ([]piece, frame.At, error) {
	var out []piece
	at, size := before, most
	for _, line := range lines {
		if size += len(line) + 1; size > most {
			out = append(out, piece{before: at})
			size = len(line) + 1
		}
		h, err := frame.Parse(line)
		if err != nil {
			return nil, at, err
		}
		if at, err = at.Step(h); err != nil {
			return nil, at, err
		}
		p := &out[len(out)-1]
		p.lines = append(p.lines, line)
	}
	return out, at, nil
}

// A part of a text: bytes of the whole (8) · parts (4) · this part's bytes.
const (
	partFixed = 12
	maxPart   = maxValue - 512
)

func encodePart(total, parts int, body []byte) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, partFixed+len(body)), uint64(total))
	return append(binary.BigEndian.AppendUint32(b, uint32(parts)), body...)
}

func decodePart(b []byte) (total, parts int, body []byte, err error) {
	if len(b) < partFixed {
		return 0, 0, nil, fmt.Errorf("read text record: cut off: %w", errDamaged)
	}
	return int(binary.BigEndian.Uint64(b)), int(binary.BigEndian.Uint32(b[8:])), b[partFixed:], nil
}

// A local record: how often it was written (8) · value.
func encodeLocal(stamp uint64, value []byte) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(value)), stamp), value...)
}

func decodeLocal(b []byte) (uint64, []byte, error) {
	if len(b) < 8 {
		return 0, nil, fmt.Errorf("read local record: cut off: %w", errDamaged)
	}
	return binary.BigEndian.Uint64(b), b[8:], nil
}

// The format record: schema (4) · migration (4) · the oldest Cairn that can
// read it (text). A higher schema is refused; a higher migration is not.
const (
	schemaVersion    = 1
	migrationVersion = 1
	minimumApp       = "0.1.0"
)

func encodeFormat() []byte {
	b := binary.BigEndian.AppendUint32(nil, schemaVersion)
	return append(binary.BigEndian.AppendUint32(b, migrationVersion), minimumApp...)
}

func checkFormat(b []byte) error {
	if len(b) < 8 {
		return fmt.Errorf("read format record: cut off: %w", errDamaged)
	}
	if schema := binary.BigEndian.Uint32(b); schema > schemaVersion {
		return newer(fmt.Sprintf("format %d, readable by Cairn %s and later", schema, b[8:]))
	}
	return nil
}
