package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fileError("open a folder", err)
	}
	err = errors.Join(dirSync(f), f.Close())
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}

// writeFile writes a small file so that it is there whole or not at all, and
// durable when it returns.
func writeFile(path string, body []byte) error {
	if err := writeUnsynced(path, body, true); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// writeUnsynced replaces a file by rename; with sync its bytes are durable,
// though not yet its name.
func writeUnsynced(path string, body []byte, sync bool) error {
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fileError("write in Cairn's folder", err)
	}
	_, err = f.Write(body)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fileError("write in Cairn's folder", errors.Join(err, os.Remove(tmp)))
	}
	return nil
}

// remove takes a file or folder away; one that is not there is fine.
func remove(path string) error {
	if err := os.RemoveAll(path); err != nil {
		return fileError("remove a file in Cairn's folder", err)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// private makes the files in a folder readable by their owner only: Badger
// makes its own as the process allows.
func private(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fileError("list a folder", err)
	}
	for _, e := range entries {
		err := os.Chmod(filepath.Join(dir, e.Name()), 0o600)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // compaction removes files meanwhile
			return fileError("protect a file", err)
		}
	}
	return nil
}

// copySparse copies a file and leaves out blocks of zeros: Badger's logs are
// pre-sized, and mostly empty.
func copySparse(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fileError("copy a file", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fileError("copy a file", err)
	}
	size, err := copyBlocks(in, out)
	if err == nil {
		err = out.Truncate(size)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fileError("copy a file", err)
	}
	return nil
}

func copyBlocks(in io.Reader, out io.WriterAt) (int64, error) {
	buf := make([]byte, 64<<10)
	var at int64
	for {
		n, err := io.ReadFull(in, buf)
		if n > 0 && !allZero(buf[:n]) {
			if _, werr := out.WriteAt(buf[:n], at); werr != nil {
				return at, werr
			}
		}
		at += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return at, nil
		}
		if err != nil {
			return at, err
		}
	}
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// freeName gives the first name "<base>-<n>" in a folder that is not taken.
func freeName(dir, base, ext string) string {
	for n := 1; ; n++ {
		path := filepath.Join(dir, fmt.Sprintf("%s-%d%s", base, n, ext))
		if !exists(path) {
			return path
		}
	}
}
