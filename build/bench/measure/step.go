package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/model/fakeollama"
	"cairn/engine/run"
	"cairn/engine/run/scholar"
	"cairn/engine/source"
	"cairn/engine/task"
)

// sample is the task that ships with the program, from the repository's root.
const sample = "app/sample"

// serveFake is the scripted model in a process of its own, so that its work is
// not counted as the engine's. It prints its address and serves until ctx ends.
func serveFake(ctx context.Context) error {
	gold, err := readGold()
	if err != nil {
		return err
	}
	s := fakeollama.New(func(r fakeollama.ChatRequest) string { return gold.Reply(r.Prompt()) })
	if err := s.Start(); err != nil {
		return err
	}
	defer s.Stop()
	fmt.Println(s.Address())
	<-ctx.Done()
	return nil
}

func readGold() (scholar.Gold, error) {
	expected, err := os.ReadFile(filepath.Join(sample, "expected.json"))
	if err != nil {
		return scholar.Gold{}, fmt.Errorf("read the sample's answers (run this from the repository's root): %w", err)
	}
	return scholar.Read(expected)
}

// stepCPU is the processor time of the engine per finished step, over a whole
// run of the sample in a real vault. Waiting costs no processor time, and the
// model is another process.
func stepCPU(ctx context.Context, m Machine) (_ float64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	address, err := startFake(ctx)
	if err != nil {
		return 0, err
	}
	s, done, err := open(filepath.Join(m.Dir, "home"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	var c clock.Real
	client, err := model.New(model.Config{Address: address, Clock: c})
	if err != nil {
		return 0, err
	}
	t, err := takeIn(ctx, m, task.NewDesk(s, c, rand.Reader, "bench"))
	if err != nil {
		return 0, err
	}
	m.Note("running the sample")
	runner := &run.Runner{Task: t, Model: client, Clock: c, Patience: time.Minute, Ready: func(ctx context.Context) (model.Capability, error) {
		return client.Preflight(ctx, fakeollama.DefaultModel, 0)
	}}
	before, err := cpu()
	if err != nil {
		return 0, err
	}
	end, err := runner.Run(ctx)
	if err != nil {
		return 0, err
	}
	after, err := cpu()
	if err != nil {
		return 0, err
	}
	steps := 0
	err = t.Lines(ctx, 1, func(_ int64, raw []byte) error {
		line, err := ledger.Decode(raw)
		if err == nil && line.Op.OpName() == "finish" {
			steps++
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	if steps < 10 || end.Outcome != "done" {
		return 0, fmt.Errorf("the sample ended %s after %d steps: too little to measure", end.Outcome, steps)
	}
	return float64(after-before) / 1e6 / float64(steps), nil
}

// takeIn makes the sample task with its documents.
func takeIn(ctx context.Context, m Machine, desk *task.Desk) (_ *task.Task, err error) {
	body, err := os.ReadFile(filepath.Join(sample, "task.json"))
	if err != nil {
		return nil, fmt.Errorf("read the sample task: %w", err)
	}
	var about struct {
		Goal      string
		Questions []string
	}
	if err := json.Unmarshal(body, &about); err != nil {
		return nil, fmt.Errorf("read the sample task: %w", err)
	}
	t, err := desk.Create(ctx, task.New{Goal: about.Goal, Questions: about.Questions,
		Set: ledger.Set{Model: fakeollama.DefaultModel, Depth: "exhaustive"}})
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Join(sample, "files"))
	if err != nil {
		return nil, fmt.Errorf("find the sample's documents: %w", err)
	}
	if err := t.SetFolder(ctx, folder); err != nil {
		return nil, err
	}
	w, err := source.NewWorker(filepath.Join(m.Dir, "workers"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = t.Intake(ctx, source.Scan, w, nil)
	return t, err
}

// startFake starts this program again as the scripted model and gives its address.
func startFake(ctx context.Context) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, "-fake")
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("start the scripted model: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start the scripted model: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("start the scripted model: %w", errors.Join(err, cmd.Wait()))
	}
	go func() { _ = cmd.Wait() }() // it ends with ctx; how is of no interest
	return strings.TrimSpace(line), nil
}
