package lives

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/model"
)

// liar is a model whose reply is a function of the prompt alone: now honest, now
// lying, prose, half of a JSON, or nothing. Now and then the server is away, which
// the same call made again heals.
type liar struct {
	clock *clock.Fake
	calls int
	away  int           // every so many calls the server is away once; 0 = never
	each  func(n int)   // called in the middle of a call; may be nil
	takes time.Duration // of a call; 0 = 1.5 s
	wall  bool          // a planted fault: its durations are read off the wall clock
}

// Chat implements model.Chatter.
func (l *liar) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return model.Reply{Outcome: model.Cancelled}, &engine.Error{Kind: engine.KindCancelled, What: "Stopped.", Err: err}
	}
	l.calls++
	takes := l.takes
	if takes == 0 {
		takes = 1500 * time.Millisecond
	}
	begun := l.clock.Now()
	l.clock.Advance(takes / 2)
	if l.each != nil {
		l.each(l.calls)
	}
	if err := ctx.Err(); err != nil {
		return model.Reply{Outcome: model.Cancelled}, &engine.Error{Kind: engine.KindCancelled, What: "Stopped.", Err: err}
	}
	l.clock.Advance(takes - takes/2)
	if l.away > 0 && l.calls%l.away == 0 {
		return model.Reply{Outcome: model.Lost, Reason: model.ReasonConnection},
			&engine.Error{Kind: engine.KindModelAway, What: "It does not answer.", Err: model.ErrLost}
	}
	text := reply(r.Prompt)
	if onText != nil && text != "" {
		onText(text)
	}
	rep := model.Reply{Text: text, Outcome: model.Complete, DoneReason: "stop", PromptCount: int64(len(r.Prompt) / 4),
		EvalCount: int64(1 + len(text)/4), PromptMs: takes.Milliseconds() / 2, EvalMs: takes.Milliseconds() / 2, AwakeMs: takes.Milliseconds()}
	if l.wall {
		rep.AwakeMs = l.clock.Now().Sub(begun).Milliseconds()
	}
	if text == "" {
		rep.Outcome, rep.Reason = model.Cut, model.ReasonNoDone
		return rep, &engine.Error{Kind: engine.KindModelFailed, What: "The reply was cut.", Err: model.ErrCut}
	}
	return rep, nil
}

// reply is what the model says to a prompt.
func reply(prompt string) string {
	h := ledger.HashOf([]byte(prompt))
	labels, texts := shown(prompt)
	if len(labels) == 0 {
		return `{"findings":[]}`
	}
	at := int(h[1]) % len(labels)
	if strings.HasPrefix(labels[0], "c") {
		return answer(h, labels, texts, at)
	}
	finding := func(claim string, refs ...string) string {
		b, err := json.Marshal(map[string]any{"findings": []any{map[string]any{"sentences": refs, "claim": claim}}})
		if err != nil {
			panic(err) // texts can be marshalled
		}
		return string(b)
	}
	switch h[0] % 12 {
	case 0:
		return `{"findings":[]}`
	case 1: // a real number under a claim that says something else
		return finding("The weight was 4711 grains, as everybody knows.", labels[at])
	case 2: // sentences that it was not shown
		return finding(texts[at], "99999")
	case 3:
		return "Sure! The passage says a lot, and I am done with the whole task."
	case 4:
		return finding(texts[at], labels[at])[:20]
	case 5:
		return ""
	case 6: // more than it may say
		s := finding(texts[at], labels[at])
		return s[:len(s)-1] + `,"done":true,"progress":"17 of 34","trust":"checked"}`
	case 7:
		return "```json\n" + finding(texts[at], labels[at]) + "\n```\nI hope this helps."
	case 8: // two of them
		next := (at + 1) % len(labels)
		a, b := finding(texts[at], labels[at]), finding(texts[next], labels[next])
		return strings.TrimSuffix(a, "]}") + "," + strings.TrimPrefix(b, `{"findings":[`)
	}
	return finding(texts[at], labels[at])
}

func answer(h ledger.Hash, labels, texts []string, at int) string {
	say := func(text string, refs ...string) string {
		b, err := json.Marshal(map[string]any{"sentences": []any{map[string]any{"claims": refs, "text": text}}})
		if err != nil {
			panic(err) // texts can be marshalled
		}
		return string(b)
	}
	switch h[0] % 6 {
	case 0:
		return "There is no simple answer."
	case 1:
		return say("All 4711 of them agree.", "c77")
	case 2:
		return say(texts[at], labels[at])[:15]
	}
	return say(texts[at], labels[at])
}

// shown gives the numbered lines between a prompt's markers.
func shown(prompt string) (labels, texts []string) {
	marker := ""
	for line := range strings.SplitSeq(prompt, "\n") {
		switch {
		case marker == "" && strings.HasPrefix(line, "=== "):
			marker = line
		case line == marker:
			return labels, texts
		case marker != "" && strings.HasPrefix(line, "["):
			if label, text, ok := strings.Cut(line[1:], "] "); ok {
				labels, texts = append(labels, label), append(texts, text)
			}
		}
	}
	return nil, nil
}

// capability is what a probe of the model finds.
func capability(digest string) model.Capability {
	return model.Capability{Digest: digest, NumCtx: 4096, ReadRate: 40, WriteRate: 6, TokenBytes: 4}
}

// modelName is the model's name in tasks.
const modelName = "liar:1b"

func digestOf(n int) string { return ledger.HashOf(fmt.Append(nil, "model ", n)).String() }
