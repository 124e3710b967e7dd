package state_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"

	"pgregory.net/rapid"
)

func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here: the second reader is not run")
	}
	return path
}

// TestSecondReaderOverVectors: the reader written in Python from vault/FORMAT.md
// agrees with every published ledger.
func TestSecondReaderOverVectors(t *testing.T) {
	out, err := exec.Command(python(t), "../../docs/verify.py", "--vectors", vectorsDir).CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("Checked: ")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSecondReaderOverRandomLedgers: both readers make the same state of ledgers
// that nobody thought of, and find the same ops without effect.
func TestSecondReaderOverRandomLedgers(t *testing.T) {
	interpreter, dir := python(t), t.TempDir()
	var files []string
	var want strings.Builder
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, "", true)
		w.grow(rapid.IntRange(5, 40).Draw(t, "groups"))
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", len(files)))
		files = append(files, path)
		if err := os.WriteFile(path, append(bytes.Join(w.Lines, []byte("\n")), '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		s := state.New()
		for _, raw := range w.Lines {
			l, err := ledger.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range s.Apply(l) {
				fmt.Fprintf(&want, "%s: line %d has no effect: %s\n", path, f.Seq, f.Code)
			}
		}
		fmt.Fprintf(&want, "%s: %d lines, chain %s, state %s, fold %d\n", path, s.Seq, s.Chain, s.Hash(), state.FoldVersion)
	})
	out, err := exec.Command(interpreter, append([]string{filepath.Join(vectorsDir, "fold.py")}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-1500):])
	}
	got, expected := strings.Split(string(out), "\n"), strings.Split(want.String(), "\n")
	for i := range expected {
		if i >= len(got) || got[i] != expected[i] {
			other := ""
			if i < len(got) {
				other = got[i]
			}
			name, _, _ := strings.Cut(expected[i], ":")
			lines, _ := os.ReadFile(name)
			t.Fatalf("Go:     %s\nPython: %s\n%s", expected[i], other, lines)
		}
	}
}
