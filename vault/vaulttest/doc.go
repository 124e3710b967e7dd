// Package vaulttest holds what tests of a store, and tests that need one, use:
// the conformance suite that every engine.Store must pass (Suite), a store in
// memory (Memory), and a writer of well-formed lines (Writer). It imports
// neither Badger nor the vault.
package vaulttest
