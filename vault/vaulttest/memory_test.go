package vaulttest

import (
	"errors"
	"testing"

	"cairn/engine"
	"cairn/engine/ledger"
)

func TestMemory(t *testing.T) {
	Suite(t, func(*testing.T) Closer { return NewMemory() })
}

func TestMemoryFaults(t *testing.T) {
	m := NewMemory()
	w := &Writer{}
	id, all := Start(t, m, w, "task")
	full := &engine.Error{Kind: engine.KindDiskFull, What: "full"}
	m.Fail(func(op string) error {
		if op == "Append" {
			return full
		}
		return nil
	})
	if err := m.Append(bg, id, w.Group("x")); !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	Same(t, Read(t, m, id, 1), all)
	h, err := m.PutBlob(bg, []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Damage(h) || m.Damage(ledger.Hash{}) {
		t.Fatal("damage must say whether the text is there")
	}
	_, err = m.Blob(bg, h)
	Kind(t, err, engine.KindDamaged)
}
