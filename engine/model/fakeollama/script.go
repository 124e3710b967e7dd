package fakeollama

import (
	"encoding/json"
	"net/http"
	"time"
)

// End is how a scripted answer ends.
type End int

// The endings.
const (
	EndClean  End = iota // the body ends as it should, with or without a done line
	EndReset             // the connection is reset
	EndCut               // the connection is closed in the middle of the body
	EndHang              // nothing more comes until the client leaves
	EndKilled            // the whole server stops
)

// Script is one answer to a chat, byte by byte.
type Script struct {
	Status  int         // 0 = 200
	Header  http.Header // added to the answer's
	Silent  bool        // hang before the headers: the port is open, nothing comes
	Steps   []Step
	End     End
	Hold    <-chan struct{} // the slot stays busy after the answer until it is closed
	NoSlot  bool            // answer without waiting for the slot
	Offline bool            // close the connection without any answer
}

// Step is one thing that a script does, in the order of the fields.
type Step struct {
	Wait  <-chan struct{} // until it is closed
	Delay time.Duration   // on the fake's clock
	Do    func()          // anything
	Bytes []byte          // sent and flushed as one piece, so it is one boundary
}

// Done is the last line of an answer. Its zero value is a plain stop.
type Done struct {
	Reason      string // "" = stop
	PromptCount int64
	EvalCount   int64
	Load        time.Duration
	PromptTime  time.Duration
	EvalTime    time.Duration
	NoReason    bool // done:true without a reason, as on a closed connection
}

// Line makes one line of a stream from a piece of text.
func Line(content string) []byte {
	return line(map[string]any{"role": "assistant", "content": content})
}

// Thinking makes one line with reasoning in its own field.
func Thinking(text string) []byte {
	return line(map[string]any{"role": "assistant", "content": "", "thinking": text})
}

func line(message map[string]any) []byte {
	return encode(map[string]any{"model": "fake", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false})
}

// Line makes the last line.
func (d Done) Line() []byte {
	v := map[string]any{
		"model": "fake", "created_at": "2026-01-01T00:00:00Z", "message": map[string]any{"role": "assistant", "content": ""},
		"done": true, "prompt_eval_count": d.PromptCount, "eval_count": d.EvalCount,
		"load_duration": int64(d.Load), "prompt_eval_duration": int64(d.PromptTime), "eval_duration": int64(d.EvalTime),
		"total_duration": int64(d.Load + d.PromptTime + d.EvalTime),
	}
	switch {
	case d.NoReason:
	case d.Reason == "":
		v["done_reason"] = "stop"
	default:
		v["done_reason"] = d.Reason
	}
	return encode(v)
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers can be marshalled
	}
	return append(b, '\n')
}

// Say is a whole answer in these pieces, with a done line.
func Say(pieces ...string) *Script {
	return SayDone(Done{PromptCount: 20, EvalCount: int64(len(pieces))}, pieces...)
}

// SayDone is a whole answer in these pieces with this done line.
func SayDone(d Done, pieces ...string) *Script {
	s := &Script{}
	for _, p := range pieces {
		s.Steps = append(s.Steps, Step{Bytes: Line(p)})
	}
	s.Steps = append(s.Steps, Step{Bytes: d.Line()})
	return s
}

// Raw is an answer of exactly these pieces of bytes.
func Raw(end End, pieces ...[]byte) *Script {
	s := &Script{End: end}
	for _, p := range pieces {
		s.Steps = append(s.Steps, Step{Bytes: p})
	}
	return s
}

// Refuse is an error answer as Ollama gives it.
func Refuse(status int, text string) *Script {
	return &Script{Status: status, Steps: []Step{{Bytes: encode(map[string]string{"error": text})}}}
}
