package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cairn/engine"
)

// restoredDir is where a backup's store is written before it takes its place.
func (h Home) vaultRestore() string { return h.join("vault.restore") }

// restoring names the folder in aside that the old records go to while a backup
// takes their place.
func (h Home) restoring() string { return h.join("restoring") }

// records are what a restore sets aside, and what makes a folder one with records.
func (h Home) records() []string {
	return []string{"vault", "journal", "draft", "local", "clean", "starts", "sync-failed", "repair", "compare", "deleting", "vault.new", "vault.old"}
}

// Records tells whether the folder holds records of Cairn.
func (h Home) Records() bool {
	if exists(h.Vault()) {
		return true
	}
	names, err := filepath.Glob(filepath.Join(h.Journals(), "*"+journalExt))
	return err != nil || len(names) > 0
}

// Restored says what a restore did.
type Restored struct {
	Backup
	Aside string // where the records that were here before are now, "" for none
}

// Restore puts a backup in the place of the records of a folder that nobody has
// open, and whose lock this process holds. It never overwrites: where there are
// records it refuses, or, with aside, moves them to a folder in aside. The backup is
// read whole before anything is moved. A crash leaves the old records or the
// backup's, never a mixture: the next opening finishes what was begun.
func Restore(ctx context.Context, home Home, lock *HomeLock, path string, aside bool, o Options, tell Progress) (Restored, error) {
	var out Restored
	if lock == nil || lock.home != home || !lock.file.Locked() {
		return out, fmt.Errorf("restore a backup: the folder's lock is not held")
	}
	if err := finishRestore(home); err != nil {
		return out, err
	}
	had := home.Records()
	if had && !aside {
		return out, &engine.Error{
			Kind: engine.KindUsage, What: "There are records in this folder already.",
			Safe: "Nothing was changed.",
			Do:   "Name an empty folder with --home, or add --set-aside: then what is here is moved to the folder aside, and kept.",
		}
	}
	var err error
	if out.Backup, err = VerifyBackup(ctx, path, tell); err != nil {
		return out, err
	}
	if err := unpack(ctx, home, path, tell); err != nil {
		return out, errors.Join(err, remove(home.vaultRestore()))
	}
	if err := os.MkdirAll(home.Aside(), 0o700); err != nil {
		return out, fileError("make Cairn's folders", err)
	}
	to := freeName(home.Aside(), "home", "")
	if had {
		out.Aside = to
	}
	if err := writeFile(home.restoring(), []byte(filepath.Base(to)+"\n")); err != nil {
		return out, err
	}
	if err := finishRestore(home); err != nil {
		return out, err
	}
	// Opened once, the journals are written, and it is known that it opens.
	s, _, err := Open(home, lock, o)
	if err != nil {
		return out, fmt.Errorf("open what was restored: %w", err)
	}
	return out, s.Close()
}

// unpack writes a backup's records into a new store beside the old one.
func unpack(ctx context.Context, home Home, path string, tell Progress) (err error) {
	dir := home.vaultRestore()
	if err := remove(dir); err != nil {
		return err
	}
	to, err := openKV(dir, true)
	if err != nil {
		return err
	}
	var batch []record
	size := 0
	var n int64
	flush := func() error {
		err := to.putAll(batch)
		batch, size = batch[:0], 0
		return err
	}
	_, err = readBackup(ctx, path, func(_ kind, key, _, env []byte) error {
		n++
		tell.say("writing records", n, 0)
		batch = append(batch, record{bytes.Clone(key), bytes.Clone(env)})
		if size += len(env); size > maxTxn/2 || len(batch) == 500 {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err = errors.Join(err, to.close()); err != nil {
		return err
	}
	if err := syncFiles(dir); err != nil {
		return err
	}
	return syncDir(string(home))
}

// finishRestore moves the old records aside and the restored store into its place,
// or goes on with that after a crash. Without a restore it does nothing.
func finishRestore(home Home) error {
	note, err := os.ReadFile(home.restoring())
	if errors.Is(err, os.ErrNotExist) {
		return remove(home.vaultRestore()) // of a restore that had not begun to move
	}
	if err != nil {
		return fileError("read what was being restored", err)
	}
	name := strings.TrimSpace(string(note))
	if name != filepath.Base(name) || !strings.HasPrefix(name, "home-") {
		return damaged("The note of what was being restored is damaged.", fmt.Errorf("it names %q", name))
	}
	if exists(home.vaultRestore()) { // until it is moved, what is here are the old records
		to := filepath.Join(home.Aside(), name)
		if err := os.MkdirAll(to, 0o700); err != nil {
			return fileError("set the records aside", err)
		}
		for _, r := range home.records() {
			if err := os.Rename(home.join(r), filepath.Join(to, r)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fileError("set the records aside", err)
			}
		}
		if err := errors.Join(syncDir(to), syncDir(home.Aside()), syncDir(string(home))); err != nil {
			return err
		}
		if err := os.Rename(home.vaultRestore(), home.Vault()); err != nil {
			return fileError("put the backup in place", err)
		}
		if err := os.Remove(to); err != nil && !exists(to) { // an empty one was not needed
			return fileError("set the records aside", err)
		}
	}
	if err := syncDir(string(home)); err != nil {
		return err
	}
	return errors.Join(remove(home.restoring()), syncDir(string(home)))
}
