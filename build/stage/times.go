package stage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Times remembers how long each stage took on this machine.
type Times struct {
	mu   sync.Mutex
	path string
	secs map[string]float64
}

// LoadTimes reads the remembered durations. A file that is absent or broken is
// the same as none: estimates are a comfort, never a reason to fail.
func LoadTimes(path string) *Times {
	t := &Times{path: path, secs: map[string]float64{}}
	body, err := os.ReadFile(path)
	if err != nil {
		return t
	}
	var secs map[string]float64
	if json.Unmarshal(body, &secs) == nil && secs != nil {
		t.secs = secs
	}
	return t
}

// Estimate gives the remembered duration of a stage, or guess.
func (t *Times) Estimate(name string, guess time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.secs[name]; ok && s > 0 {
		return time.Duration(s * float64(time.Second))
	}
	return guess
}

// Remember keeps a duration: half the newest, half the past, so that one slow
// run does not spoil the estimate. It writes the file; when that can't be done
// the estimate only lives as long as the program.
func (t *Times) Remember(name string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := took.Seconds()
	if old, ok := t.secs[name]; ok && old > 0 {
		s = (old + s) / 2
	}
	t.secs[name] = s
	if t.path == "" {
		return
	}
	body, err := json.MarshalIndent(t.secs, "", "  ")
	if err != nil {
		return
	}
	_ = WriteFile(t.path, append(body, '\n'), 0o600)
}

// WriteFile replaces a small file as a whole: other processes read either the
// old content or the new.
func WriteFile(path string, body []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder for %s: %w", filepath.Base(path), err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(body); err == nil {
		err = f.Chmod(mode)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
