package vault

import (
	"errors"
	"testing"

	"cairn/engine/ledger"
)

// DropPart takes one record of a text out of a closed store.
func DropPart(t *testing.T, home Home, h ledger.Hash, part int) {
	t.Helper()
	s, err := openKV(home.Vault(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.put([]record{{partKey(h, part), nil}}), s.close()); err != nil {
		t.Fatal(err)
	}
}
