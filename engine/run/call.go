package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/planner"
	"cairn/engine/prompt"
	"cairn/engine/state"
	"cairn/engine/task"
)

// draftEvery is how often the text of a running call is written aside, unsynced.
const draftEvery = time.Second

// call asks the model once and records the call with its reply before anything
// is made of it. A finished call of this very step that was interrupted later is
// used again when prompt, options and model are the same (DESIGN 3.5).
func (r *Runner) call(ctx context.Context, s planner.Step, t prompt.Text, opt model.Options) (string, error) {
	set := r.settings()
	full := t.System + "\n\n" + t.User
	promptHash := ledger.HashOf([]byte(full))
	options := opt.Hash()
	if reply, ok, err := r.reuse(ctx, s, promptHash.String(), options, set.Digest); ok || err != nil {
		return reply, err
	}
	store := r.Task.Blobs()
	if err := r.whenRoom(ctx, func() error { _, err := store.PutBlob(ctx, []byte(full)); return err }); err != nil {
		return "", fmt.Errorf("store the prompt: %w", err)
	}
	for {
		reply, err := r.ask(ctx, s, t, opt, set)
		if err == nil || reply.Text != "" || reply.Outcome == model.Refused {
			if werr := r.record(ctx, s, reply, promptHash, options, set); werr != nil {
				return "", werr
			}
		}
		switch {
		case err == nil:
			return reply.Text, nil
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.Is(err, errSlept):
			if err := r.afterSleep(ctx, s); err != nil {
				return "", err
			}
		case engine.KindOf(err) == engine.KindModelAway:
			if err := r.wait(ctx, s, err); err != nil {
				return "", err
			}
		default:
			return "", err
		}
	}
}

// ask makes the call through the retry ladder, streaming its text.
func (r *Runner) ask(ctx context.Context, s planner.Step, t prompt.Text, opt model.Options, set state.Settings) (model.Reply, error) {
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.mu.Lock()
	r.cancel, r.slept = cancel, 0
	r.mu.Unlock()
	defer func() { r.mu.Lock(); r.cancel = nil; r.mu.Unlock() }()

	var draft strings.Builder
	written := r.Clock.Awake()
	show := func(piece string) {
		draft.WriteString(piece)
		if r.Sink != nil {
			r.Sink.Text(piece, false)
		}
		if now := r.Clock.Awake(); now-written >= draftEvery {
			written = now
			// A draft is display only: losing it loses nothing, so its error is not the call's.
			_ = r.Task.PutDraft([]byte(draft.String()))
		}
	}
	begin := func() {
		draft.Reset()
		if r.Sink != nil {
			r.Sink.Text("", true)
		}
	}
	begin()
	r.phase(Loading, s, nil)
	ladder := model.Ladder{Chatter: r.Model, Clock: r.Clock, OnTry: func(_ int, _ time.Duration, _ model.Reply, err error) {
		begin()
		if engine.KindOf(err) == engine.KindModelAway {
			r.phase(Waiting, s, err)
		}
	}}
	reply, err := ladder.Chat(callCtx, model.Request{
		Model: set.Model, System: t.System, Prompt: t.User, Schema: t.Form.Schema(), Options: opt,
		OnPhase: func(p model.Phase) { r.phase(Phase(p), s, nil) },
	}, show)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(callCtx), errSlept) {
		return model.Reply{}, errSlept
	}
	return reply, err
}

// record makes a finished call durable, with its reply, as a group of its own.
func (r *Runner) record(ctx context.Context, s planner.Step, reply model.Reply, promptHash ledger.Hash, options string, set state.Settings) error {
	keep := context.WithoutCancel(ctx) // a reply that is here is saved, even while stopping
	call := &ledger.Call{
		Purpose: s.Kind, Model: set.Model, Digest: set.Digest, Options: options, Template: prompt.Version,
		Prompt: promptHash.String(), Outcome: reply.Outcome, DoneReason: reply.DoneReason,
		PromptCount: reply.PromptCount, EvalCount: reply.EvalCount,
		LoadMs: reply.LoadMs, PromptMs: reply.PromptMs, EvalMs: reply.EvalMs, Awake: reply.AwakeMs,
	}
	if reply.Text != "" {
		var h ledger.Hash
		err := r.whenRoom(ctx, func() (err error) { h, err = r.Task.Blobs().PutBlob(keep, []byte(reply.Text)); return err })
		if err != nil {
			return fmt.Errorf("store the reply: %w", err)
		}
		call.Reply = h.String()
	}
	return r.whenRoom(ctx, func() error { return r.save(keep, []task.Entry{engineSays(call)}, nil) })
}

// reuse finds a finished call of this step in the record.
func (r *Runner) reuse(ctx context.Context, s planner.Step, promptHash, options, digest string) (string, bool, error) {
	hash, found := "", false
	_ = r.Task.Read(func(st *state.State) error {
		if st.Log.LastStart == nil {
			return nil
		}
		for _, c := range st.Log.LastStart.Calls {
			if c.Outcome == model.Complete && c.Prompt == promptHash && c.Options == options && c.Digest == digest {
				hash, found = c.Reply, true
			}
		}
		return nil
	})
	if !found || hash == "" {
		return "", found, nil
	}
	h, err := ledger.ParseHash(hash)
	if err != nil {
		return "", false, err
	}
	body, err := r.Task.Blobs().Blob(ctx, h)
	if engine.KindOf(err) == engine.KindNotFound && err != nil {
		return "", false, nil // the reply was lost with its store: ask again
	}
	if err != nil {
		return "", false, fmt.Errorf("read the reply of the interrupted step: %w", err)
	}
	return string(body), true, nil
}

// afterSleep records the sleep, then makes sure by a real token that the model
// still answers; the port alone proves nothing.
func (r *Runner) afterSleep(ctx context.Context, s planner.Step) error {
	r.mu.Lock()
	slept := r.slept
	r.mu.Unlock()
	if err := r.commit(ctx, []task.Entry{engineSays(&ledger.Wake{Asleep: slept.Milliseconds(), Reason: "slept"})}, nil); err != nil {
		return err
	}
	r.ready = false
	return r.prepare(ctx)
}

// waitEvery is the pause between two looks for an absent Ollama.
const waitEvery = 10 * time.Second

// wait stands by while Ollama is away: everything is saved, and the call is made
// again when it answers.
func (r *Runner) wait(ctx context.Context, s planner.Step, cause error) error {
	r.phase(Waiting, s, cause)
	if r.Patience > 0 {
		if r.waited += waitEvery; r.waited > r.Patience {
			return cause
		}
	}
	return r.Clock.Sleep(ctx, waitEvery)
}

func (r *Runner) settings() (set state.Settings) {
	_ = r.Task.Read(func(st *state.State) error { set = st.Settings; return nil })
	return set
}
