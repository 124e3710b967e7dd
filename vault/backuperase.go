package vault

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// purgeBackups takes branches out of the backups in Cairn's folder: each that holds
// something of them is written anew without it. One that can't be read is removed,
// because it may hold them. Backups elsewhere are out of reach.
func (s *Store) purgeBackups(ctx context.Context, d *doomed, e *engine.Erased) error {
	entries, err := os.ReadDir(s.home.Backups())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fileError("list the backups", err)
	}
	for _, f := range entries {
		path := filepath.Join(s.home.Backups(), f.Name())
		if !strings.HasSuffix(f.Name(), backupExt) {
			// Half of a backup, or of one that was being written anew.
			if strings.HasPrefix(f.Name(), backupPrefix) && strings.HasSuffix(f.Name(), backupExt+".tmp") {
				if err := remove(path); err != nil {
					return err
				}
			}
			continue
		}
		holds, kept, err := holdsDoomed(ctx, path, d)
		switch {
		case ctx.Err() != nil:
			return alive(ctx)
		case err != nil:
			e.Backups++
			err = remove(path)
		case holds:
			err = rewriteBackup(ctx, path, d, kept)
		}
		if err != nil {
			return err
		}
	}
	return syncDir(s.home.Backups())
}

// weighBackups counts the backups that could not be kept.
func (s *Store) weighBackups(ctx context.Context, d *doomed, e *engine.Erased) error {
	list, err := Backups(s.home.Backups())
	if err != nil {
		return err
	}
	for _, b := range list {
		if _, _, err := holdsDoomed(ctx, b.Path, d); err != nil {
			if err := alive(ctx); err != nil {
				return err
			}
			e.Backups++
		}
	}
	return nil
}

// holdsDoomed reads a backup: whether it holds something of the branches that go,
// and which texts its other lines name.
func holdsDoomed(ctx context.Context, path string, d *doomed) (holds bool, kept map[ledger.Hash]bool, err error) {
	kept = map[ledger.Hash]bool{}
	var texts []ledger.Hash
	_, err = readBackup(ctx, path, func(k kind, key, payload, _ []byte) error {
		switch k {
		case kindBranch:
			holds = holds || d.gone[branchOfKey(key)]
		case kindLines:
			if d.gone[branchOfKey(key)] {
				holds = true
				return nil
			}
			p, err := decodePiece(seqOfKey(key), payload)
			if err != nil {
				return err
			}
			for _, line := range p.lines {
				if !bytes.Contains(line, erasing) {
					frame.Names(line, func(h ledger.Hash) { kept[h] = true })
				}
			}
		case kindPart:
			texts = append(texts, hashOfKey(key))
		case kindLocal:
			holds = holds || namesAny(key, d.ids)
		}
		return nil
	})
	for _, h := range texts { // parts come before lines in the order of keys
		holds = holds || !kept[h] // a text that no line names may be of a call of theirs
	}
	return holds, kept, err
}

// rewriteBackup writes a backup anew without the branches that go, and without the
// texts that none of its other lines names.
func rewriteBackup(ctx context.Context, path string, d *doomed, kept map[ledger.Hash]bool) error {
	tmp := path + ".tmp"
	err := writeBackup(ctx, tmp, func(put func(key, env []byte) error) error {
		_, err := readBackup(ctx, path, func(k kind, key, _, env []byte) error {
			switch {
			case (k == kindBranch || k == kindLines) && d.gone[branchOfKey(key)],
				(k == kindPart || k == kindHeld) && !kept[hashOfKey(key)],
				k == kindLocal && namesAny(key, d.ids):
				return nil
			}
			return put(bytes.Clone(key), env)
		})
		return err
	})
	if err == nil {
		err = fileError("write a backup anew", os.Rename(tmp, path))
	}
	if err != nil {
		return errors.Join(err, remove(tmp))
	}
	return nil
}
