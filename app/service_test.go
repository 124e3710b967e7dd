package app_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/app"
	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/sample"
	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/model/fakeollama"
	"cairn/engine/run/scholar"
	"cairn/engine/source"
	"cairn/vault/vaulttest"
)

func TestMain(m *testing.M) {
	if source.IsWorker(os.Args) {
		if err := source.RunWorker(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// bench is the service over a store in memory and a scripted Ollama.
type bench struct {
	t     *testing.T
	store *vaulttest.Memory
	home  home.Home
	fake  *fakeollama.Server
	docs  string
	log   *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// goldQuestion is one question of the sample with the sentences that answer it.
type goldQuestion = struct {
	Question string `json:"question"`
	Gold     []struct {
		File     string `json:"file"`
		Sentence string `json:"sentence"`
		Key      string `json:"key"`
	} `json:"gold"`
}

// newBench serves a model that knows the sample's gold sentences. gate, when not
// nil, holds each reply back until it can be received from or is closed.
func newBench(t *testing.T, gate chan struct{}) *bench {
	t.Helper()
	expected, err := os.ReadFile("sample/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	gold, err := scholar.Read(expected)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := &bench{t: t, store: vaulttest.NewMemory(), home: home.Home{Dir: filepath.Join(dir, "home"), Cache: filepath.Join(dir, "cache")}, log: &lockedBuffer{}}
	b.fake = fakeollama.New(func(r fakeollama.ChatRequest) string {
		if gate != nil && slices.ContainsFunc(gold.Questions, func(q goldQuestion) bool { return strings.Contains(r.Prompt(), q.Question) }) {
			<-gate // the probe of the model is never held back
		}
		return gold.Reply(r.Prompt())
	})
	b.prefer(dto.Preferences{Theme: "system", AutoGoOn: true, Ollama: b.fake.Run(t)})
	if b.docs, err = sample.Unpack(filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) prefer(p dto.Preferences) {
	b.t.Helper()
	body, err := json.Marshal(p)
	if err == nil {
		err = b.store.PutLocal(context.Background(), "app", "preferences", body)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// start begins a process: a service over what is stored.
func (b *bench) start(short bool) *app.Service {
	b.t.Helper()
	s, err := app.New(context.Background(), app.Config{
		Store: b.store, Clock: clock.Real{}, Random: rand.Reader, Home: b.home, Version: "cairn test", Log: b.log, Short: short,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.end(s) })
	return s
}

func (b *bench) end(s *app.Service) {
	b.t.Helper()
	if err := s.Close(); err != nil {
		b.t.Error(err)
	}
}

func (b *bench) form() dto.NewTask {
	b.t.Helper()
	f, err := sample.Form()
	if err != nil {
		b.t.Fatal(err)
	}
	f.Folder, f.Model, f.Depth = b.docs, fakeollama.DefaultModel, "thorough"
	return f
}

// until waits for a view that is as wanted.
func (b *bench) until(s dto.Service, id, what string, ok func(dto.View) bool) dto.View {
	b.t.Helper()
	var v dto.View
	for range 7200 {
		var err error
		if v, err = s.View(context.Background(), id, 0); err != nil {
			b.t.Fatal(err)
		}
		if ok(v) {
			return v
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("waited in vain for %s; it is %+v\n%s", what, v.Status, b.log)
	return v
}

func state(name string) func(dto.View) bool {
	return func(v dto.View) bool { return v.Status.State == name && !v.Status.Running }
}

// The first start has a finished example whose claims say who wrote them.
func TestExample(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	tasks, err := s.Tasks(t.Context())
	if err != nil || len(tasks) != 1 || !tasks[0].Example || tasks[0].Group != "finished" {
		t.Fatalf("tasks are %+v, %v", tasks, err)
	}
	v, err := s.View(t.Context(), tasks[0].ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v.Status.State != "done" || v.Status.Gate != "green" || v.Next.Kind != "done" || len(v.Report) != 4 {
		t.Errorf("status %+v, next %+v, %d parts of a report", v.Status, v.Next, len(v.Report))
	}
	n := 0
	for _, q := range v.Questions {
		if q.Status != "closed" || len(q.Answer) == 0 {
			t.Errorf("question %d is %s with %d sentences", q.Number, q.Status, len(q.Answer))
		}
		for _, a := range q.Answer {
			if !a.Backed || a.Stale {
				t.Errorf("sentence %+v", a)
			}
		}
		for _, c := range q.Claims {
			n++
			if !c.Reported || c.By != "person" || c.ByLine != sample.ByLine || c.Trust == "checked" || len(c.Quotes) != 1 || c.Standing != "active" {
				t.Errorf("claim %+v", c)
			}
		}
	}
	if n != 20 {
		t.Errorf("%d claims", n)
	}
	// A person's look leaves a finished task finished; what makes something stale does not.
	id, claim := tasks[0].ID, v.Questions[0].Claims[0].ID
	ends := func(what, want string) {
		t.Helper()
		v, err := s.View(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status.State != want {
			t.Errorf("after %s the task is %q (%s), want %q", what, v.Status.State, v.Status.Sentence, want)
		}
	}
	if err := s.Judge(t.Context(), id, claim, "says_more", ""); err != nil {
		t.Fatal(err)
	}
	ends("a verdict", "done")
	if _, err := s.Undo(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	ends("undoing it", "done")
	if err := s.Retract(t.Context(), id, claim, "not so"); err != nil {
		t.Fatal(err)
	}
	ends("a retraction", "ready")
	if _, err := s.Undo(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	ends("undoing that", "done")
	for _, e := range entries(t, s, tasks[0].ID) {
		if e.Kind == "call" {
			t.Errorf("a model's call is on record: %+v", e)
		}
	}
	// Deleted, it stays away; and its documents are not touched.
	if _, err := s.Delete(t.Context(), tasks[0].ID); err != nil {
		t.Fatal(err)
	}
	b.end(s)
	s = b.start(false)
	if tasks, err = s.Tasks(t.Context()); err != nil || len(tasks) != 0 {
		t.Errorf("after deleting: %+v, %v", tasks, err)
	}
}

func entries(t *testing.T, s dto.Service, id string) []dto.Entry {
	t.Helper()
	list, err := s.Timeline(t.Context(), id, true)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The main job: create, run, watch, export, verify, import elsewhere, export again.
func TestWholeRun(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	id, err := s.Create(t.Context(), b.form())
	if err != nil {
		t.Fatal(err)
	}
	watch, stop := context.WithCancel(t.Context())
	var events []dto.Event
	watched := make(chan error, 1)
	go func() { watched <- s.Watch(watch, id, func(e dto.Event) { events = append(events, e) }) }()
	b.until(s, id, "the folder to be read", func(v dto.View) bool { return v.Status.State == "ready" && v.Counts.Sources == 5 })
	if err := s.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	v := b.until(s, id, "the end", state("done"))
	stop()
	if err := <-watched; !errors.Is(err, context.Canceled) {
		t.Errorf("watch ended with %v", err)
	}
	checkEvents(t, id, events)
	if v.Counts.Open != 0 || v.Counts.Closed != 3 || v.Counts.Claims == 0 || len(v.Report) == 0 || v.Status.LeftS != 0 || v.Status.CanRun {
		t.Errorf("counts %+v, status %+v", v.Counts, v.Status)
	}
	for _, q := range v.Questions {
		for _, c := range q.Claims {
			if c.ByLine != fakeollama.DefaultModel || c.Word != "quote attached" {
				t.Errorf("claim %+v", c)
			}
			for _, quote := range c.Quotes {
				body, err := os.ReadFile(filepath.Join(b.docs, quote.Place.Name))
				if err != nil || !bytes.Contains(body, []byte(quote.Text)) {
					t.Errorf("%q is no slice of %s", quote.Text, quote.Place.Name)
				}
			}
		}
	}
	checkHistory(t, s, id, v)
	handOver(t, b, s, id)
}

// checkEvents wants numbers without gaps and small events.
func checkEvents(t *testing.T, id string, events []dto.Event) {
	t.Helper()
	last := int64(0)
	kinds := map[string]int{}
	for _, e := range events {
		kinds[e.Kind]++
		body, err := json.Marshal(e)
		if err != nil || len(body) > 8<<10 {
			t.Errorf("an event has %d bytes, %v", len(body), err)
		}
		if e.Task != id {
			continue
		}
		if last > 0 && e.Seq != last+1 {
			t.Errorf("event %d follows %d", e.Seq, last)
		}
		last = e.Seq
	}
	if kinds["status"] == 0 || kinds["saved"] == 0 {
		t.Errorf("events by kind: %v", kinds)
	}
}

// checkHistory looks at an earlier checkpoint and finds less there, and no way to act.
func checkHistory(t *testing.T, s dto.Service, id string, now dto.View) {
	t.Helper()
	var first int64
	for _, e := range entries(t, s, id) {
		if e.Checkpoint == 2 {
			first = e.Seq
		}
	}
	old, err := s.View(t.Context(), id, first)
	if err != nil {
		t.Fatal(err)
	}
	if old.At != first || old.Counts.Claims >= now.Counts.Claims || old.CanUndo || old.StateHash == now.StateHash {
		t.Errorf("at line %d: %+v", first, old.Counts)
	}
	if _, err := s.View(t.Context(), id, 1_000_000); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("a line that is not there gives %v", err)
	}
}

func handOver(t *testing.T, b *bench, s *app.Service, id string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.cairn.md")
	check, err := s.Export(t.Context(), id, path, false)
	if err != nil || !check.Good || check.Claims == 0 {
		t.Fatalf("export: %+v, %v", check, err)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.RenderExport(t.Context(), id, false)
	if err != nil || page != string(body) {
		t.Errorf("the page shown before is not the page written (%v)", err)
	}
	broken := bytes.Replace(body, []byte(`"op":"claim"`), []byte(`"op":"quote"`), 1)
	if v := app.Verify(broken); v.Good || v.Line == 0 {
		t.Errorf("an edited file verifies: %+v", v)
	}
	other := newBench(t, nil)
	o := other.start(false)
	p, err := o.PreviewImport(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	// The example brought the same documents, so their texts are here.
	if p.Claims != check.Claims || p.Here != 5 || p.From != "unsigned" {
		t.Errorf("preview is %+v", p)
	}
	theirs, err := o.AcceptImport(t.Context(), p.Token, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := o.View(t.Context(), theirs, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v.Imported == "" || v.Counts.Claims != check.Claims || v.Status.Running || v.Status.Gate != "green" {
		t.Errorf("imported: %q, %+v, %+v", v.Imported, v.Counts, v.Status)
	}
	for _, q := range v.Questions {
		for _, c := range q.Claims {
			if !c.Reported {
				t.Errorf("claim of a sender: %+v", c)
			}
		}
	}
	if _, err := o.AcceptImport(t.Context(), p.Token, ""); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("a preview is taken over twice: %v", err)
	}
	again, err := o.PreviewImport(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.AcceptImport(t.Context(), again.Token, ""); engine.KindOf(err) != engine.KindRefused {
		t.Errorf("the same file again gives %v", err)
	}
	back, err := o.RenderExport(t.Context(), theirs, false)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(back, block(t, string(body))) {
		t.Error("the first block's lines are not in the second export, byte for byte")
	}
	// It goes back and is taken over beside the first, as an alternative.
	returned := filepath.Join(t.TempDir(), "back.cairn.md")
	if _, err := o.Export(t.Context(), theirs, returned, false); err != nil {
		t.Fatal(err)
	}
	if p, err = s.PreviewImport(t.Context(), returned); err != nil {
		t.Fatal(err)
	}
	alternative, err := s.AcceptImport(t.Context(), p.Token, "")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.Tasks(t.Context())
	if err != nil || !slices.ContainsFunc(rows, func(r dto.TaskSummary) bool { return r.ID == alternative && strings.HasPrefix(r.Line, "Alternative") }) {
		t.Errorf("the alternative is not in the list: %+v, %v", rows, err)
	}
	if plan, err := s.PlanErase(t.Context(), alternative, ""); err != nil || !strings.Contains(plan.Question, "this alternative") || len(plan.Stays) == 0 {
		t.Errorf("deleting an alternative is planned as %+v, %v", plan, err)
	}
	if v, err = s.View(t.Context(), alternative, 0); err != nil || alternative == id || v.Counts.Claims != check.Claims {
		t.Errorf("the alternative has %+v, %v", v.Counts, err)
	}
	for _, q := range v.Questions {
		for _, c := range q.Claims {
			if c.Reported {
				t.Errorf("what this machine made itself counts as a sender's: %+v", c)
			}
		}
	}
}

// block gives the lines of an exported file's first segment.
func block(t *testing.T, file string) string {
	t.Helper()
	_, rest, ok := strings.Cut(file, "```cairn-jsonl\n")
	lines, _, end := strings.Cut(rest, "\n```")
	if !ok || !end || strings.Count(lines, "\n") < 10 {
		t.Fatal("the file has no block")
	}
	return lines
}

// A person's acts are saved, shown at once, and can be undone.
func TestActs(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	f := b.form()
	f.Model = "-"
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "the folder", func(v dto.View) bool { return v.Counts.Sources == 5 })
	list, err := s.Candidates(t.Context(), id)
	if err != nil || len(list) != 3 || len(list[0].Candidates) == 0 {
		t.Fatalf("candidates before any run: %+v, %v", list, err)
	}
	c := list[0].Candidates[0]
	claim, err := s.AcceptCandidate(t.Context(), id, list[0].ID, c.Place.Source, c.Place.From, c.Place.To)
	if err != nil {
		t.Fatal(err)
	}
	look := func() dto.View {
		v, err := s.View(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := look()
	got := v.Questions[0].Claims
	if len(got) != 1 || got[0].ID != claim || got[0].Word != "you checked" || got[0].ByLine != "you" || got[0].Text != c.Text || !v.CanUndo {
		t.Fatalf("after accepting: %+v, undo %q", got, v.UndoWhat)
	}
	for _, left := range v.Questions[0].Candidates {
		if left.Place == c.Place {
			t.Error("an accepted candidate is offered again")
		}
	}
	if err := s.Judge(t.Context(), id, claim, "says_more", "only the tweets"); err != nil {
		t.Fatal(err)
	}
	v = look()
	if got := v.Questions[0].Claims; len(got) != 1 || got[0].Verdict != "says_more" || got[0].Trust == "checked" || len(got[0].Flags) != 1 ||
		v.ToCheck[0].Kind != "says_more" || v.ToCheck[0].On != claim || v.Counts.ToCheck != 0 || v.Counts.Checked != 0 {
		t.Errorf("after “says more”: %+v, %+v, %+v", got, v.ToCheck, v.Counts)
	}
	if err := s.Judge(t.Context(), id, claim, "passed", ""); !errors.As(err, new(*engine.Error)) {
		t.Errorf("a verdict that is not a person's: %v", err)
	}
	if _, err := s.Undo(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if v = look(); v.Questions[0].Claims[0].Verdict != "right" || v.Questions[0].Claims[0].Word != "you checked" || v.Counts.Checked != 1 {
		t.Errorf("after undoing it: %+v", v.Questions[0].Claims)
	}
	better, err := s.Edit(t.Context(), id, claim, "In my words.")
	if err != nil {
		t.Fatal(err)
	}
	if v = look(); len(v.Questions[0].Claims) != 1 || v.Questions[0].Claims[0].ID != better || len(v.Retracted) != 1 {
		t.Errorf("after the correction: %+v", v.Questions[0].Claims)
	}
	if _, err := s.Undo(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if v = look(); len(v.Questions[0].Claims) != 1 || v.Questions[0].Claims[0].ID != claim {
		t.Errorf("after undo: %+v", v.Questions[0].Claims)
	}
	if err := s.Retract(t.Context(), id, claim, "not so"); err != nil {
		t.Fatal(err)
	}
	if v = look(); len(v.Questions[0].Claims) != 0 {
		t.Errorf("after retracting: %+v", v.Questions[0].Claims)
	}
	q, err := s.Ask(t.Context(), id, "And why?")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DropQuestion(t.Context(), id, q, "later"); err != nil {
		t.Fatal(err)
	}
	if err := s.ReopenQuestion(t.Context(), id, q); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddNote(t.Context(), id, dto.Note{On: q, Text: "Ask Ada", For: "Ada"}); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Sources(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetAside(t.Context(), id, rows[0].ID, "too old"); err != nil {
		t.Fatal(err)
	}
	if v = look(); v.Counts.Aside != 1 || v.ToCheck[0].Kind != "note" || v.Questions[3].Status != "open" {
		t.Errorf("in the end: %+v, %+v", v.Counts, v.ToCheck)
	}
	if err := s.TakeBack(t.Context(), id, rows[0].ID); err != nil {
		t.Fatal(err)
	}
	text, err := s.SourceText(t.Context(), id, c.Place.Source, c.Place.From, c.Place.To)
	if err != nil || !slices.ContainsFunc(text.Sentences, func(x dto.Sentence) bool { return x.Mark && x.Text == c.Text }) {
		t.Errorf("the candidate is not marked in its source: %v", err)
	}
	if _, err := s.SourceText(t.Context(), id, "s"+strings.Repeat("0", 32), 1, 1); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("an unknown source gives %v", err)
	}
}

// Without a model a run searches and then says that it needs the person.
func TestRunWithoutModel(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	f := b.form()
	f.Model, f.Start = "-", true
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	v := b.until(s, id, "needs you", state("needs_you"))
	if v.Status.Sentence == "" || v.Status.Detail == "" || len(v.Questions[0].Candidates) == 0 {
		t.Errorf("status %+v", v.Status)
	}
}

// A process that ends in the middle of a call leaves a task that says so and goes
// on by itself at the next start; with the setting off it waits.
func TestInterruption(t *testing.T) {
	for _, auto := range []bool{true, false} {
		gate := make(chan struct{})
		b := newBench(t, gate)
		first := b.start(false)
		f := b.form()
		f.Start = true
		id, err := first.Create(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		b.until(first, id, "a reading step", func(v dto.View) bool { return v.Status.State == "reading" && len(b.fake.Chats()) > 2 })
		p, err := first.Preferences(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.AutoGoOn = auto
		if err := first.SetPreferences(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		b.end(first)
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("quitting in the middle of a call took %v", d)
		}
		close(gate)
		second := b.start(false)
		if !auto {
			v := b.until(second, id, "interrupted", state("interrupted"))
			if !v.Status.CanRun || v.Status.Detail == "" {
				t.Errorf("status %+v", v.Status)
			}
			if err := second.Run(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		b.until(second, id, "the end", state("done"))
		resumed := false
		for _, e := range entries(t, second, id) {
			resumed = resumed || e.Kind == "resume"
		}
		if !resumed {
			t.Error("the history does not say that it was taken up again")
		}
		b.end(second)
	}
}

// Stop comes back at once, though the model hangs; nothing goes on by itself then.
func TestStop(t *testing.T) {
	gate := make(chan struct{})
	b := newBench(t, gate)
	defer close(gate)
	s := b.start(false)
	f := b.form()
	f.Start = true
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "a reading step", func(v dto.View) bool { return v.Status.State == "reading" && len(b.fake.Chats()) > 2 })
	begin := time.Now()
	if err := s.Stop(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("stopping took %v", d)
	}
	v, err := s.View(t.Context(), id, 0)
	if err != nil || v.Status.State != "stopped" || v.Status.Running || v.Status.SavedAt == 0 {
		t.Errorf("status %+v, %v", v.Status, err)
	}
	b.end(s)
	s = b.start(false)
	time.Sleep(300 * time.Millisecond)
	if v, err = s.View(t.Context(), id, 0); err != nil || v.Status.Running || v.Status.State != "stopped" {
		t.Errorf("after a new start: %+v, %v", v.Status, err)
	}
}

// Two tasks want the model: one works, the other says that it waits.
func TestQueue(t *testing.T) {
	gate := make(chan struct{})
	b := newBench(t, gate)
	s := b.start(false)
	var ids []string
	for _, title := range []string{"one", "two"} {
		f := b.form()
		f.Title, f.Start = title, true
		id, err := s.Create(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		if len(ids) == 1 {
			b.until(s, id, "a reading step", func(v dto.View) bool { return v.Status.State == "reading" })
		}
	}
	b.until(s, ids[1], "waiting for its turn", func(v dto.View) bool { return v.Status.State == "queued" && v.Status.Running })
	if err := s.Stop(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	close(gate)
	b.until(s, ids[0], "the end", state("done"))
	if err := s.Run(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	b.until(s, ids[1], "the end of the other", state("done"))
}

// A task that waits for its turn when the program ends goes on at the next start,
// as the one that ran does; neither end is worth a line in the log.
func TestQuitWhileQueued(t *testing.T) {
	gate := make(chan struct{})
	b := newBench(t, gate)
	s := b.start(false)
	var ids []string
	for _, want := range []string{"reading", "queued"} {
		f := b.form()
		f.Title, f.Start = want, true
		id, err := s.Create(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		b.until(s, id, want, func(v dto.View) bool { return v.Status.State == want })
	}
	b.end(s)
	close(gate)
	s = b.start(true)
	for _, id := range ids {
		b.until(s, id, "interrupted", state("interrupted"))
	}
	b.end(s)
}

// What the form says of a folder without anything to read.
func TestNothingToRead(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(true)
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"a.txt": ""}, "The only file in this folder is empty."},
		{map[string]string{"a.txt": "", "b.md": ""}, "All 2 files in this folder are empty."},
		{map[string]string{"a.png": "x"}, "The only file in this folder is not of a kind"},
		{map[string]string{"a.png": "x", "b.md": ""}, "None of the 2 files in this folder is of a kind"},
	} {
		f := b.form()
		f.Folder = t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(f.Folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		check, err := s.CheckForm(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(check.Problems, func(p dto.FieldProblem) bool { return strings.HasPrefix(p.Text, c.want) }) {
			t.Errorf("%v gives %+v, want %q", c.files, check.Problems, c.want)
		}
	}
	b.end(s)
}

// Ollama is away in the middle of a run: the task says so, waits, and goes on.
func TestOllamaAway(t *testing.T) {
	gate := make(chan struct{})
	b := newBench(t, gate)
	s := b.start(false)
	f := b.form()
	f.Start = true
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "a reading step", func(v dto.View) bool { return v.Status.State == "reading" })
	b.fake.Stop()
	close(gate)
	v := b.until(s, id, "waiting", func(v dto.View) bool { return v.Status.State == "waiting" })
	if !strings.Contains(v.Status.Detail, "is saved") {
		t.Errorf("status %+v", v.Status)
	}
	if err := s.Stop(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if v, err := s.View(t.Context(), id, 0); err != nil || v.Status.Running {
		t.Errorf("a waiting task does not stop: %+v, %v", v.Status, err)
	}
}

func TestDeleteWhileRunning(t *testing.T) {
	gate := make(chan struct{})
	b := newBench(t, gate)
	defer close(gate)
	s := b.start(false)
	f := b.form()
	f.Start = true
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "a reading step", func(v dto.View) bool { return v.Status.State == "reading" })
	text, err := s.Delete(t.Context(), id)
	if err != nil || !strings.Contains(text, "not touched") {
		t.Fatalf("%q, %v", text, err)
	}
	if _, err := s.View(t.Context(), id, 0); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("a deleted task gives %v", err)
	}
	if files, err := os.ReadDir(b.docs); err != nil || len(files) != 5 {
		t.Errorf("the person's documents: %d, %v", len(files), err)
	}
}

func TestForm(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	b.untilTrue(func() bool { set, err := s.Setup(t.Context()); return err == nil && set.Stage == "ready" })
	empty, pictures := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(pictures, "a.png"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pictures, "b.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(pictures, "a.png")
	docs, err := sample.Unpack(b.home.Sample())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(b.home.Dir, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	cases := []struct {
		name   string
		change func(*dto.NewTask)
		field  string
	}{
		{"good", func(*dto.NewTask) {}, ""},
		{"no goal", func(f *dto.NewTask) { f.Goal = "  " }, "goal"},
		{"a long goal", func(f *dto.NewTask) { f.Goal = strings.Repeat("x", 8193) }, "goal"},
		{"no question", func(f *dto.NewTask) { f.Questions = []string{" "} }, "questions"},
		{"the same twice", func(f *dto.NewTask) { f.Questions = []string{"a", "a"} }, "questions"},
		{"no folder", func(f *dto.NewTask) { f.Folder = "" }, "folder"},
		{"missing folder", func(f *dto.NewTask) { f.Folder = filepath.Join(empty, "none") }, "folder"},
		{"empty folder", func(f *dto.NewTask) { f.Folder = empty }, "folder"},
		{"a file", func(f *dto.NewTask) { f.Folder = file }, "folder"},
		{"nothing readable", func(f *dto.NewTask) { f.Folder = pictures }, "folder"},
		{"Cairn's own folder", func(f *dto.NewTask) { f.Folder = b.home.Dir }, "folder"},
		{"a folder in it", func(f *dto.NewTask) { f.Folder = filepath.Join(b.home.Dir, "journal") }, "folder"},
		{"a folder that holds it", func(f *dto.NewTask) { f.Folder = filepath.Dir(b.home.Dir) }, "folder"},
		{"a link to it", func(f *dto.NewTask) { f.Folder = link }, "folder"},
		{"the sample's documents in it", func(f *dto.NewTask) { f.Folder = docs }, ""},
		{"odd depth", func(f *dto.NewTask) { f.Depth = "deep" }, "depth"},
		{"negative time", func(f *dto.NewTask) { f.Budget = -1 }, "budget"},
		{"unknown model", func(f *dto.NewTask) { f.Model = "nobody:1b" }, "model"},
		{"no model", func(f *dto.NewTask) { f.Model = "-" }, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := b.form()
			c.change(&f)
			check, err := s.CheckForm(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			var fields []string
			for _, p := range check.Problems {
				fields = append(fields, p.Field)
				if !strings.HasSuffix(p.Text, ".") {
					t.Errorf("no sentence: %q", p.Text)
				}
			}
			want := []string{}
			if c.field != "" {
				want = []string{c.field}
			}
			if !slices.Equal(fields, want) || check.CanStart != (c.field == "") {
				t.Errorf("problems %+v", check.Problems)
			}
			_, err = s.Create(t.Context(), f)
			if (engine.KindOf(err) == engine.KindUsage) != (c.field != "") {
				t.Errorf("create gives %v", err)
			}
		})
	}
	check, err := s.CheckForm(t.Context(), b.form())
	if err != nil || len(check.Promises) != 3 || check.Files != 5 || check.Folder == "" || check.Model == "" {
		t.Errorf("the good form says %+v, %v", check, err)
	}
}

// Files that can't be read are listed with the reason and never counted as read.
func TestBadFiles(t *testing.T) {
	b := newBench(t, nil)
	for name, body := range map[string]string{"empty.txt": "", "binary.md": "\x00\x01\x02\x03\xff\xfe\x00", "fine.md": "# Fine\n\nThere are 12 cats here."} {
		if err := os.WriteFile(filepath.Join(b.docs, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := b.start(false)
	f := b.form()
	f.Model = "-"
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	v := b.until(s, id, "the folder", func(v dto.View) bool { return v.Counts.Sources == 6 })
	if v.Counts.Unreadable != 2 {
		t.Errorf("counts %+v", v.Counts)
	}
	rows, err := s.Sources(t.Context(), id)
	if err != nil || len(rows) != 8 || rows[0].Status != "unreadable" || rows[0].Reason == "" || rows[1].Status != "unreadable" {
		t.Errorf("rows %+v, %v", rows, err)
	}
	// What is added later joins by itself: the folder is watched.
	if err := os.WriteFile(filepath.Join(b.docs, "late.md"), []byte("# Late\n\nDogs came in 2020."), 0o600); err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "the new file", func(v dto.View) bool { return v.Counts.Sources == 7 })
}

func TestSetupWithoutOllama(t *testing.T) {
	b := newBench(t, nil)
	b.prefer(dto.Preferences{Theme: "system", Ollama: "127.0.0.1:1"})
	s := b.start(false)
	b.untilTrue(func() bool { set, err := s.Setup(t.Context()); return err == nil && set.Stage == "no_model" })
	checks, err := s.Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	for _, c := range checks {
		if !c.Good {
			bad++
			if c.Mend == "" {
				t.Errorf("%s is wrong and nobody says how to mend it", c.Name)
			}
		}
	}
	if bad < 2 {
		t.Errorf("doctor finds nothing wrong: %+v", checks)
	}
}

// What a set-up beside the window says is shown as its own.
func TestSetupBeside(t *testing.T) {
	b := newBench(t, nil)
	b.prefer(dto.Preferences{Theme: "system", Ollama: "127.0.0.1:1"})
	file := filepath.Join(t.TempDir(), "setup.json")
	t.Setenv("CAIRN_SETUP", file)
	body, err := json.Marshal(dto.Setup{Stage: "building_runtime", Sentence: "Building", Done: 3, Total: 9, LeftS: 60})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	s := b.start(false)
	b.untilTrue(func() bool {
		set, err := s.Setup(t.Context())
		return err == nil && set.Stage == "building_runtime" && set.Done == 3 && set.Version == "cairn test"
	})
}

func TestPreferences(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(true)
	want := dto.Preferences{Theme: "dark", Model: "m", Ollama: "127.0.0.1:5", Welcomed: true}
	if err := s.SetPreferences(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got, err := b.start(true).Preferences(t.Context()); err != nil || got != want {
		t.Errorf("kept %+v, %v", got, err)
	}
	for _, p := range []dto.Preferences{{Theme: "pink"}, {Theme: "dark", Ollama: "ftp://there"}} {
		if err := s.SetPreferences(t.Context(), p); engine.KindOf(err) != engine.KindUsage {
			t.Errorf("%+v gives %v", p, err)
		}
	}
}

func TestUnknownTask(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(true)
	_, err := s.View(t.Context(), strings.Repeat("0", 64), 0)
	if engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("view gives %v", err)
	}
	if err := s.Run(t.Context(), "nonsense"); err == nil {
		t.Error("nonsense runs")
	}
}

func (b *bench) untilTrue(ok func() bool) {
	b.t.Helper()
	for range 7200 {
		if ok() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("waited in vain\n%s", b.log)
}
