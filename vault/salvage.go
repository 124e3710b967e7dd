package vault

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine/ledger"
)

// salvage looks through the files of a store that can't be opened, or of
// memtables that lost their tail, for records that are still whole, and takes
// over those that the open store misses: texts that want, and local records.
// It needs nothing of Badger's own structure: an envelope can be recognised and
// checked wherever it stands, because neither logs nor tables are compressed.
// It gives how many records came over.
func salvage(into *kv, dir string, want func(ledger.Hash) bool) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fileError("look through a store that was set aside", err)
	}
	n := 0
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".mem" && ext != ".sst" {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return n, fileError("look through a store that was set aside", err)
		}
		got, err := salvageBytes(into, body, want)
		if n += got; err != nil {
			return n, err
		}
	}
	return n, nil
}

func salvageBytes(into *kv, body []byte, want func(ledger.Hash) bool) (int, error) {
	var out []record
	var size, n int
	flush := func() error {
		err := into.putAll(out)
		n += len(out)
		out, size = nil, 0
		return err
	}
	for {
		i := bytes.Index(body, []byte(envMagic))
		if i < 0 {
			return n, flush()
		}
		body = body[i:]
		k, key, payload, length, err := readEnvelope(body)
		if err != nil {
			body = body[1:] // damaged, of a later version, or four letters of a text
			continue
		}
		take, err := missing(into, k, key, payload, want)
		if err != nil {
			return n, err
		}
		if take {
			out = append(out, record{bytes.Clone(key), bytes.Clone(body[:length])})
			if size += length; k == kindLocal || size > maxTxn {
				if err := flush(); err != nil {
					return n, err
				}
			}
		}
		body = body[length:]
	}
}

// missing reports whether a record found in old files is to be taken over.
func missing(into *kv, k kind, key, payload []byte, want func(ledger.Hash) bool) (bool, error) {
	if n := k.keyLen(); (n != 0 && len(key) != n) || kindOfKey(key) != k {
		return false, nil
	}
	switch k {
	case kindPart:
		if !want(hashOfKey(key)) {
			return false, nil
		}
		_, err := into.get(k, key)
		if errors.Is(err, badger.ErrKeyNotFound) || errors.Is(err, errDamaged) {
			return true, nil
		}
		return false, err
	case kindLocal:
		stamp, _, err := decodeLocal(payload)
		if err != nil {
			return false, nil
		}
		have, _, err := readLocal(into, key)
		if errors.Is(err, badger.ErrKeyNotFound) || errors.Is(err, errDamaged) {
			return true, nil
		}
		return err == nil && stamp > have, err
	}
	return false, nil
}
