package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/handoff"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/planner"
	"cairn/engine/run"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

func init() {
	children["child-task"] = childTask
	children[source.WorkerArgs[0]] = func([]string) int {
		if err := source.RunWorker(os.Stdin, os.Stdout); err != nil {
			return endError
		}
		return endGood
	}
}

// Stages of a home with real tasks: what the child does in one start.
const (
	stageFirst  = "first"  // a task read to its end, corrected, with an alternative
	stageSecond = "second" // imports, a join, a backup
	stageThird  = "third"  // a task that is left in the middle
)

// childTask opens a home and works on tasks with the engine, as the program does:
// documents are read by a child, a model answers, a person corrects. It acknowledges
// each group as the writing child does.
func childTask(args []string) int {
	c, err := parseSettings(args)
	if err == nil {
		err = c.task()
	}
	if err == nil {
		fmt.Println("end")
		return endGood
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", engine.KindOf(err), err)
	return endError
}

func (c settings) task() (err error) {
	s, _, end, err := c.open(c.hook(nil))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	worker, err := source.NewWorker(filepath.Join(c.documents(), "cache"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Close()) }()
	w := &tasking{settings: c, store: s, worker: worker}
	w.desk = w.newDesk(s)
	switch c.stage {
	case stageFirst:
		return w.first()
	case stageSecond:
		return w.second()
	case stageThird:
		return w.third()
	}
	return fmt.Errorf("there is no stage %q", c.stage)
}

// newDesk is a desk whose time and randomness are those of the seed, so that homes of
// one seed are the same.
func (w *tasking) newDesk(s engine.Store) *task.Desk {
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], w.seed)
	w.clock = clock.NewFake(time.Unix(1_800_000_000+int64(w.seed%1000)*3600, 0))
	return task.NewDesk(s, w.clock, rand.NewChaCha8(seed), "cairn lab")
}

// documents is the folder with the documents of a home's tasks.
func (c settings) documents() string {
	if c.docs != "" {
		return c.docs
	}
	return string(c.home) + "-documents"
}

// tasking is a child at work on tasks.
type tasking struct {
	settings
	store  *vault.Store
	worker *source.Worker
	desk   *task.Desk
	clock  *clock.Fake
}

func (w *tasking) ack(t *task.Task) {
	_ = t.Read(func(st *state.State) error { fmt.Println("ack", t.Branch, st.Seq, st.Chain); return nil })
}

// begin makes a task with documents and takes them in.
func (w *tasking) begin(desk *task.Desk, name string, files int) (*task.Task, error) {
	t, err := desk.Create(bg, task.New{
		Title: "Harvests " + name, Goal: "What did the " + name + " records say of the harvests?",
		Questions: []string{"What was the weight of barley?", "Which records of the " + name + " disagree?"},
		Set:       ledger.Set{Model: "reader:1b", Depth: "quick"},
	})
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(w.documents(), name)
	if err := writeDocuments(dir, w.seed, files); err != nil {
		return nil, err
	}
	if err := t.SetFolder(bg, dir); err != nil {
		return nil, err
	}
	if _, err := t.Intake(bg, source.Scan, w.worker, nil); err != nil {
		return nil, err
	}
	return t, nil
}

// writeDocuments makes a folder of documents. The first is long and of words that
// do not compress, so that its text stands in several records.
func writeDocuments(dir string, seed uint64, n int) error {
	dice := rand.New(rand.NewPCG(seed, uint64(len(dir))))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write documents: %w", err)
	}
	for i := range n {
		var b strings.Builder
		for s := range 14 {
			fmt.Fprintf(&b, "In year %d the weight of barley from field %d was %d grains. ", 1000+dice.IntN(900), s, dice.IntN(9000))
			fmt.Fprintf(&b, "The record %d of the %s says %x.\n\n", i, filepath.Base(dir), dice.Uint64())
		}
		for i == 0 && b.Len() < 350<<10 {
			fmt.Fprintf(&b, "Entry %s.\n", noise(dice, 200))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("record-%02d.txt", i)), []byte(b.String()), 0o600); err != nil {
			return fmt.Errorf("write documents: %w", err)
		}
	}
	return nil
}

// aside sets the long document aside, so that no model has to read it.
func (w *tasking) aside(t *task.Task) error {
	long := ""
	_ = t.Read(func(st *state.State) error {
		for id, s := range st.Sources {
			if s.Name == "record-00.txt" {
				long = id
			}
		}
		return nil
	})
	return t.Scope(bg, long, "aside", "too long")
}

func (w *tasking) runner(t *task.Task) *run.Runner {
	return &run.Runner{
		Task: t, Model: reader{}, Clock: paced{w.clock}, Sink: &acker{w: w, t: t},
		Ready: func(context.Context) (model.Capability, error) {
			return model.Capability{Digest: ledger.HashOf([]byte("reader")).String(), NumCtx: 4096, ReadRate: 40, WriteRate: 6, TokenBytes: 4}, nil
		},
	}
}

func (w *tasking) first() error {
	t, err := w.begin(w.desk, "abbey", 4)
	if err != nil {
		return err
	}
	if err := w.aside(t); err != nil {
		return err
	}
	end, err := w.runner(t).Run(bg)
	if err != nil {
		return err
	}
	if end.Outcome != "done" {
		return fmt.Errorf("the task ended %s: %v", end.Outcome, end.Reasons)
	}
	var claims []string
	for id, c := range t.Snapshot().Claims {
		if c.Live() {
			claims = append(claims, id)
		}
	}
	slices.Sort(claims)
	if len(claims) < 3 {
		return fmt.Errorf("the task has only %d claims", len(claims))
	}
	if _, err := t.Edit(bg, claims[0], "The barley weighed more in that year than in others."); err != nil {
		return err
	}
	err = errors.Join(t.Accept(bg, claims[1]), t.Retract(bg, claims[2], "from another field"))
	if err != nil {
		return err
	}
	w.ack(t)
	alt, err := t.Fork(bg, 0, "another reading")
	if err != nil {
		return err
	}
	_, err = alt.Ask(bg, "What was the weight in the year 1400?")
	w.ack(alt)
	return errors.Join(err, w.store.PutLocal(bg, "app", "preferences", []byte(`{"text":"large"}`)))
}

// second imports a task from elsewhere, and one that this home has the beginning of.
func (w *tasking) second() error {
	far := w.newDesk(vaulttest.NewMemory())
	theirs, err := w.begin(far, "mill", 3)
	if err != nil {
		return err
	}
	if _, err := theirs.Note(bg, ledger.Note{Text: "Look at the second mill."}); err != nil {
		return err
	}
	if _, err := w.take(w.desk, theirs); err != nil {
		return err
	}
	list, err := w.desk.Branches(bg)
	if err != nil {
		return err
	}
	for _, b := range list {
		if b.Parent != "" || b.ID == theirs.Branch {
			continue
		}
		mine, err := w.desk.Open(bg, b.ID)
		if err != nil {
			return err
		}
		sent, err := w.take(far, mine)
		if err != nil {
			return err
		}
		if _, err := sent.Ask(bg, "Who kept these records?"); err != nil {
			return err
		}
		if _, err := w.take(w.desk, sent); err != nil {
			return err
		}
		break
	}
	_, _, err = w.store.Backup(bg, "", time.Unix(1_800_000_000, 0), 0, nil)
	return err
}

// take has a desk import a task of another one.
func (w *tasking) take(desk *task.Desk, from *task.Task) (*task.Task, error) {
	file, err := from.HandOff(bg, false)
	if err != nil {
		return nil, err
	}
	p, err := handoff.Parse(file)
	if err != nil {
		return nil, err
	}
	t, err := desk.Import(bg, p)
	if err == nil && desk == w.desk {
		w.ack(t)
	}
	return t, err
}

// third leaves a task in the middle of its reading, with the draft of a call.
func (w *tasking) third() error {
	t, err := w.begin(w.desk, "harbour", 3)
	if err != nil {
		return err
	}
	if err := w.aside(t); err != nil {
		return err
	}
	if err := w.store.PutLocal(bg, t.Branch, "running", []byte("1")); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(bg)
	r := w.runner(t)
	r.Sink = &acker{w: w, t: t, after: w.groups, then: func() { cancel(run.ErrQuit) }}
	if _, err := r.Run(ctx); err != nil {
		return err
	}
	return t.PutDraft([]byte(`{"findings":[{"claim":"The wei`))
}

// acker acknowledges what a run saved, and says when it waits for room.
type acker struct {
	w     *tasking
	t     *task.Task
	after int // groups, then: call then; 0 = never
	then  func()
}

// Phase implements run.Sink.
func (a *acker) Phase(p run.Phase, _ planner.Step, err error) {
	if p == run.Waiting && engine.KindOf(err) == engine.KindDiskFull {
		fmt.Println("full", engine.KindOf(err))
		if a.w.dieAt == pointFull {
			endHere()
		}
	}
}

// Text implements run.Sink.
func (a *acker) Text(string, bool) {}

// Saved implements run.Sink.
func (a *acker) Saved() {
	a.w.ack(a.t)
	if a.after--; a.after == 0 && a.then != nil {
		a.then()
	}
}

// paced is the home's time, whose waits take a moment.
type paced struct{ *clock.Fake }

// Sleep implements engine.Clock.
func (p paced) Sleep(ctx context.Context, d time.Duration) error {
	if err := (clock.Real{}).Sleep(ctx, 20*time.Millisecond); err != nil {
		return err
	}
	return p.Fake.Sleep(ctx, d)
}

// reader is a model that finds something in each passage and repeats claims as an
// answer.
type reader struct{}

// Chat implements model.Chatter.
func (reader) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return model.Reply{Outcome: model.Cancelled}, err
	}
	labels, texts := numbered(r.Prompt)
	reply := map[string]any{"findings": []any{}}
	if i := slices.IndexFunc(texts, func(t string) bool { return strings.Contains(t, "grains") }); i >= 0 {
		if strings.HasPrefix(labels[i], "c") {
			reply = map[string]any{"sentences": []any{map[string]any{"claims": labels[i : i+1], "text": texts[i]}}}
		} else {
			reply["findings"] = []any{map[string]any{"sentences": labels[i : i+1], "claim": texts[i]}}
		}
	}
	b, err := json.Marshal(reply)
	if err != nil {
		return model.Reply{}, err
	}
	onText(string(b))
	return model.Reply{Text: string(b), Outcome: model.Complete, DoneReason: "stop", PromptCount: int64(len(r.Prompt) / 4), EvalCount: int64(len(b) / 4)}, nil
}

// numbered gives the numbered lines of a prompt.
func numbered(prompt string) (labels, texts []string) {
	for line := range strings.SplitSeq(prompt, "\n") {
		if label, text, ok := strings.Cut(line, "] "); ok && strings.HasPrefix(label, "[") {
			labels, texts = append(labels, label[1:]), append(texts, text)
		}
	}
	return labels, texts
}
