package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// damaged is what was done to a copy of a home.
type damaged struct {
	kind, what string
	file       string // in the home
	landed     bool   // bytes that were there are others now
}

// kinds of damage to one file.
var kindsOfDamage = []string{"bit", "block of 512", "block of 4096", "cut", "swapped", "missing"}

// damage spoils one file of the home in dir. only narrows it to a planted fault's
// kind: "bit vault", "bit journal", or "text", the loss of a text's record.
func (s stock) damage(dice *rand.Rand, dir, only string) (damaged, error) {
	files := s.files
	kind := kindsOfDamage[dice.IntN(len(kindsOfDamage))]
	if what, where, ok := strings.Cut(only, " "); ok {
		kind = what
		files = slices.DeleteFunc(slices.Clone(files), func(f string) bool {
			return !strings.HasPrefix(f, where) || strings.HasSuffix(f, ".vlog") || filepath.Base(f) == "KEYREGISTRY"
		})
	}
	if only == "text" {
		return s.dropText(dice, dir)
	}
	rel := pickFile(dice, files)
	d := damaged{kind: kind + " in " + class(rel), what: kind + " in " + rel, file: rel}
	path := filepath.Join(dir, rel)
	body, err := os.ReadFile(path)
	if err != nil {
		return d, fmt.Errorf("damage a home: %w", err)
	}
	used := len(bytes.TrimRight(body, "\x00"))
	if used == 0 && kind != "missing" && kind != "swapped" {
		return d, nil
	}
	at := 0
	if used > 0 {
		at = dice.IntN(used)
	}
	switch kind {
	case "bit":
		body[at] ^= 1 << dice.IntN(8)
		d.what, d.landed = fmt.Sprintf("%s at byte %d", d.what, at), true
	case "block of 512", "block of 4096":
		size := 512
		if kind == "block of 4096" {
			size = 4096
		}
		at -= at % size
		block := body[at:min(len(body), at+size)]
		d.what, d.landed = fmt.Sprintf("%s at byte %d", d.what, at), !allZero(block)
		clear(block)
	case "cut":
		body = body[:at]
		d.what, d.landed = fmt.Sprintf("%s at byte %d", d.what, at), true
	case "missing":
		d.landed = true
		return d, os.Remove(path)
	case "swapped":
		var others []string
		for _, f := range s.files {
			if f != rel && class(f) == class(rel) {
				others = append(others, f)
			}
		}
		if len(others) == 0 {
			return d, nil
		}
		other := filepath.Join(dir, others[dice.IntN(len(others))])
		theirs, err := os.ReadFile(other)
		if err != nil {
			return d, fmt.Errorf("damage a home: %w", err)
		}
		d.what, d.landed = d.what+" with "+filepath.Base(other), !bytes.Equal(body, theirs)
		tmp := path + ".swap"
		return d, errors.Join(os.Rename(path, tmp), os.Rename(other, path), os.Rename(tmp, other))
	}
	return d, writeSparse(path, body)
}

// pickFile draws a kind of file first, so that the many small ones are not nearly
// all; those that hold the records come more often.
func pickFile(dice *rand.Rand, files []string) string {
	kinds := map[string][]string{}
	var names []string
	for _, f := range files {
		k := class(f)
		if kinds[k] == nil {
			names = append(names, k)
			if strings.HasPrefix(k, "journal/") || strings.HasSuffix(k, ".sst") || strings.HasSuffix(k, ".mem") {
				names = append(names, k, k)
			}
		}
		kinds[k] = append(kinds[k], f)
	}
	list := kinds[names[dice.IntN(len(names))]]
	return list[dice.IntN(len(list))]
}

// dropText takes a text's record out of the store, as a lost table would.
func (s stock) dropText(dice *rand.Rand, dir string) (damaged, error) {
	var texts []string
	for _, f := range s.truth.Branches {
		for h := range f.Texts {
			texts = append(texts, h)
		}
	}
	slices.Sort(texts)
	h := texts[dice.IntN(len(texts))]
	return damaged{kind: "text", what: "text " + h[:8] + " taken out", landed: true}, dropText(dir, h)
}

// class is what kind of file it is.
func class(rel string) string {
	base := filepath.Base(rel)
	if dir, _, ok := strings.Cut(rel, string(filepath.Separator)); ok && (dir == "local" || dir == "draft" || dir == "aside") {
		return dir
	}
	switch ext := filepath.Ext(base); {
	case ext != "" && ext != base:
		return filepath.Dir(rel) + "/*" + ext
	case filepath.Dir(rel) == ".":
		return base
	}
	return filepath.Dir(rel) + "/" + base
}

func allZero(b []byte) bool { return len(bytes.TrimRight(b, "\x00")) == 0 }

// copySparse copies a file and leaves out blocks of zeros.
func copySparse(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	buf := make([]byte, 256<<10)
	var at int64
	for {
		n, rerr := io.ReadFull(in, buf)
		if n > 0 && !allZero(buf[:n]) {
			if _, err := out.WriteAt(buf[:n], at); err != nil {
				return errors.Join(err, out.Close())
			}
		}
		at += int64(n)
		if rerr != nil {
			break // the end
		}
	}
	return errors.Join(out.Truncate(at), out.Close())
}

// writeSparse replaces a file's bytes.
func writeSparse(path string, body []byte) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	used := len(bytes.TrimRight(body, "\x00"))
	_, err = out.Write(body[:used])
	return errors.Join(err, out.Truncate(int64(len(body))), out.Close())
}
