// Package model talks to Ollama: one client over its native API with its own
// stream reader, the probe of a model before a run, the built-in runtime, and
// the helpers that turn a small model's reply into something checkable.
//
// The rule of the package: a reply counts only when the server said that it is
// whole. A stream that ends early, is cut by a limit or is stopped comes back
// as an error, with the partial text for display only.
package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Chatter is what a step needs of a client. Client and Ladder implement it.
//
// Chat blocks until the reply is whole or lost, which can take many minutes;
// cancelling ctx gives control back at once. onText may be nil; it is called
// with visible text as it arrives, in order, from the calling goroutine, and
// is for display only: Reply.Text alone is the reply.
type Chatter interface {
	Chat(ctx context.Context, r Request, onText func(string)) (Reply, error)
}

// Request is one question to a model.
type Request struct {
	Model  string
	System string          // "" sends no system message
	Prompt string          // the user message
	Schema json.RawMessage // JSON schema of the reply, nil for prose

	Options   Options
	KeepAlive string // a Go duration, "" = 30m
	Think     *bool  // nil = off; it is always sent

	// Expect is the number of prompt tokens the caller is sure of, 0 when it
	// does not know. A server that reports fewer than nine tenths of it has cut
	// the prompt, and the call fails with ErrPromptCut.
	Expect int
	// OnPhase, when set, is told what the call is doing.
	OnPhase func(Phase)
}

// Phase is what a call is doing, as far as can be seen from outside.
type Phase string

// The phases of a call. Reading covers waiting for a free slot, loading and
// reading the prompt: the server sends nothing during any of them.
const (
	PhaseReading  Phase = "reading"
	PhaseThinking Phase = "thinking"
	PhaseWriting  Phase = "writing"
)

// Options are sent whole with every request. The zero value of a field means
// its default, so two requests with the same Options never reload the model.
type Options struct {
	NumCtx      int     `json:"num_ctx"`     // tokens of prompt and reply together; default 4096
	NumPredict  int     `json:"num_predict"` // tokens of the reply; default 512
	Seed        int     `json:"seed"`
	TopK        int     `json:"top_k"` // default 40
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"` // default 0.9
}

// Full gives the options as they are sent, defaults filled in.
func (o Options) Full() Options {
	if o.NumCtx <= 0 {
		o.NumCtx = DefaultNumCtx
	}
	if o.NumPredict <= 0 {
		o.NumPredict = 512
	}
	if o.TopK <= 0 {
		o.TopK = 40
	}
	if o.TopP <= 0 {
		o.TopP = 0.9
	}
	return o
}

// DefaultNumCtx is the context size that Ollama itself uses on a computer
// without a large graphics card.
const DefaultNumCtx = 4096

// Hash names the options as they are sent; equal hashes mean equal options.
func (o Options) Hash() string {
	b, err := json.Marshal(o.Full())
	if err != nil { // only NaN and infinities can't be marshalled
		b = fmt.Appendf(nil, "%#v", o.Full())
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Vary gives options for another try after a loop: a little warmth and another
// seed. Try 0 is o itself.
func (o Options) Vary(try int) Options {
	if try > 0 {
		o.Temperature = min(o.Temperature+0.3*float64(try), 0.9)
		o.Seed += try
	}
	return o
}

// The outcomes of a call. Only Complete may feed a checkpoint.
const (
	Complete  = "complete"  // the server said that the reply is whole
	Cut       = "cut"       // it began and was ended short: length, loop, a limit, no last line
	Cancelled = "cancelled" // the caller's context ended
	Refused   = "refused"   // the server said no
	Lost      = "lost"      // the connection, the runner or the patience ended
)

// The reasons that go with an outcome other than Complete.
const (
	ReasonLength     = "length"       // the token limit or the end of the context
	ReasonNoDone     = "no_done"      // a clean end without the last line
	ReasonLoop       = "loop"         // the model repeated itself
	ReasonLimit      = "limit"        // more bytes than a reply may have
	ReasonPromptCut  = "prompt_cut"   // the server read less than was sent
	ReasonFirstByte  = "first_byte"   // nothing came in the time for loading and reading
	ReasonGap        = "gap"          // nothing more came in the middle of a reply
	ReasonWall       = "wall"         // the whole call took too long
	ReasonConnection = "connection"   // refused, reset or cut
	ReasonServer     = "server"       // the server's own words, in the error
	ReasonProtocol   = "protocol"     // something that is not Ollama's language
	ReasonRemote     = "remote_model" // it would run on somebody else's computer
)

// Reply is what came back, whole or not.
type Reply struct {
	Text       string // visible text, reasoning removed
	Thinking   string // reasoning, from its own field or from tags
	Outcome    string // Complete, Cut, Cancelled, Refused, Lost
	Reason     string // one of the Reason constants, "" when complete
	DoneReason string // as the server gave it: stop, length, ...
	Format     string // what was asked of the server: schema, json, "" = nothing

	PromptCount int64 // tokens of the prompt; cached ones are counted in by Ollama
	EvalCount   int64 // tokens written
	LoadMs      int64 // queueing and loading
	PromptMs    int64
	EvalMs      int64
	AwakeMs     int64 // duration of the call without time asleep
	AsleepMs    int64 // time the machine slept during the call
	FirstMs     int64 // awake time until the first byte of the reply
}

// ThinkingOnly says that the model reasoned and gave no answer: more room or
// thinking off can help.
func (r Reply) ThinkingOnly() bool { return r.Text == "" && r.Thinking != "" }

// Limits bound one call, in awake time. The zero value of a field means its
// default.
type Limits struct {
	// FirstByte is the least time for queueing, loading and reading the prompt;
	// 10 minutes by default. More is given where the measured reading speed asks
	// for it. The gap limit never applies before the first byte.
	FirstByte time.Duration
	// Gap is the longest silence between two pieces of a reply, 90 s by default;
	// a slow model gets up to 120 s.
	Gap time.Duration
	// Wall bounds the whole call; by default the time for the first byte plus
	// what num_predict tokens take at a quarter of the measured speed, at least
	// 30 minutes more.
	Wall time.Duration
}

const (
	maxLine  = 1 << 20 // bytes of one line of a stream
	maxReply = 8 << 20 // bytes of a whole stream
)
