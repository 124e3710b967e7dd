//go:build !window

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cairn/app/dto"
	"cairn/app/sample"
	"cairn/engine/model/fakeollama"
	"cairn/engine/run/scholar"
)

// asProgram makes the test's own binary be the program, with its children.
const asProgram = "CAIRN_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	// Children of the program may start without its environment; a test binary that
	// then ran its tests would start itself again and again.
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(program(os.Args))
	}
	os.Exit(m.Run())
}

// house is one home with a scripted Ollama, used by real processes.
type house struct {
	t    *testing.T
	home string
	env  []string
	gate *gate
}

// gate holds the model's replies back, so that a test acts in the middle of a run
// however slow the machine is.
type gate struct {
	mu   sync.Mutex
	held chan struct{} // nil when it is open
	came chan struct{} // closed when a call waits at it
}

// shut holds every reply from now on, and gives what is closed when one waits.
func (g *gate) shut() (came <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held, g.came = make(chan struct{}), make(chan struct{})
	return g.came
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held != nil {
		close(g.held)
		g.held = nil
	}
}

// pass is called for each reply; it waits while the gate is shut.
func (g *gate) pass() {
	g.mu.Lock()
	held := g.held
	if held != nil && g.came != nil {
		close(g.came)
		g.came = nil
	}
	g.mu.Unlock()
	if held != nil {
		<-held
	}
}

func newHouse(t *testing.T) *house {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("signals work otherwise there")
	}
	expected, err := os.ReadFile("app/sample/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	gold, err := scholar.Read(expected)
	if err != nil {
		t.Fatal(err)
	}
	door := &gate{}
	t.Cleanup(door.open)
	fake := fakeollama.New(func(r fakeollama.ChatRequest) string {
		door.pass()
		time.Sleep(25 * time.Millisecond)
		return gold.Reply(r.Prompt())
	})
	dir := t.TempDir()
	return &house{t: t, gate: door, home: filepath.Join(dir, "home"), env: append(os.Environ(), asProgram+"=1",
		"OLLAMA_HOST="+fake.Run(t), "CAIRN_CACHE="+filepath.Join(dir, "cache"), "CAIRN_RUNTIME="+filepath.Join(dir, "none"))}
}

// until waits for something that happens in another process.
func (h *house) until(happened <-chan struct{}) {
	h.t.Helper()
	select {
	case <-happened:
	case <-time.After(2 * time.Minute):
		h.t.Fatal("nothing happened within two minutes")
	}
}

func (h *house) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{args[0], "--home", h.home}, args[1:]...)...)
	cmd.Env = h.env
	return cmd
}

// do runs a command to its end and gives what it printed and its exit code.
func (h *house) do(args ...string) (out, errs string, code int) {
	h.t.Helper()
	cmd := h.command(args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func (h *house) good(args ...string) string {
	h.t.Helper()
	out, errs, code := h.do(args...)
	if code != 0 {
		h.t.Fatalf("%v ended with %d\n%s\n%s", args, code, out, errs)
	}
	return out
}

func (h *house) view(id string) (v dto.View) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.good("show", id, "--json")), &v); err != nil {
		h.t.Fatal(err)
	}
	return v
}

// begin makes the sample task.
func (h *house) begin() string {
	h.t.Helper()
	docs, err := sample.Unpack(h.t.TempDir())
	if err != nil {
		h.t.Fatal(err)
	}
	f, err := sample.Form()
	if err != nil {
		h.t.Fatal(err)
	}
	args := []string{"new", "--goal", f.Goal, "--sources", docs, "--model", fakeollama.DefaultModel}
	for _, q := range f.Questions {
		args = append(args, "--question", q)
	}
	return strings.TrimSpace(h.good(args...))
}

// copyOf is the same home as it is now, elsewhere.
func (h *house) copyOf() *house {
	h.t.Helper()
	dir := filepath.Join(h.t.TempDir(), "copy")
	err := filepath.WalkDir(h.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(h.home, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), body, 0o600)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return &house{t: h.t, gate: h.gate, home: dir, env: h.env}
}

// A run that is killed again and again ends where an unbroken one does.
func TestKilledRunEndsInTheSameState(t *testing.T) {
	h := newHouse(t)
	id := h.begin()
	whole := h.copyOf()
	whole.good("run", id, "--quiet")
	want := whole.view(id)
	if want.Status.State != "done" {
		t.Fatalf("the unbroken run ended as %+v", want.Status)
	}
	seed := rand.Uint64()
	dice := rand.New(rand.NewPCG(seed, 1))
	kills := 0
	for range 6 {
		cmd := h.command("run", id, "--quiet")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+dice.IntN(500)) * time.Millisecond)
		if err := cmd.Process.Kill(); err == nil {
			kills++
		}
		_ = cmd.Wait() // it was killed, or was done already
	}
	if out, errs, code := h.do("run", id, "--quiet"); code != 0 {
		t.Fatalf("after %d kills (seed %d) the run ended with %d\n%s\n%s", kills, seed, code, out, errs)
	}
	got := h.view(id)
	if got.Status.State != "done" || got.StateHash != want.StateHash {
		t.Errorf("after %d kills (seed %d): %s, state %s, unbroken %s", kills, seed, got.Status.State, got.StateHash, want.StateHash)
	}
	file := filepath.Join(t.TempDir(), "x.cairn.md")
	h.good("export", id, "-o", file)
	if out := h.good("verify", file); !strings.Contains(out, "holds") {
		t.Errorf("verify says %s", out)
	}
}

// While one process runs a task, others work through its socket; a polite end is
// quick, and says what is saved.
func TestSecondProcessAndPoliteEnd(t *testing.T) {
	h := newHouse(t)
	id := h.begin()
	came := h.gate.shut()
	first := h.command("run", id)
	var errs bytes.Buffer
	first.Stderr = &errs
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Process.Kill() }()
	h.until(came)
	// Another process asks the one that runs.
	if v := h.view(id); !v.Status.Running {
		t.Errorf("to another process the task is %+v", v.Status)
	}
	h.good("candidates", id, "--json")
	// A stopped process that goes on again is a sleep to it, and harmless.
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // its exit code is looked at
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("the end took %v", d)
	}
	v := h.view(id)
	if code := first.ProcessState.ExitCode(); code != 1 || v.Status.State != "interrupted" || !strings.Contains(errs.String(), "saved") {
		t.Errorf("after SIGTERM it is %s, code %d: %s", v.Status.State, code, errs.String())
	}
	h.gate.open()
	if strings.Contains(errs.String(), "cairn:") {
		t.Errorf("an end that was asked for is logged: %s", errs.String())
	}
	h.good("run", id, "--quiet")
	if v = h.view(id); v.Status.State != "done" {
		t.Errorf("it ended as %+v", v.Status)
	}
}

// SIGTERM ends the program and leaves the task interrupted, to be gone on with;
// SIGINT is the person's stop, which stays.
func TestSignals(t *testing.T) {
	h := newHouse(t)
	id := h.begin()
	run := func(end func(cmd *exec.Cmd)) (errs string, code int) {
		t.Helper()
		came := h.gate.shut()
		cmd := h.command("run", id)
		var e bytes.Buffer
		cmd.Stderr = &e
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill() }()
		h.until(came)
		end(cmd)
		_ = cmd.Wait() // its exit code is looked at
		h.gate.open()
		return e.String(), cmd.ProcessState.ExitCode()
	}
	signal := func(s os.Signal) func(*exec.Cmd) {
		return func(cmd *exec.Cmd) {
			if err := cmd.Process.Signal(s); err != nil {
				t.Error(err)
			}
		}
	}
	for _, c := range []struct {
		name, state, says string
		end               func(*exec.Cmd)
	}{
		{"SIGTERM", "interrupted", "Cairn was ended", signal(syscall.SIGTERM)},
		{"SIGINT", "stopped", "was stopped", signal(syscall.SIGINT)},
	} {
		errs, code := run(c.end)
		if v := h.view(id); v.Status.State != c.state || code != 1 || !strings.Contains(errs, c.says) || strings.Contains(errs, "cairn:") {
			t.Errorf("%s: state %s, code %d\n%s", c.name, v.Status.State, code, errs)
		}
	}
}

func TestImpossibleHome(t *testing.T) {
	h := newHouse(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.home = filepath.Join(file, "below")
	_, errs, code := h.do("tasks")
	if code != 1 || !strings.Contains(errs, h.home) || !strings.Contains(errs, "--home") || strings.Contains(errs, "mkdir") {
		t.Errorf("code %d: %s", code, errs)
	}
}

// A file's bytes twice are one document, which is said; of an empty file it is
// said that it is empty.
func TestNewSaysWhatItFound(t *testing.T) {
	h := newHouse(t)
	docs := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"new", "--goal", "g", "--question", "How many birds?", "--model", "-", "--sources", docs}
	write("empty.txt", "")
	if _, errs, code := h.do(args...); code != 2 || !strings.Contains(errs, "is empty") || strings.Contains(errs, "kind") {
		t.Errorf("an empty file gives %d: %s", code, errs)
	}
	write("a.txt", "We count twelve birds.")
	write("b.txt", "We count twelve birds.")
	id, errs, code := h.do(args...)
	if code != 0 || !strings.Contains(errs, "3 files, 2 documents: 1 is a copy.") {
		t.Errorf("code %d: %s", code, errs)
	}
	id = strings.TrimSpace(id)
	for _, args := range [][]string{{"show", id}, {"log", id, "--full"}} {
		if out := h.good(args...); !strings.Contains(out, "empty.txt: The file is empty") {
			t.Errorf("%v does not name the file:\n%s", args, out)
		}
	}
}

// What happens to a folder between two commands is said by the next, and a
// candidate keeps its id while others are accepted.
func TestBetweenTwoCommands(t *testing.T) {
	h := newHouse(t)
	docs, err := sample.Unpack(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(h.good("new", "--goal", "g", "--question", "Which data did each study use?", "--model", "-", "--sources", docs))
	var list []dto.Question
	if err := json.Unmarshal([]byte(h.good("candidates", id, "--json")), &list); err != nil || len(list) != 1 || len(list[0].Candidates) < 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range list[0].Candidates[:3] {
		h.good("accept", id, c.ID[:10])
		if claims := h.view(id).Questions[0].Claims; !slices.ContainsFunc(claims, func(got dto.Claim) bool { return got.ID == c.ID && got.Trust == "checked" }) {
			t.Errorf("%s is not among the claims: %+v", c.ID, claims)
		}
	}
	if _, errs, code := h.do("accept", id, "1.1"); code != 2 || !strings.Contains(errs, "place in a list") {
		t.Errorf("a place in the list gives %d: %s", code, errs)
	}
	says := func(want string) {
		t.Helper()
		for _, args := range [][]string{{"show", id}, {"doctor"}} {
			out, errs, _ := h.do(args...)
			if all := strings.Join(strings.Fields(out+errs), " "); !strings.Contains(all, want) {
				t.Errorf("%v does not say %q:\n%s", args, want, out+errs)
			}
		}
	}
	names, err := filepath.Glob(filepath.Join(docs, "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	says("1 file is gone since it was read")
	if err := os.Rename(docs, docs+" away"); err != nil {
		t.Fatal(err)
	}
	says("There is no folder “" + docs + "”")
	if _, errs, code := h.do("new", "--goal", "g", "--question", "q?", "--model", "-", "--sources", h.home); code != 2 || !strings.Contains(errs, "records") {
		t.Errorf("its own records as a source give %d: %s", code, errs)
	}
}

func TestCommandsEndAsTheyShould(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		args string
		code int
	}{
		{"tasks", 0}, {"tasks --nope", 2}, {"show nothing", 2}, {"new --goal x", 2}, {"verify main_test.go", 3}, {"verify missing.md", 1},
		{"import missing.md", 1}, {"doctor", 0},
	} {
		out, errs, code := h.do(strings.Fields(c.args)...)
		if code != c.code {
			t.Errorf("%s ended with %d, want %d\n%s%s", c.args, code, c.code, out, errs)
		}
		if code != 0 && errs == "" {
			t.Errorf("%s says nothing", c.args)
		}
	}
}
