package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/planner"
	"cairn/engine/prompt"
	"cairn/engine/state"
	"cairn/engine/task"
)

// shown is what a reading step puts before the model.
type shown struct {
	question state.Question
	source   state.Source
	text     *task.Text
	from, to int64
	mark     string
}

// read shows one passage for one question and takes what the model points at.
func (r *Runner) read(ctx context.Context, s planner.Step) (outcome, error) {
	sh, err := r.gather(ctx, s)
	if err != nil {
		return outcome{}, err
	}
	passage := sh.passage()
	if !slices.ContainsFunc(passage.Sentences, func(s prompt.Sentence) bool { return s.Number > 0 }) {
		return outcome{result: "nothing", entries: []task.Entry{engineSays(sh.line())}}, nil // headings only
	}
	t := prompt.Read(passage, sh.question.Text, sh.mark)
	if !r.fits(t) {
		return outcome{result: "parked", reason: "too_long"}, nil
	}
	pointed, extra, err := propose(ctx, r, s, t, prompt.ParseRead)
	if err != nil {
		return parked(err)
	}
	r.phase(Checking, s, nil)
	out := outcome{result: "nothing"}
	out.entries = append(out.entries, engineSays(sh.line()))
	for _, refused := range extra {
		out.entries = append(out.entries, engineSays(r.engineOnly(sh.question.ID, refused)))
	}
	err = r.Task.Read(func(st *state.State) error {
		c := r.auditContext(ctx, st, sh)
		room := roomFor(st, sh)
		for _, p := range pointed {
			entries, kept := r.finding(st, c, sh, p, &room)
			out.entries = append(out.entries, entries...)
			if kept {
				out.result = "done"
			}
		}
		return nil
	})
	return out, err
}

func (r *Runner) gather(ctx context.Context, s planner.Step) (shown, error) {
	p, ok := ledger.ParseRef(s.Args[1])
	if !ok {
		return shown{}, fmt.Errorf("read step: %q is no place in a source", s.Args[1])
	}
	sh := shown{from: p.From, to: p.To}
	err := r.Task.Read(func(st *state.State) error {
		q, src := st.Questions[s.Args[0]], st.Sources[p.Source]
		if q == nil || src == nil {
			return &engine.Error{Kind: engine.KindNotFound, What: "The question or the source of this step is gone."}
		}
		sh.question, sh.source, sh.mark = *q, *src, st.Task.ID
		return nil
	})
	if err != nil {
		return sh, err
	}
	sh.text, err = r.Task.Library().Text(ctx, &sh.source)
	return sh, err
}

// line says that the passage was shown.
func (sh shown) line() *ledger.Read {
	return &ledger.Read{Source: sh.source.ID, Questions: []string{sh.question.ID}, Ranges: []string{ledger.Span(sh.from, sh.to)}}
}

func (sh shown) passage() prompt.Passage {
	p := prompt.Passage{Title: sh.source.Title, Heading: sh.text.Table.Heading(sh.from)}
	if p.Title == "" {
		p.Title = sh.source.Name
	}
	for n := sh.from; n <= sh.to; n++ {
		s := prompt.Sentence{Number: n, Text: sh.text.Slice(n, n)}
		if at, ok := sh.text.Table.At(n); ok && at.Head {
			s.Number = 0
		}
		p.Sentences = append(p.Sentences, s)
	}
	return p
}

// fits: prompt and reply stay within the context with a fifth to spare, so that
// no runtime ever has to cut anything.
func (r *Runner) fits(t prompt.Text) bool {
	set := r.settings()
	return planner.Tokens(set, int64(t.Bytes()))*6/5+int64(t.Predict) <= int64(r.numCtx(set))
}

func (r *Runner) numCtx(set state.Settings) int {
	switch {
	case set.Context > 0:
		return int(set.Context)
	case r.NumCtx > 0:
		return r.NumCtx
	}
	return model.DefaultNumCtx
}

// proposals of one step: at most this many tries at a usable reply.
const proposals = 2

// propose asks for JSON of the prompt's form. What was wrong with a reply is told
// to the model in the second try only.
func propose(ctx context.Context, r *Runner, s planner.Step, t prompt.Text,
	parse func([]byte) ([]prompt.Pointed, []prompt.Extra, error)) ([]prompt.Pointed, []prompt.Extra, error) {
	opt := model.Options{NumCtx: r.numCtx(r.settings()), NumPredict: t.Predict, Seed: 1}
	ask, last := t, error(nil)
	for try := range proposals {
		reply, err := r.call(ctx, s, ask, opt.Vary(try))
		if err == nil {
			var object []byte
			if object, err = model.ParseJSON(reply); err == nil {
				var p []prompt.Pointed
				var extra []prompt.Extra
				if p, extra, err = parse(object); err == nil {
					return p, extra, nil
				}
			}
			err = fmt.Errorf("%w: %w", errUnusable, err)
		}
		if ctx.Err() != nil || engine.KindOf(err) == engine.KindModelAway || engine.KindOf(err) == engine.KindModelMissing {
			return nil, nil, err
		}
		if !errors.Is(err, errUnusable) && engine.KindOf(err) != engine.KindModelFailed {
			return nil, nil, err
		}
		last = err
		ask = prompt.Again(t, cause(err))
	}
	return nil, nil, last
}

// cause is the part of an error that can be shown to a model.
func cause(err error) string {
	if errors.Is(err, errUnusable) {
		return "it was not the JSON that was asked for"
	}
	return "it was cut off"
}

// parked turns a failure that concerns this step only into its outcome: the item
// is set aside with the reason, never lost, and the run goes on.
func parked(err error) (outcome, error) {
	switch {
	case errors.Is(err, errUnusable):
		return outcome{result: "parked", reason: "unusable_reply"}, nil
	case errors.Is(err, model.ErrTooLong), errors.Is(err, model.ErrPromptCut):
		return outcome{result: "parked", reason: "too_long"}, nil
	case errors.Is(err, model.ErrCut), errors.Is(err, model.ErrLoop), errors.Is(err, model.ErrTooMuch):
		return outcome{result: "parked", reason: "cut"}, nil
	case engine.KindOf(err) == engine.KindModelFailed:
		return outcome{result: "parked", reason: ReasonModelFailed}, nil
	}
	return outcome{}, err
}

// perPair is how many claims of one document a question takes from a model that
// finds everything relevant: bare quotes, and all claims of a model for trying.
const perPair = 4

// roomFor is how many more of these the document and question take.
func roomFor(st *state.State, sh shown) int {
	room := perPair
	for _, c := range st.LiveClaims(sh.question.ID) {
		if c.By == ledger.Model && len(c.Evidence) > 0 && c.Evidence[0].Slice.Source == sh.source.ID && (c.IsQuote || st.Settings.Trial) {
			room--
		}
	}
	return room
}

// finding turns what the model pointed at into lines: a claim, or a refusal.
func (r *Runner) finding(st *state.State, c audit.Context, sh shown, p prompt.Pointed, room *int) ([]task.Entry, bool) {
	from, to, ok := sh.span(p.Refs)
	if !ok {
		return []task.Entry{engineSays(&ledger.Refuse{
			Code: "D4", Proposal: "claim", Question: sh.question.ID, Text: clip(p.Text),
			Message: "The model cites sentences that it was not shown.",
		})}, false
	}
	v := audit.CheckFinding(c, audit.Finding{Question: sh.question.ID, Source: sh.source.ID, From: from, To: to, Text: p.Text})
	if v.Refusal != nil {
		return []task.Entry{engineSays(v.Refusal)}, false
	}
	var entries []task.Entry
	if v.Fallback != nil {
		entries = append(entries, engineSays(v.Fallback))
	}
	op := admit(st, &v.Claim)
	if op == nil {
		return entries, true // already on record and standing
	}
	if op == ledger.Op(&v.Claim) && (v.Claim.Text == "" || st.Settings.Trial) {
		if *room <= 0 {
			return []task.Entry{engineSays(&ledger.Refuse{Code: audit.CodeLimit, Proposal: "claim", Question: sh.question.ID, Text: clip(p.Text),
				Message: fmt.Sprintf("Refused: there are %d quotes of this document for this question already.", perPair)})}, false
		}
		*room--
	}
	by := task.Entry{By: ledger.Model, Who: ledger.WhoDigest(st.Settings.Digest), Op: op}
	if _, refused := op.(*ledger.Refuse); refused {
		return append(entries, engineSays(op)), false
	}
	return append(entries, by), true
}

// admit decides what a claim that is proposed again becomes (DESIGN 3.2): a
// refusal where a person decided otherwise, a renewal where it is stale or was
// taken back by a model or the engine, nothing where it stands.
func admit(st *state.State, c *ledger.Claim) ledger.Op {
	old := st.Claims[ledger.ClaimID(*c)]
	switch {
	case old == nil:
		return c
	case old.Live() && !old.IsStale:
		return nil
	case !old.Live() && old.Person:
		return &ledger.Refuse{Code: audit.CodeSticky, Proposal: "claim", Question: c.Question, Text: clip(old.Text),
			Message: "You decided otherwise about this claim; the model proposed it again."}
	}
	return &ledger.Renew{ID: ledger.ClaimID(*c)}
}

// span reads sentence labels as one run: from the first to the last of them when
// they stand close together, else the first alone.
func (sh shown) span(refs []string) (from, to int64, ok bool) {
	var numbers []int64
	for _, ref := range refs {
		n, err := strconv.ParseInt(ref, 10, 64)
		at, there := sh.text.Table.At(n)
		if err != nil || !there || at.Head || n < sh.from || n > sh.to {
			return 0, 0, false
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return 0, 0, false
	}
	from, to = slices.Min(numbers), slices.Max(numbers)
	if to-from > 3 {
		return numbers[0], numbers[0], true
	}
	return from, to, true
}

func (r *Runner) auditContext(ctx context.Context, st *state.State, sh shown) audit.Context {
	return audit.Context{
		State: st,
		Shown: func(source string) []state.Interval {
			if source != sh.source.ID {
				return nil
			}
			return []state.Interval{{From: sh.from, To: sh.to}}
		},
		Slice: func(source string, from, to int64) (string, error) {
			if source != sh.source.ID {
				return "", fmt.Errorf("source %s was not shown", source)
			}
			return sh.text.Slice(from, to), nil
		},
		Heading: func(source string, n int64) string { return sh.text.Table.Heading(n) },
	}
}

// engineOnly records what the model said about things that only the engine knows.
func (r *Runner) engineOnly(question string, e prompt.Extra) *ledger.Refuse {
	if e.Over > 0 {
		return &ledger.Refuse{Code: audit.CodeLimit, Proposal: "claim", Question: question, Text: clip(e.Name + ": " + e.Value),
			Message: "The reply has more items than were asked for; the rest was left out."}
	}
	return &ledger.Refuse{Code: "D16", Proposal: "claim", Question: question, Text: clip(e.Name + ": " + e.Value),
		Message: "The model states something that only the engine may state."}
}

// clip keeps a model's words to the 1,000 bytes that a refusal may hold.
func clip(s string) string {
	if len(s) <= 1000 {
		return s
	}
	n := 997
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
