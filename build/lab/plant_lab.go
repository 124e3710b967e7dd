//go:build lab

package main

import (
	"cairn/engine/ledger"
	"cairn/vault"
)

// canPlant: this program was built to plant faults.
const canPlant = true

// dropText takes a text out of the store of a closed home.
func dropText(dir, hash string) error {
	h, err := ledger.ParseHash(hash)
	if err != nil {
		return err
	}
	return vault.DropText(vault.Home(dir), h)
}
