package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"cairn/build/stage"
)

const (
	runtimeModule  = "github.com/ollama/ollama"
	runtimeVersion = "v0.17.4"
	// recipe changes when the way of building does, so that an old build is replaced.
	recipe = "1"
	// The runtime's module leaves out this header; this module carries it.
	audioModule = "github.com/gen2brain/malgo@v0.11.24"
)

// BuildRuntime builds the Ollama runtime that go.mod names as a tool. It works
// on the processor alone; people with a graphics card install Ollama, which is
// found and used instead.
func BuildRuntime(p Place) stage.Stage {
	return stage.Stage{
		Name:  "runtime",
		About: "build the Ollama runtime " + runtimeVersion + " from source",
		Guess: 6 * time.Minute * 2 / time.Duration(min(runtime.NumCPU(), 12)),
		Fresh: func(context.Context) (bool, string) {
			if runtimeStamp(p) != wantedRuntime() {
				return false, ""
			}
			if info, err := os.Stat(p.Runtime()); err != nil || info.Size() == 0 {
				return false, ""
			}
			return true, "the runtime " + runtimeVersion + " is built"
		},
		Run: func(ctx context.Context, pr *stage.Progress) error { return buildRuntime(ctx, p, pr) },
	}
}

func wantedRuntime() string {
	return strings.Join([]string{runtimeVersion, "recipe " + recipe, runtime.GOOS, runtime.GOARCH, strings.Join(processorFlags(), " ")}, "; ")
}

func runtimeStamp(p Place) string {
	body, err := os.ReadFile(filepath.Join(filepath.Dir(p.Runtime()), "stamp"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}

func buildRuntime(ctx context.Context, p Place, pr *stage.Progress) error {
	if _, err := exec.LookPath("g++"); err != nil {
		return errors.New("the runtime needs a C++ compiler (g++). Install one, or install Ollama from ollama.com: a running Ollama is used instead")
	}
	pr.Note("fetching the source of " + runtimeVersion)
	include, err := headers(ctx, p)
	if err != nil {
		return err
	}
	total, err := countPackages(ctx, p)
	if err != nil {
		return err
	}
	dir := filepath.Dir(p.Runtime())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the runtime's folder: %w", err)
	}
	flags := strings.Join(append([]string{"-O3"}, processorFlags()...), " ")
	fresh := p.Runtime() + ".new"
	built := 0
	pr.Note("compiling")
	err = Command{
		Dir: p.Repo, Quiet: true,
		Env: []string{
			"CGO_ENABLED=1", "GOWORK=off",
			"CGO_CFLAGS=" + flags, "CGO_CXXFLAGS=-I" + include + " " + flags,
		},
		Args: []string{
			"go", "build", "-v", "-mod=readonly", "-trimpath",
			"-ldflags", "-s -w -X " + runtimeModule + "/version.Version=" + strings.TrimPrefix(runtimeVersion, "v"),
			"-o", fresh, runtimeModule,
		},
		Line: func(text string) {
			if isPackage(text) {
				built++
				pr.Note(fmt.Sprintf("package %d of at most %d, %s", built, total, filepath.Base(text)))
			}
		},
	}.Run(ctx)
	if err != nil {
		return err
	}
	if _, err := (Command{Args: []string{fresh, "--version"}}).Output(ctx); err != nil {
		return fmt.Errorf("try the built runtime: %w", err)
	}
	if err := os.Rename(fresh, p.Runtime()); err != nil {
		return fmt.Errorf("put the runtime in place: %w", err)
	}
	return stage.WriteFile(filepath.Join(dir, "stamp"), []byte(wantedRuntime()+"\n"), 0o600)
}

// isPackage tells a line of `go build -v` that names a package from a
// compiler's remark.
func isPackage(text string) bool {
	return text != "" && !strings.ContainsAny(text, " :\t#")
}

// headers gives a folder with the headers that the runtime's module lacks.
func headers(ctx context.Context, p Place) (string, error) {
	out, err := Command{Dir: p.Cache, Env: []string{"GOWORK=off"}, Args: []string{"go", "mod", "download", "-json", audioModule}}.Output(ctx)
	if err != nil {
		return "", fmt.Errorf("fetch a header that the runtime needs: %w", err)
	}
	var mod struct{ Dir string }
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", fmt.Errorf("read what go mod download says: %w", err)
	}
	body, err := os.ReadFile(filepath.Join(mod.Dir, "miniaudio.h"))
	if err != nil {
		return "", fmt.Errorf("read a header that the runtime needs: %w", err)
	}
	include := filepath.Join(p.Cache, "runtime", "include")
	target := filepath.Join(include, "miniaudio", "miniaudio.h")
	if old, err := os.ReadFile(target); err == nil && string(old) == string(body) {
		return include, nil // an unchanged header keeps Go's build cache valid
	}
	return include, stage.WriteFile(target, body, 0o600)
}

func countPackages(ctx context.Context, p Place) (int, error) {
	out, err := Command{Dir: p.Repo, Args: []string{"go", "list", "-deps", runtimeModule}}.Output(ctx)
	if err != nil {
		return 0, fmt.Errorf("list the runtime's packages: %w", err)
	}
	return strings.Count(string(out), "\n"), nil
}

// processorFlags lets the compiler use vector instructions, which make the
// model several times faster, where this processor has them.
func processorFlags() []string {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		return nil
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	return vectorFlags(string(info))
}

func vectorFlags(cpuinfo string) []string {
	for line := range strings.Lines(cpuinfo) {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) != "flags" {
			continue
		}
		has := map[string]bool{}
		for _, f := range strings.Fields(value) {
			has[f] = true
		}
		for _, f := range []string{"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"} {
			if !has[f] {
				return nil
			}
		}
		return []string{"-march=x86-64-v3"}
	}
	return nil
}
