package fakeollama_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/engine/clock"
	"cairn/engine/model"
	fake "cairn/engine/model/fakeollama"
)

func client(t *testing.T, s *fake.Server) *model.Client {
	t.Helper()
	c, err := model.New(model.Config{Address: s.Address(), Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Reset)
	return c
}

func ask(t *testing.T, c *model.Client, system, prompt string) model.Reply {
	t.Helper()
	rep, err := c.Chat(t.Context(), model.Request{Model: fake.DefaultModel, System: system, Prompt: prompt}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestReplyIsAFunctionOfThePrompt(t *testing.T) {
	s := fake.New(func(r fake.ChatRequest) string { return strings.ToUpper(r.System() + "/" + r.Prompt()) })
	s.Run(t)
	c := client(t, s)
	for range 3 {
		if rep := ask(t, c, "sys", "tést"); rep.Text != "SYS/TÉST" || rep.PromptCount == 0 || rep.EvalCount == 0 {
			t.Errorf("%+v", rep)
		}
	}
	if got := s.Chats(); len(got) != 3 || got[0].Int("num_ctx") != 4096 || got[0].Prompt() != "tést" {
		t.Errorf("%+v", got)
	}
}

// The simulated speed is what the clock and the done line say.
func TestSpeed(t *testing.T) {
	begun := time.Unix(1000, 0)
	now := clock.NewFake(begun)
	s := fake.New(func(fake.ChatRequest) string { return strings.Repeat("four", 60) })
	s.Clock, s.Read, s.Write, s.LoadTime = now, 40, 6, 5*time.Second
	s.Run(t)
	c := client(t, s)
	text := strings.Repeat("word ", 800) // 1,000 tokens and a few
	rep := ask(t, c, text, "one")
	if rep.LoadMs != 5000 || rep.PromptMs < 25_000 || rep.PromptMs > 26_000 || rep.EvalMs < 9900 || rep.EvalMs > 10_000 {
		t.Errorf("%+v", rep)
	}
	if took := now.Now().Sub(begun); took < 39*time.Second || took > 42*time.Second {
		t.Errorf("it took %v", took)
	}
	// The beginning that both prompts share is in the cache.
	if again := ask(t, c, text, "two"); again.LoadMs != 0 || again.PromptMs > 500 || again.PromptCount != rep.PromptCount {
		t.Errorf("%+v", again)
	}
}

func TestOneSlot(t *testing.T) {
	release := make(chan struct{})
	var mu sync.Mutex
	busy, most := 0, 0
	s := fake.New(nil)
	s.Script = func(_ fake.ChatRequest, n int) *fake.Script {
		enter := func() {
			mu.Lock()
			defer mu.Unlock()
			busy++
			most = max(most, busy)
		}
		leave := func() {
			mu.Lock()
			defer mu.Unlock()
			busy--
		}
		sc := fake.Say("x")
		sc.Steps = append([]fake.Step{{Do: enter}, {Wait: release}, {Do: leave}}, sc.Steps...)
		return sc
	}
	s.Run(t)
	c := client(t, s)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := c.Chat(context.Background(), model.Request{Model: fake.DefaultModel, Prompt: "x"}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	wg.Wait()
	if most != 1 {
		t.Errorf("%d calls at once", most)
	}
}

func TestRestartKeepsThePort(t *testing.T) {
	s := fake.New(func(fake.ChatRequest) string { return "yes" })
	s.Run(t)
	c := client(t, s)
	before := s.Address()
	for range 3 {
		ask(t, c, "", "x")
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	ask(t, c, "", "x")
	if s.Address() != before || s.Loads() != 4 {
		t.Errorf("at %s, loaded %d times", s.Address(), s.Loads())
	}
}

func TestLength(t *testing.T) {
	s := fake.New(func(fake.ChatRequest) string { return strings.Repeat("abcd ", 100) })
	s.Run(t)
	c := client(t, s)
	rep, err := c.Chat(t.Context(), model.Request{Model: fake.DefaultModel, Prompt: "x", Options: model.Options{NumPredict: 7}}, nil)
	if err == nil || rep.Reason != model.ReasonLength || rep.EvalCount != 7 {
		t.Errorf("%+v %v", rep, err)
	}
}

func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := fake.New(func(fake.ChatRequest) string { return "yes" })
	done := make(chan error)
	go func() { done <- fake.Serve(ctx, "127.0.0.1:0", s) }()
	for s.Address() == "" {
		time.Sleep(time.Millisecond)
	}
	ask(t, client(t, s), "", "x")
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
