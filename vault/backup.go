package vault

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/engine"
)

// A backup is one file: a magic line, the envelopes of all records in key order,
// then a trailer: its magic, the number of records (8) and the SHA-256 of everything
// before the sum. It needs neither Badger nor journals, which are written from it.
const (
	backupMagic   = "Cairn backup 1\n"
	backupTrailer = "CEND"
	trailerSize   = len(backupTrailer) + 8 + sha256.Size
	backupExt     = ".cairnbackup"
	backupPrefix  = "cairn-"
	backupTime    = "20060102T150405Z"
)

// Backups is the folder in Cairn's own in which backups stand that name no other.
func (h Home) Backups() string { return h.join("backups") }

// Backup is a backup as it stands in a folder.
type Backup struct {
	Path                      string
	At                        time.Time
	Bytes                     int64
	Records, Histories, Lines int64 // known after it was read
}

// Backup writes everything that is saved to a new file in a folder ("" is Cairn's
// own), reads it back whole, and then removes all but the newest keep backups of the
// folder (0: none). Tasks may go on meanwhile; what they save after the beginning is
// not in it. A backup that fails is removed, and no other is touched.
func (s *Store) Backup(ctx context.Context, folder string, at time.Time, keep int, tell Progress) (made Backup, removed []string, err error) {
	if folder == "" {
		folder = s.home.Backups()
	}
	kv, err := s.store(ctx)
	if err != nil {
		return made, nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return made, nil, fileError("make the folder for backups", err)
	}
	free, err := s.o.FreeSpace(folder)
	if err != nil {
		return made, nil, err
	}
	if need := uint64(diskUse(s.home.Vault())) + openRoom; free < need {
		return made, nil, diskFull(fmt.Errorf("%d bytes free where the backup goes, %d needed", free, need))
	}
	path := filepath.Join(folder, backupPrefix+at.UTC().Format(backupTime)+backupExt)
	if exists(path) {
		return made, nil, &engine.Error{Kind: engine.KindUsage, What: "There is a backup of this second already.", Safe: "Nothing was changed."}
	}
	tmp := path + ".tmp"
	err = writeBackup(ctx, tmp, func(put func(key, env []byte) error) error {
		var n int64
		return kv.each(nil, nil, func(key, env []byte) (bool, error) {
			if err := alive(ctx); err != nil {
				return false, err
			}
			// A damaged record must not go into a backup that may replace a good one.
			if _, err := unseal(kindOfKey(key), key, env); err != nil {
				return false, s.readError("The record of "+recordName(key)+" is damaged, so no backup was made.", err)
			}
			n++
			tell.say("writing records", n, 0)
			return true, put(key, env)
		})
	})
	if err == nil {
		made, err = VerifyBackup(ctx, tmp, tell)
	}
	if err == nil {
		err = fileError("name the backup", os.Rename(tmp, path))
	}
	if err != nil {
		return made, nil, errors.Join(err, remove(tmp))
	}
	if err := syncDir(folder); err != nil {
		return made, nil, err
	}
	made.Path, made.At = path, at.UTC().Truncate(time.Second)
	removed, err = rotate(folder, keep)
	return made, removed, err
}

// rotate removes all but the newest keep backups of a folder.
func rotate(folder string, keep int) ([]string, error) {
	list, err := Backups(folder)
	if err != nil || keep <= 0 || len(list) <= keep {
		return nil, err
	}
	var removed []string
	for _, b := range list[keep:] {
		if err := remove(b.Path); err != nil {
			return removed, err
		}
		removed = append(removed, b.Path)
	}
	return removed, syncDir(folder)
}

// Backups lists the backups of a folder, newest first; a folder that is not there
// has none. They are not read.
func Backups(folder string) ([]Backup, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError("list the backups", err)
	}
	var out []Backup
	for _, e := range entries {
		stamp, ok := strings.CutPrefix(e.Name(), backupPrefix)
		stamp, ok2 := strings.CutSuffix(stamp, backupExt)
		at, perr := time.Parse(backupTime, stamp)
		if !ok || !ok2 || perr != nil {
			continue // somebody else's file
		}
		info, err := e.Info()
		if err != nil {
			return nil, fileError("list the backups", err)
		}
		out = append(out, Backup{Path: filepath.Join(folder, e.Name()), At: at, Bytes: info.Size()})
	}
	slices.SortFunc(out, func(a, b Backup) int { return b.At.Compare(a.At) })
	return out, nil
}

// writeBackup writes a backup file of what records puts, synced.
func writeBackup(ctx context.Context, path string, records func(put func(key, env []byte) error) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fileError("write the backup", err)
	}
	sum := sha256.New()
	buf := bufio.NewWriterSize(f, 1<<20)
	w := io.MultiWriter(buf, sum)
	_, err = io.WriteString(w, backupMagic)
	var n uint64
	if err == nil {
		err = records(func(_, env []byte) error {
			n++
			_, err := w.Write(env)
			return err
		})
	}
	if err == nil {
		_, err = w.Write(binary.BigEndian.AppendUint64([]byte(backupTrailer), n))
	}
	if err == nil {
		_, err = buf.Write(sum.Sum(nil))
	}
	if err == nil {
		err = errors.Join(ctx.Err(), buf.Flush(), f.Sync())
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(fileError("write the backup", err), remove(path))
	}
	return nil
}
