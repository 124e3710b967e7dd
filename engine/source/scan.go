package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/engine"
)

// File is one file of a folder of sources. Path and Rel stay on this machine.
type File struct {
	Path    string // absolute
	Rel     string // path below the folder, with slashes
	Name    string // base name, which may stand in a ledger
	Size    int64
	ModTime time.Time
	Skip    string // why it is never opened, a reason; "" for a file that is read
}

// Scan lists the files of dir and of the folders in it, sorted by Rel. It leaves
// out hidden files, Cairn's own exports and temporary files of other programs. What
// is there and is never opened (a link that leads out of dir, a pipe) is listed with
// the reason under Skip. A folder in it that can't be read is listed like a file, so
// that Extract reports it as denied. Errors are of KindSource and say what to do.
func Scan(ctx context.Context, dir string) ([]File, error) {
	root, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	var out []File
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, walkErr error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if path == root {
			return walkErr
		}
		if skipName(e.Name()) {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		f := File{Path: path, Name: e.Name()}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return fmt.Errorf("name a file of the folder: %w", err)
		}
		f.Rel = filepath.ToSlash(rel)
		if walkErr != nil { // this folder can't be read; the rest can
			out = append(out, f)
			return filepath.SkipDir
		}
		if e.IsDir() {
			return nil
		}
		info, skip, err := regular(root, path, e)
		if err != nil {
			return nil //nolint:nilerr // it went away while the folder was listed
		}
		f.ModTime, f.Skip = info.ModTime(), skip
		if skip == "" {
			f.Size = info.Size()
		}
		out = append(out, f)
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("list the folder: %w", ctx.Err())
	case err != nil:
		return nil, folderError(dir, err)
	case len(out) == 0:
		return nil, &engine.Error{Kind: engine.KindSource, What: "There are no files in the folder " + quoteName(dir) + ".",
			Safe: "Nothing was changed.", Do: "Put the documents into it, or choose another folder."}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Rel, b.Rel) })
	return out, nil
}

// HashFile gives the hash of a file's bytes, as a Document's File is.
func HashFile(path string) (string, error) {
	// Opening a pipe would wait for its other end.
	if info, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("hash a file: %w", err)
	} else if !info.Mode().IsRegular() {
		return "", errors.New("hash a file: it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hash a file: %w", err)
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("hash a file: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// There says why a folder can't be used; nil when it can. Nothing in it is looked at.
func There(dir string) error {
	_, err := openFolder(dir)
	return err
}

// openFolder resolves dir and explains why it can't be used.
func openFolder(dir string) (string, error) {
	if strings.TrimSpace(dir) == "" {
		return "", &engine.Error{Kind: engine.KindSource, What: "No folder is named.", Safe: "Nothing was changed.", Do: "Choose the folder that holds the documents."}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", folderError(dir, err)
	}
	root, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", folderError(dir, err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return "", folderError(dir, err)
	}
	if !info.IsDir() {
		return "", &engine.Error{Kind: engine.KindSource, What: quoteName(dir) + " is a file, not a folder.", Safe: "Nothing was changed.",
			Do: "Choose the folder that holds it."}
	}
	return root, nil
}

func folderError(dir string, err error) error {
	e := &engine.Error{Kind: engine.KindSource, Safe: "Nothing was changed.", Err: fmt.Errorf("open folder: %w", err)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.What, e.Do = "There is no folder "+quoteName(dir)+".", "Check its name, or whether its drive is connected."
	case errors.Is(err, fs.ErrPermission):
		e.What, e.Do = "The folder "+quoteName(dir)+" may not be read by this user.", "Give yourself the right to read it, or choose another folder."
	default:
		e.What, e.Do = "The folder "+quoteName(dir)+" can't be read.", "Check whether its drive is connected, or choose another folder."
	}
	return e
}

func quoteName(s string) string { return "“" + s + "”" }

// regular gives the facts of a file, following a link that stays inside root, or
// those of what is not opened with the reason. An error means that it is gone.
func regular(root, path string, e fs.DirEntry) (info fs.FileInfo, skip string, err error) {
	if info, err = e.Info(); err != nil {
		return nil, "", fmt.Errorf("look at an entry of the folder: %w", err)
	}
	if e.Type()&fs.ModeSymlink == 0 {
		if !info.Mode().IsRegular() {
			skip = NotRegular
		}
		return info, skip, nil
	}
	to, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrPermission) {
		return info, Denied, nil
	}
	if err != nil {
		return info, LinkBroken, nil //nolint:nilerr // also a ring of links
	}
	if to != root && !strings.HasPrefix(to, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
		return info, LinkOut, nil
	}
	at, err := os.Stat(to)
	switch {
	case err != nil:
		return info, LinkBroken, nil //nolint:nilerr // it went away in this moment
	case at.IsDir():
		return info, LinkFolder, nil
	case !at.Mode().IsRegular():
		return info, NotRegular, nil
	}
	return at, "", nil
}

// skipName: hidden, ours, or somebody's temporary or lock file.
func skipName(name string) bool {
	low := strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "~$"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true
	case strings.HasSuffix(low, ".cairn.md"), strings.HasSuffix(name, "~"):
		return true
	case low == "thumbs.db", low == "desktop.ini", low == "$recycle.bin", low == "system volume information", low == "__macosx":
		return true
	}
	for _, end := range []string{".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp", ".swo", ".lock", ".lck", ".bak~"} {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	return false
}
