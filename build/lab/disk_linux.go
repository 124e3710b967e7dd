package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// A disk as a power cut leaves it: of every file the 4 KiB pages that were synced,
// of every folder the names that were synced. What came later is there or is not,
// page by page and name by name. Syncing a file makes the names that lead to it
// durable as well, as it does on the file systems of today (ext4, XFS, Btrfs, APFS,
// NTFS); POSIX does not ask for it.

const pageSize = 4096

// inode tells files apart, also when a number is used again.
type inode struct {
	number uint64
	born   unix.StatxTimestamp
}

// content is what a file holds: its pages that are not all zeros.
type content struct {
	size  int64
	pages map[int64][]byte
}

// entry is a name in a folder.
type entry struct {
	id  inode
	dir bool
}

// disk is a tree of files.
type disk struct {
	root  inode
	files map[inode]content
	dirs  map[inode]map[string]entry
	// direct are files of which every write is synced at once.
	direct map[inode]*os.File
}

func identify(path string) (inode, error) {
	var x unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_BTIME, &x)
	return inode{x.Ino, x.Btime}, err
}

// readDisk reads a tree as it is now.
func readDisk(root string) (*disk, error) {
	d := &disk{files: map[inode]content{}, dirs: map[inode]map[string]entry{}, direct: map[inode]*os.File{}}
	var err error
	if d.root, err = identify(root); err != nil {
		return nil, fmt.Errorf("read a disk: %w", err)
	}
	return d, d.readAll(root, d.root)
}

func (d *disk) readAll(dir string, id inode) error {
	names, err := readNames(dir)
	if err != nil {
		return fmt.Errorf("read a disk: %w", err)
	}
	d.dirs[id] = names
	for name, e := range names {
		path := filepath.Join(dir, name)
		if e.dir {
			err = d.readAll(path, e.id)
		} else if d.files[e.id], err = readContent(path); err != nil {
			err = fmt.Errorf("read a disk: %w", err)
		}
		if errors.Is(err, fs.ErrNotExist) {
			delete(names, name) // it went while this was read
		} else if err != nil {
			return err
		}
	}
	return nil
}

// readNames reads the files and folders in a folder.
func readNames(dir string) (map[string]entry, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]entry{}
	for _, item := range list {
		if !item.IsDir() && !item.Type().IsRegular() {
			continue
		}
		id, err := identify(filepath.Join(dir, item.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[item.Name()] = entry{id, item.IsDir()}
	}
	return out, nil
}

func readContent(path string) (content, error) {
	c := content{pages: map[int64][]byte{}}
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	if c.size, err = f.Seek(0, io.SeekEnd); err != nil {
		return c, err
	}
	for at := int64(0); at < c.size; {
		begin, err := unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break
		}
		if err != nil {
			return c, err
		}
		end, err := unix.Seek(int(f.Fd()), begin, unix.SEEK_HOLE)
		if err != nil {
			return c, err
		}
		begin -= begin % pageSize
		buf := make([]byte, end-begin)
		n, err := f.ReadAt(buf, begin)
		if err != nil && err != io.EOF {
			return c, err
		}
		for i := 0; i < n; i += pageSize {
			if page := buf[i:min(n, i+pageSize)]; slices.ContainsFunc(page, func(b byte) bool { return b != 0 }) {
				c.pages[(begin+int64(i))/pageSize] = page
			}
		}
		at = end
	}
	return c, nil
}

// image writes the tree in which what differs between the disk and now is old or
// new by chance, and says how many pages and names are not the ones of now.
func (d *disk) image(now *disk, to string, dice *rand.Rand) (pages, names int, err error) {
	for id := range d.direct {
		d.files[id] = now.files[id]
	}
	m := &mixing{old: d, now: now, dice: dice, chance: []float64{0.5, 0.5, 0.1, 0.9, 1}[dice.IntN(5)]}
	if err := m.folder(d.root, to); err != nil {
		return 0, 0, fmt.Errorf("write an image: %w", err)
	}
	return m.pages, m.names, nil
}

type mixing struct {
	old, now     *disk
	dice         *rand.Rand
	chance       float64 // that something that differs is old
	pages, names int
}

func (m *mixing) takesOld() bool { return m.dice.Float64() < m.chance }

func (m *mixing) folder(id inode, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	old, now := m.old.dirs[id], m.now.dirs[id]
	if now == nil {
		now = old // the folder is not there any more: only its old names can be
	}
	all := maps.Clone(old)
	if all == nil {
		all = map[string]entry{}
	}
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) { // for the seed to repeat it
		was, before := old[name]
		is, after := now[name]
		if (was != is || before != after) && m.takesOld() {
			m.names++
			is, after = was, before
		}
		if !after {
			continue
		}
		var err error
		if path := filepath.Join(to, name); is.dir {
			err = m.folder(is.id, path)
		} else {
			err = m.file(is.id, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *mixing) file(id inode, to string) error {
	old := m.old.files[id]
	now, ok := m.now.files[id]
	if !ok {
		now = old // the file is not there any more
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	size := now.size
	if old.size != now.size && m.takesOld() {
		m.pages++
		size = old.size
		if between := (now.size - old.size) / pageSize; between > 1 && m.dice.IntN(2) == 0 {
			size = (old.size/pageSize + m.dice.Int64N(between) + 1) * pageSize
		}
	}
	all := maps.Clone(now.pages)
	if all == nil {
		all = map[int64][]byte{}
	}
	maps.Copy(all, old.pages)
	for _, n := range slices.Sorted(maps.Keys(all)) {
		page := now.pages[n]
		if was := old.pages[n]; !slices.Equal(was, page) && m.takesOld() {
			m.pages++
			page = was
		}
		if room := size - n*pageSize; room <= 0 || len(page) == 0 {
			continue
		} else if int64(len(page)) > room {
			page = page[:room]
		}
		if _, err := f.WriteAt(page, n*pageSize); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(f.Truncate(size), f.Close())
}
