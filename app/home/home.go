// Package home names the places on this machine that the app uses. The folders
// of the store itself are the vault's matter and named there.
package home

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Home is Cairn's folder and its cache. Both are absolute.
type Home struct {
	Dir   string // the records; what a backup must hold
	Cache string // built and fetched things; may be deleted at any time
}

// Find gives the folder named by flag, else CAIRN_HOME, else the system's place
// for a program's data; the cache is CAIRN_CACHE or the system's. Nothing is
// made.
func Find(flag string) (Home, error) {
	dir := flag
	if dir == "" {
		dir = os.Getenv("CAIRN_HOME")
	}
	if dir == "" {
		base, err := data()
		if err != nil {
			return Home{}, fmt.Errorf("find the folder for Cairn's records (name one with --home): %w", err)
		}
		dir = base
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, fmt.Errorf("find Cairn's folder: %w", err)
	}
	cache := os.Getenv("CAIRN_CACHE")
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = dir // a system without a cache folder: keep it with the records
		}
		cache = filepath.Join(base, "cairn")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return Home{}, fmt.Errorf("find Cairn's cache: %w", err)
	}
	return Home{Dir: dir, Cache: cache}, nil
}

// data is the place for a program's data: not the folder for settings, because
// records are large and belong into backups.
func data() (string, error) {
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "Cairn"), nil
		}
	case "darwin":
	default:
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "cairn"), nil
		}
		if dir, err := os.UserHomeDir(); err == nil {
			return filepath.Join(dir, ".local", "share", "cairn"), nil
		}
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "cairn"), nil
}

// socketLimit is below what every system allows for a socket's path (104 bytes
// on macOS, 108 on Linux).
const socketLimit = 100

// Socket is the path of the owner's socket: in the home folder, or, where that
// path is too long for a socket, in a private folder of the user named after it.
func (h Home) Socket() string {
	path := filepath.Join(h.Dir, "socket")
	if len(path) <= socketLimit {
		return path
	}
	sum := sha256.Sum256([]byte(h.Dir))
	base := os.Getenv("XDG_RUNTIME_DIR")
	if base == "" {
		base = os.TempDir()
	}
	return filepath.Join(base, "cairn-"+hex.EncodeToString(sum[:8]), "socket")
}

// Runtime is the bundled model runtime's program, whether it exists or not:
// CAIRN_RUNTIME, else where the build program puts it in the cache.
func (h Home) Runtime() string {
	name := "ollama"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return named("CAIRN_RUNTIME", filepath.Join(h.Cache, "runtime", name))
}

// RuntimeDir is where the bundled runtime keeps its keys, log and pid file.
func (h Home) RuntimeDir() string { return filepath.Join(h.Dir, "runtime") }

// Models is the bundled runtime's own models folder: CAIRN_MODELS, else in the cache.
func (h Home) Models() string {
	return named("CAIRN_MODELS", filepath.Join(h.Cache, "models", "ollama"))
}

// Starter is the pattern of the starter model's file: CAIRN_STARTER, else any
// model file in the cache.
func (h Home) Starter() string {
	return named("CAIRN_STARTER", filepath.Join(h.Cache, "models", "*.gguf"))
}

func named(variable, usual string) string {
	if path := os.Getenv(variable); path != "" {
		return path
	}
	return usual
}

// SetupFile is where a set-up running beside the window says how it goes on:
// CAIRN_SETUP, else setup.json in the cache.
func (h Home) SetupFile() string {
	return named("CAIRN_SETUP", filepath.Join(h.Cache, "setup.json"))
}

// Workers is the private folder for the extraction children's compiled code.
func (h Home) Workers() string { return filepath.Join(h.Cache, "extract") }

// Sample is the folder that holds the documents of the shipped example.
func (h Home) Sample() string { return filepath.Join(h.Dir, "example") }
