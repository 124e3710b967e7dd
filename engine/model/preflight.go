package model

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cairn/engine"
)

// Strategy is how a model is brought to answer in a form.
type Strategy string

// The strategies, best first. Every reply is checked whatever the strategy.
const (
	Schema Strategy = "schema" // the server holds it to the schema
	JSON   Strategy = "json"   // the server holds it to JSON, the prompt to the form
	Plain  Strategy = "plain"  // the prompt alone
)

// Capability is what was found out about one model on one server version. It
// can be stored under Digest and Version, and given back with Adopt.
type Capability struct {
	Model        string    `json:"model"`
	Digest       string    `json:"digest"`
	Version      string    `json:"version"`
	Context      int       `json:"context"`    // tokens it was trained for, 0 = unknown
	NumCtx       int       `json:"num_ctx"`    // use this in every request of the run
	Parameters   int64     `json:"parameters"` // 0 = unknown
	Size         string    `json:"size"`
	TemplateOK   bool      `json:"template_ok"`
	Thinking     bool      `json:"thinking"`
	Strategy     Strategy  `json:"strategy"`
	Trial        bool      `json:"trial"`       // for trying only: too small to be right about anything
	CountsWhole  bool      `json:"counts_all"`  // prompt counts include cached tokens
	ReadRate     float64   `json:"read_rate"`   // tokens/s
	WriteRate    float64   `json:"write_rate"`  // tokens/s, 0 = it wrote too little to tell
	TokenBytes   float64   `json:"token_bytes"` // bytes of English prose per token
	LoadMs       int64     `json:"load_ms"`
	VRAMShare    float64   `json:"vram_share"` // 0 = all on the processor, 1 = all on the card
	Warnings     []Warning `json:"warnings"`
	Quantization string    `json:"quantization"`
}

// trialBelow is the number of weights under which a model is for trying only.
const trialBelow = 1_000_000_000

// mostTokenBytes is more than prose has per token with any model.
const mostTokenBytes = 12

// probeText is read by the first probe: plain prose whose bytes per token are
// typical, long enough to measure a reading speed.
const probeText = `A harbour master keeps a book in which every arrival is written down: the name of the ship, the hour, the depth of water under the keel, and the goods that it carries. The book is older than the crane beside it. When a storm closed the harbour for nine days, the entries of those days say only that nothing came and nothing left, and that the light was kept burning. Later readers found this useful. A gap in a book can mean that nothing happened, or that nobody wrote, and the two look alike on the page. Because the keeper wrote even on empty days, the difference can be seen. The same care shows in the way mistakes were mended. A wrong number was struck through once, so that it can still be read, and the right one was put beside it with a date. Nobody scraped the paper clean. In the margin of one page a second hand has noted that the depth was measured at low tide, not at high tide as the column says, and every figure of that month has been marked. The marks made the page ugly and the record good. Visitors who leaf through the volumes often ask which entries are the true ones. The answer is that all of them are true as entries: each says what somebody believed at an hour, and what was found to be wrong with it afterwards.`

// Preflight finds out how to drive a model, with two small real calls: one that
// measures, one that shows whether the server holds it to a schema. numCtx is the
// one context size of the run, 0 = DefaultNumCtx; more than the model was trained
// for is lowered. The model stays loaded.
//
// The capability is adopted at once. An error means that the model can't be used
// now; what can be lived with is a Warning.
func (c *Client) Preflight(ctx context.Context, name string, numCtx int) (Capability, error) {
	if numCtx <= 0 {
		numCtx = DefaultNumCtx
	}
	k := Capability{Model: name, NumCtx: numCtx, Strategy: Plain, CountsWhole: true}
	var err error
	if k.Version, err = c.Version(ctx); err != nil {
		return k, err
	}
	found, err := c.Find(ctx, name)
	if err != nil {
		return k, err
	}
	card, err := c.Show(ctx, name)
	if err != nil {
		return k, err
	}
	if card.Remote {
		return k, explain(ErrRemote, name, c.addr.Host)
	}
	if len(card.Capabilities) > 0 && !slices.Contains(card.Capabilities, "completion") {
		return k, &engine.Error{Kind: engine.KindUsage, What: fmt.Sprintf("The model %q can't write text.", name),
			Safe: "Nothing was changed.", Do: "Choose a model for chat."}
	}
	k.Digest, k.Size, k.Quantization = found.Digest, card.Size, card.Quant
	k.Context, k.Parameters = card.Context, card.Parameters
	if k.Context > 0 && k.NumCtx > k.Context {
		k.NumCtx = k.Context
	}
	k.Trial = k.Parameters > 0 && k.Parameters < trialBelow
	k.Thinking = slices.Contains(card.Capabilities, "thinking")
	k.TemplateOK = card.templateOK()
	c.warn(&k)

	if err := c.measure(ctx, &k); err != nil {
		return k, err
	}
	if loaded, err := c.Ps(ctx); err == nil { // a figure for people; the probes have decided already
		for _, l := range loaded {
			if fullName(l.Name) == fullName(name) && l.Bytes > 0 {
				k.VRAMShare = float64(l.VRAM) / float64(l.Bytes)
			}
		}
	}
	c.Adopt(k)
	return k, nil
}

// templateOK says whether the model's prompt is put into the form it was
// trained on. An import whose form the server did not know gets the bare prompt,
// and the model babbles.
func (card Card) templateOK() bool {
	t := strings.ReplaceAll(strings.TrimSpace(card.Template), " ", "")
	return card.Renderer != "" || (t != "{{.Prompt}}" && t != "")
}

func (c *Client) warn(k *Capability) {
	add := func(w Warning, yes bool) {
		if yes {
			k.Warnings = append(k.Warnings, w)
		}
	}
	add(c.addr.Warning())
	add(VersionWarning(k.Version))
	add(Warning{"trial", fmt.Sprintf("%s is for trying only: it is far too small to be right about anything.", k.Model)}, k.Trial)
	add(Warning{"no_template", fmt.Sprintf("%s came without the form of prompt that it was trained on, so its replies are likely to be babble. Import it with its template, or choose another model.", k.Model)}, !k.TemplateOK)
	add(Warning{"small_context", fmt.Sprintf("%s can take only %d tokens at once, so reading is slow.", k.Model, k.NumCtx)}, k.NumCtx < 2048)
}

// measure makes the two probe calls.
func (c *Client) measure(ctx context.Context, k *Capability) error {
	// What was learned about an older digest or server must not steer the probes.
	c.learn(k.Model, func(m *manner) { *m = manner{numCtx: k.NumCtx} })
	// Fresh bytes come first, so that no prompt cache holds the text: a cached
	// prompt is answered at once, and its rate would be far too high.
	var fresh [8]byte
	if _, err := c.random.Read(fresh[:]); err != nil {
		return fmt.Errorf("draw the beginning of the probe: %w", err)
	}
	r := Request{Model: k.Model, System: hex.EncodeToString(fresh[:]) + "\n" + probeText, Prompt: "Say in one sentence what the book is for.",
		Options: Options{NumCtx: k.NumCtx, NumPredict: 24}}
	one, err := c.ask(ctx, r, nil)
	if err != nil && one.Reason != ReasonLength && one.Reason != ReasonLoop {
		return err
	}
	k.LoadMs = one.LoadMs
	// A count that the text can't have means that only a part was read.
	if sent := int64(len(r.System) + len(r.Prompt)); one.PromptCount*mostTokenBytes >= sent {
		k.TokenBytes = float64(sent) / float64(one.PromptCount)
		if one.PromptMs > 0 {
			k.ReadRate = float64(one.PromptCount) * 1000 / float64(one.PromptMs)
		}
	}

	form := Object(Field{"colour", Enum("red", "blue")}, Field{"sure", YesNo()})
	r.Prompt, r.Schema, r.Options.NumPredict = "Greet the harbour master in one short sentence.", form.Schema(), 48
	two, err := c.ask(ctx, r, nil)
	if err != nil && two.Reason != ReasonLength && two.Reason != ReasonLoop {
		return err
	}
	k.Strategy = strategyOf(two, err, form)
	if one.PromptCount > 0 && two.PromptCount > 0 {
		k.CountsWhole = two.PromptCount*2 > one.PromptCount
	}
	wrote, took := one.EvalCount+two.EvalCount, one.EvalMs+two.EvalMs
	if wrote >= 4 && took > 0 {
		k.WriteRate = float64(wrote) * 1000 / float64(took)
	}
	return nil
}

// strategyOf judges the reply to a request whose schema nobody would follow by
// chance: prose was asked for.
func strategyOf(rep Reply, err error, form Type) Strategy {
	if rep.Format == "" {
		return Plain // the server failed on the schema
	}
	obj, perr := ParseJSON(rep.Text)
	switch {
	case err == nil && perr == nil && form.Check(obj) == nil:
		return Schema
	case perr == nil, errors.Is(perr, ErrHalf):
		return JSON
	}
	return Plain
}

// Adopt drives a model from now on as a stored capability says.
func (c *Client) Adopt(k Capability) {
	c.learn(k.Model, func(m *manner) {
		noFormat := m.noFormat && k.Strategy == Plain
		*m = manner{strategy: k.Strategy, noFormat: noFormat, numCtx: k.NumCtx, readRate: k.ReadRate,
			writeRate: k.WriteRate, load: time.Duration(k.LoadMs) * time.Millisecond, tokenLen: k.TokenBytes}
	})
}

// Health is what a probe found.
type Health struct {
	Version   string
	AwakeMs   int64
	VRAMShare float64 // -1 when the server does not say
}

// Probe decides by a real token whether a model answers: after sleep the port
// and the version can answer while the runner is dead. limit bounds the token in
// awake time; 0 means 30 s, and longer when the model has to be loaded or may
// still be reading a prompt that was cancelled. An error is a KindModelAway or
// KindModelFailed one; compare VRAMShare with the time before to see whether the
// graphics card was lost.
func (c *Client) Probe(ctx context.Context, name string, limit time.Duration) (Health, error) {
	h := Health{VRAMShare: -1}
	c.Reset()
	var err error
	if h.Version, err = c.Version(ctx); err != nil {
		return h, err
	}
	m := c.learn(name, nil)
	if limit <= 0 {
		limit = 30 * time.Second
		if m.readRate > 0 {
			limit += time.Duration(float64(m.numCtx) / m.readRate * float64(time.Second))
		}
		if loaded, err := c.Ps(ctx); err == nil && !slices.ContainsFunc(loaded, func(l Loaded) bool { return fullName(l.Name) == fullName(name) }) {
			limit += max(5*time.Minute, 3*m.load)
		}
	}
	probe := c.limited(Limits{FirstByte: limit, Gap: limit, Wall: 2 * limit})
	rep, err := probe.ask(ctx, Request{Model: name, Prompt: "Say yes.", Options: Options{NumCtx: m.numCtx, NumPredict: 1}}, nil)
	h.AwakeMs = rep.AwakeMs
	if err != nil && rep.Reason != ReasonLength {
		return h, err
	}
	if loaded, err := c.Ps(ctx); err == nil {
		for _, l := range loaded {
			if fullName(l.Name) == fullName(name) && l.Bytes > 0 {
				h.VRAMShare = float64(l.VRAM) / float64(l.Bytes)
			}
		}
	}
	return h, nil
}

// limited is a client on the same connections with other limits, for a call
// that must not learn anything about the model.
func (c *Client) limited(l Limits) *Client {
	return &Client{addr: c.addr, clock: c.clock, limits: l, http: c.http, ticks: c.ticks, known: map[string]*manner{}}
}

// WaitBack waits, for hours if need be, until a model answers a probe again or
// ctx ends. It asks every 10 s at first and every minute later; tell, when set,
// is given each error. Errors that waiting can't mend end it.
func (c *Client) WaitBack(ctx context.Context, name string, tell func(error)) (Health, error) {
	for n := 0; ; n++ {
		h, err := c.Probe(ctx, name, 0)
		if err == nil || ctx.Err() != nil {
			return h, err
		}
		if tries(err) == 0 && !errors.Is(err, ErrMemory) {
			return h, err
		}
		if tell != nil {
			tell(err)
		}
		pause := 10 * time.Second
		if n >= 6 {
			pause = time.Minute
		}
		if err := c.clock.Sleep(ctx, pause); err != nil {
			return h, explain(err, name, c.addr.Host)
		}
	}
}
