package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	fake "cairn/engine/model/fakeollama"
)

const actAs = "CAIRN_TEST_ACT_AS"

// TestMain lets the test's own program stand in for the runtime, and for a
// Cairn that is killed.
func TestMain(m *testing.M) {
	switch os.Getenv(actAs) {
	case "":
		os.Exit(m.Run())
	case "dies":
		fmt.Fprintln(os.Stderr, "no such thing as a good day")
		os.Exit(3)
	case "deaf":
		time.Sleep(time.Minute)
		os.Exit(0)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		serve(context.Background())
	case "good":
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		serve(ctx)
		stop()
		os.Exit(0)
	case "owner":
		if err := os.Setenv(actAs, "good"); err != nil {
			os.Exit(1)
		}
		r, err := StartRuntime(context.Background(), RuntimeConfig{Binary: os.Args[0], Dir: os.Getenv("CAIRN_TEST_DIR"), Clock: clock.Real{}})
		if err != nil {
			fmt.Println(err, errors.Unwrap(err))
			os.Exit(1)
		}
		fmt.Println(r.child.pid)
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	os.Exit(2)
}

func serve(ctx context.Context) {
	s := fake.New(func(fake.ChatRequest) string { return "yes" })
	s.Models = []fake.Model{{Name: "env:" + strings.ReplaceAll(os.Getenv("OLLAMA_MODELS"), ":", "_")}}
	if err := fake.Serve(ctx, os.Getenv("OLLAMA_HOST"), s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func config(t *testing.T) RuntimeConfig {
	return RuntimeConfig{Binary: self(t), Dir: filepath.Join(t.TempDir(), "runtime"), Clock: clock.Real{}, Wait: 20 * time.Second}
}

func TestRuntimeStartsAndEnds(t *testing.T) {
	t.Setenv(actAs, "good")
	t.Setenv("OLLAMA_HOST", "http://example.invalid:1") // the person's own; not for ours
	cfg := config(t)
	r, err := StartRuntime(t.Context(), cfg)
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	if r.Version != "0.17.4" || r.Shared || !r.Client.Address().Loopback {
		t.Errorf("%+v", r)
	}
	models, err := r.Client.Tags(t.Context())
	if err != nil || len(models) != 1 || models[0].Name != "env:"+filepath.Join(cfg.Dir, "models") {
		t.Errorf("it does not have its own models folder: %+v %v", models, err)
	}

	other, err := StartRuntime(t.Context(), cfg) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	if !other.Shared || other.Client.Address() != r.Client.Address() {
		t.Errorf("the second one is not shared: %+v", other)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Client.Version(t.Context()); err != nil {
		t.Errorf("closing a shared one ended it: %v", err)
	}

	pid := r.child.pid
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if born(pid) != "" {
		t.Error("it still runs")
	}
	if _, err := os.Stat(r.record); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the record is still there: %v", err)
	}
	select {
	case <-r.Done():
	default:
		t.Error("Done is not closed")
	}
}

func TestRuntimeThatDies(t *testing.T) {
	t.Setenv(actAs, "dies")
	cfg := config(t)
	_, err := StartRuntime(t.Context(), cfg)
	wantErr(t, err, engine.KindModelAway, errEarlyExit)
	log, rerr := os.ReadFile(filepath.Join(cfg.Dir, "runtime.log"))
	if rerr != nil || strings.Count(string(log), "no such thing") != 3 {
		t.Errorf("log %q, %v", log, rerr)
	}
	if !strings.Contains(err.Error(), "runtime.log") {
		t.Errorf("the sentence does not name the log: %v", err)
	}
	t.Setenv(actAs, "good") // and the folder is free again
	r, err := StartRuntime(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestRuntimeThatNeverAnswers(t *testing.T) {
	t.Setenv(actAs, "deaf")
	cfg := config(t)
	cfg.Wait = 300 * time.Millisecond
	_, err := StartRuntime(t.Context(), cfg)
	wantErr(t, err, engine.KindModelAway, ErrAway)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := StartRuntime(ctx, cfg); engine.KindOf(err) != engine.KindCancelled {
		t.Errorf("a stop while starting: %v", err)
	}
}

func TestRuntimeBinaryMissing(t *testing.T) {
	cfg := config(t)
	cfg.Binary = filepath.Join(cfg.Dir, "absent")
	_, err := StartRuntime(t.Context(), cfg)
	wantErr(t, err, engine.KindModelAway, os.ErrNotExist)
}

func TestStubbornChildIsKilled(t *testing.T) {
	port, err := freePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self(t), "serve")
	cmd.Env = append(os.Environ(), actAs+"=stubborn", fmt.Sprintf("OLLAMA_HOST=127.0.0.1:%d", port))
	c, err := startChild(cmd)
	if err != nil {
		t.Fatal(err)
	}
	client, err := New(Config{Address: fmt.Sprint("127.0.0.1:", port), Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	for range 4000 { // until it ignores signals
		if _, err = client.Version(t.Context()); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminate(c.pid)
	time.Sleep(50 * time.Millisecond)
	if ended, why := c.ended(); ended {
		t.Fatalf("it is not stubborn: %v", why)
	}
	c.end(10 * time.Millisecond)
	if born(c.pid) != "" {
		t.Error("it still runs")
	}
}

// A runtime that an earlier process left behind is ended; a process that only
// has the same number is left alone.
func TestOrphanIsEnded(t *testing.T) {
	for _, ours := range []bool{true, false} {
		t.Setenv(actAs, "good")
		cfg := config(t)
		if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		port, err := freePort(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self(t), "serve")
		cmd.Env = append(os.Environ(), fmt.Sprintf("OLLAMA_HOST=127.0.0.1:%d", port))
		orphan, err := startChild(cmd)
		if err != nil {
			t.Fatal(err)
		}
		rec := runtimeRecord{Pid: orphan.pid, Born: born(orphan.pid), Address: fmt.Sprint("127.0.0.1:", port)}
		if !ours {
			rec.Born = "long ago"
		}
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(cfg.Dir, "runtime.json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := StartRuntime(t.Context(), cfg)
		if err != nil {
			t.Fatal(err, errors.Unwrap(err))
		}
		if alive := born(orphan.pid) != ""; alive == ours {
			t.Errorf("ours: %v, alive: %v", ours, alive)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		orphan.end(time.Second)
	}
}

func TestBrokenRecordIsNoObstacle(t *testing.T) {
	t.Setenv(actAs, "good")
	cfg := config(t)
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Dir, "runtime.json"), []byte(`{"pid":`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := StartRuntime(t.Context(), cfg)
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// After kill -9 of the program the runtime does not stay behind.
func TestRuntimeDiesWithItsOwner(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a child together with its parent; elsewhere the next start does")
	}
	dir := filepath.Join(t.TempDir(), "runtime")
	owner := exec.Command(self(t))
	owner.Env = append(os.Environ(), actAs+"=owner", "CAIRN_TEST_DIR="+dir)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if born(pid) == "" {
		t.Fatal("the runtime does not run")
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := owner.Wait(); err == nil {
		t.Fatal("the owner was not killed")
	}
	for range 5000 {
		if born(pid) == "" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the runtime outlives its owner")
}

func TestRuntimeEnv(t *testing.T) {
	cfg := RuntimeConfig{Dir: "/d", Models: "/d/models"}
	got := runtimeEnv([]string{"PATH=/bin", "HOME=/home/me", "OLLAMA_HOST=0.0.0.0", "OLLAMA_ORIGINS=*", "LANG=C"}, cfg, "127.0.0.1:9")
	for _, want := range []string{"PATH=/bin", "LANG=C", "HOME=/d", "OLLAMA_HOST=127.0.0.1:9", "OLLAMA_MODELS=/d/models", "OLLAMA_NOPRUNE=1", "OLLAMA_NO_CLOUD=1"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not in %v", want, got)
		}
	}
	for _, kv := range got {
		if strings.HasPrefix(kv, "OLLAMA_ORIGINS=") || kv == "HOME=/home/me" || kv == "OLLAMA_HOST=0.0.0.0" {
			t.Errorf("%s is in it", kv)
		}
	}
}

func TestFindRunning(t *testing.T) {
	s := scripted(t, nil)
	t.Setenv("OLLAMA_HOST", strings.Replace(s.Address(), "127.0.0.1", "0.0.0.0", 1))
	c, version, err := FindRunning(t.Context(), clock.Real{}, "")
	if err != nil || version != "0.17.4" || c.Address().Host != s.Address() {
		t.Errorf("%v %q %v", c, version, err)
	}
	s.Stop()
	_, _, err = FindRunning(t.Context(), clock.Real{}, "")
	wantErr(t, err, engine.KindModelAway, ErrAway)
	if _, _, err = FindRunning(t.Context(), clock.Real{}, "not an address"); engine.KindOf(err) != engine.KindUsage {
		t.Error(err)
	}
}

func TestImportGGUF(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	path := filepath.Join(t.TempDir(), "Tiny.Q4_1.gguf")
	body := append([]byte("GGUF"), make([]byte, 300_000)...)
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	stages := map[string]int64{}
	for _, name := range []string{"tiny", "tiny-again", "tiny-bare"} {
		if err := c.ImportGGUF(t.Context(), name, path, func(stage string, done, _ int64) { stages[stage] = max(done, stages[stage]) }); err != nil {
			t.Fatal(err, errors.Unwrap(err))
		}
		card, err := c.Show(t.Context(), name)
		if err != nil || !card.templateOK() {
			t.Errorf("%s: %+v %v", name, card, err)
		}
	}
	if stages["checking"] != int64(len(body)) || stages["copying"] != int64(len(body)) {
		t.Errorf("progress %v", stages)
	}
	sent := 0
	for _, r := range s.Requests() {
		if r.Method == "POST" && strings.HasPrefix(r.Path, "/api/blobs/") {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("the file was sent %d times", sent)
	}
	if _, err := c.Find(t.Context(), "tiny"); err != nil {
		t.Error(err)
	}

	if err := c.ImportGGUF(t.Context(), "x", path+".absent", nil); engine.KindOf(err) != engine.KindSource {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.ImportGGUF(t.Context(), "x", path, nil); engine.KindOf(err) != engine.KindModelFailed {
		t.Errorf("no GGUF: %v", err)
	}
	s.Stop()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.ImportGGUF(t.Context(), "x", path, nil); engine.KindOf(err) != engine.KindModelAway {
		t.Errorf("no server: %v", err)
	}
}

func TestPull(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	var last int64
	if err := c.Pull(t.Context(), "new:1b", func(_ string, done, total int64) { last = max(last, done) }); err != nil || last != 1000 {
		t.Errorf("%d, %v", last, err)
	}
	if _, err := c.Find(t.Context(), "new:1b"); err != nil {
		t.Error(err)
	}
	if err := c.Pull(t.Context(), "absent", nil); engine.KindOf(err) != engine.KindModelFailed {
		t.Error(err)
	}
	if err := c.Pull(t.Context(), "big:cloud", nil); engine.KindOf(err) != engine.KindRefused {
		t.Error(err)
	}
}

func TestRoom(t *testing.T) {
	r := &Runtime{models: t.TempDir()}
	if err := r.room(1000); err != nil {
		t.Error(err)
	}
	err := r.room(1 << 60)
	wantErr(t, err, engine.KindDiskFull, ErrDisk)
	if !strings.Contains(err.Error(), "GB are free") && !strings.Contains(err.Error(), "MB are free") {
		t.Errorf("%v", err)
	}
	for n, want := range map[int64]string{5: "5 bytes", 98_362_432: "98 MB", 1_500_000_000: "1.5 GB", 40_000_000_000: "40 GB", 2500: "2 KB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
