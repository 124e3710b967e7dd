package setup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"cairn/build/stage"
)

// Need is one Debian package and how to see that what it brings is there.
type Need struct {
	Package string
	Has     func() bool
	Why     string
}

// Wants says what a command is going to do, and so which packages it needs.
type Wants struct {
	Window  bool // build the window
	Runtime bool // build the Ollama runtime
	Tests   bool // browser and window tests
	Lab     bool // the laboratory
}

// Needs lists what is missing on this machine for w.
func Needs(w Wants) []Need {
	all := []Need{
		{"build-essential", has("gcc", "g++"), "a C compiler, for the race detector, the window and the runtime"},
		{"pkg-config", has("pkg-config"), "to find the window's libraries"},
	}
	if w.Lab {
		all = append(all, Need{"strace", has("strace"), "to fail single calls in the laboratory"})
	}
	if w.Window {
		all = append(all,
			Need{"libgtk-3-dev", pkg("gtk+-3.0"), "the window"},
			Need{"libwebkit2gtk-4.1-dev", pkg("webkit2gtk-4.1"), "the page inside the window"})
	}
	if w.Runtime {
		all = append(all,
			Need{"nlohmann-json3-dev", header("nlohmann/json.hpp"), "to build the Ollama runtime"},
			Need{"libstb-dev", header("stb/stb_image.h"), "to build the Ollama runtime"})
	}
	if w.Tests {
		all = append(all,
			Need{"xvfb", has("Xvfb", "xvfb-run"), "a screen without a monitor, for tests"},
			Need{"xauth", has("xauth"), "access to that screen"},
			Need{"dbus-x11", has("dbus-run-session"), "a desktop session for tests"},
			Need{"chromium", func() bool { return Browser() != "" }, "the browser tests"},
			Need{"fonts-dejavu-core", anyOf("/usr/share/fonts"), "letters in tests and pictures"})
	}
	var missing []Need
	for _, n := range all {
		if !n.Has() {
			missing = append(missing, n)
		}
	}
	return missing
}

// Browser gives the Chromium for browser tests and pictures, "" when there is none.
func Browser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func has(programs ...string) func() bool {
	return func() bool {
		for _, name := range programs {
			if _, err := exec.LookPath(name); err != nil {
				return false
			}
		}
		return true
	}
}

func pkg(name string) func() bool {
	return func() bool { return exec.Command("pkg-config", "--exists", name).Run() == nil }
}

func header(name string) func() bool {
	return anyOf("/usr/include/"+name, "/usr/local/include/"+name)
}

func anyOf(paths ...string) func() bool {
	return func() bool {
		for _, p := range paths {
			if _, err := os.Stat(p); err == nil {
				return true
			}
		}
		return false
	}
}

// Packages installs what is missing: as root on Debian without asking, with
// sudo after asking once, elsewhere it says what to install. in is where a person
// answers, nil where nobody can.
func Packages(w Wants, in io.Reader) stage.Stage {
	var sudo []string
	return stage.Stage{
		Name:  "packages",
		About: "install missing system packages",
		Guess: 2 * time.Minute,
		Fresh: func(context.Context) (bool, string) {
			return len(Needs(w)) == 0, "all system packages are here"
		},
		Ask: func(ctx context.Context, say func(string)) (err error) {
			sudo, err = permission(ctx, Needs(w), in, say)
			return err
		},
		Run: func(ctx context.Context, p *stage.Progress) error {
			var names []string
			for _, n := range Needs(w) {
				names = append(names, n.Package)
			}
			return aptInstall(ctx, sudo, names, p)
		},
	}
}

// permission finds out whether the packages may be installed, and gives what
// has to stand before the command.
func permission(ctx context.Context, needs []Need, in io.Reader, say func(string)) ([]string, error) {
	var names []string
	for _, n := range needs {
		names = append(names, n.Package)
		say(fmt.Sprintf("           %s: %s", n.Package, n.Why))
	}
	commands := "    apt-get update\n    apt-get install -y --no-install-recommends " + strings.Join(names, " ")
	switch {
	case !has("apt-get")():
		return nil, errors.New(elsewhere(names))
	case os.Geteuid() == 0:
		return nil, nil
	case in == nil || !has("sudo")() || !agrees(in, say, commands):
		return nil, errors.New("system packages are missing. As root, run\n\n" + commands + "\n\nand then this command again")
	}
	// sudo asks for a password now, while nothing else writes to the terminal.
	sudo := exec.CommandContext(ctx, "sudo", "-v")
	sudo.Stdin, sudo.Stdout, sudo.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := sudo.Run(); err != nil {
		return nil, fmt.Errorf("sudo was refused. As root, run\n\n%s\n\nand then this command again: %w", commands, err)
	}
	return []string{"sudo", "-n"}, nil
}

func elsewhere(names []string) string {
	text := "system packages are missing. On Debian they are called " + strings.Join(names, ", ")
	switch runtime.GOOS {
	case "darwin":
		text += ". Here, run xcode-select --install for the compiler; the window's libraries come with macOS"
	case "windows":
		text += ". Here, install a C compiler (MinGW-w64 gcc); the window's libraries come with Windows (WebView2)"
	default:
		text += "; install what your system calls them (GTK 3 and WebKitGTK 4.1 with headers, a C++ compiler, pkg-config), and then run this command again"
	}
	return text
}

// agrees asks once.
func agrees(in io.Reader, say func(string), commands string) bool {
	say("May these be installed now with sudo?\n\n" + commands + "\n\nType yes to install them, anything else to stop:")
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && answer == "" {
		return false
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "yes" || answer == "y"
}

func aptInstall(ctx context.Context, sudo, names []string, p *stage.Progress) error {
	env := []string{"DEBIAN_FRONTEND=noninteractive"}
	p.Note("reading the list of packages")
	apt := func(args ...string) []string {
		out := append([]string{}, sudo...)
		if len(sudo) > 0 { // sudo hands no environment on
			out = append(out, "env")
			out = append(out, env...)
		}
		return append(out, args...)
	}
	update := Command{Env: env, Args: apt("apt-get", "update", "-q")}
	if err := update.Run(ctx); err != nil {
		// An old list may still do; the installation says so if it doesn't.
		p.Print("           the list of packages could not be renewed, going on with the old one")
	}
	args := apt("apt-get", "install", "-q", "-y", "--no-install-recommends",
		"-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=120")
	done := 0
	err := Command{Env: env, Args: append(args, names...), Line: func(text string) {
		if word, rest, ok := strings.Cut(text, " "); ok && (strings.HasPrefix(word, "Get:") || word == "Unpacking" || word == "Setting") {
			done++
			p.Note(fmt.Sprintf("%s %s", strings.ToLower(strings.TrimRight(word, "0123456789:")), shorten(rest, 60)))
		}
	}}.Run(ctx)
	if err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	p.Result(fmt.Sprintf("installed %s", strings.Join(names, ", ")))
	return nil
}

func shorten(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}
