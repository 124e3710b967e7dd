//go:build linux

package windowtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// seen is what the program's self test writes.
type seen struct {
	Ready      bool     `json:"ready"`
	Loads      int      `json:"loads"`
	Service    bool     `json:"service"`
	Title      string   `json:"title"`
	Tasks      int      `json:"tasks"`
	First      string   `json:"first"`
	Violations []string `json:"violations"`
	Errors     []string `json:"errors"`
	Problem    string   `json:"problem"`
}

// patience is the longest that a window may take for one thing on a busy machine.
const patience = 90 * time.Second

// desk is one home folder and the screen that its windows stand on.
type desk struct {
	t    *testing.T
	home string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	if os.Getenv("CAIRN_WINDOW_PROGRAM") == "" {
		t.Skip("needs the built window: go run ./build test --only window sets CAIRN_WINDOW_PROGRAM")
	}
	return &desk{t: t, home: t.TempDir()}
}

// window is a started program.
type window struct {
	cmd    *exec.Cmd
	out    *output
	report string
	ended  chan error
}

type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// open starts the window on a screen of its own. With selfTest it reports what
// it sees and quits by itself.
func (d *desk) open(selfTest bool) *window {
	d.t.Helper()
	report := filepath.Join(d.t.TempDir(), "seen.json")
	cmd := exec.Command("dbus-run-session", "--", "xvfb-run", "-a", "-s", "-screen 0 1440x960x24", os.Getenv("CAIRN_WINDOW_PROGRAM"))
	cmd.Env = append(os.Environ(),
		"CAIRN_HOME="+d.home, "CAIRN_CACHE="+filepath.Join(d.home, "cache"),
		"GDK_BACKEND=x11", "WEBKIT_DISABLE_COMPOSITING_MODE=1", "LIBGL_ALWAYS_SOFTWARE=1")
	if selfTest {
		cmd.Env = append(cmd.Env, "CAIRN_SELFTEST="+report)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w := &window{cmd: cmd, out: &output{}, report: report, ended: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = w.out, w.out
	if err := cmd.Start(); err != nil {
		d.t.Fatalf("start the window: %v", err)
	}
	go func() { w.ended <- cmd.Wait() }()
	d.t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return w
}

// wait waits for the program to end and wants a good end.
func (d *desk) wait(w *window) {
	d.t.Helper()
	select {
	case err := <-w.ended:
		if err != nil {
			d.t.Fatalf("the window ended badly: %v\n%s", err, w.out)
		}
	case <-time.After(patience):
		d.t.Fatalf("the window did not end within %s\n%s", patience, w.out)
	}
}

// look opens the window, lets it report, and gives the report.
func (d *desk) look() seen {
	d.t.Helper()
	w := d.open(true)
	d.wait(w)
	body, err := os.ReadFile(w.report)
	if err != nil {
		d.t.Fatalf("the window reported nothing: %v\n%s", err, w.out)
	}
	var s seen
	if err := json.Unmarshal(body, &s); err != nil {
		d.t.Fatalf("read the window's report: %v\n%s", err, body)
	}
	return s
}

// pid waits until the home folder is owned, and gives the process id of the
// program itself, which is a grandchild of the command that brings the screen.
func (d *desk) pid(w *window) int {
	d.t.Helper()
	program, err := filepath.EvalSymlinks(os.Getenv("CAIRN_WINDOW_PROGRAM"))
	if err != nil {
		d.t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-w.ended:
			d.t.Fatalf("the window ended early: %v\n%s", err, w.out)
		default:
		}
		if pid := owner(program, d.home); pid > 0 && d.answers() {
			return pid
		}
	}
	d.t.Fatalf("the window did not answer within %s\n%s", patience, w.out)
	return 0
}

// owner finds the process that runs program with this home folder, the oldest one.
func owner(program, home string) int {
	stats, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return 0
	}
	for _, exe := range stats {
		if target, err := os.Readlink(exe); err != nil || target != program {
			continue
		}
		env, err := os.ReadFile(filepath.Join(filepath.Dir(exe), "environ"))
		if err != nil || !bytes.Contains(env, []byte("CAIRN_HOME="+home+"\x00")) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(exe), "cmdline"))
		if err != nil || bytes.Count(line, []byte{0}) != 1 {
			continue // a child with arguments, such as the one that reads sources
		}
		var pid int
		for _, c := range filepath.Base(filepath.Dir(exe)) {
			pid = pid*10 + int(c-'0')
		}
		return pid
	}
	return 0
}

// answers reports whether the window's socket takes calls. The command line is
// not asked here: started a moment too early, it would own the home folder itself.
func (d *desk) answers() bool {
	c, err := net.Dial("unix", filepath.Join(d.home, "socket"))
	if err != nil {
		return false
	}
	return c.Close() == nil
}

func (d *desk) command(args ...string) (string, error) {
	cmd := exec.Command(os.Getenv("CAIRN_TERMINAL_PROGRAM"), args...)
	cmd.Env = append(os.Environ(), "CAIRN_HOME="+d.home, "CAIRN_CACHE="+filepath.Join(d.home, "cache"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = errors.New(err.Error() + ": " + strings.TrimSpace(stderr.String()))
	}
	return string(out), err
}

// good fails the test unless the window is whole.
func (d *desk) good(s seen) {
	d.t.Helper()
	if !s.Ready || !s.Service || s.Loads != 1 || s.Problem != "" {
		d.t.Errorf("the window is not whole: %+v", s)
	}
	if len(s.Violations) > 0 {
		d.t.Errorf("the page broke its content policy: %v", s.Violations)
	}
	if len(s.Errors) > 0 {
		d.t.Errorf("the page met errors: %v", s.Errors)
	}
}

// TestFirstStart wants the first window to stand on the finished sample.
func TestFirstStart(t *testing.T) {
	d := newDesk(t)
	s := d.look()
	d.good(s)
	if s.Tasks < 1 || s.First == "" {
		t.Errorf("the first start shows %d tasks, first %q; want the finished sample", s.Tasks, s.First)
	}
	if s.Title == "" {
		t.Error("the page has no title")
	}
}

// TestTerm wants a polite end to be quick and good, and a later start to find
// everything.
func TestTerm(t *testing.T) {
	d := newDesk(t)
	w := d.open(false)
	pid := d.pid(w)
	before, err := d.command("tasks", "--json")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	d.wait(w)
	after, err := d.command("tasks", "--json")
	if err != nil {
		t.Fatal(err)
	}
	if before != after {
		t.Errorf("the tasks after a polite end differ:\n%s\n%s", before, after)
	}
	d.good(d.look())
}

// TestKill wants a window that was killed to open again, whole.
func TestKill(t *testing.T) {
	d := newDesk(t)
	w := d.open(false)
	pid := d.pid(w)
	before, err := d.command("tasks", "--json")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-w.ended // badly, of course
	d.good(d.look())
	after, err := d.command("tasks", "--json")
	if err != nil {
		t.Fatal(err)
	}
	if before != after {
		t.Errorf("the tasks after a kill differ:\n%s\n%s", before, after)
	}
}

// TestSecondStart wants a second start to end well at once and to leave the
// first window as it is.
func TestSecondStart(t *testing.T) {
	d := newDesk(t)
	first := d.open(false)
	pid := d.pid(first)
	second := d.open(false)
	d.wait(second)
	if now := d.pid(first); now != pid {
		t.Errorf("after the second start the window runs as %d, before as %d", now, pid)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	d.wait(first)
}
