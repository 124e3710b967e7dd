package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"cairn/engine"
)

type message struct {
	Role     string `json:"role"`
	Content  string `json:"content"`
	Thinking string `json:"thinking,omitempty"`
}

// chatBody is sent with every field, always: what is left out gets a default
// that hurts (the prompt is cut without a word, the model reasons, the reply
// has no end).
type chatBody struct {
	Model     string          `json:"model"`
	Messages  []message       `json:"messages"`
	Stream    bool            `json:"stream"`
	Think     bool            `json:"think"`
	Truncate  bool            `json:"truncate"`
	Shift     bool            `json:"shift"`
	KeepAlive string          `json:"keep_alive"`
	Format    json.RawMessage `json:"format,omitempty"`
	Options   Options         `json:"options"`
}

type chatLine struct {
	Message     message `json:"message"`
	Done        bool    `json:"done"`
	DoneReason  string  `json:"done_reason"`
	Error       *string `json:"error"`
	RemoteHost  string  `json:"remote_host"`
	RemoteModel string  `json:"remote_model"`
	PromptCount int64   `json:"prompt_eval_count"`
	EvalCount   int64   `json:"eval_count"`
	Load        int64   `json:"load_duration"` // nanoseconds, like the next two
	PromptTime  int64   `json:"prompt_eval_duration"`
	EvalTime    int64   `json:"eval_duration"`
}

// Chat asks and waits for the whole reply. The error is nil exactly when the
// outcome is Complete; otherwise it is an *engine.Error, its cause one of this
// package's Err values, and the Reply holds what arrived for display and for
// the record. An empty reply can be complete.
//
// When the server fails on the schema itself, the same request goes on without
// it, and so does every later one for that model.
//
// KindModelAway means that nothing answers at the address, so waiting is the
// thing to do. A server that takes the call and then breaks off or stays silent
// is KindModelFailed: it may well be this very prompt that breaks it, and a run
// must not wait for that for ever.
func (c *Client) Chat(ctx context.Context, r Request, onText func(string)) (Reply, error) {
	rep, err := c.ask(ctx, r, onText)
	if e, ok := errors.AsType[*engine.Error](err); ok && (errors.Is(err, ErrSilent) || errors.Is(err, ErrLost)) {
		e.Kind = engine.KindModelFailed
	}
	return rep, err
}

// ask is Chat for probes, to which a silent server is an absent one.
func (c *Client) ask(ctx context.Context, r Request, onText func(string)) (Reply, error) {
	if strings.TrimSpace(r.Model) == "" {
		return Reply{Outcome: Refused, Reason: ReasonServer}, explain(ErrMissing, r.Model, c.addr.Host)
	}
	r.Options = r.Options.Full()
	m := c.learn(r.Model, func(m *manner) { m.numCtx = r.Options.NumCtx })
	format, sent := m.format(r.Schema)
	rep, err := c.chat(ctx, r, format, onText)
	if len(format) > 0 && errors.Is(err, ErrNoFormat) {
		c.learn(r.Model, func(m *manner) { m.noFormat = true })
		format, sent = nil, ""
		rep, err = c.chat(ctx, r, nil, onText)
	}
	rep.Format = sent
	if err != nil {
		return rep, explain(err, r.Model, c.addr.Host)
	}
	c.learn(r.Model, func(m *manner) { m.adapt(r, rep) })
	return rep, nil
}

// format gives what to send for a schema, by what is known about the model.
func (m *manner) format(schema json.RawMessage) (json.RawMessage, string) {
	switch {
	case len(schema) == 0, m.noFormat, m.strategy == Plain:
		return nil, ""
	case m.strategy == JSON:
		return json.RawMessage(`"json"`), "json"
	}
	return schema, "schema"
}

// adapt takes over what a whole reply shows about speed. Cached prompts look
// very fast, so only a rate near or below the known one counts.
func (m *manner) adapt(r Request, rep Reply) {
	if rep.PromptCount >= 64 && rep.PromptMs > 0 && m.readRate > 0 {
		if rate := float64(rep.PromptCount) * 1000 / float64(rep.PromptMs); rate < 1.5*m.readRate {
			m.readRate = (3*m.readRate + rate) / 4
		}
	}
	if rep.EvalCount >= 8 && rep.EvalMs > 0 {
		rate := float64(rep.EvalCount) * 1000 / float64(rep.EvalMs)
		if m.writeRate == 0 {
			m.writeRate = rate
		}
		m.writeRate = (3*m.writeRate + rate) / 4
	}
	if load := time.Duration(rep.LoadMs) * time.Millisecond; load > m.load {
		m.load = load
	}
	if n := len(r.System) + len(r.Prompt); n >= 400 && rep.PromptCount > 0 {
		size := float64(n) / float64(rep.PromptCount)
		if m.tokenLen == 0 {
			m.tokenLen = size
		}
		m.tokenLen = (3*m.tokenLen + size) / 4
	}
}

// bounds gives the limits of one call from what is known about the model.
func (c *Client) bounds(r Request, m manner) Limits {
	l := c.limits
	read, write := m.readRate, m.writeRate
	if read <= 0 {
		read = 20 // a slow laptop, before anything was measured
	}
	if write <= 0 {
		write = 4
	}
	tokens := float64(len(r.System)+len(r.Prompt))/3 + 1
	if l.FirstByte <= 0 {
		l.FirstByte = 10 * time.Minute
	}
	l.FirstByte = max(l.FirstByte, 3*(m.load+time.Duration(tokens/read*float64(time.Second))))
	if l.Gap <= 0 {
		// 90 s, and up to 120 s for a model that needs more than a second a token.
		l.Gap = min(max(90*time.Second, time.Duration(90/write*float64(time.Second))), 120*time.Second)
	}
	if l.Wall <= 0 {
		writing := time.Duration(4 * float64(r.Options.NumPredict) / write * float64(time.Second))
		l.Wall = l.FirstByte + max(30*time.Minute, writing)
	}
	return l
}

// chat makes one call with one format.
func (c *Client) chat(ctx context.Context, r Request, format json.RawMessage, onText func(string)) (Reply, error) {
	if cloudName(r.Model) {
		return Reply{Outcome: Refused, Reason: ReasonRemote}, ErrRemote
	}
	body := chatBody{
		Model: r.Model, Stream: true, Think: r.Think != nil && *r.Think,
		KeepAlive: r.KeepAlive, Format: format, Options: r.Options,
	}
	if body.KeepAlive == "" {
		body.KeepAlive = "30m"
	}
	if r.System != "" {
		body.Messages = append(body.Messages, message{Role: "system", Content: r.System})
	}
	body.Messages = append(body.Messages, message{Role: "user", Content: r.Prompt})
	b, err := json.Marshal(body)
	if err != nil {
		return Reply{Outcome: Refused, Reason: ReasonProtocol}, fmt.Errorf("encode request: %w", err)
	}

	ctx, w := startWatch(ctx, c.clock, c.bounds(r, c.learn(r.Model, nil)), c.ticks)
	defer w.stop()
	g := &gather{r: r, onText: onText, phase: r.OnPhase}
	g.enter(PhaseReading)
	err = c.stream(ctx, b, w, g)
	rep := g.reply()
	awake, asleep, first := w.times()
	rep.AwakeMs, rep.AsleepMs, rep.FirstMs = awake.Milliseconds(), asleep.Milliseconds(), first.Milliseconds()
	if err == nil {
		err = g.judge(&rep)
	}
	rep.Outcome, rep.Reason = outcome(err, rep.Reason)
	return rep, err
}

// stream sends the body and feeds every line of the answer to g.
func (c *Client) stream(ctx context.Context, body []byte, w *watch, g *gather) error {
	resp, err := c.send(ctx, http.MethodPost, "/api/chat", bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	in := newLines(resp.Body)
	for {
		line, err := in.next(json.Valid)
		if err != nil {
			switch {
			case errors.Is(err, io.EOF):
				return nil // judged by whether the last line came
			case errors.Is(err, ErrTooMuch):
				return err
			case errors.Is(err, errHalf):
				return fmt.Errorf("%w: %w", ErrLost, err)
			}
			return connError(ctx, err)
		}
		w.touch()
		var l chatLine
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		if err := g.take(l); err != nil || g.last != nil {
			return err
		}
	}
}

// gather collects a reply from its lines.
type gather struct {
	r      Request
	onText func(string)
	phase  func(Phase)
	now    Phase
	strip  stripper
	think  strings.Builder // the server's own thinking field
	loop   loopGuard
	last   *chatLine
}

func (g *gather) enter(p Phase) {
	if p == g.now {
		return
	}
	g.now = p
	if g.phase != nil {
		g.phase(p)
	}
}

func (g *gather) take(l chatLine) error {
	if l.Error != nil {
		return classify(0, *l.Error)
	}
	if l.RemoteHost != "" || l.RemoteModel != "" {
		return fmt.Errorf("%w: the reply came from %q", ErrRemote, clip(l.RemoteHost, 100))
	}
	if l.Message.Thinking != "" {
		g.enter(PhaseThinking)
		g.think.WriteString(l.Message.Thinking)
	}
	if l.Message.Content != "" {
		shown := g.strip.write(l.Message.Content)
		if g.strip.thinking() {
			g.enter(PhaseThinking)
		} else {
			g.enter(PhaseWriting)
		}
		if shown != "" && g.onText != nil {
			g.onText(shown)
		}
	}
	if l.Done {
		g.last = &l
		return nil
	}
	if g.loop.add(l.Message.Thinking + l.Message.Content) {
		return ErrLoop
	}
	return nil
}

func (g *gather) reply() Reply {
	tail := g.strip.end()
	if tail != "" && g.onText != nil {
		g.onText(tail)
	}
	rep := Reply{Text: g.strip.text(), Thinking: g.think.String() + g.strip.thought()}
	if l := g.last; l != nil {
		rep.DoneReason, rep.PromptCount, rep.EvalCount = l.DoneReason, l.PromptCount, l.EvalCount
		rep.LoadMs, rep.PromptMs, rep.EvalMs = l.Load/1e6, l.PromptTime/1e6, l.EvalTime/1e6
	}
	return rep
}

// judge decides whether a stream without an error was a whole reply.
func (g *gather) judge(rep *Reply) error {
	switch {
	case g.last == nil:
		rep.Reason = ReasonNoDone
		return fmt.Errorf("%w: the stream ended without its last line", ErrCut)
	case rep.PromptCount >= int64(g.r.Options.NumCtx),
		rep.PromptCount > 0 && float64(rep.PromptCount) < 0.9*float64(g.r.Expect):
		rep.Reason = ReasonPromptCut
		return fmt.Errorf("%w: it counted %d tokens, %d were expected, %d is the limit", ErrPromptCut, rep.PromptCount, g.r.Expect, g.r.Options.NumCtx)
	case rep.DoneReason == "stop":
		return nil
	case rep.DoneReason == "length":
		rep.Reason = ReasonLength
		return fmt.Errorf("%w: it reached its limit after %d tokens", ErrCut, rep.EvalCount)
	}
	rep.Reason = ReasonNoDone
	return fmt.Errorf("%w: done for the reason %q", ErrCut, clip(rep.DoneReason, 40))
}

// outcome sorts an error into the five outcomes. reason is what judge found.
func outcome(err error, reason string) (string, string) {
	var watched *expired
	var said *serverError
	switch {
	case err == nil:
		return Complete, ""
	case errors.As(err, &watched):
		if watched.reason == ReasonWall {
			return Cut, ReasonWall
		}
		return Lost, watched.reason
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Cancelled, ""
	case errors.Is(err, ErrLoop):
		return Cut, ReasonLoop
	case errors.Is(err, ErrTooMuch):
		return Cut, ReasonLimit
	case errors.Is(err, ErrCut), errors.Is(err, ErrPromptCut):
		return Cut, reason
	case errors.Is(err, ErrRemote):
		return Refused, ReasonRemote
	case errors.As(err, &said):
		if said.status == 0 || said.kind == ErrLost {
			return Lost, ReasonServer
		}
		return Refused, ReasonServer
	case errors.Is(err, ErrAway), errors.Is(err, ErrLost):
		return Lost, ReasonConnection
	case errors.Is(err, ErrProtocol):
		return Lost, ReasonProtocol
	}
	return Lost, ReasonConnection
}
