//go:build lab

package vault

import (
	"errors"

	"cairn/engine/ledger"
)

// DropText takes the first part of a text out of a closed store, as the loss of a
// table would; for the laboratory.
func DropText(home Home, h ledger.Hash) error {
	s, err := openKV(home.Vault(), false)
	if err != nil {
		return err
	}
	return errors.Join(s.put([]record{{partKey(h, 0), nil}}), s.close())
}
