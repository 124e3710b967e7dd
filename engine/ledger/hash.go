package ledger

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is a SHA-256: of a line's bytes without LF, of a blob, or a chain value.
type Hash [sha256.Size]byte

// HashOf is the hash of b.
func HashOf(b []byte) Hash { return sha256.Sum256(b) }

// String gives 64 lower-case hex digits, the form in lines and keys.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether h is c(0), the chain value before the first line.
func (h Hash) IsZero() bool { return h == Hash{} }

// ParseHash reads 64 lower-case hex digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	err := h.read([]byte(s))
	return h, err
}

func (h *Hash) read(s []byte) error {
	if len(s) != 2*len(h) {
		return errForm("read hash: %d characters instead of 64", len(s))
	}
	for i := range h {
		high, low := nibble[s[2*i]], nibble[s[2*i+1]]
		if high > 15 || low > 15 {
			return errForm("read hash: %q has another character than lower-case hex digits", s)
		}
		h[i] = high<<4 | low
	}
	return nil
}

// nibble gives the value of a lower-case hex digit, 255 for other bytes.
var nibble = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i := 0; i < 16; i++ {
		t[hexDigits[i]] = byte(i)
	}
	return t
}()

// Extend is the chain rule of DESIGN 3.1: c(n) = SHA-256(c(n-1) ‖ SHA-256(line n)).
func (h Hash) Extend(line Hash) Hash {
	var b [2 * sha256.Size]byte
	copy(b[:], h[:])
	copy(b[sha256.Size:], line[:])
	return sha256.Sum256(b[:])
}

// By is the author class of a line.
type By string

const (
	Person  By = "person"
	Program By = "program"
	Model   By = "model"
	Engine  By = "engine"
)
