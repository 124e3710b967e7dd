package lives

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"cairn/engine"
	"cairn/engine/handoff"
	"cairn/engine/ledger"
)

// send exports a branch, looks at the file, and imports it on the other machine or
// the same one: unchanged, or changed, which must be noticed.
func (t *turn) send(ctx context.Context) error {
	file, err := t.task.HandOff(ctx, t.dice.IntN(3) == 0)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if _, err := handoff.Verify(file); err != nil {
		t.fail("a file that was just written does not verify: %v", err)
		return nil
	}
	p, err := handoff.Parse(file)
	if err != nil {
		t.fail("a file that was just written can't be read: %v", err)
		return nil
	}
	if p.State.Hash() != t.st.Hash() {
		t.fail("the file's record leads to another state than the task's")
	}
	t.forge(file, p)
	to := t.machines[0]
	if t.machine == to && t.dice.IntN(5) > 0 {
		to = t.machines[1]
	}
	if len(to.branches(ctx)) > 7 {
		return errNone
	}
	died, came := t.medium.died(), slices.Clone(p.Lines)
	if t.o.Fault == "import-recodes" {
		recode(p)
	}
	if !died && t.dice.IntN(5) == 0 {
		to.medium.arm(1+t.dice.IntN(25), t.dice.IntN(2) == 0)
	}
	made, err := to.desk.Import(ctx, p)
	if to.medium.died() {
		// It is not seen until it is whole; begun again it goes on where it was.
		to.restart(ctx)
		made, err = to.desk.Import(ctx, p)
	}
	switch {
	case engine.KindOf(err) == engine.KindRefused && err != nil:
		if t.machine != to && !t.known(ctx, to, p) {
			t.fail("a file of what is not there is refused: %v", err)
		}
		return nil
	case engine.KindOf(err) == engine.KindUsage && p.Result.Withheld > 0:
		return nil // lines were left out where both part
	case err != nil:
		t.fail("a file that holds can't be imported: %v", err)
		return nil
	}
	n := 0
	err = made.Lines(ctx, 1, func(seq int64, line []byte) error {
		if n = int(seq); seq <= int64(len(came)) && hashOf(line) != hashOf(came[seq-1]) {
			t.fail("line %d was not taken over as it came", seq)
		}
		return nil
	})
	if err != nil || n < len(p.Lines) {
		t.fail("%d of %d lines were taken over: %v", n, len(p.Lines), err)
	}
	again, err := made.HandOff(ctx, false)
	if err != nil {
		t.fail("what was imported can't be exported: %v", err)
		return nil
	}
	q, err := handoff.Parse(again)
	if err != nil {
		t.fail("the export of what was imported can't be read: %v", err)
		return nil
	}
	if !bytes.HasPrefix(bytes.Join(q.Segments, nil), bytes.Join(p.Segments, nil)) {
		t.fail("the export of what was imported does not begin with the bytes of the file")
	}
	return nil
}

// known: a branch there has all lines of the file.
func (t *turn) known(ctx context.Context, to *machine, p *handoff.Parsed) bool {
	for _, b := range to.branches(ctx) {
		same := 0
		err := to.medium.store().Lines(ctx, b.ID, 1, func(seq int64, line []byte) error {
			if seq <= int64(len(p.Lines)) && hashOf(line) == hashOf(p.Lines[seq-1]) {
				same++
			}
			return nil
		})
		if err == nil && same == len(p.Lines) {
			return true
		}
	}
	return false
}

// hashOf is a line's hash, or the one that stands for a withheld line.
func hashOf(line []byte) ledger.Hash {
	f, err := ledger.DecodeFrame(line)
	if err != nil {
		return ledger.HashOf(line)
	}
	return f.Hash
}

// forge changes one byte of a file. In the record that is refused; in the readable
// part it is said, and the record stays what it is.
func (t *turn) forge(file []byte, p *handoff.Parsed) {
	from := bytes.Index(file, p.Segments[0])
	if from < 0 {
		t.fail("the file does not hold its record")
		return
	}
	size := 0
	for _, s := range p.Segments {
		size += len(s)
	}
	for _, inside := range []bool{true, false} {
		forged := bytes.Clone(file)
		at := t.dice.IntN(from / 2)
		if inside {
			at = from + t.dice.IntN(size)
		}
		if forged[at] >= 0x80 || forged[at] == '\n' || forged[at] == '\r' {
			continue
		}
		forged[at] ^= 1
		if forged[at] == '\r' || forged[at] == '\n' {
			continue
		}
		q, err := handoff.Parse(forged)
		switch {
		case inside && err == nil:
			t.fail("a record with another byte at %d of %d was read", at-from, size)
		case !inside && err == nil && (q.Result.Readable || q.Result.Chain != p.Result.Chain):
			t.fail("a readable part with another byte at %d was taken for what the record says", at)
		}
	}
}
