package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	fake "cairn/engine/model/fakeollama"
)

func ladder(c *Client, h *hand, tries *[]time.Duration) Ladder {
	return Ladder{Chatter: c, Clock: h.clock, OnTry: func(_ int, wait time.Duration, _ Reply, _ error) { *tries = append(*tries, wait) }}
}

func TestLadder(t *testing.T) {
	runner := fake.Refuse(500, "model runner has unexpectedly stopped, this may be due to resource limitations")
	full := []time.Duration{0, 2 * time.Second, 10 * time.Second, 60 * time.Second}
	tests := []struct {
		name   string
		script func(r fake.ChatRequest, n int) *fake.Script
		waits  []time.Duration
		is     error
	}{
		{"good at once", always(fake.Say("a")), nil, nil},
		{"the stream closed in the reasoning, then fine", first(1, fake.Raw(fake.EndClean, fake.Thinking("hm"))), full[:1], nil},
		{"no last line twice", always(fake.Raw(fake.EndClean, fake.Line("a"))), full[:1], ErrCut},
		{"reset, then fine", first(1, fake.Raw(fake.EndReset, fake.Line("a"))), full[:1], nil},
		{"the runner needs a while", first(3, runner), full[:3], nil},
		{"loading needs a while", first(2, fake.Refuse(500, "timed out waiting for llama runner to start")), full[:2], nil},
		{"busy for ever", always(fake.Refuse(503, "server busy, please try again")), full, ErrBusy},
		{"the runner is dead for ever", always(runner), full, ErrRunner},
		{"length", always(fake.SayDone(fake.Done{Reason: "length"}, "a")), nil, ErrCut},
		{"too long", always(fake.Refuse(400, "the input length exceeds the context length")), nil, ErrTooLong},
		{"missing", always(fake.Refuse(404, "model 'x' not found")), nil, ErrMissing},
		{"memory", always(fake.Refuse(500, "model requires more system memory (9 GiB) than is available (2 GiB)")), nil, ErrMemory},
		{"some other 500", always(fake.Refuse(500, "something is wrong")), full[:1], ErrRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scripted(t, tt.script)
			c, h := begin(t, s.Address(), Limits{})
			var waits []time.Duration
			rep, err := ladder(c, h, &waits).Chat(t.Context(), request("x"), nil)
			if !errors.Is(err, tt.is) || (tt.is == nil) != (rep.Outcome == Complete) {
				t.Errorf("%+v, %v; want %v", rep, err, tt.is)
			}
			if !slices.Equal(waits, tt.waits) {
				t.Errorf("tries after %v, want %v", waits, tt.waits)
			}
			if n := len(s.Chats()); n != len(tt.waits)+1 {
				t.Errorf("%d calls for %d tries", n, len(tt.waits)+1)
			}
		})
	}
}

func first(n int, bad *fake.Script) func(fake.ChatRequest, int) *fake.Script {
	return func(_ fake.ChatRequest, call int) *fake.Script {
		if call < n {
			return bad
		}
		return fake.Say("fine")
	}
}

func TestLadderVariesAfterALoop(t *testing.T) {
	words := slices.Repeat([]string{"the same few words "}, 200)
	s := scripted(t, func(r fake.ChatRequest, n int) *fake.Script {
		if r.Options["temperature"] == 0.0 {
			return fake.Say(words...)
		}
		return fake.Say("fine")
	})
	c, h := begin(t, s.Address(), Limits{})
	var waits []time.Duration
	rep, err := ladder(c, h, &waits).Chat(t.Context(), request("x"), nil)
	if err != nil || rep.Text != "fine" || len(waits) != 1 {
		t.Errorf("%+v %v %v", rep, err, waits)
	}
	s.Set(func(s *fake.Server) { s.Script = always(fake.Say(words...)) })
	rep, err = ladder(c, h, &waits).Chat(t.Context(), request("x"), nil)
	if rep.Outcome != Cut || rep.Reason != ReasonLoop || !errors.Is(err, ErrLoop) || len(rep.Text) > 2000 {
		t.Errorf("%s %s %d bytes, %v", rep.Outcome, rep.Reason, len(rep.Text), err)
	}
}

// The server restarts on its port in the middle of a reply: nobody has to act.
func TestServerRestartsInMidStream(t *testing.T) {
	s := fake.New(func(fake.ChatRequest) string { return "fine" })
	s.Script = func(_ fake.ChatRequest, n int) *fake.Script {
		if n == 0 {
			return fake.Raw(fake.EndKilled, fake.Line("a"))
		}
		return nil
	}
	s.Run(t)
	c, h := begin(t, s.Address(), Limits{})
	l := Ladder{Chatter: c, Clock: h.clock, OnTry: func(try int, _ time.Duration, _ Reply, _ error) {
		if try == 3 {
			if err := s.StartAt(s.Address()); err != nil {
				t.Error(err)
			}
		}
	}}
	rep, err := l.Chat(t.Context(), request("x"), nil)
	if err != nil || rep.Text != "fine" {
		t.Errorf("%+v %v", rep, err)
	}
}

func TestLadderStopsAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := scripted(t, always(fake.Refuse(503, "server busy")))
	c, h := begin(t, s.Address(), Limits{})
	l := Ladder{Chatter: c, Clock: h.clock, OnTry: func(try int, wait time.Duration, _ Reply, _ error) {
		if wait > 0 {
			cancel()
		}
	}}
	rep, err := l.Chat(ctx, request("x"), nil)
	wantErr(t, err, engine.KindCancelled, context.Canceled)
	if rep.Outcome != Cancelled {
		t.Errorf("%+v", rep)
	}
}

// One call that never returns: the ladder still ends.
func TestNeverReturns(t *testing.T) {
	s := scripted(t, always(&fake.Script{Silent: true}))
	c, h := begin(t, s.Address(), Limits{})
	var waits []time.Duration
	done := ask(ladder(c, h, &waits), t.Context(), request("x"), nil)
	r, ended := h.pass(40*time.Minute, done)
	if !ended {
		r = await(t, done)
	}
	wantErr(t, r.err, engine.KindModelFailed, ErrSilent)
	if len(waits) != 1 {
		t.Errorf("tries %v", waits)
	}
}

func TestProbeDecidesByAToken(t *testing.T) {
	s := scripted(t, nil)
	s.Set(func(s *fake.Server) { s.Models = []fake.Model{{Name: fake.DefaultModel, Bytes: 1000, VRAM: 1000}} })
	c, h := begin(t, s.Address(), Limits{})
	if h, err := c.Probe(t.Context(), fake.DefaultModel, 0); err != nil || h.Version != "0.17.4" || h.VRAMShare != 1 {
		t.Fatalf("%+v %v", h, err)
	}
	// After sleep: on the processor now. That is no failure.
	s.Set(func(s *fake.Server) { s.Models[0].VRAM = 0 })
	if h, err := c.Probe(t.Context(), fake.DefaultModel, 0); err != nil || h.VRAMShare != 0 {
		t.Fatalf("%+v %v", h, err)
	}
	// The port and the version answer, the runner is dead.
	s.Set(func(s *fake.Server) { s.RunnerDead = true })
	out := make(chan result, 1)
	probe := func() { // time may pass when its token has been asked for
		asked := len(s.Chats())
		go func() {
			_, err := c.Probe(context.Background(), fake.DefaultModel, 0)
			out <- result{err: err}
		}()
		for len(s.Chats()) == asked {
			time.Sleep(time.Millisecond)
		}
	}
	probe()
	r, ended := h.pass(45*time.Second, out)
	if !ended {
		r = await(t, out)
	}
	wantErr(t, r.err, engine.KindModelAway, ErrSilent)

	// A model that may still be reading a prompt that was cancelled gets the time for it.
	c.Adopt(Capability{Model: fake.DefaultModel, NumCtx: 4096, ReadRate: 50})
	probe()
	if r, ended := h.pass(100*time.Second, out); ended {
		t.Fatalf("ended early: %v", r.err)
	}
	if r, ended = h.pass(30*time.Second, out); !ended {
		r = await(t, out)
	}
	wantErr(t, r.err, engine.KindModelAway, ErrSilent)
}

func TestWaitBack(t *testing.T) {
	s := scripted(t, nil)
	c, h := begin(t, s.Address(), Limits{})
	s.Stop()
	begun := h.clock.Now()
	asked := 0
	health, err := c.WaitBack(t.Context(), fake.DefaultModel, func(err error) {
		wantErr(t, err, engine.KindModelAway, ErrAway)
		if asked++; asked == 100 {
			if err := s.StartAt(s.Address()); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || health.Version == "" || asked != 100 {
		t.Fatalf("%+v %v after %d", health, err, asked)
	}
	if waited := h.clock.Now().Sub(begun); waited < time.Hour {
		t.Errorf("waited only %v", waited)
	}
	if _, err := c.WaitBack(t.Context(), "absent", nil); engine.KindOf(err) != engine.KindModelMissing {
		t.Errorf("waiting for a model that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Stop()
	if _, err := c.WaitBack(ctx, fake.DefaultModel, func(error) { cancel() }); engine.KindOf(err) != engine.KindCancelled {
		t.Errorf("a stop while waiting: %v", err)
	}
}

func TestPreflight(t *testing.T) {
	tests := []struct {
		name     string
		model    fake.Model
		version  string
		reply    func(fake.ChatRequest) string
		script   func(fake.ChatRequest, int) *fake.Script
		strategy Strategy
		warnings []string
		numCtx   int
	}{
		{"good", fake.Model{}, "", obey, nil, Schema, nil, 4096},
		{"old server", fake.Model{}, "0.16.2", obey, nil, Schema, []string{"old_version"}, 4096},
		{"tiny", fake.Model{Parameters: 134_515_008, Context: 2048}, "", obey, nil, Schema, []string{"trial"}, 2048},
		{"no template", fake.Model{Template: "{{ .Prompt }}"}, "", obey, nil, Schema, []string{"no_template"}, 4096},
		{"ignores the schema", fake.Model{}, "", func(fake.ChatRequest) string { return "Good day, master." }, nil, Plain, nil, 4096},
		{"JSON of another form", fake.Model{}, "", func(fake.ChatRequest) string { return `{"greeting":"hello"}` }, nil, JSON, nil, 4096},
		{"says nothing", fake.Model{}, "", func(fake.ChatRequest) string { return "" }, nil, Plain, nil, 4096},
		{"fails on the schema", fake.Model{}, "", obey, func(r fake.ChatRequest, _ int) *fake.Script {
			if len(r.Format) > 0 {
				return fake.Refuse(500, "failed to load model vocabulary required for format")
			}
			return nil
		}, Plain, nil, 4096},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fake.New(tt.reply)
			tt.model.Name = "m:x"
			s.Models, s.VersionIs, s.Script = []fake.Model{tt.model}, tt.version, tt.script
			s.Clock, s.Read, s.Write, s.LoadTime = clock.NewFake(time.Unix(1, 0)), 50, 10, 3*time.Second
			s.Run(t)
			c, _ := begin(t, s.Address(), Limits{})
			k, err := c.Preflight(t.Context(), "m:x", 0)
			if err != nil {
				t.Fatal(errors.Unwrap(err))
			}
			var codes []string
			for _, w := range k.Warnings {
				codes = append(codes, w.Code)
			}
			if k.Strategy != tt.strategy || !slices.Equal(codes, tt.warnings) || k.NumCtx != tt.numCtx || len(k.Digest) != 64 {
				t.Errorf("%+v", k)
			}
			if k.ReadRate < 45 || k.ReadRate > 55 || k.TokenBytes < 3 || k.TokenBytes > 5 || k.LoadMs != 3000 || !k.CountsWhole {
				t.Errorf("%+v", k)
			}
			if wrote := tt.name != "says nothing"; wrote != (k.WriteRate > 9 && k.WriteRate < 11) {
				t.Errorf("write rate %v", k.WriteRate)
			}
			if read, _ := c.Rates("m:x"); read != k.ReadRate {
				t.Errorf("it was not adopted: %v", read)
			}
			for _, chat := range s.Chats() {
				if chat.Int("num_ctx") != tt.numCtx {
					t.Errorf("probed with num_ctx %d", chat.Int("num_ctx"))
				}
			}
			if s.Loads() != 1 {
				t.Errorf("loaded %d times", s.Loads())
			}
		})
	}
}

func obey(r fake.ChatRequest) string {
	if len(r.Format) > 0 {
		return `{"colour": "blue", "sure": true}`
	}
	return "The book is for writing down every arrival."
}

func TestPreflightRejects(t *testing.T) {
	s := scripted(t, nil)
	s.Set(func(s *fake.Server) {
		s.Models = []fake.Model{{Name: "far", RemoteHost: "https://example.invalid"}, {Name: "embed", Capabilities: []string{"embedding"}}, {Name: "near"}}
	})
	c, _ := begin(t, s.Address(), Limits{})
	for name, kind := range map[string]engine.Kind{"far": engine.KindRefused, "absent": engine.KindModelMissing, "embed": engine.KindUsage} {
		if _, err := c.Preflight(t.Context(), name, 0); engine.KindOf(err) != kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Chats()); n != 0 {
		t.Errorf("%d chats went to them", n)
	}
	all, err := c.Tags(t.Context())
	if err != nil || len(all) != 3 || all[0].Reject == "" || all[1].Reject != "" || all[2].Reject != "" {
		t.Errorf("%+v %v", all, err)
	}
}

// The same over-long prompt gives 400 on one server and 200 on another; people
// see one outcome: it is split.
func TestTooLongEitherWay(t *testing.T) {
	for _, silently := range []bool{false, true} {
		s := scripted(t, nil)
		s.Set(func(s *fake.Server) { s.CutSilently = silently })
		c, _ := begin(t, s.Address(), Limits{})
		r := request(fmt.Sprint("canary ", string(make([]byte, 40_000))))
		rep, err := c.Chat(t.Context(), r, nil)
		wantErr(t, err, engine.KindModelFailed, map[bool]error{false: ErrTooLong, true: ErrPromptCut}[silently])
		if rep.Outcome == Complete {
			t.Errorf("%+v", rep)
		}
	}
}

func TestUnload(t *testing.T) {
	s := scripted(t, nil)
	c, _ := begin(t, s.Address(), Limits{})
	if _, err := c.Chat(t.Context(), request("x"), nil); err != nil {
		t.Fatal(err)
	}
	if l, err := c.Ps(t.Context()); err != nil || len(l) != 1 || l[0].Context != 4096 {
		t.Fatalf("%+v %v", l, err)
	}
	if err := c.Unload(t.Context(), fake.DefaultModel); err != nil {
		t.Fatal(err)
	}
	if l, err := c.Ps(t.Context()); err != nil || len(l) != 0 {
		t.Fatalf("%+v %v", l, err)
	}
}
