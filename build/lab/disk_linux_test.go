package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// What was synced is in every image; of what came later each page and each name is
// old or new, and over many images both are seen.
func TestImage(t *testing.T) {
	home := t.TempDir()
	write := func(name string, body []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(home, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page := func(b byte) []byte { return bytes.Repeat([]byte{b}, pageSize) }
	write("log", append(page('a'), page('b')...))
	write("gone", []byte("gone"))
	saved, err := readDisk(home)
	if err != nil {
		t.Fatal(err)
	}
	write("synced", []byte("synced"))
	if err := saved.keep(filepath.Join(home, "synced"), filepath.Join(home, "synced"), home); err != nil {
		t.Fatal(err)
	}
	write("log", bytes.Join([][]byte{page('A'), page('B'), []byte("tail")}, nil))
	write("fresh", []byte("fresh"))
	if err := os.Remove(filepath.Join(home, "gone")); err != nil {
		t.Fatal(err)
	}
	now, err := readDisk(home)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for seed := range uint64(200) {
		to := filepath.Join(t.TempDir(), "image")
		pages, names, err := saved.image(now, to, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if body, err := os.ReadFile(filepath.Join(to, "synced")); err != nil || string(body) != "synced" {
			t.Fatalf("what was synced is %q, %v", body, err)
		}
		log, err := os.ReadFile(filepath.Join(to, "log"))
		if err != nil || len(log) != 2*pageSize && len(log) != 2*pageSize+4 {
			t.Fatalf("the log has %d bytes, %v", len(log), err)
		}
		for i, both := range []string{"aA", "bB"} {
			part := log[i*pageSize : (i+1)*pageSize]
			if !bytes.Equal(part, page(both[0])) && !bytes.Equal(part, page(both[1])) {
				t.Fatalf("page %d is neither old nor new: %q", i, part[:8])
			}
			seen[string(part[:1])] = true
		}
		newest := len(log) > 2*pageSize && string(log[2*pageSize:]) == "tail" && log[0] == 'A' && log[pageSize] == 'B'
		for _, name := range []string{"gone", "fresh"} {
			_, err := os.Stat(filepath.Join(to, name))
			seen[name] = seen[name] || err == nil
			seen["no "+name] = seen["no "+name] || err != nil
			newest = newest && (err == nil) == (name == "fresh")
		}
		if fresh, err := os.ReadFile(filepath.Join(to, "fresh")); err == nil && string(fresh) != "fresh" {
			newest = false
		}
		if newest != (pages+names == 0) {
			t.Fatalf("the image is the newest: %t; but %d pages and %d names are said to be old", newest, pages, names)
		}
	}
	for _, what := range []string{"a", "A", "b", "B", "gone", "no gone", "fresh", "no fresh"} {
		if !seen[what] {
			t.Errorf("no image with %q", what)
		}
	}
}
