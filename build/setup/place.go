// Package setup puts in place what Cairn needs on this machine: system
// packages, the page, the program, an Ollama runtime and a starter model. Every
// stage finds out by itself that nothing is left to do, so a second run starts
// in seconds. Nothing is ever fetched that the README does not name.
package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Place is where things are put.
type Place struct {
	Repo  string // the repository
	Cache string // built and fetched things; may be deleted at any time
}

// Find gives the places: the repository around the working directory, and
// CAIRN_CACHE or the user's cache folder.
func Find() (Place, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Place{}, fmt.Errorf("find the working directory: %w", err)
	}
	repo := ""
	for d := dir; ; d = filepath.Dir(d) {
		if isRepo(d) {
			repo = d
			break
		}
		if filepath.Dir(d) == d {
			return Place{}, fmt.Errorf("%s is not inside Cairn's repository: run the command from its folder", dir)
		}
	}
	cache := os.Getenv("CAIRN_CACHE")
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return Place{}, fmt.Errorf("find the cache folder (set CAIRN_CACHE to choose one): %w", err)
		}
		cache = filepath.Join(base, "cairn")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return Place{}, fmt.Errorf("find the cache folder: %w", err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return Place{}, fmt.Errorf("make the cache folder %s: %w", cache, err)
	}
	return Place{Repo: repo, Cache: cache}, nil
}

func isRepo(dir string) bool {
	for _, name := range []string{"go.mod", filepath.Join("build", "setup", "place.go")} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Runtime is the path of the bundled Ollama program.
func (p Place) Runtime() string {
	return filepath.Join(p.Cache, "runtime", exe("ollama"))
}

// Starter is the path of the starter model's file.
func (p Place) Starter() string {
	return filepath.Join(p.Cache, "models", "SmolLM2-135M-Instruct.Q4_1.gguf")
}

// Models is the folder in which the bundled runtime keeps its models.
func (p Place) Models() string { return filepath.Join(p.Cache, "models", "ollama") }

// Status is the file in which the window reads how the set-up behind it goes on.
func (p Place) Status() string { return filepath.Join(p.Cache, "setup.json") }

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
