package vault

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Trying a copy leaves the tables alone that the copy shares with the store, also
// where Badger would merge them: it empties a table that it removes.
func TestTrialLeavesTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	for n := range 8 { // each end makes a table
		s, err := openTrial(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			key := localKey("test", string(rune('a'+n))+string(rune('a'+i)))
			env, err := seal(kindLocal, key, bytes.Repeat([]byte{byte(i)}, 2000))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.put([]record{{key, env}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) < 8 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	before := map[string][]byte{}
	for _, path := range tables {
		if before[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		to := filepath.Join(t.TempDir(), "try")
		if err := copyStore(dir, to); err != nil {
			t.Fatal(err)
		}
		s, err := openTrial(to)
		if err != nil {
			t.Fatal(err)
		}
		if n := s.db.Opts().NumCompactors; n != 0 {
			t.Fatalf("%d compactors", n)
		}
		if err := s.each(nil, nil, func(_, _ []byte) (bool, error) { return true, nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		for path, want := range before {
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s has %d bytes instead of %d, %v", filepath.Base(path), len(got), len(want), err)
			}
		}
	}
}

// The child ends when nobody waits for it any more, whatever it is doing.
func TestOrphanEnds(t *testing.T) {
	hangs := func(context.Context, []string) error { select {} }
	if code := probeUntil(strings.NewReader(""), hangs, nil); code != probeBad {
		t.Errorf("it ended with %d", code)
	}
	lives, asker := io.Pipe()
	defer asker.Close()
	if code := probeUntil(lives, func(context.Context, []string) error { return nil }, nil); code != probeGood {
		t.Errorf("with somebody who waits it ended with %d", code)
	}
}
