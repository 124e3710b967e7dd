package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	if len(s) != 2*len(h) {
		return h, fmt.Errorf("read hash: %d characters instead of 64", len(s))
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return h, fmt.Errorf("read hash: character %q is not a lower-case hex digit", c)
		}
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return h, fmt.Errorf("read hash: %w", err)
	}
	return h, nil
}

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
