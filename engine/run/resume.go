package run

import (
	"context"
	"fmt"
	"strings"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/planner"
	"cairn/engine/prompt"
	"cairn/engine/state"
	"cairn/engine/task"
)

// audit checks the whole record before anything is built on it: chain, hashes,
// conservation, and every quote against its stored text. A breach stops the run
// before it starts (DESIGN 3.7).
func (r *Runner) audit(ctx context.Context) error {
	st := r.Task.Snapshot()
	report, err := audit.Audit(ctx, st, r.Task.Blobs(), audit.Options{
		Lines: func(fn func(int64, []byte) error) error { return r.Task.Lines(ctx, 1, fn) },
	})
	if err != nil {
		return fmt.Errorf("audit the record: %w", err)
	}
	if !report.Breached() {
		return r.compared(ctx, st)
	}
	return &engine.Error{
		Kind: engine.KindDamaged,
		What: report.Sentences()[0],
		Safe: "Nothing was changed, and the run did not start.",
		Do:   fmt.Sprintf("The last good checkpoint ends with line %d: export it, or import a good copy.", report.Good),
	}
}

// compared clears what is amber because a source's file is gone or changed: its
// quotes were just compared with the stored text, and held.
func (r *Runner) compared(ctx context.Context, st *state.State) error {
	var entries []task.Entry
	for _, reason := range audit.Reasons(st, audit.Now{}) {
		if strings.HasPrefix(reason.ID, "source:") {
			entries = append(entries, engineSays(&ledger.Check{ID: reason.ID, How: "program", Verdict: "passed", Reason: reason.Text}))
		}
	}
	return r.commit(ctx, entries, nil)
}

// adopt takes what the probe found into the work. If another model or other
// prompts did the work so far, that is amber: one known claim is read again first.
func (r *Runner) adopt(ctx context.Context, found model.Capability) error {
	var reasons []audit.Reason
	_ = r.Task.Read(func(st *state.State) error {
		for _, reason := range audit.Reasons(st, audit.Now{Digest: found.Digest, Template: prompt.Version}) {
			if strings.HasPrefix(reason.ID, "model:") || strings.HasPrefix(reason.ID, "template:") {
				reasons = append(reasons, reason)
			}
		}
		return nil
	})
	if err := r.measured(ctx, found); err != nil || len(reasons) == 0 {
		return err
	}
	if err := r.readAgain(ctx); err != nil {
		return err
	}
	var entries []task.Entry
	for _, reason := range reasons {
		entries = append(entries, engineSays(&ledger.Check{ID: reason.ID, How: "model", Verdict: "passed", Reason: reason.Text}))
	}
	return r.commit(ctx, entries, nil)
}

// readAgain shows the passage of one known claim to the model that is there now.
// It passes when a usable reply comes back; what it says is not state. Without a
// claim there is nothing to read again.
func (r *Runner) readAgain(ctx context.Context) error {
	var place ledger.Place
	var question string
	_ = r.Task.Read(func(st *state.State) error {
		for _, id := range st.ClaimIDs {
			c := st.Claims[id]
			if !c.Live() || c.By != ledger.Model || len(c.Evidence) == 0 || st.Questions[c.Question] == nil {
				continue
			}
			e := c.Evidence[0].Slice
			if src := st.Sources[e.Source]; src == nil || !src.Readable() {
				continue
			}
			place, question = ledger.Place{Source: e.Source, From: e.From, To: e.To}, c.Question
			return nil
		}
		return nil
	})
	if question == "" {
		return nil
	}
	s := planner.Step{Kind: planner.Read, Args: []string{question, ledger.Ref(place.Source, place.From, place.To)}, Serves: question}
	sh, err := r.gather(ctx, s)
	if err != nil {
		return err
	}
	_, _, err = propose(ctx, r, s, prompt.Read(sh.passage(), sh.question.Text, sh.mark), prompt.ParseRead)
	if err != nil && ctx.Err() == nil && engine.KindOf(err) != engine.KindModelAway {
		return fmt.Errorf("%w: it can't read a passage that the model before it read: %w", errModel, err)
	}
	return err
}
