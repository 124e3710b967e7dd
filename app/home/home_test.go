package home

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "/users/ada")
	cases := []struct {
		name, flag, env, want string
	}{
		{"flag before environment", "/a", "/b", "/a"},
		{"environment", "", "/b", "/b"},
		{"a relative folder becomes absolute", "/a/../c", "", "/c"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("CAIRN_HOME", c.env)
			h, err := Find(c.flag)
			if err != nil {
				t.Fatal(err)
			}
			if h.Dir != filepath.FromSlash(c.want) {
				t.Errorf("home is %q, want %q", h.Dir, c.want)
			}
			if !filepath.IsAbs(h.Cache) {
				t.Errorf("cache %q is not absolute", h.Cache)
			}
		})
	}
}

func TestSocketPathIsNeverTooLong(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/1000")
	short := Home{Dir: "/h"}
	if got := short.Socket(); got != filepath.FromSlash("/h/socket") {
		t.Errorf("socket of a short home is %q", got)
	}
	long := Home{Dir: "/" + strings.Repeat("very-long-name/", 12)}
	other := Home{Dir: long.Dir + "x"}
	if n := len(long.Socket()); n > socketLimit {
		t.Errorf("socket path of a long home has %d bytes", n)
	}
	if long.Socket() == other.Socket() {
		t.Error("two homes share a socket")
	}
}

func TestSetupFile(t *testing.T) {
	h := Home{Cache: "/c"}
	t.Setenv("CAIRN_SETUP", "")
	if got := h.SetupFile(); got != filepath.FromSlash("/c/setup.json") {
		t.Errorf("set-up file is %q", got)
	}
	t.Setenv("CAIRN_SETUP", "/elsewhere.json")
	if got := h.SetupFile(); got != "/elsewhere.json" {
		t.Errorf("set-up file is %q", got)
	}
}
