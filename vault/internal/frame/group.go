package frame

import (
	"fmt"

	"cairn/engine/ledger"
)

// Quotas of one group (DESIGN 3.5): lines, and bytes with their LFs.
const (
	MaxLines = 256
	MaxBytes = 512 << 10
)

// At is a place in a ledger: the last line before what follows.
type At struct {
	Seq, Group int64
	Chain      ledger.Hash
}

// First tells which seq a group starts with and the chain value before it, read
// from the group itself. The first line must not be a withheld one: nothing
// else says what a new branch continues.
func First(group [][]byte) (seq int64, before ledger.Hash, err error) {
	if len(group) == 0 {
		return 0, before, fmt.Errorf("read group: no lines: %w", errForm)
	}
	h, err := Parse(group[0])
	if err != nil {
		return 0, before, err
	}
	if h.Withheld {
		return 0, before, fmt.Errorf("read group: a branch can't begin with a withheld line: %w", errForm)
	}
	return h.Seq, h.Prev, nil
}

// Check walks a whole group from the place `at` and gives the place after it.
// Every line must continue the chain. Where no line is withheld, all carry the
// same group number, greater than the last, and only the last says how many
// lines there are; a copied group with withheld lines can't be asked for that.
func Check(at At, group [][]byte) (At, error) {
	if len(group) == 0 || len(group) > MaxLines {
		return at, fmt.Errorf("check group: %d lines, 1 to %d allowed: %w", len(group), MaxLines, errForm)
	}
	bytes, withheld, before := 0, false, at.Group
	heads := make([]Header, len(group))
	for i, line := range group {
		bytes += len(line) + 1
		h, err := Parse(line)
		if err != nil {
			return at, fmt.Errorf("line %d: %w", at.Seq+1, err)
		}
		heads[i] = h
		withheld = withheld || h.Withheld
		if at, err = at.Step(h); err != nil {
			return at, err
		}
	}
	if bytes > MaxBytes {
		return at, fmt.Errorf("check group: %d bytes, %d allowed: %w", bytes, MaxBytes, errForm)
	}
	if withheld {
		return at, nil
	}
	return at, framed(heads, before)
}

// Step moves over one line, which must continue the place.
func (at At) Step(h Header) (At, error) {
	if !h.Withheld {
		if h.Seq != at.Seq+1 {
			return at, fmt.Errorf("line %d: seq says %d: %w", at.Seq+1, h.Seq, errForm)
		}
		if h.Prev != at.Chain {
			return at, fmt.Errorf("line %d: does not continue the line before it: %w", at.Seq+1, errForm)
		}
		at.Group = max(at.Group, h.Group)
	}
	at.Seq++
	at.Chain = at.Chain.Extend(h.Hash)
	return at, nil
}

// framed checks g and n of a group in which every line can be read.
func framed(heads []Header, before int64) error {
	g, last := heads[0].Group, len(heads)-1
	if g <= before {
		return fmt.Errorf("check group: number %d after %d: %w", g, before, errForm)
	}
	for i, h := range heads {
		if h.Group != g {
			return fmt.Errorf("check group: numbers %d and %d in one group: %w", g, h.Group, errForm)
		}
		if i < last && h.N != 0 {
			return fmt.Errorf("check group: n before the last line: %w", errForm)
		}
	}
	if heads[last].N != int64(len(heads)) {
		return fmt.Errorf("check group: the last line says %d lines, there are %d: %w", heads[last].N, len(heads), errForm)
	}
	return nil
}

// Whole tells how many leading lines of a run of lines that follow `at` are
// durable together: up to the last line that closes a group whose lines are all
// there and continue the chain. What is after that is part of a group, or does
// not belong here (then err says why, naming the line).
func Whole(at At, lines [][]byte) (n int, after At, err error) {
	after = at
	begun := 0 // first line of the group being walked
	clean := true
	for i, line := range lines {
		h, perr := Parse(line)
		if perr != nil {
			return n, after, fmt.Errorf("line %d: %w", at.Seq+1, perr)
		}
		next, serr := at.Step(h)
		if serr != nil {
			return n, after, serr
		}
		if h.Withheld {
			clean = false
		}
		at = next
		if h.Withheld || h.N == 0 {
			continue
		}
		// A line with n closes its group. With withheld lines before it, one of
		// them may have closed another, so n can only be smaller.
		got := int64(i + 1 - begun)
		if h.N > got || (clean && h.N != got) {
			return n, after, fmt.Errorf("line %d: says its group has %d lines, there are %d: %w", at.Seq, h.N, got, errForm)
		}
		n, after, begun, clean = i+1, at, i+1, true
	}
	return n, after, nil
}
