package vault

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cairn/engine/ledger"
)

func TestEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := branchKey(ledger.HashOf(rapid.SliceOf(rapid.Byte()).Draw(t, "id")))
		payload := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), 0, 300),
			rapid.Map(rapid.IntRange(0, 4000), func(n int) []byte { return []byte(strings.Repeat("ab", n)) }),
		).Draw(t, "payload")
		env, err := seal(kindBranch, key, payload)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unseal(kindBranch, key, env)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("came back as %q: %v", got, err)
		}
		at, bit := rapid.IntRange(0, len(env)-1).Draw(t, "at"), rapid.IntRange(0, 7).Draw(t, "bit")
		env[at] ^= 1 << bit
		if _, err := unseal(kindBranch, key, env); !errors.Is(err, errDamaged) {
			t.Fatalf("one bit changed at %d: %v", at, err)
		}
		env[at] ^= 1 << bit
		if _, err := unseal(kindBranch, key, env[:rapid.IntRange(0, len(env)-1).Draw(t, "cut")]); !errors.Is(err, errDamaged) {
			t.Fatalf("cut: %v", err)
		}
		if _, err := unseal(kindBranch, branchKey(ledger.HashOf(key)), env); !errors.Is(err, errDamaged) {
			t.Fatalf("under another key: %v", err)
		}
		if _, err := unseal(kindLocal, key, env); !errors.Is(err, errDamaged) {
			t.Fatalf("as another kind: %v", err)
		}
		if _, err := unseal(kindBranch, key, append(env, 0)); !errors.Is(err, errDamaged) {
			t.Fatalf("with a byte more: %v", err)
		}
	})
}

// Keys: every kind has its letter, and sorts by number.
func TestKeys(t *testing.T) {
	h := ledger.HashOf([]byte("x"))
	for k, key := range map[kind][]byte{
		kindMeta: metaKey("format"), kindBranch: branchKey(h), kindLines: linesKey(h, 7),
		kindPart: partKey(h, 3), kindHeld: heldKey(h), kindLocal: localKey("a", "b"),
	} {
		if kindOfKey(key) != k {
			t.Errorf("key %q is of kind %d, want %d", key, kindOfKey(key), k)
		}
		if n := k.keyLen(); n != 0 && n != len(key) {
			t.Errorf("kind %d: key of %d bytes, want %d", k, len(key), n)
		}
	}
	if kindOfKey(nil) != 0 || kindOfKey([]byte("z")) != 0 || kindOfKey([]byte{0}) != 0 {
		t.Error("a foreign key has a kind")
	}
	if seqOfKey(linesKey(h, 1<<40)) != 1<<40 || hashOfKey(partKey(h, 9)) != h || branchOfKey(linesKey(h, 1)) != h {
		t.Error("a key does not give back what it was made of")
	}
	if bytes.Compare(linesKey(h, 255), linesKey(h, 256)) >= 0 {
		t.Error("line 255 does not sort before line 256")
	}
}

// No bytes, however damaged, may panic a decoder.
func FuzzRecords(f *testing.F) {
	h := ledger.HashOf([]byte("x"))
	r := &branchRecord{id: h, from: 1}
	r.head.Seq = 3
	for _, payload := range [][]byte{r.encode(), encodePart(5, 1, []byte("hello")), encodeLocal(1, nil), encodeFormat()} {
		env, err := seal(kindPart, partKey(h, 0), payload)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
		f.Add(env)
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _, _, _, _ = readEnvelope(b)
		_, _ = decodeBranch(h, b)
		_, _ = decodePiece(1, b)
		_, _, _, _ = decodePart(b)
		_, _, _ = decodeLocal(b)
		_ = checkFormat(b)
	})
}
