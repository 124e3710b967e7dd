package vault_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"cairn/engine"
	"cairn/engine/handoff"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/state/statetest"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

// writeGolden packs a new golden home for the present fold version. Golden homes
// of versions that were released are never written again.
var writeGolden = flag.Bool("write-golden", false, "pack vault/testdata/golden for the present versions")

// golden says what a packed home holds.
type golden struct {
	Format   int64
	Fold     int64
	Branches []goldenBranch
	Blobs    []string
	File     goldenFile // the hand-off file beside it
}

type goldenBranch struct {
	Name, ID, Parent string
	Lines            int64
	State            string // after the last line, by the fold version it was written under
}

type goldenFile struct {
	Chain, State  string
	Lines, Claims int64
}

func goldenDir(fold int64) string {
	return filepath.Join("testdata", "golden", fmt.Sprintf("format%d-fold%d", ledger.FormatVersion, fold))
}

func TestGolden(t *testing.T) {
	if *writeGolden {
		packGolden(t)
	}
	dirs, err := filepath.Glob(filepath.Join("testdata", "golden", "format*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no golden homes: %v", err)
	}
	present := false
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var g golden
			b, err := os.ReadFile(filepath.Join(dir, "golden.json"))
			if err == nil {
				err = json.Unmarshal(b, &g)
			}
			if err != nil || len(g.Branches) < 8 || len(g.Blobs) < 4 {
				t.Fatalf("golden.json: %v, %+v", err, g)
			}
			present = present || g.Fold == state.FoldVersion && g.Format == ledger.FormatVersion
			h := &home{t: t, dir: vault.Home(filepath.Join(t.TempDir(), "home")), opts: vault.Options{FreeSpace: roomy}}
			unpack(t, filepath.Join(dir, "home.tar.zst"), string(h.dir))
			t.Cleanup(h.end)
			h.open()
			h.quiet()
			h.sound()
			readGolden(t, h, g)
			h.end()
			if err := os.RemoveAll(h.dir.Vault()); err != nil {
				t.Fatal(err)
			}
			h.open() // from the journals alone; texts can't come from them
			if !h.Rebuilt {
				t.Error("the store was not built from the journals")
			}
			readBranches(t, h, g)
			readGoldenFile(t, dir, g)
		})
	}
	if !present {
		t.Errorf("no golden home of format %d and fold %d: write one with -write-golden", ledger.FormatVersion, state.FoldVersion)
	}
}

func readGolden(t *testing.T, h *home, g golden) {
	t.Helper()
	readBranches(t, h, g)
	for _, b := range g.Blobs {
		hash, err := ledger.ParseHash(b)
		if err != nil {
			t.Fatal(err)
		}
		body, err := h.Blob(bg, hash)
		if err != nil || ledger.HashOf(body) != hash {
			t.Errorf("text %s: %v", b, err)
		}
	}
}

func readBranches(t *testing.T, h *home, g golden) {
	t.Helper()
	for _, want := range g.Branches {
		b, err := h.Branch(bg, want.ID)
		if err != nil || b.Head.Seq != want.Lines || b.Parent != want.Parent || b.Damage != "" {
			t.Errorf("%s: %+v, %v", want.Name, b, err)
			continue
		}
		s := state.New()
		var findings []state.Finding
		err = h.Lines(bg, want.ID, 1, func(_ int64, raw []byte) error {
			line, err := ledger.Decode(bytes.Clone(raw))
			if err == nil {
				findings = append(findings, s.Apply(line)...)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", want.Name, err)
		}
		for _, f := range findings {
			if f.Code == state.CodeState || f.Code == state.CodeChain {
				t.Errorf("%s: %+v", want.Name, f)
			}
		}
		if got := s.Hash().String(); g.Fold == state.FoldVersion && got != want.State {
			t.Errorf("%s: state %s, want %s", want.Name, got, want.State)
		}
		if n := len(s.Checkpoints); n == 0 || s.Checkpoints[n-1].Fold != g.Fold || s.Checkpoints[n-1].State != want.State {
			t.Errorf("%s: its newest checkpoint does not name the recorded state", want.Name)
		}
	}
}

func readGoldenFile(t *testing.T, dir string, g golden) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "task.cairn.md"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := handoff.Verify(b)
	if err != nil || r.Chain != g.File.Chain || r.Lines != g.File.Lines || r.Claims != g.File.Claims {
		t.Errorf("hand-off file: %+v, %v", r, err)
	}
	if g.Fold == state.FoldVersion && r.State != g.File.State {
		t.Errorf("hand-off file: state %s, want %s", r.State, g.File.State)
	}
}

// TestNewerLineIsKeptAndNamed: storage knows no ops, so it keeps a line of a format
// to come byte for byte, through openings and a rebuilt store; whoever reads it is
// told which version is needed.
func TestNewerLineIsKeptAndNamed(t *testing.T) {
	raw := []byte(`{"at":1,"by":"engine","g":1,"glow":"x","n":1,"op":"shine","prev":"` + ledger.Hash{}.String() + `","seq":1,"v":2}`)
	h := newHome(t)
	id, err := h.Begin(bg, "", [][]byte{raw})
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, string(h.dir.Journals()))
	h.reopen()
	h.quiet()
	h.end()
	if err := os.RemoveAll(h.dir.Vault()); err != nil {
		t.Fatal(err)
	}
	h.open()
	if !maps.Equal(before, contents(t, string(h.dir.Journals()))) {
		t.Error("the journal was changed")
	}
	lines := vaulttest.Read(t, h, id, 1)
	if len(lines) != 1 || !bytes.Equal(lines[0], raw) {
		t.Fatalf("it came back as %q", lines)
	}
	var newer *ledger.NewerError
	if _, err := ledger.Decode(lines[0]); !errors.As(err, &newer) || newer.Version != 2 {
		t.Errorf("read: %v", err)
	}
	if _, err := handoff.Parse(fileOf(raw)); engine.KindOf(err) != engine.KindNewer {
		t.Errorf("a file with it: %v", err)
	}
	file, err := os.ReadFile(filepath.Join(goldenDir(state.FoldVersion), "task.cairn.md"))
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Replace(file, []byte("<!-- cairn:begin v=1 "), []byte("<!-- cairn:begin v=2 "), 1)
	if _, err := handoff.Parse(later); engine.KindOf(err) != engine.KindNewer || !strings.Contains(err.Error(), "format 2") {
		t.Errorf("a file of format 2: %v", err)
	}
}

// fileOf is a hand-off file with that one line.
func fileOf(line []byte) []byte {
	block := append(bytes.Clone(line), '\n')
	return fmt.Appendf(nil, "<!-- cairn:begin v=1 segments=1 lines=1 bytes=%d sha256=%s -->\n```cairn-jsonl\n%s```\n<!-- cairn:end -->\n",
		len(block), ledger.HashOf(block), block)
}

// packGolden writes the golden home of the present versions.
func packGolden(t *testing.T) {
	t.Helper()
	dir := goldenDir(state.FoldVersion)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	vectors, err := statetest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	h := newHome(t)
	g := golden{Format: ledger.FormatVersion, Fold: state.FoldVersion}
	texts := map[string]handoff.Text{}
	ids := map[string]string{}
	for _, v := range vectors {
		if v.Name == "refused" || v.Name == "root" {
			continue // one ends in a checkpoint that does not fit; the other in none of its own
		}
		for _, body := range v.Texts {
			hash, err := h.PutBlob(bg, body)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(g.Blobs, hash.String()) {
				g.Blobs = append(g.Blobs, hash.String())
			}
		}
		parent, groups, at := "", v.Groups, 0
		if v.Name == "fork" {
			parent, groups, at = ids["simple"], v.Groups[2:], v.Groups[0]+v.Groups[1]
		}
		id := ""
		for _, n := range groups {
			group := v.Lines[at : at+n]
			at += n
			if id == "" {
				id, err = h.Begin(bg, parent, group)
			} else {
				err = h.Append(bg, id, group)
			}
			if err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
		}
		ids[v.Name] = id
		g.Branches = append(g.Branches, goldenBranch{v.Name, id, parent, v.State.Seq, v.State.Hash().String()})
		if v.Name != "person" {
			continue
		}
		for i := 0; i+1 < len(v.Texts); i += 2 {
			table, err := source.DecodeTable(v.Texts[i+1])
			if err != nil {
				t.Fatal(err)
			}
			for _, src := range v.State.Sources {
				if src.Body == ledger.HashOf(v.Texts[i]).String() {
					texts[src.ID] = handoff.Text{Body: v.Texts[i], Table: &table}
				}
			}
		}
		file, err := handoff.Export(handoff.Input{App: "Cairn", Withhold: true, Lines: func(fn func(int64, []byte) error) error {
			for i, raw := range v.Lines {
				if err := fn(int64(i+1), raw); err != nil {
					return err
				}
			}
			return nil
		}, Texts: func(id string) (handoff.Text, error) {
			if text, ok := texts[id]; ok {
				return text, nil
			}
			return handoff.Text{}, &engine.Error{Kind: engine.KindNotFound, What: "There is no such text."}
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := handoff.Verify(file)
		if err != nil {
			t.Fatal(err)
		}
		g.File = goldenFile{r.Chain, r.State, r.Lines, r.Claims}
		if err := os.WriteFile(filepath.Join(dir, "task.cairn.md"), file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.end()
	pack(t, string(h.dir), filepath.Join(dir, "home.tar.zst"))
	b, err := json.MarshalIndent(g, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "golden.json"), append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// pack puts a folder's files into one archive, without times and owners.
func pack(t *testing.T, from, to string) {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Size: int64(len(b)), Mode: 0o600}); err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	})
	if err = errors.Join(err, w.Close(), z.Close()); err == nil {
		err = os.WriteFile(to, out.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", to, out.Len())
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, filepath.FromSlash(head.Name))
		b, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
