package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"cairn/engine/ledger"
)

// published gives the lines of every ledger in docs/vectors, those that are
// refused, and the ledgers that are.
func published(t testing.TB) (good [][][]byte, lines [][]byte, broken [][][]byte) {
	t.Helper()
	read := func(path string, into any) {
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("../../docs/vectors/ledgers/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no ledgers: %v", err)
	}
	for _, path := range files {
		var v struct{ Groups []struct{ Lines []string } }
		read(path, &v)
		var all [][]byte
		for _, g := range v.Groups {
			for _, l := range g.Lines {
				all = append(all, []byte(l))
			}
		}
		good = append(good, all)
	}
	var b struct {
		Lines   []struct{ Line string }
		Ledgers []struct{ Lines []string }
	}
	read("../../docs/vectors/broken.json", &b)
	for _, l := range b.Lines {
		lines = append(lines, []byte(l.Line))
	}
	for _, g := range b.Ledgers {
		var all [][]byte
		for _, l := range g.Lines {
			all = append(all, []byte(l))
		}
		broken = append(broken, all)
	}
	return good, lines, broken
}

// FuzzLine: what is read can be written again to the same bytes and is valid by the
// schema; what is refused has a code.
func FuzzLine(f *testing.F) {
	good, lines, _ := published(f)
	seen := map[string]bool{}
	for _, g := range good {
		for _, l := range g {
			line, err := ledger.Decode(l)
			if err != nil {
				f.Fatal(err)
			}
			if !line.Withheld && !seen[line.Op.OpName()] {
				seen[line.Op.OpName()] = true
				f.Add(l)
			}
		}
	}
	for i, l := range lines {
		if i%7 == 0 {
			f.Add(l)
		}
	}
	f.Add(ledger.Withhold(ledger.Hash{1}))
	schema := compile(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ledger.Decode(b)
		if err != nil {
			if ledger.CodeOf(err) == "" {
				t.Fatalf("%q: no code: %v", b, err)
			}
			return
		}
		frame, err := ledger.DecodeFrame(b)
		if err != nil || frame.Hash != l.Hash || frame.Withheld != l.Withheld || frame.Seq != l.Seq || frame.N != l.N || frame.Group != l.Group {
			t.Fatalf("frame of %q: %+v, %v", b, frame, err)
		}
		if !l.Withheld {
			again, err := ledger.Encode(l.Head, l.Op)
			if err != nil || !bytes.Equal(again, b) {
				t.Fatalf("%q came back as %q, %v", b, again, err)
			}
		}
		if err := valid(schema, string(b)); err != nil {
			t.Fatalf("%q is read, and the schema refuses it: %v", b, err)
		}
	})
}

// FuzzChain takes a text of lines, withholds those that mask names, and verifies: no
// panic, a code for what is refused, and the same end with log lines withheld.
func FuzzChain(f *testing.F) {
	good, _, broken := published(f)
	for i, g := range append(good, broken...) {
		f.Add(bytes.Join(g, []byte("\n")), uint64(1)<<(i%32)|uint64(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, mask uint64) {
		lines := bytes.Split(text, []byte("\n"))
		want, err := ledger.VerifyChain(lines, ledger.Hash{})
		var at *ledger.LineError
		if err != nil {
			if !errors.As(err, &at) || ledger.CodeOf(err) == "" || at.Line < 1 || at.Line > len(lines) {
				t.Fatalf("%v (code %q)", err, ledger.CodeOf(err))
			}
			return
		}
		var chain ledger.Hash
		hidden := bytes.Clone(text)
		all := bytes.Split(hidden, []byte("\n"))
		for i, l := range lines {
			frame, err := ledger.DecodeFrame(l)
			if err != nil {
				t.Fatalf("line %d was taken and can't be read: %v", i+1, err)
			}
			chain = chain.Extend(frame.Hash)
			if mask>>(i%64)&1 == 1 && !frame.Withheld {
				all[i] = ledger.Withhold(frame.Hash)
			}
		}
		if chain != want {
			t.Fatalf("chain %s, verified %s", chain, want)
		}
		got, err := ledger.VerifyChain(all, ledger.Hash{})
		if err == nil && got != want {
			t.Fatalf("with lines withheld the chain is %s, without %s", got, want)
		}
		if err != nil && ledger.CodeOf(err) == "" {
			t.Fatalf("no code: %v", err)
		}
	})
}

// FuzzGroups: the groups that come out, and the rest, are the lines that went in, in
// order; no group is beyond its limits.
func FuzzGroups(f *testing.F) {
	good, _, broken := published(f)
	for _, g := range append(good, broken...) {
		f.Add(bytes.Join(g, []byte("\n")), int64(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, first int64) {
		if first < 1 || first > 1<<50 {
			return
		}
		g := ledger.NewGrouper(first)
		var in, out [][]byte
		next := first
		take := func(group ledger.Group) {
			bytes := 0
			for _, l := range group.Lines {
				bytes += len(l) + 1
			}
			if group.First != next || group.Bytes != bytes {
				t.Fatalf("a group from %d of %d bytes, want from %d of %d", group.First, group.Bytes, next, bytes)
			}
			next += int64(len(group.Lines))
			out = append(out, group.Lines...)
		}
		for _, l := range bytes.Split(text, []byte("\n")) {
			groups, err := g.Add(l)
			if err != nil {
				if ledger.CodeOf(err) == "" {
					t.Fatalf("no code: %v", err)
				}
				return
			}
			in = append(in, l)
			for _, group := range groups {
				if n := len(group.Lines); n == 0 || n > ledger.MaxGroupLines {
					t.Fatalf("a group of %d lines", n)
				}
				take(group)
			}
		}
		take(g.Rest())
		if !bytes.Equal(bytes.Join(in, []byte("\n")), bytes.Join(out, []byte("\n"))) {
			t.Fatal("what came out is not what went in")
		}
	})
}
