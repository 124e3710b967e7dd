package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/engine"
	fake "cairn/engine/model/fakeollama"
)

func TestOutcomes(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	many := make([][]byte, 0, 20)
	for range 20 {
		many = append(many, []byte(`{"pad":"`+long[:maxLine-100]+`"}`+"\n"))
	}
	errLine := []byte(`{"error":"an error was encountered while running the model: unexpected EOF"}` + "\n")
	cut := fake.Line("one line that is cut in two")
	tests := []struct {
		name    string
		script  *fake.Script
		outcome string
		reason  string
		kind    engine.Kind
		is      error
		text    string
	}{
		{"whole", fake.Say("a ", "b"), Complete, "", "", nil, "a b"},
		{"empty and whole", fake.Say(), Complete, "", "", nil, ""},
		{"clean end without a done line", fake.Raw(fake.EndClean, fake.Line("a"), fake.Line("b"), fake.Line("c")), Cut, ReasonNoDone, engine.KindModelFailed, ErrCut, "abc"},
		{"nothing at all", fake.Raw(fake.EndClean), Cut, ReasonNoDone, engine.KindModelFailed, ErrCut, ""},
		{"cut in the middle of the body", fake.Raw(fake.EndCut, fake.Line("a")), Lost, ReasonConnection, engine.KindModelFailed, ErrLost, "a"},
		{"reset in mid stream", fake.Raw(fake.EndReset, fake.Line("a")), Lost, ReasonConnection, engine.KindModelFailed, ErrLost, ""},
		{"server killed in mid stream", fake.Raw(fake.EndKilled, fake.Line("a")), Lost, ReasonConnection, engine.KindModelFailed, ErrLost, ""},
		{"closed without an answer", &fake.Script{Offline: true}, Lost, ReasonConnection, engine.KindModelFailed, ErrLost, ""},
		{"half a line, then cut", fake.Raw(fake.EndCut, fake.Line("a"), cut[:20]), Lost, ReasonConnection, engine.KindModelFailed, ErrLost, "a"},
		{"half a line, then a clean end", fake.Raw(fake.EndClean, fake.Line("a"), cut[:20]), Lost, ReasonConnection, engine.KindModelFailed, ErrLost, "a"},
		{"error line in mid stream", fake.Raw(fake.EndClean, fake.Line("a"), errLine), Lost, ReasonServer, engine.KindModelFailed, ErrRunner, "a"},
		{"repeat limit as an error line", fake.Raw(fake.EndClean, fake.Line("a"), []byte(`{"error":"prediction aborted, token repeat limit reached"}`)), Cut, ReasonLoop, engine.KindModelFailed, ErrLoop, "a"},
		{"403 with an empty body", &fake.Script{Status: 403}, Refused, ReasonServer, engine.KindModelFailed, ErrRefused, ""},
		{"500 with an empty body", &fake.Script{Status: 500}, Refused, ReasonServer, engine.KindModelFailed, ErrRefused, ""},
		{"503 busy", fake.Refuse(503, "server busy, please try again. maximum pending requests exceeded"), Refused, ReasonServer, engine.KindModelFailed, ErrBusy, ""},
		{"length", fake.SayDone(fake.Done{Reason: "length", PromptCount: 9, EvalCount: 2}, "a"), Cut, ReasonLength, engine.KindModelFailed, ErrCut, "a"},
		{"length with thinking only", &fake.Script{Steps: []fake.Step{{Bytes: fake.Thinking("hm, hm")}, {Bytes: fake.Done{Reason: "length"}.Line()}}}, Cut, ReasonLength, engine.KindModelFailed, ErrCut, ""},
		{"done without a reason", fake.SayDone(fake.Done{NoReason: true}, "a"), Cut, ReasonNoDone, engine.KindModelFailed, ErrCut, "a"},
		{"done because it was loaded", fake.SayDone(fake.Done{Reason: "load"}), Cut, ReasonNoDone, engine.KindModelFailed, ErrCut, ""},
		{"not JSON", fake.Raw(fake.EndClean, []byte("<html>hello</html>\n")), Lost, ReasonProtocol, engine.KindModelFailed, ErrProtocol, ""},
		{"a line that is too long", fake.Raw(fake.EndClean, fake.Line(long), fake.Done{}.Line()), Cut, ReasonLimit, engine.KindModelFailed, ErrTooMuch, ""},
		{"too many bytes", fake.Raw(fake.EndClean, many...), Cut, ReasonLimit, engine.KindModelFailed, ErrTooMuch, ""},
		{"a redirect", &fake.Script{Status: 302, Header: map[string][]string{"Location": {"http://example.invalid/"}}}, Refused, ReasonServer, engine.KindModelFailed, ErrProtocol, ""},
		{"a remote model answers", fake.Raw(fake.EndClean, []byte(`{"remote_host":"https://ollama.com:443","message":{"content":"hi"},"done":false}`+"\n")), Refused, ReasonRemote, engine.KindRefused, ErrRemote, ""},
		{"another name answers", fake.Raw(fake.EndClean, []byte(`{"remote_model":"big","message":{"content":"hi"},"done":false}`+"\n")), Refused, ReasonRemote, engine.KindRefused, ErrRemote, ""},
		{"the prompt was cut: as many tokens as fit", fake.SayDone(fake.Done{PromptCount: DefaultNumCtx}, "a"), Cut, ReasonPromptCut, engine.KindModelFailed, ErrPromptCut, "a"},
		{"the prompt was cut: fewer than expected", fake.SayDone(fake.Done{PromptCount: 80}, "a"), Cut, ReasonPromptCut, engine.KindModelFailed, ErrPromptCut, "a"},
		{"a good loop of the server's guard: no last line", fake.Raw(fake.EndClean, slices.Repeat([][]byte{fake.Line(".")}, 31)...), Cut, ReasonNoDone, engine.KindModelFailed, ErrCut, strings.Repeat(".", 31)},

		{"model missing", fake.Refuse(404, "model 'x' not found"), Refused, ReasonServer, engine.KindModelMissing, ErrMissing, ""},
		{"model missing, pull first", fake.Refuse(404, `model "x" not found, try pulling it first`), Refused, ReasonServer, engine.KindModelMissing, ErrMissing, ""},
		{"another program's 404", &fake.Script{Status: 404, Steps: []fake.Step{{Bytes: []byte("404 page not found")}}}, Lost, ReasonProtocol, engine.KindModelFailed, ErrProtocol, ""},
		{"no chat", fake.Refuse(400, `"x" does not support chat`), Refused, ReasonServer, engine.KindModelFailed, ErrRefused, ""},
		{"no thinking", fake.Refuse(400, `"x" does not support thinking`), Refused, ReasonServer, engine.KindModelFailed, ErrNoThinking, ""},
		{"too long", fake.Refuse(400, "the input length exceeds the context length"), Refused, ReasonServer, engine.KindModelFailed, ErrTooLong, ""},
		{"memory", fake.Refuse(500, "model requires more system memory (8.0 GiB) than is available (2.0 GiB)"), Refused, ReasonServer, engine.KindModelFailed, ErrMemory, ""},
		{"graphics memory", fake.Refuse(500, "unable to load full model on GPU"), Refused, ReasonServer, engine.KindModelFailed, ErrMemory, ""},
		{"runner died before output", fake.Refuse(500, "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error"), Refused, ReasonServer, engine.KindModelFailed, ErrRunner, ""},
		{"runner found dead", fake.Refuse(500, "llama runner process no longer running: 2 killed"), Refused, ReasonServer, engine.KindModelFailed, ErrRunner, ""},
		{"loading timed out", fake.Refuse(500, "timed out waiting for llama runner to start - progress 0.52 - "), Refused, ReasonServer, engine.KindModelFailed, ErrLoading, ""},
		{"stale model", fake.Refuse(500, "error loading model: this model may be incompatible with your version of Ollama"), Refused, ReasonServer, engine.KindModelFailed, ErrRefused, ""},
		{"cloud, not signed in", &fake.Script{Status: 401, Steps: []fake.Step{{Bytes: []byte(`{"error":"unauthorized","signin_url":"https://example.invalid"}`)}}}, Refused, ReasonRemote, engine.KindRefused, ErrRemote, ""},
		{"cloud is off", fake.Refuse(403, "ollama cloud is disabled: remote inference is unavailable"), Refused, ReasonRemote, engine.KindRefused, ErrRemote, ""},
		{"cancelled by the server", fake.Refuse(499, "request canceled"), Lost, ReasonServer, engine.KindModelFailed, ErrLost, ""},
		{"disk full", fake.Refuse(500, "write /models/x: no space left on device"), Refused, ReasonServer, engine.KindDiskFull, ErrDisk, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scripted(t, always(tt.script))
			c, _ := begin(t, s.Address(), Limits{})
			r := request("hello")
			if tt.reason == ReasonPromptCut {
				r.Expect = 100
			}
			rep, err := c.Chat(t.Context(), r, nil)
			if rep.Outcome != tt.outcome || rep.Reason != tt.reason {
				t.Errorf("outcome %q (%s), want %q (%s); error %v", rep.Outcome, rep.Reason, tt.outcome, tt.reason, errors.Unwrap(err))
			}
			if tt.reason != ReasonConnection && rep.Text != tt.text {
				t.Errorf("text %q, want %q", rep.Text, tt.text)
			}
			if only := tt.name == "length with thinking only"; rep.ThinkingOnly() != only {
				t.Errorf("thinking only: %v", rep.ThinkingOnly())
			}
			if tt.is == nil {
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			}
			wantErr(t, err, tt.kind, tt.is)
		})
	}
}

func TestEveryFieldIsSent(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	r := Request{Model: fake.DefaultModel, System: "be brief", Prompt: "hello", Schema: Object(Field{"a", YesNo()}).Schema()}
	if _, err := c.Chat(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0]
	want := map[string]string{
		"model": `"fake:3b"`, "stream": "true", "think": "false", "truncate": "false", "shift": "false", "keep_alive": `"30m"`,
		"options":  `{"num_ctx":4096,"num_predict":512,"seed":0,"top_k":40,"temperature":0,"top_p":0.9}`,
		"messages": `[{"role":"system","content":"be brief"},{"role":"user","content":"hello"}]`,
		"format":   `{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"],"additionalProperties":false}`,
	}
	for name, value := range want {
		if string(got.Raw[name]) != value {
			t.Errorf("%s: %s, want %s", name, got.Raw[name], value)
		}
	}
	if len(got.Raw) != len(want) {
		t.Errorf("the request has %d fields, want %d", len(got.Raw), len(want))
	}
	yes := true
	r.Think, r.KeepAlive, r.Options = &yes, "5m", Options{NumCtx: 2048, NumPredict: 7, Seed: 3, TopK: 1, Temperature: 0.5, TopP: 0.8}
	if _, err := c.Chat(t.Context(), r, nil); !errors.Is(err, ErrNoThinking) {
		t.Errorf("thinking on a model that can't: %v", err)
	}
	raw := s.Requests()[1].Raw
	if string(raw["think"]) != "true" || string(raw["keep_alive"]) != `"5m"` ||
		string(raw["options"]) != `{"num_ctx":2048,"num_predict":7,"seed":3,"top_k":1,"temperature":0.5,"top_p":0.8}` {
		t.Errorf("what was asked for is not what was sent: %s", s.Requests()[1].Body)
	}
}

func TestBoundariesAnywhere(t *testing.T) {
	want := "Zoë reads “Łódź” – 漢字 🌍."
	all := append(append(fake.Line(want[:9]), fake.Line(want[9:])...), fake.Done{}.Line()...)
	for size := 1; size < 40; size += 3 {
		var pieces [][]byte
		for at := 0; at < len(all); at += size {
			pieces = append(pieces, all[at:min(at+size, len(all))])
		}
		s := scripted(t, always(fake.Raw(fake.EndClean, pieces...)))
		c, _ := begin(t, s.Address(), Limits{})
		var shown strings.Builder
		rep, err := c.Chat(t.Context(), request("x"), func(p string) { shown.WriteString(p) })
		if err != nil || rep.Text != want || shown.String() != want {
			t.Fatalf("pieces of %d bytes: %q, shown %q, %v", size, rep.Text, shown.String(), err)
		}
	}
}

func TestLastLineWithoutItsEnd(t *testing.T) {
	d := fake.Done{PromptCount: 3, EvalCount: 1, Load: 2 * time.Second, PromptTime: time.Second, EvalTime: 500 * time.Millisecond}
	line := d.Line()
	s := scripted(t, always(fake.Raw(fake.EndClean, fake.Line("a"), line[:len(line)-1])))
	c, _ := begin(t, s.Address(), Limits{})
	rep, err := c.Chat(t.Context(), request("x"), nil)
	if err != nil || rep.PromptCount != 3 || rep.EvalCount != 1 || rep.LoadMs != 2000 || rep.PromptMs != 1000 || rep.EvalMs != 500 || rep.DoneReason != "stop" {
		t.Fatalf("%+v, %v", rep, err)
	}
}

func TestAway(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	s.Stop()
	rep, err := c.Chat(t.Context(), request("x"), nil)
	wantErr(t, err, engine.KindModelAway, ErrAway)
	if rep.Outcome != Lost || rep.Reason != ReasonConnection {
		t.Errorf("%+v", rep)
	}
	if !strings.Contains(err.Error(), s.Address()) {
		t.Errorf("the sentence does not say where: %v", err)
	}
}

func TestCloudNamesAreNeverSent(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	for _, name := range []string{"gpt-oss:120b-cloud", "x:cloud", "a/b:CLOUD"} {
		rep, err := c.Chat(t.Context(), Request{Model: name, Prompt: "secret"}, nil)
		wantErr(t, err, engine.KindRefused, ErrRemote)
		if rep.Outcome != Refused {
			t.Errorf("%+v", rep)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

// A first byte after 7 minutes is normal on a slow computer.
func TestSlowFirstByte(t *testing.T) {
	release := make(chan struct{})
	s := scripted(t, always(&fake.Script{Steps: []fake.Step{{Wait: release}, {Bytes: fake.Line("at last")}, {Bytes: fake.Done{}.Line()}}}))
	c, h := begin(t, s.Address(), Limits{})
	done := ask(c, t.Context(), request("x"), nil)
	if r, ended := h.pass(9*time.Minute+45*time.Second, done); ended {
		t.Fatalf("ended early: %+v", r)
	}
	close(release)
	r := await(t, done)
	if r.err != nil || r.rep.Text != "at last" {
		t.Fatalf("%+v", r)
	}
	if first := time.Duration(r.rep.FirstMs) * time.Millisecond; first < 9*time.Minute || first > 10*time.Minute {
		t.Errorf("first byte after %v", first)
	}
}

func TestNoFirstByteEnds(t *testing.T) {
	for name, script := range map[string]*fake.Script{
		"no headers":   {Silent: true},
		"headers only": {Steps: []fake.Step{{Bytes: []byte{}}}, End: fake.EndHang},
	} {
		t.Run(name, func(t *testing.T) {
			s := scripted(t, always(script))
			c, h := begin(t, s.Address(), Limits{})
			done := ask(c, t.Context(), request("x"), nil)
			r, ended := h.pass(11*time.Minute, done)
			if !ended {
				r = await(t, done)
			}
			wantErr(t, r.err, engine.KindModelFailed, ErrSilent)
			if r.rep.Outcome != Lost || r.rep.Reason != ReasonFirstByte || r.rep.AwakeMs < 600_000 {
				t.Errorf("%+v", r.rep)
			}
		})
	}
}

// A prompt that takes the model long to read gets the time that it needs.
func TestFirstByteGrowsWithThePrompt(t *testing.T) {
	c, _ := begin(t, "", Limits{})
	c.Adopt(Capability{Model: "m", ReadRate: 10, LoadMs: 60_000})
	r := Request{Model: "m", Prompt: strings.Repeat("word ", 6000), Options: Options{}.Full()} // 10,000 tokens at 10/s
	got := c.bounds(r, c.learn("m", nil))
	if got.FirstByte < 50*time.Minute || got.FirstByte > 2*time.Hour {
		t.Errorf("first byte within %v", got.FirstByte)
	}
	if got.Gap < 60*time.Second || got.Gap > 120*time.Second {
		t.Errorf("gap %v", got.Gap)
	}
	if got.Wall <= got.FirstByte {
		t.Errorf("wall %v", got.Wall)
	}
}

func TestGap(t *testing.T) {
	s := scripted(t, always(fake.Raw(fake.EndHang, fake.Line("some words"))))
	c, h := begin(t, s.Address(), Limits{})
	seen := make(chan struct{})
	done := ask(c, t.Context(), request("x"), func(string) { close(seen) })
	<-seen
	if r, ended := h.pass(75*time.Second, done); ended {
		t.Fatalf("ended early: %+v", r)
	}
	r, ended := h.pass(time.Minute, done)
	if !ended {
		r = await(t, done)
	}
	wantErr(t, r.err, engine.KindModelFailed, ErrSilent)
	if r.rep.Outcome != Lost || r.rep.Reason != ReasonGap || r.rep.Text != "some words" {
		t.Errorf("%+v", r.rep)
	}
}

// A reply that comes for ever in small pieces ends by the cap.
func TestWall(t *testing.T) {
	next := make(chan struct{})
	var steps []fake.Step
	for i := range 1000 {
		steps = append(steps, fake.Step{Wait: next, Bytes: fake.Line(fmt.Sprintf("%d ", i*i))})
	}
	close(next)
	s := scripted(t, always(&fake.Script{Steps: steps, End: fake.EndHang}))
	c, h := begin(t, s.Address(), Limits{Wall: 5 * time.Minute, Gap: time.Hour})
	seen := make(chan struct{}, 1000)
	done := ask(c, t.Context(), request("x"), func(string) { seen <- struct{}{} })
	<-seen
	r, ended := h.pass(6*time.Minute, done)
	if !ended {
		r = await(t, done)
	}
	if r.rep.Outcome != Cut || r.rep.Reason != ReasonWall || !errors.Is(r.err, ErrSilent) {
		t.Errorf("%+v %v", r.rep, r.err)
	}
}

// Time asleep is not charged, and a resume begins the running phase anew.
func TestSleepIsNotCharged(t *testing.T) {
	release := make(chan struct{})
	s := scripted(t, always(&fake.Script{Steps: []fake.Step{{Wait: release}, {Bytes: fake.Line("morning")}, {Bytes: fake.Done{}.Line()}}}))
	c, h := begin(t, s.Address(), Limits{})
	done := ask(c, t.Context(), request("x"), nil)
	h.pass(5*time.Minute, done)
	h.clock.Advance(8 * time.Hour)
	if r, ended := h.pass(9*time.Minute, done); ended {
		t.Fatalf("the sleep was charged: %+v", r)
	}
	h.clock.Advance(-2 * time.Hour) // and a clock that is set back does no harm
	if r, ended := h.pass(15*time.Second, done); ended {
		t.Fatalf("%+v", r)
	}
	close(release)
	r := await(t, done)
	if r.err != nil {
		t.Fatal(r.err)
	}
	if slept := time.Duration(r.rep.AsleepMs) * time.Millisecond; slept < 7*time.Hour || slept > 9*time.Hour {
		t.Errorf("slept %v", slept)
	}
	if awake := time.Duration(r.rep.AwakeMs) * time.Millisecond; awake > 16*time.Minute {
		t.Errorf("awake %v", awake)
	}
}

var errResumed = errors.New("resumed")

// Stop gives the window back at once, though the server goes on with its prompt;
// the next call waits behind it.
func TestCancelWhileTheSlotIsHeld(t *testing.T) {
	hold, arrived := make(chan struct{}), make(chan struct{})
	s := scripted(t, func(_ fake.ChatRequest, n int) *fake.Script {
		if n == 0 {
			return &fake.Script{Steps: []fake.Step{{Do: func() { close(arrived) }}}, End: fake.EndHang, Hold: hold}
		}
		return fake.Say("second")
	})
	c, h := begin(t, s.Address(), Limits{})
	ctx, cancel := context.WithCancelCause(t.Context())
	first := ask(c, ctx, request("first"), nil)
	<-arrived
	cancel(errResumed)
	r := await(t, first)
	wantErr(t, r.err, engine.KindCancelled, context.Canceled)
	if r.rep.Outcome != Cancelled || !errors.Is(r.err, errResumed) {
		t.Errorf("%+v %v", r.rep, r.err)
	}
	second := ask(c, t.Context(), request("second"), nil)
	if r, ended := h.pass(60*time.Second, second); ended {
		t.Fatalf("the second call did not wait: %+v", r)
	}
	close(hold)
	if r := await(t, second); r.err != nil || r.rep.Text != "second" {
		t.Errorf("%+v", r)
	}
}

// A server that fails on the schema is asked without, now and later.
func TestFormatFailureIsRemembered(t *testing.T) {
	s := scripted(t, func(r fake.ChatRequest, _ int) *fake.Script {
		if len(r.Format) > 0 {
			return fake.Refuse(500, "failed to load model vocabulary required for format")
		}
		return fake.Say(`{"a":true}`)
	})
	c, _ := begin(t, s.Address(), Limits{})
	r := request("x")
	r.Schema = Object(Field{"a", YesNo()}).Schema()
	for range 2 {
		rep, err := c.Chat(t.Context(), r, nil)
		if err != nil || rep.Text != `{"a":true}` || rep.Format != "" {
			t.Fatalf("%+v %v", rep, err)
		}
	}
	if n := len(s.Chats()); n != 3 {
		t.Errorf("%d calls, want 3: with, without, and without", n)
	}
}

func TestStrategyDecidesTheFormat(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	schema := Object(Field{"a", YesNo()}).Schema()
	for strategy, want := range map[Strategy]string{Schema: string(schema), JSON: `"json"`, Plain: ""} {
		c.Adopt(Capability{Model: fake.DefaultModel, Strategy: strategy})
		r := request(string(strategy))
		r.Schema = schema
		if _, err := c.Chat(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		chats := s.Chats()
		if got := string(chats[len(chats)-1].Format); got != want {
			t.Errorf("%s: format %s, want %s", strategy, got, want)
		}
	}
}

func TestOneSetOfOptionsLoadsOnce(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	for i := range 5 {
		r := request(fmt.Sprint("question ", i))
		r.Options.NumPredict = 10 + i // not an option of the runner
		if _, err := c.Chat(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Probe(t.Context(), fake.DefaultModel, 0); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Loads(); n != 1 {
		t.Errorf("the model was loaded %d times", n)
	}
}

func TestPhases(t *testing.T) {
	s := scripted(t, always(&fake.Script{Steps: []fake.Step{
		{Bytes: fake.Thinking("let me see")}, {Bytes: fake.Line("<think>more</think>yes")}, {Bytes: fake.Done{}.Line()},
	}}))
	c, _ := begin(t, s.Address(), Limits{})
	var phases []Phase
	r := request("x")
	r.OnPhase = func(p Phase) { phases = append(phases, p) }
	rep, err := c.Chat(t.Context(), r, nil)
	if err != nil || rep.Text != "yes" || rep.Thinking != "let me seemore" {
		t.Fatalf("%+v %v", rep, err)
	}
	if want := []Phase{PhaseReading, PhaseThinking, PhaseWriting}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
}

func TestOptionsHash(t *testing.T) {
	if (Options{}).Hash() != (Options{}).Full().Hash() {
		t.Error("defaults change the hash")
	}
	seen := map[string]Options{}
	for _, o := range []Options{{}, {NumCtx: 1}, {NumPredict: 1}, {Seed: 1}, {TopK: 1}, {Temperature: 0.1}, {TopP: 0.1}} {
		h := o.Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%+v and %+v have one hash", o, other)
		}
		seen[h] = o
	}
}

func TestPromptsWithEveryCharacter(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	prompt := "tab\t quote\" back\\ <b>&amp;</b> \u2028 漢字 🌍 \x01"
	if _, err := c.Chat(t.Context(), request(prompt), nil); err != nil {
		t.Fatal(err)
	}
	var got struct{ Messages []message }
	if err := json.Unmarshal(s.Requests()[0].Body, &got); err != nil || got.Messages[0].Content != prompt {
		t.Errorf("%q, %v", got, err)
	}
}
