package vault

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine/ledger"
)

// maxTold is how many lost texts are told by name; of the others their number.
const maxTold = 20

// tellLost names the texts of which a store that was set aside still shows that they
// were stored and which did not come over whole. What is left of one is taken out:
// half a text would be found damaged at every start, and the store be built again in
// vain.
func (s *Store) tellLost(dir string, named map[ledger.Hash]bool, done *Opened) error {
	if err := s.dropHalves(dir, named, done); err != nil {
		return err
	}
	ids, err := s.journalIDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		lines, _, err := readJournal(s.home.Journal(id.String()))
		if err == nil {
			err = s.tellTexts(id, lines, done)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tellTexts says of the texts that lines of a history name, and nothing but the store
// has, how many are not here: a table or a log of it that is gone leaves no other
// trace. The texts of documents are told by whoever reads them again.
func (s *Store) tellTexts(id ledger.Hash, lines [][]byte, done *Opened) error {
	var n int
	var first, last int64
	for _, raw := range lines {
		line, err := ledger.Decode(raw)
		if err != nil {
			continue // told where journals are read
		}
		for _, name := range onlyHere(line.Op) {
			h, err := ledger.ParseHash(name)
			if err != nil {
				continue // there is none, as of a call without a reply
			}
			here, err := s.kv.has(partKey(h, 0))
			if err != nil {
				return err
			}
			if !here {
				if n++; n == 1 {
					first = line.Seq
				}
				last = line.Seq
			}
		}
	}
	if n > 0 {
		done.say("History %s: of the prompts, replies and other texts that lines %d to %d name, %d are not here. Those of calls before an import never were.", id, first, last, n)
	}
	return nil
}

// onlyHere are the hashes of an op's texts that can't be had again from anywhere.
func onlyHere(op ledger.Op) []string {
	switch op := op.(type) {
	case *ledger.Call:
		return []string{op.Prompt, op.Reply}
	case *ledger.Account:
		return []string{op.Text}
	case *ledger.Checkpoint:
		if op.Sum != nil {
			return []string{op.Sum.More}
		}
	case *ledger.Import:
		return []string{op.File}
	}
	return nil
}

// dropHalves is tellLost for texts of which the old store still has a trace.
func (s *Store) dropHalves(dir string, named map[ledger.Hash]bool, done *Opened) error {
	stored, err := storedIn(dir)
	if err != nil {
		return err
	}
	var gone []ledger.Hash
	var halves []record
	for h := range stored {
		if !named[h] {
			continue
		}
		_, err := readBlob(s.kv, h)
		if err == nil {
			continue
		}
		if !errors.Is(err, badger.ErrKeyNotFound) && !errors.Is(err, errDamaged) {
			return err
		}
		gone = append(gone, h)
		err = s.kv.each(partsPrefix(h), partsPrefix(h), func(key, _ []byte) (bool, error) {
			halves = append(halves, record{bytes.Clone(key), nil})
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	if err := s.kv.putAll(halves); err != nil {
		return err
	}
	slices.SortFunc(gone, func(a, b ledger.Hash) int { return bytes.Compare(a[:], b[:]) })
	for i, h := range gone {
		if i == maxTold {
			done.say("And %d more texts are lost.", len(gone)-i)
			break
		}
		done.say("The text %s is lost: no whole copy of it is in the old store.", h)
	}
	return nil
}

// storedIn looks through the files of a store for the texts that were in it, whole
// or not.
func storedIn(dir string) (map[ledger.Hash]bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fileError("look through a store that was set aside", err)
	}
	out := map[ledger.Hash]bool{}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".mem" && ext != ".sst" {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fileError("look through a store that was set aside", err)
		}
		for i := bytes.Index(body, []byte(envMagic)); i >= 0; i = bytes.Index(body, []byte(envMagic)) {
			body = body[i:]
			k, key, _, length, err := readEnvelope(body)
			if err != nil {
				body = body[1:]
				continue
			}
			if (k == kindPart || k == kindHeld) && len(key) == k.keyLen() && kindOfKey(key) == k {
				out[hashOfKey(key)] = true
			}
			body = body[length:]
		}
	}
	return out, nil
}
