package vault

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// readBackup calls fn for each record of a backup, and checks each and the whole.
// fn may not keep its arguments.
func readBackup(ctx context.Context, path string, fn func(k kind, key, payload, env []byte) error) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fileError("read the backup", err)
	}
	defer f.Close()
	r := &summed{r: bufio.NewReaderSize(f, 1<<20), sum: sha256.New()}
	head := make([]byte, len(backupMagic))
	if err := r.full(head); err != nil || string(head) != backupMagic {
		if bytes.HasPrefix(head, []byte("Cairn backup ")) {
			return 0, newer("a backup of another format")
		}
		return 0, badBackup("it is not a backup of Cairn", err)
	}
	var n int64
	for {
		if err := alive(ctx); err != nil {
			return n, err
		}
		mark, err := r.r.Peek(len(backupTrailer))
		if err != nil {
			return n, badBackup("its end is missing", err)
		}
		if string(mark) == backupTrailer {
			return n, r.end(n)
		}
		env := make([]byte, envSize)
		if err := r.full(env); err != nil {
			return n, badBackup("its end is missing", err)
		}
		rest := int(binary.BigEndian.Uint16(env[7:])) + int(binary.BigEndian.Uint32(env[9:]))
		if string(env[:len(envMagic)]) != envMagic || rest > maxValue {
			return n, badBackup(fmt.Sprintf("record %d is damaged", n+1), errDamaged)
		}
		env = append(env, make([]byte, rest)...)
		if err := r.full(env[envSize:]); err != nil {
			return n, badBackup("its end is missing", err)
		}
		k, key, payload, _, err := readEnvelope(env)
		if err != nil {
			if engine.KindOf(err) == engine.KindNewer {
				return n, err
			}
			return n, badBackup(fmt.Sprintf("record %d is damaged", n+1), err)
		}
		n++
		if err := fn(k, key, payload, env); err != nil {
			return n, err
		}
	}
}

// summed reads and sums.
type summed struct {
	r   *bufio.Reader
	sum hash.Hash
}

func (r *summed) full(b []byte) error {
	_, err := io.ReadFull(r.r, b)
	r.sum.Write(b)
	return err
}

// end reads the trailer after n records.
func (r *summed) end(n int64) error {
	b := make([]byte, trailerSize)
	size := len(backupTrailer) + 8
	err := r.full(b[:size])
	want := r.sum.Sum(nil)
	if err == nil {
		_, err = io.ReadFull(r.r, b[size:])
	}
	if err != nil {
		return badBackup("its end is missing", err)
	}
	if got := binary.BigEndian.Uint64(b[len(backupTrailer):]); got != uint64(n) || !bytes.Equal(want, b[size:]) {
		return badBackup("its sum does not fit: records were taken out or changed", errDamaged)
	}
	if _, err := r.r.ReadByte(); err != io.EOF {
		return badBackup("something follows its end", errDamaged)
	}
	return nil
}

func badBackup(why string, err error) error {
	return &engine.Error{
		Kind: engine.KindVerification, What: "This backup is not whole: " + why + ".",
		Safe: "Nothing was changed.", Do: "Use another backup, or make a new one.", Err: err,
	}
}

// VerifyBackup reads a backup whole: every record, every branch's chain, every text
// against its hash, and the sum of the file.
func VerifyBackup(ctx context.Context, path string, tell Progress) (Backup, error) {
	v := verifier{branches: map[ledger.Hash]*branchRecord{}, ends: map[ledger.Hash]frame.At{}}
	out := Backup{Path: path}
	n, err := readBackup(ctx, path, func(k kind, key, payload, _ []byte) error {
		out.Records++
		tell.say("reading the backup", out.Records, 0)
		return v.record(k, bytes.Clone(key), payload)
	})
	if err == nil {
		err = v.end()
	}
	if err != nil {
		return out, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return out, fileError("read the backup", err)
	}
	out.Bytes, out.Records, out.Histories, out.Lines = info.Size(), n, int64(len(v.branches)), v.lines
	return out, nil
}

// verifier follows the records of a backup in their order: parts of a text and
// lines of a branch come one after the other.
type verifier struct {
	format   bool
	branches map[ledger.Hash]*branchRecord
	ends     map[ledger.Hash]frame.At
	lines    int64

	text       ledger.Hash // the one whose parts are being read
	body       []byte
	parts, all int
}

func (v *verifier) record(k kind, key, payload []byte) error {
	if kindOfKey(key) != k || (k.keyLen() != 0 && k.keyLen() != len(key)) {
		return badBackup("the "+recordName(key)+" stands in the wrong place", errDamaged)
	}
	if k != kindPart {
		if err := v.textEnds(); err != nil {
			return err
		}
	}
	switch k {
	case kindMeta:
		if string(key[1:]) == "format" {
			v.format = true
			return checkFormat(payload)
		}
	case kindBranch:
		r, err := decodeBranch(branchOfKey(key), payload)
		if err != nil {
			return badBackup("the "+recordName(key)+" is damaged", err)
		}
		v.branches[r.id] = r
	case kindLines:
		return v.linesOf(key, payload)
	case kindPart:
		return v.part(key, payload)
	}
	return nil
}

func (v *verifier) linesOf(key, payload []byte) error {
	id := branchOfKey(key)
	bad := func(err error) error { return badBackup("the "+recordName(key)+" don't continue the chain", err) }
	p, err := decodePiece(seqOfKey(key), payload)
	if err != nil {
		return bad(err)
	}
	at, begun := v.ends[id]
	if !begun {
		at = p.before
	}
	if !same(at, p.before) {
		return bad(errDamaged)
	}
	for _, line := range p.lines {
		h, err := frame.Parse(line)
		if err == nil {
			at, err = at.Step(h)
		}
		if err != nil {
			return bad(err)
		}
		v.lines++
	}
	v.ends[id] = at
	return nil
}

func (v *verifier) part(key, payload []byte) error {
	h := hashOfKey(key)
	if h != v.text || v.all == 0 {
		if err := v.textEnds(); err != nil {
			return err
		}
		v.text = h
	}
	_, parts, body, err := decodePart(payload)
	if err != nil || !bytes.Equal(key, partKey(h, v.parts)) || (v.all != 0 && parts != v.all) || parts == 0 {
		return badBackup("the text "+h.String()+" is not whole", errors.Join(err, errDamaged))
	}
	v.body, v.all = append(v.body, body...), parts
	v.parts++
	return nil
}

// textEnds checks the text whose last part was read.
func (v *verifier) textEnds() error {
	if v.all == 0 {
		return nil
	}
	h, whole := v.text, v.parts == v.all && ledger.HashOf(v.body) == v.text
	v.body, v.parts, v.all = v.body[:0], 0, 0
	if !whole {
		return badBackup("the text "+h.String()+" is not whole", errDamaged)
	}
	return nil
}

// end compares each branch's lines with where its record says that they end.
func (v *verifier) end() error {
	if err := v.textEnds(); err != nil {
		return err
	}
	if !v.format {
		return badBackup("it names no format", errDamaged)
	}
	for id, r := range v.branches {
		if at, ok := v.ends[id]; ok && !same(at, r.head) || !ok && r.head.Seq >= r.from {
			return badBackup("lines of history "+id.String()+" are missing", errDamaged)
		}
	}
	return nil
}

// same: both are after the same line. Groups are not told where lines are withheld.
func same(a, b frame.At) bool { return a.Seq == b.Seq && a.Chain == b.Chain }
