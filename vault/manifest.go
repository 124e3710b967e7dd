package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	badger "github.com/dgraph-io/badger/v4"
)

// tablesListed looks, before Badger does, whether the store's MANIFEST lists the
// tables that are there. Badger begins a new list where there is none, drops the end
// of one that is cut, and then removes every table that is not listed, with all that
// is in it. After a good end none is unlisted. After another one some may be: tables
// that were just being written, or already replaced; then only a list that is cut,
// or names none of several, is damage.
func tablesListed(dir string, clean bool) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	if len(names) == 0 {
		return nil
	}
	path := filepath.Join(dir, badger.ManifestFilename)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the list of tables: it is missing: %w", errDamaged)
	}
	if err != nil {
		return fileError("read the list of tables", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fileError("read the list of tables", err)
	}
	list, end, err := badger.ReplayManifestFile(f, externalMagic, badgerOptions(dir, &quiet{}))
	if err != nil {
		if diskFault(err) {
			return fmt.Errorf("read the list of tables: %w", err)
		}
		return fmt.Errorf("read the list of tables: %w: %w", errDamaged, err)
	}
	unlisted := 0
	for _, name := range names {
		var id uint64
		if _, err := fmt.Sscanf(filepath.Base(name), "%d.sst", &id); err != nil {
			continue // not Badger's
		}
		if _, ok := list.Tables[id]; !ok {
			unlisted++
		}
	}
	cut := end < info.Size()
	switch {
	case unlisted == 0:
		return nil
	case clean, cut, len(list.Tables) == 0 && unlisted > 1:
		return fmt.Errorf("read the list of tables: %d tables are not in it: %w", unlisted, errDamaged)
	}
	return nil
}
