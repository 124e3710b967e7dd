//go:build unix

package killtest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is the longest that a whole run of the sample may take here.
const patience = 20 * time.Minute

// person is somebody at the command line, with a home folder of their own.
type person struct {
	t       *testing.T
	program string
	env     []string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	address, program := os.Getenv("CAIRN_OLLAMA"), os.Getenv("CAIRN_TERMINAL_PROGRAM")
	if address == "" || program == "" {
		t.Skip("needs CAIRN_OLLAMA and CAIRN_TERMINAL_PROGRAM: go run ./build test --only real sets them")
	}
	home := t.TempDir()
	return &person{t: t, program: program, env: append(os.Environ(),
		"CAIRN_HOME="+home, "CAIRN_CACHE="+filepath.Join(home, "cache"), "OLLAMA_HOST="+address)}
}

func (p *person) command(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	var out, err bytes.Buffer
	cmd := exec.Command(p.program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.env, &out, &err
	return cmd, &out, &err
}

// do runs a command that must end well, and gives what it printed.
func (p *person) do(args ...string) string {
	p.t.Helper()
	cmd, out, stderr := p.command(args...)
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("cairn %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	return strings.TrimSpace(out.String())
}

// view is the part of `show --json` that is looked at.
type view struct {
	StateHash string `json:"state_hash"`
	Status    struct {
		State string `json:"state"`
	} `json:"status"`
	Questions []struct {
		Claims []struct {
			Quotes []struct {
				Text string `json:"text"`
			} `json:"quotes"`
		} `json:"claims"`
	} `json:"questions"`
	Counts struct {
		Claims int64 `json:"claims"`
	} `json:"counts"`
}

func (p *person) show(task string) view {
	p.t.Helper()
	var v view
	if err := json.Unmarshal([]byte(p.do("show", task, "--json")), &v); err != nil {
		p.t.Fatalf("read the task: %v", err)
	}
	return v
}

// newTask records the sample as a task of this person's.
func (p *person) newTask() string {
	p.t.Helper()
	body, err := os.ReadFile("../../app/sample/task.json")
	if err != nil {
		p.t.Fatal(err)
	}
	var about struct {
		Goal      string
		Questions []string
	}
	if err := json.Unmarshal(body, &about); err != nil {
		p.t.Fatal(err)
	}
	model := os.Getenv("CAIRN_MODEL")
	args := []string{"new", "--goal", about.Goal, "--sources", "../../app/sample/files", "--model", model, "--depth", "quick"}
	questions := about.Questions
	if os.Getenv("CAIRN_LONG") == "" {
		questions = questions[:1] // the short version, which every test run has time for
	}
	for _, q := range questions {
		args = append(args, "--question", q)
	}
	lines := strings.Fields(p.do(args...))
	if len(lines) == 0 {
		p.t.Fatal("cairn new printed no id")
	}
	return lines[len(lines)-1]
}

// runFor lets a task run for a while and kills the program; it reports whether
// the run ended by itself before that.
func (p *person) runFor(task string, d time.Duration) (ended bool) {
	p.t.Helper()
	cmd, _, stderr := p.command("run", task)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			p.t.Fatalf("the run ended by itself, badly: %v\n%s", err, stderr)
		}
		return true
	case <-time.After(d):
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil && !strings.Contains(err.Error(), "already finished") {
		p.t.Fatal(err)
	}
	<-done
	return false
}

// TestKills kills the program again and again; nothing may be lost, and each
// task must end in a hand-off that holds.
func TestKills(t *testing.T) {
	wanted := 6
	if os.Getenv("CAIRN_LONG") != "" {
		wanted = 20
	}
	p := newPerson(t)
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	kills, tasks := 0, 0
	for kills < wanted {
		task := p.newTask()
		tasks++
		var claims int64
		ended := false
		for kills < wanted && !ended {
			// Sometimes before anything was read, mostly in the middle of it.
			wait := time.Duration(300+rnd.IntN(14_000)) * time.Millisecond
			if ended = p.runFor(task, wait); ended {
				break
			}
			kills++
			v := p.show(task)
			t.Logf("kill %d after %v: %s, %d claims", kills, wait, v.Status.State, v.Counts.Claims)
			if v.Counts.Claims < claims {
				t.Errorf("kill %d lost claims: %d before, %d after", kills, claims, v.Counts.Claims)
			}
			claims = v.Counts.Claims
		}
		if !ended && !p.runFor(task, patience) {
			t.Fatalf("the task did not end within %v", patience)
		}
		p.sound(task)
	}
	t.Logf("%d kills in %d tasks", kills, tasks)
}

// sound wants a finished task with quoted passages under each question, whose
// hand-off holds.
func (p *person) sound(task string) {
	p.t.Helper()
	v := p.show(task)
	if v.Status.State != "done" {
		p.t.Errorf("the task ended as %q", v.Status.State)
	}
	for i, q := range v.Questions {
		quotes := 0
		for _, c := range q.Claims {
			quotes += len(c.Quotes)
		}
		if quotes == 0 {
			p.t.Errorf("question %d has no quoted passage", i+1)
		}
	}
	file := filepath.Join(p.t.TempDir(), "sample.cairn.md")
	p.do("export", task, "-o", file)
	p.do("verify", file)
	if now := p.show(task); now.StateHash != v.StateHash {
		p.t.Errorf("exporting changed the state from %s to %s", v.StateHash, now.StateHash)
	}
}
