package vault

import (
	"encoding/binary"
	"strings"

	"cairn/engine/ledger"
)

// Kinds of records. The number is in the envelope, the letter begins the key;
// numbers in keys are big-endian, ids and hashes are their 32 bytes.
//
//	meta    m name                 format of this store
//	branch  h id                   one branch: where it comes from, its newest line
//	lines   l id seq(8)            a run of lines of one branch, first line seq
//	part    b hash part(4)         a part of a text, from 0
//	held    r hash                 a saved line names this text, and it was here
//	local   o scope 00 name        a local record
const (
	kindMeta kind = iota + 1
	kindBranch
	kindLines
	kindPart
	kindHeld
	kindLocal
)

type kind byte

// letters by kind; the zero kind is none.
const letters = "\x00mhlbro"

func (k kind) known() bool { return k >= kindMeta && k <= kindLocal }

func (k kind) prefix() []byte { return []byte{letters[k]} }

// kindOfKey is the kind that a key's letter says, 0 for none.
func kindOfKey(key []byte) kind {
	if len(key) == 0 {
		return 0
	}
	return kind(max(strings.IndexByte(letters[1:], key[0])+1, 0))
}

func metaKey(name string) []byte { return append(kindMeta.prefix(), name...) }

func branchKey(id ledger.Hash) []byte { return append(kindBranch.prefix(), id[:]...) }

// branchOfKey reads the id out of a branch or lines key.
func branchOfKey(key []byte) (id ledger.Hash) {
	copy(id[:], key[1:])
	return id
}

func linesPrefix(id ledger.Hash) []byte { return append(kindLines.prefix(), id[:]...) }

func linesKey(id ledger.Hash, seq int64) []byte {
	return binary.BigEndian.AppendUint64(linesPrefix(id), uint64(seq))
}

// seqOfKey reads the first seq out of a lines key.
func seqOfKey(key []byte) int64 { return int64(binary.BigEndian.Uint64(key[len(key)-8:])) }

func partsPrefix(h ledger.Hash) []byte { return append(kindPart.prefix(), h[:]...) }

func partKey(h ledger.Hash, part int) []byte {
	return binary.BigEndian.AppendUint32(partsPrefix(h), uint32(part))
}

// hashOfKey reads the text's hash out of a part or held key.
func hashOfKey(key []byte) (h ledger.Hash) {
	copy(h[:], key[1:])
	return h
}

func heldKey(h ledger.Hash) []byte { return append(kindHeld.prefix(), h[:]...) }

func localKey(scope, name string) []byte {
	return append(append(append(kindLocal.prefix(), scope...), 0), name...)
}

// keyLen is the exact length of the keys of a kind, 0 where it varies.
func (k kind) keyLen() int {
	switch k {
	case kindBranch, kindHeld:
		return 33
	case kindLines:
		return 41
	case kindPart:
		return 37
	}
	return 0
}
