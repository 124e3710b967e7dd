// Package tasktest grows tasks with everything in them that a task can hold, each
// part with a word of its own that stands nowhere else, so that a test can look
// for what should be there and what should not.
package tasktest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
)

// Doc is one document of a life.
type Doc struct {
	Word              string // in its text, and in what is made of that
	Called            string // in its file name and title, and nowhere else
	Name, Title, Body string
	ID                string // of the source
}

// Life is one task that was grown.
type Life struct {
	Branches  []string // its ids, the task's own first
	Docs      []Doc
	Word      string // in goal, questions and notes of the person
	Reply     string // in prompts, replies and accounts
	Questions []string
	// Rests says of each claim which documents it rests on, directly or not.
	Rests map[string]map[int]bool

	desk  *task.Desk
	store engine.Store
	rng   *rand.Rand
	step  int
}

// Word makes a word that no other text has; it is not ASCII, so that lines hold it
// in escaped form.
func Word(kind string, seed uint64, n int) string {
	return fmt.Sprintf("zyxł%s%dq%dë", kind, seed, n)
}

// Escaped is a word as it stands in lines and other JSON.
func Escaped(word string) string {
	var b strings.Builder
	for _, r := range word {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Grow makes a task of about n steps. Documents of other lives that are given join
// it too: both tasks then name the same texts.
func Grow(ctx context.Context, desk *task.Desk, store engine.Store, seed uint64, n int, shared ...Doc) (*Life, error) {
	l := &Life{desk: desk, store: store, rng: rand.New(rand.NewPCG(seed, 9)), Rests: map[string]map[int]bool{},
		Word: Word("task", seed, 0), Reply: Word("reply", seed, 0)}
	for i := range 3 {
		d := Doc{Word: Word("doc", seed, i), Called: Word("name", seed, i)}
		d.Name, d.Title = d.Called+".txt", "The title "+d.Called+" of it"
		for s := range 6 {
			d.Body += fmt.Sprintf("Sentence %d of %s tells that %s has %d parts. ", s, d.Word, d.Word, l.rng.IntN(1000))
		}
		l.Docs = append(l.Docs, d)
	}
	l.Docs = append(l.Docs, shared...)
	t, err := desk.Create(ctx, task.New{Goal: "Find out about " + l.Word, Title: "On " + l.Word,
		Questions: []string{"How many of " + l.Word + "?", "Who counted " + l.Word + "?"}, Set: ledger.Set{Model: "-"}})
	if err != nil {
		return nil, err
	}
	l.Branches = []string{t.Branch}
	if err := t.SetFolder(ctx, "/folder of "+l.Word); err != nil {
		return nil, err
	}
	if _, err := t.Intake(ctx, l.Scan, l, nil); err != nil {
		return nil, err
	}
	_ = t.Read(func(st *state.State) error {
		l.Questions = append(l.Questions, st.QuestionIDs...)
		for i := range l.Docs {
			for id, s := range st.Sources {
				if s.Name == l.Docs[i].Name {
					l.Docs[i].ID = id
				}
			}
		}
		return nil
	})
	return l, l.Live(ctx, t, n)
}

// Live does n things in a branch of the life.
func (l *Life) Live(ctx context.Context, t *task.Task, n int) error {
	for range n {
		l.step++
		var err error
		switch l.rng.IntN(8) {
		case 0, 1, 2, 3:
			err = l.read(ctx, t, l.rng.IntN(len(l.Docs)))
		case 4:
			err = l.answer(ctx, t)
		case 5:
			err = l.derive(ctx, t)
		default:
			err = l.person(ctx, t)
		}
		if err != nil && engine.KindOf(err) != engine.KindRefused {
			return fmt.Errorf("step %d: %w", l.step, err)
		}
	}
	return t.PutDraft([]byte(l.Docs[l.rng.IntN(3)].Word + " drafts " + l.Word))
}

func (l *Life) pick(list []string) string { return list[l.rng.IntN(len(list))] }

// call writes a finished call with its prompt and reply, and an account.
func (l *Life) call(ctx context.Context, t *task.Task, kind, question string, args []string, about string) error {
	prompt, err := t.Blobs().PutBlob(ctx, fmt.Appendf(nil, "Read %d: %s", l.step, about))
	if err != nil {
		return err
	}
	reply, err := t.Blobs().PutBlob(ctx, fmt.Appendf(nil, "%s replies %d: %s", l.Reply, l.step, about))
	if err != nil {
		return err
	}
	account, err := t.Blobs().PutBlob(ctx, fmt.Appendf(nil, "%s accounts %d: %s", l.Reply, l.step, about))
	if err != nil {
		return err
	}
	for _, e := range [][]task.Entry{
		{{By: ledger.Engine, Op: &ledger.Start{Kind: kind, Args: args, Serves: question, Inputs: l.inputs(), Attempt: 1}}},
		{{By: ledger.Engine, Op: &ledger.Call{Outcome: "complete", Prompt: prompt.String(), Reply: reply.String(), Purpose: kind}},
			{By: ledger.Model, Op: &ledger.Account{Text: account.String()}}},
	} {
		if err := t.Commit(ctx, e, nil); err != nil {
			return err
		}
	}
	return nil
}

func (l *Life) inputs() string { return ledger.HashOf(fmt.Append(nil, l.step)).String() }

// read is a step that reads a passage of one document.
func (l *Life) read(ctx context.Context, t *task.Task, doc int) error {
	d, q := l.Docs[doc], l.pick(l.Questions)
	from := int64(1 + l.rng.IntN(4))
	args := []string{q, ledger.Ref(d.ID, from, from+1)}
	slice, err := l.slice(ctx, t, d, from)
	if err != nil {
		return err
	}
	if err := l.call(ctx, t, "read", q, args, slice.Text); err != nil {
		return err
	}
	c := &ledger.Claim{Question: q, Text: fmt.Sprintf("Step %d found that %s matters.", l.step, d.Word),
		Basis: []string{ledger.Ref(d.ID, from, from)}, Quotes: []ledger.Slice{slice}}
	l.rests(c, doc)
	entries := []task.Entry{{By: ledger.Model, Op: c},
		{By: ledger.Engine, Op: &ledger.Refuse{Code: "D5", Message: "the number is in no quoted sentence", Proposal: "claim", Question: q, Text: d.Word + " is 7"}}}
	if old := l.claim(t); old != "" && l.rng.IntN(2) == 0 {
		entries = append(entries, task.Entry{By: ledger.Model, Op: &ledger.Quote{Claim: old, From: from, To: from, Source: d.ID, Stance: "supports", Text: slice.Text}})
	}
	if l.rng.IntN(3) == 0 { // what names no document, and is made of one
		entries = append(entries, task.Entry{By: ledger.Model, Op: &ledger.Tried{Approach: fmt.Sprintf("Count %s, %d", d.Word, l.step), Outcome: "no", Question: q}})
	}
	entries = append(entries,
		task.Entry{By: ledger.Engine, Op: &ledger.Read{Questions: []string{q}, Ranges: []string{ledger.Span(from, from+1)}, Source: d.ID}},
		task.Entry{By: ledger.Engine, Op: &ledger.Finish{Kind: "read", Args: args, Serves: q, Inputs: l.inputs(), Outcome: "done"}})
	return t.Commit(ctx, entries, &ledger.NextStep{Kind: "read", Args: args, Serves: q})
}

func (l *Life) slice(ctx context.Context, t *task.Task, d Doc, n int64) (ledger.Slice, error) {
	var src state.Source
	_ = t.Read(func(st *state.State) error { src = *st.Sources[d.ID]; return nil })
	text, err := t.Library().Text(ctx, &src)
	if err != nil {
		return ledger.Slice{}, err
	}
	return ledger.Slice{Source: d.ID, From: n, To: n, Text: text.Slice(n, n)}, nil
}

func (l *Life) rests(c *ledger.Claim, docs ...int) {
	of := map[int]bool{}
	for _, b := range c.Basis {
		for d := range l.Rests[b] {
			of[d] = true
		}
	}
	for _, d := range docs {
		of[d] = true
	}
	l.Rests[ledger.ClaimID(*c)] = of
}

// claim picks a live claim, "" when there is none.
func (l *Life) claim(t *task.Task) string {
	var live []string
	_ = t.Read(func(st *state.State) error {
		for _, id := range st.ClaimIDs {
			if st.Claims[id].Live() {
				live = append(live, id)
			}
		}
		return nil
	})
	if len(live) == 0 {
		return ""
	}
	return l.pick(live)
}

// words are those of the documents that a claim rests on.
func (l *Life) words(claim string) string {
	var out []string
	for i, d := range l.Docs {
		if l.Rests[claim][i] {
			out = append(out, d.Word)
		}
	}
	return strings.Join(out, " and ")
}

// derive makes a claim of two others.
func (l *Life) derive(ctx context.Context, t *task.Task) error {
	a, b := l.claim(t), l.claim(t)
	if a == "" || a == b {
		return nil
	}
	c := &ledger.Claim{Question: l.pick(l.Questions), Text: fmt.Sprintf("So %d follows of %s, %s.", l.step, l.words(a), l.words(b)), Basis: ledger.SortBasis([]string{a, b})}
	l.rests(c)
	return t.Commit(ctx, []task.Entry{{By: ledger.Model, Op: c}}, nil)
}

// answer answers a question of its claims, and closes it now and then.
func (l *Life) answer(ctx context.Context, t *task.Task) error {
	q := l.pick(l.Questions)
	var claims []string
	_ = t.Read(func(st *state.State) error {
		for _, c := range st.LiveClaims(q) {
			if c.Trust >= state.Backed {
				claims = append(claims, c.ID)
			}
		}
		return nil
	})
	if len(claims) == 0 {
		return nil
	}
	about := ""
	a := &ledger.Answer{Question: q}
	for _, c := range claims {
		about += l.words(c) + " "
		a.Sentences = append(a.Sentences, ledger.Sentence{Text: fmt.Sprintf("At %d it is known of %s.", l.step, l.words(c)), Claims: []string{c}})
	}
	if err := l.call(ctx, t, "answer", q, []string{q}, about); err != nil {
		return err
	}
	entries := []task.Entry{{By: ledger.Model, Op: a}}
	if l.rng.IntN(2) == 0 {
		entries = append(entries, task.Entry{By: ledger.Model, Op: &ledger.Close{ID: q, Claims: claims}})
	}
	entries = append(entries, task.Entry{By: ledger.Engine, Op: &ledger.Finish{Kind: "answer", Args: []string{q}, Serves: q, Inputs: l.inputs(), Outcome: "done"}})
	return t.Commit(ctx, entries, &ledger.NextStep{Kind: "answer", Args: []string{q}, Serves: q})
}

// person does what a person does to a claim or the task.
func (l *Life) person(ctx context.Context, t *task.Task) error {
	c := l.claim(t)
	if c == "" {
		return nil
	}
	switch l.rng.IntN(9) {
	case 0:
		return t.Retract(ctx, c, fmt.Sprintf("%s is not meant %d", l.words(c), l.step))
	case 1, 2:
		var next ledger.Claim
		_ = t.Read(func(st *state.State) error {
			next = ledger.Claim{Question: st.Claims[c].Question, Basis: st.Claims[c].Basis}
			return nil
		})
		next.Text = fmt.Sprintf("The person says %d of %s.", l.step, l.words(c))
		l.Rests[ledger.ClaimID(next)] = l.Rests[c]
		_, err := t.Edit(ctx, c, next.Text)
		return err
	case 3:
		return t.Judge(ctx, c, []string{"right", "wrong", "unsure"}[l.rng.IntN(3)], "as "+l.words(c)+" shows")
	case 4:
		_, err := t.Note(ctx, ledger.Note{On: c, Text: fmt.Sprintf("Look at %s again, %d.", l.words(c), l.step), For: "Ana"})
		return err
	case 5:
		_, err := t.Note(ctx, ledger.Note{On: l.pick(l.Questions), Text: fmt.Sprintf("Ask about %s, %d.", l.Word, l.step)})
		return err
	case 6:
		into := l.claim(t)
		if into == c {
			return nil
		}
		return t.Act(ctx, &ledger.Supersede{ID: c, Into: into})
	case 7:
		_, err := t.Undo(ctx)
		if engine.KindOf(err) == engine.KindUsage {
			return nil
		}
		return err
	}
	into := l.claim(t)
	return t.Commit(ctx, []task.Entry{{By: ledger.Model, Op: &ledger.Merge{ID: c, Into: into}}}, nil)
}

// Fork begins an alternative at the newest checkpoint of a branch and lives in it.
func (l *Life) Fork(ctx context.Context, t *task.Task, n int) error {
	if _, err := t.Note(ctx, ledger.Note{Text: fmt.Sprintf("Here another way begins, %d.", l.step)}); err != nil {
		return err
	}
	st := t.Snapshot()
	b := st.Begin()
	at := st.At
	put := func(op ledger.Op, last bool) error {
		line, err := b.Add(ledger.Entry{At: at, By: ledger.Engine}, op, last)
		if err == nil {
			st.Apply(line)
		}
		return err
	}
	since := st.Seq
	fork := &ledger.Fork{Name: "another way", Nonce: l.inputs()[:32], Parent: st.Chain.String()}
	l.step++
	if err := put(fork, false); err != nil {
		return err
	}
	cp, _ := st.Checkpoint(since)
	cp.App, cp.Gate = "test", "green"
	if err := put(&cp, true); err != nil {
		return err
	}
	id, err := l.store.Begin(ctx, t.Branch, b.Lines())
	if err != nil {
		return err
	}
	l.Branches = append(l.Branches, id)
	ft, err := l.desk.Open(ctx, id)
	if err != nil {
		return err
	}
	return l.Live(ctx, ft, n)
}

// Scan is a task.Scanner over the documents.
func (l *Life) Scan(context.Context, string) ([]source.File, error) {
	var out []source.File
	for _, d := range l.Docs {
		out = append(out, source.File{Path: "/folder/" + d.Name, Name: d.Name, Size: int64(len(d.Body)), ModTime: time.Unix(1, 0)})
	}
	return out, nil
}

// Extract is a task.Extractor over the documents: a sentence ends with a full stop.
func (l *Life) Extract(_ context.Context, path string) (source.Document, error) {
	name := strings.TrimPrefix(path, "/folder/")
	for _, d := range l.Docs {
		if d.Name != name {
			continue
		}
		body := []byte(d.Body)
		out := source.Document{Name: name, Title: d.Title, Media: "text", Extractor: "test/1", File: ledger.HashOf(body), Body: body}
		for at := 0; at < len(body); {
			end := at + strings.IndexByte(string(body[at:])+".", '.') + 1
			out.Table.Sentences = append(out.Table.Sentences, source.Sentence{From: at, To: min(end, len(body)), Heading: -1, Start: at == 0})
			at = end
		}
		return out, nil
	}
	return source.Document{}, fmt.Errorf("there is no file %s", path)
}
