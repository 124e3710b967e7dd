package model

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
)

// TestRealOllama talks to a real server with a real model, the smallest there.
// It holds the server to what the client relies on, not the model to anything.
func TestRealOllama(t *testing.T) {
	address := os.Getenv("CAIRN_OLLAMA")
	if address == "" {
		t.Skip("needs CAIRN_OLLAMA, the address of an Ollama with a model")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	c, err := New(Config{Address: address, Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Version(ctx); err != nil {
		t.Skipf("no Ollama answers at CAIRN_OLLAMA: %v", err)
	}
	models, err := c.Tags(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var size int64
	for _, m := range models {
		card, err := c.Show(ctx, m.Name)
		if err != nil {
			t.Fatal(err)
		}
		chats := strings.Contains(strings.Join(card.Capabilities, " "), "completion")
		if m.Reject == "" && chats && (size == 0 || m.Bytes < size) {
			name, size = m.Name, m.Bytes
		}
	}
	if name == "" {
		t.Skip("the Ollama at CAIRN_OLLAMA has no model")
	}

	k, err := c.Preflight(ctx, name, 2048)
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	t.Logf("%+v", k)
	if k.Digest == "" || k.ReadRate <= 0 || k.TokenBytes < 2 || k.TokenBytes > 8 || k.Context <= 0 || k.Parameters <= 0 {
		t.Errorf("the probe found too little: %+v", k)
	}

	form := Object(Field{"colour", Enum("red", "green")}, Field{"sure", YesNo()})
	var shown strings.Builder
	rep, err := c.Chat(ctx, Request{Model: name, System: "Answer in JSON.", Prompt: "What colour is grass?", Schema: form.Schema(),
		Options: Options{NumCtx: k.NumCtx, NumPredict: 64}}, func(s string) { shown.WriteString(s) })
	if err != nil && rep.Reason != ReasonLength && rep.Reason != ReasonLoop {
		t.Fatal(err, errors.Unwrap(err))
	}
	t.Logf("%+v", rep)
	if err == nil && k.Strategy == Schema {
		obj, err := ParseJSON(rep.Text)
		if err != nil || form.Check(obj) != nil {
			t.Errorf("%q: %v, %v", rep.Text, err, form.Check(obj))
		}
	}
	if shown.String() != rep.Text && rep.Thinking == "" {
		t.Errorf("shown %q, kept %q", shown.String(), rep.Text)
	}

	rep, err = c.Chat(ctx, Request{Model: name, Prompt: "Count from 1 to 1000 in words.", Options: Options{NumCtx: k.NumCtx, NumPredict: 5}}, nil)
	if err == nil || rep.Reason != ReasonLength || rep.EvalCount != 5 {
		t.Logf("a reply of at most 5 tokens: %+v, %v", rep, err) // a small model may stop by itself
		if rep.EvalCount > 5 {
			t.Errorf("it wrote %d tokens", rep.EvalCount)
		}
	}

	_, err = c.Chat(ctx, Request{Model: name, Prompt: strings.Repeat("Every word counts. ", 2000), Options: Options{NumCtx: k.NumCtx, NumPredict: 5}}, nil)
	if !errors.Is(err, ErrTooLong) && !errors.Is(err, ErrPromptCut) {
		t.Errorf("an over-long prompt: %v", errors.Unwrap(err))
	}
	_, err = c.Chat(ctx, Request{Model: "cairn-absent:1b", Prompt: "x"}, nil)
	wantErr(t, err, engine.KindModelMissing, ErrMissing)

	stop, cancelCall := context.WithCancel(ctx)
	rep, err = c.Chat(stop, Request{Model: name, Prompt: "Tell a long story about a harbour.", Options: Options{NumCtx: k.NumCtx, NumPredict: 500, Temperature: 0.8}},
		func(string) { cancelCall() })
	cancelCall()
	if engine.KindOf(err) != engine.KindCancelled || rep.Outcome != Cancelled {
		t.Errorf("a stop in mid reply: %+v, %v", rep, err)
	}
	h, err := c.Probe(ctx, name, 0)
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	t.Logf("%+v", h)
}

// TestRealRuntime starts the built runtime and gives it a model file.
func TestRealRuntime(t *testing.T) {
	binary, file := os.Getenv("CAIRN_RUNTIME"), os.Getenv("CAIRN_STARTER")
	if binary == "" || file == "" {
		t.Skip("needs CAIRN_RUNTIME, the program of a runtime, and CAIRN_STARTER, a model file")
	}
	r, err := StartRuntime(t.Context(), RuntimeConfig{Binary: binary, Dir: t.TempDir(), Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := r.ImportGGUF(t.Context(), "smollm2:135m", file, nil); err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	card, err := r.Client.Show(t.Context(), "smollm2:135m")
	if err != nil || !card.templateOK() {
		t.Fatalf("%+v %v", card, err)
	}
	t.Setenv("CAIRN_OLLAMA", r.Client.Address().Host)
	t.Run("client", TestRealOllama)
}
