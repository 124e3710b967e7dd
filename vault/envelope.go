package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"cairn/engine"
)

// Every value in the store is an envelope:
//
//	magic "CAIR" · version · kind · flags · key length (2) · payload length (4) ·
//	SHA-256 (32) · key · payload
//
// The SHA-256 is over everything else, in order. So a value that came loose
// from its key, was cut, or differs in one bit is found at every read, and a
// value can be recognised inside any file (salvage.go).
const (
	envMagic   = "CAIR"
	envVersion = 1
	envHead    = 13
	envSize    = envHead + sha256.Size // without key and payload

	flagZstd = 1 // payload is compressed
)

// maxValue is the largest value in bytes, envelope included: far below what
// Badger would put into its value log, whose sync errors it only logs.
const maxValue = 256 << 10

var errDamaged = errors.New("record fails its check")

var (
	packer, packErr     = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	unpacker, unpackErr = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(4*maxValue))
)

// seal makes an envelope, compressed where that is smaller.
func seal(k kind, key, payload []byte) ([]byte, error) {
	if packErr != nil {
		return nil, fmt.Errorf("prepare compression: %w", packErr)
	}
	flags := byte(0)
	if len(payload) > 128 {
		if small := packer.EncodeAll(payload, nil); len(small) < len(payload) {
			payload, flags = small, flagZstd
		}
	}
	out := make([]byte, 0, envSize+len(key)+len(payload))
	out = append(out, envMagic...)
	out = append(out, envVersion, byte(k), flags)
	out = binary.BigEndian.AppendUint16(out, uint16(len(key)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(payload)))
	out = append(out, make([]byte, sha256.Size)...)
	out = append(append(out, key...), payload...)
	if len(out) > maxValue {
		return nil, fmt.Errorf("seal record: %d bytes, %d allowed", len(out), maxValue)
	}
	sum := envSum(out)
	copy(out[envHead:], sum[:])
	return out, nil
}

func envSum(env []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(env[:envHead])
	h.Write(env[envSize:])
	return [sha256.Size]byte(h.Sum(nil))
}

// unseal checks an envelope and gives its payload; the bytes may be part of env.
func unseal(k kind, key, env []byte) ([]byte, error) {
	got, gotKey, payload, size, err := readEnvelope(env)
	if err != nil {
		return nil, err
	}
	if size != len(env) || got != k || !bytes.Equal(gotKey, key) {
		return nil, fmt.Errorf("open record: it belongs elsewhere: %w", errDamaged)
	}
	return payload, nil
}

// readEnvelope reads the envelope that b starts with; size is its length.
func readEnvelope(b []byte) (k kind, key, payload []byte, size int, err error) {
	if len(b) < envSize || string(b[:len(envMagic)]) != envMagic {
		return 0, nil, nil, 0, fmt.Errorf("open record: no envelope: %w", errDamaged)
	}
	k = kind(b[5])
	flags := b[6]
	keyEnd := envSize + int(binary.BigEndian.Uint16(b[7:]))
	size = keyEnd + int(binary.BigEndian.Uint32(b[9:]))
	if size > maxValue || size > len(b) {
		return 0, nil, nil, 0, fmt.Errorf("open record: cut off: %w", errDamaged)
	}
	env := b[:size]
	if sum := envSum(env); !bytes.Equal(sum[:], env[envHead:envSize]) && !planted(faultUnchecked) {
		return 0, nil, nil, 0, fmt.Errorf("open record: checksum: %w", errDamaged)
	}
	if b[4] > envVersion || !k.known() || flags&^flagZstd != 0 {
		return 0, nil, nil, 0, newer(fmt.Sprintf("a record of version %d", b[4]))
	}
	key, payload = env[envSize:keyEnd], env[keyEnd:]
	if flags&flagZstd != 0 {
		if unpackErr != nil {
			return 0, nil, nil, 0, fmt.Errorf("prepare decompression: %w", unpackErr)
		}
		if payload, err = unpacker.DecodeAll(payload, nil); err != nil {
			return 0, nil, nil, 0, fmt.Errorf("open record: decompress: %w", errors.Join(err, errDamaged))
		}
	}
	return k, key, payload, size, nil
}

func newer(what string) error {
	return &engine.Error{
		Kind: engine.KindNewer,
		What: "This folder was written by a newer Cairn (" + what + ").",
		Safe: "Nothing was changed.",
		Do:   "Use the newer Cairn, or another folder.",
	}
}
