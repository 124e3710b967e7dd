package run_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/model/fakeollama"
	"cairn/engine/planner"
	"cairn/engine/run"
	"cairn/engine/run/scholar"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
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

// sample is the task that ships with the program, and its gold sentences.
const sample = "../../app/sample"

// dice gives the same "random" bytes in every run.
type dice struct {
	mu sync.Mutex
	n  uint64
}

func (d *dice) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], d.n)
	h := sha256.Sum256(b[:])
	return copy(p, h[:]), nil
}

// bench is a whole engine on fakes of everything outside it.
type bench struct {
	t     *testing.T
	store engine.Store
	clock *clock.Fake
	desk  *task.Desk
	task  *task.Task
	fake  *fakeollama.Server
	model *model.Client
	gold  scholar.Gold
}

var questions = []string{
	"What data did each study use, and how large is it?",
	"Which methods, features or signals worked best in each study?",
	"What weaknesses in their data or labels do the authors admit?",
}

func newBench(t *testing.T, reply func(string) string) *bench {
	t.Helper()
	expected, err := os.ReadFile(filepath.Join(sample, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, store: vaulttest.NewMemory(), clock: clock.NewFake(time.Unix(1_800_000_000, 0))}
	if b.gold, err = scholar.Read(expected); err != nil {
		t.Fatal(err)
	}
	if reply == nil {
		reply = b.gold.Reply
	}
	b.fake = fakeollama.New(func(r fakeollama.ChatRequest) string { return reply(r.Prompt()) })
	addr := b.fake.Run(t)
	if b.model, err = model.New(model.Config{Address: addr, Clock: b.clock}); err != nil {
		t.Fatal(err)
	}
	b.desk = task.NewDesk(b.store, b.clock, &dice{}, "cairn test")
	b.task, err = b.desk.Create(context.Background(), task.New{
		Goal: "An overview of five studies.", Questions: questions, Set: ledger.Set{Model: b.modelName(), Depth: "thorough"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.task.SetFolder(context.Background(), filepath.Join(sample, "files")); err != nil {
		t.Fatal(err)
	}
	w, err := source.NewWorker(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	taken, err := b.task.Intake(context.Background(), source.Scan, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if taken.New != 5 || taken.Unreadable != 0 {
		t.Fatalf("intake: %+v", taken)
	}
	return b
}

func (b *bench) modelName() string { return fakeollama.DefaultModel }

func (b *bench) runner() *run.Runner {
	return &run.Runner{Task: b.task, Model: b.model, Clock: b.clock, Patience: time.Minute,
		Ready: func(ctx context.Context) (model.Capability, error) {
			return b.model.Preflight(ctx, b.modelName(), 0)
		}}
}

// reopen throws away everything in memory and folds the stored lines anew.
func (b *bench) reopen() {
	b.t.Helper()
	b.desk = task.NewDesk(b.store, b.clock, &dice{n: 1 << 40}, "cairn test")
	t, err := b.desk.Open(context.Background(), b.task.Branch)
	if err != nil {
		b.t.Fatal(err)
	}
	b.task = t
}

func (b *bench) state() *state.State { return b.task.Snapshot() }

func TestSampleEndsDoneWithTheGoldInItsReport(t *testing.T) {
	b := newBench(t, nil)
	end, err := b.runner().Run(context.Background())
	if err != nil || end.Outcome != "done" {
		t.Fatalf("end %+v, error %v", end, err)
	}
	st := b.state()
	var report strings.Builder
	for _, id := range st.CurrentReport().Answers {
		for _, s := range st.Answers[id].Sentences {
			report.WriteString(s.Text + "\n")
		}
	}
	keys, found := b.gold.Keys(), 0
	for _, k := range keys {
		if strings.Contains(report.String(), k) {
			found++
		} else {
			t.Logf("not in the report: %q", k)
		}
	}
	if found*10 < len(keys)*9 {
		t.Errorf("the report holds %d of %d keys", found, len(keys))
	}
	for _, id := range st.QuestionIDs {
		if q := st.Questions[id]; q.Status != state.Closed || q.Answer == "" {
			t.Errorf("question %q is %s", q.Text, q.Status)
		}
	}
	b.quotesAreSlices(st)
}

// quotesAreSlices holds promise 2 for every quote of the state.
func (b *bench) quotesAreSlices(st *state.State) {
	b.t.Helper()
	n := 0
	for _, c := range st.Claims {
		for _, e := range c.Evidence {
			text, err := b.task.Library().Text(context.Background(), st.Sources[e.Slice.Source])
			if err != nil {
				b.t.Fatal(err)
			}
			if text.Slice(e.Slice.From, e.Slice.To) != e.Slice.Text {
				b.t.Errorf("quote of %s is not a slice of its source", c.ID)
			}
			n++
		}
	}
	if n == 0 {
		b.t.Error("there is no quote at all")
	}
}

func TestRunAgainAfterDoneChangesNothing(t *testing.T) {
	b := newBench(t, nil)
	if _, err := b.runner().Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	before := b.state()
	end, err := b.runner().Run(context.Background())
	if err != nil || end.Outcome != "done" {
		t.Fatalf("end %+v, error %v", end, err)
	}
	if after := b.state(); after.Seq != before.Seq || after.Chain != before.Chain {
		t.Errorf("a finished task grew from %d to %d lines", before.Seq, after.Seq)
	}
}

// failing ends the process, as far as the store can tell, at the n-th group.
type failing struct {
	engine.Store
	left int
}

var errKilled = errors.New("killed")

func (f *failing) Append(ctx context.Context, branch string, group [][]byte) error {
	if f.left <= 0 {
		return errKilled
	}
	f.left--
	return f.Store.Append(ctx, branch, group)
}

// Killed again and again, each life a few groups long, a run ends in the state
// hash of an unbroken one and repeats at most one call for each kill.
func TestManyLivesEndInTheSameState(t *testing.T) {
	want, calls := unbroken(t)
	b := newBench(t, nil)
	store, kills := b.store, 0
	for life := 0; ; life++ {
		b.store = &failing{Store: store, left: 3 + life%4}
		b.reopen()
		end, err := b.runner().Run(context.Background())
		if err == nil {
			if end.Outcome != "done" {
				t.Fatalf("end %+v", end)
			}
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if kills++; kills > 2000 {
			t.Fatal("the run does not come to an end")
		}
	}
	if kills < 50 {
		t.Fatalf("only %d kills landed", kills)
	}
	if got := b.state().Hash(); got != want {
		t.Errorf("after %d kills the state hash is %s, unbroken %s", kills, got, want)
	}
	// Each life probes the model with a few calls of its own; reading calls are
	// what must not be repeated.
	if got := b.readings(); got > calls+kills {
		t.Errorf("%d reading calls for %d in an unbroken run and %d kills", got, calls, kills)
	}
}

// Killed once, at a group boundary, anywhere: the same state.
func TestKilledOnceAnywhereEndsInTheSameState(t *testing.T) {
	want, calls := unbroken(t)
	for at := 0; ; at += 23 {
		b := newBench(t, nil)
		store := b.store
		b.store = &failing{Store: store, left: at}
		b.reopen()
		_, err := b.runner().Run(context.Background())
		if err == nil {
			if at == 0 {
				t.Fatal("no kill landed")
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		b.store = store
		b.reopen()
		if end, err := b.runner().Run(context.Background()); err != nil || end.Outcome != "done" {
			t.Fatalf("killed at group %d: end %+v, error %v", at, end, err)
		}
		if got := b.state().Hash(); got != want {
			t.Errorf("killed at group %d: state hash %s, unbroken %s", at, got, want)
		}
		if got := b.readings(); got > calls+1 {
			t.Errorf("killed at group %d: %d reading calls for %d", at, got, calls)
		}
	}
}

func unbroken(t *testing.T) (ledger.Hash, int) {
	t.Helper()
	b := newBench(t, nil)
	if _, err := b.runner().Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return b.state().Hash(), b.readings()
}

// readings counts the calls of steps; probes are not among them.
func (b *bench) readings() (n int) {
	for _, c := range b.fake.Chats() {
		if strings.Contains(c.Prompt(), "\nQuestion: ") {
			n++
		}
	}
	return n
}

// A step that is interrupted again and again before its call ends is parked,
// and the run goes on without it.
func TestPoisonStepIsParked(t *testing.T) {
	b := newBench(t, nil)
	store := b.store
	for life := 0; life < 40; life++ {
		b.store = &failing{Store: store, left: 2}
		b.reopen()
		if _, err := b.runner().Run(context.Background()); err != nil && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
	}
	parked := 0
	for _, f := range b.state().Finished {
		if f.Outcome == "parked" && f.Reason == "interrupted_three_times" {
			parked++
		}
	}
	if parked == 0 {
		t.Error("nothing was parked after forty interrupted lives")
	}
}

func TestStopIsSavedAndGoesOn(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	n := 0
	b.fake.Set(func(s *fakeollama.Server) {
		reply := s.Reply
		s.Reply = func(r fakeollama.ChatRequest) string {
			if n++; n == 5 {
				cancel(run.ErrStop)
			}
			return reply(r)
		}
	})
	end, err := b.runner().Run(ctx)
	if err != nil || end.Outcome != "stopped" || end.Reasons[0] != "person" {
		t.Fatalf("end %+v, error %v", end, err)
	}
	b.reopen()
	if end, err = b.runner().Run(context.Background()); err != nil || end.Outcome != "done" {
		t.Fatalf("going on: end %+v, error %v", end, err)
	}
}

// A model that returns anything at all never breaks a run: it ends, every quote
// is a slice, and each question has quoted passages, by search if need be.
func TestBadModels(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply func(string) string
	}{
		{"prose", func(string) string { return "I have read everything and it is all fine." }},
		{"half a JSON", func(string) string { return `{"findings":[{"sentences":["1"` }},
		{"nothing", func(string) string { return "" }},
		{"null", func(string) string { return "null" }},
		{"invented numbers", func(string) string {
			return `{"findings":[{"sentences":["99999"],"claim":"The moon is large."}],"sentences":[{"claims":["c99"],"text":"Moon."}]}`
		}},
		{"always nothing", func(string) string { return `{"findings":[],"sentences":[]}` }},
		{"claims that it is done", func(string) string {
			return `{"findings":[],"sentences":[],"done":true,"sources_read":17,"verified":"yes"}`
		}},
		{"hands the question back", func(p string) string {
			return `{"findings":[{"sentences":["1"],"claim":"What data did each study use, and how large is it?"}],"sentences":[{"claims":["c1"],"text":"What data did each study use?"}]}`
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.reply)
			end, err := b.runner().Run(context.Background())
			if err != nil || end.Outcome != "done" {
				t.Fatalf("end %+v, error %v", end, err)
			}
			st := b.state()
			b.quotesAreSlices(st)
			for _, id := range st.QuestionIDs {
				if len(st.LiveClaims(id)) == 0 {
					t.Errorf("question %q has no quoted passage", st.Questions[id].Text)
				}
			}
			if last := st.Checkpoints[len(st.Checkpoints)-1]; last.Sum.Lost != 0 {
				t.Errorf("%d lost", last.Sum.Lost)
			}
		})
	}
}

func TestAbsentOllamaEndsStuckAndSaysSo(t *testing.T) {
	b := newBench(t, nil)
	b.fake.Stop()
	end, err := b.runner().Run(context.Background())
	if err != nil || end.Outcome != "stuck" || end.Reasons[0] != run.ReasonModelAway {
		t.Fatalf("end %+v, error %v", end, err)
	}
	if err := b.fake.Restart(); err != nil {
		t.Fatal(err)
	}
	if end, err = b.runner().Run(context.Background()); err != nil || end.Outcome != "done" {
		t.Fatalf("when it is back: end %+v, error %v", end, err)
	}
}

func TestWithoutAModelTheCandidatesWait(t *testing.T) {
	b := newBench(t, nil)
	if err := b.task.Set(context.Background(), ledger.Set{Model: "-"}); err != nil {
		t.Fatal(err)
	}
	end, err := (&run.Runner{Task: b.task, Clock: b.clock}).Run(context.Background())
	if err != nil || end.Outcome != "stuck" || end.Reasons[0] != planner.ReasonNoModel {
		t.Fatalf("end %+v, error %v", end, err)
	}
	st := b.state()
	for _, id := range st.QuestionIDs {
		if len(st.Found[id]) == 0 {
			t.Errorf("nothing found for %q", st.Questions[id].Text)
		}
	}
}

// A person's correction outlives the model: after it, further runs keep it.
// A source whose file is gone is amber until a run has compared its quotes with the
// stored text; what was quoted from it stays.
func TestGoneFileIsComparedFirst(t *testing.T) {
	b := newBench(t, nil)
	ctx := t.Context()
	if _, err := b.runner().Run(ctx); err != nil {
		t.Fatal(err)
	}
	claims := b.task.Snapshot().Counts().Claims
	few := t.TempDir()
	for _, name := range []string{"smart-spammers.md", "fake-news-metadata.md"} {
		body, err := os.ReadFile(filepath.Join(sample, "files", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(few, name), body, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	moved := func(_ context.Context, dir string) ([]source.File, error) { return source.Scan(ctx, few) }
	w, err := source.NewWorker(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	if taken, err := b.task.Intake(ctx, moved, w, nil); err != nil || taken.Gone != 5 || taken.New != 0 {
		t.Fatalf("%+v, %v", taken, err)
	}
	if g := task.Gate(b.task.Snapshot()); g != audit.Amber {
		t.Errorf("with three files gone the gate is %s", g)
	}
	if _, err := b.runner().Run(ctx); err != nil {
		t.Fatal(err)
	}
	st := b.task.Snapshot()
	if g := task.Gate(st); g != audit.Green || st.Counts().Claims != claims || st.Ended == nil || st.Ended.Outcome != "done" {
		t.Errorf("gate %s, %d claims of %d, ended %+v", g, st.Counts().Claims, claims, st.Ended)
	}
}

// A model whose answers are cut off leaves a task that is done with the findings
// themselves, and whose record holds: the next run audits it.
func TestAnswersThatAreCutOff(t *testing.T) {
	var b *bench
	b = newBench(t, func(prompt string) string {
		reply := b.gold.Reply(prompt)
		if !strings.Contains(reply, "findings") {
			return `{"answer":[{"text":"` + strings.Repeat("and so on ", 2000)
		}
		return reply
	})
	if end, err := b.runner().Run(t.Context()); err != nil || end.Outcome != "done" {
		t.Fatalf("end %+v, error %v", end, err)
	}
	cut := 0
	for _, r := range b.state().Log.Refusals {
		if r.Proposal == "answer" {
			cut++
		}
	}
	if cut != len(questions) {
		t.Fatalf("%d answers were cut off: %+v", cut, b.state().Log.Refusals)
	}
	if _, err := b.runner().Run(t.Context()); err != nil {
		t.Errorf("the next run says %v", err)
	}
}

func TestCorrectionOutlivesTheModel(t *testing.T) {
	b := newBench(t, nil)
	ctx := context.Background()
	if _, err := b.runner().Run(ctx); err != nil {
		t.Fatal(err)
	}
	st := b.state()
	q := st.QuestionIDs[0]
	claims := st.LiveClaims(q)
	if err := b.task.Retract(ctx, claims[0].ID, "the number is about another year"); err != nil {
		t.Fatal(err)
	}
	edited, err := b.task.Edit(ctx, claims[1].ID, "In my own words.")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.task.Reopen(ctx, q); err != nil {
		t.Fatal(err)
	}
	if end, err := b.runner().Run(ctx); err != nil || end.Outcome != "done" {
		t.Fatalf("end %+v, error %v", end, err)
	}
	st = b.state()
	if st.Claims[claims[0].ID].Standing != state.Retracted {
		t.Error("the retracted claim is back")
	}
	if c := st.Claims[edited]; c == nil || c.Standing != state.Active || c.Trust != state.Checked {
		t.Errorf("the edited claim: %+v", c)
	}
	for _, s := range st.Answers[st.Questions[q].Answer].Sentences {
		for _, id := range s.Claims {
			if id == claims[0].ID || id == claims[1].ID {
				t.Error("the new answer rests on a claim that was taken back")
			}
		}
	}
	// The model has built on the correction since: undo names what stands in its way.
	if _, err := b.task.Undo(ctx); engine.KindOf(err) != engine.KindRefused {
		t.Errorf("undo of what others rest on: %v", err)
	}
	// Right after the act it takes it back whole.
	last := st.LiveClaims(q)[1]
	again, err := b.task.Edit(ctx, last.ID, "Another wording.")
	if err != nil {
		t.Fatal(err)
	}
	if what, err := b.task.Undo(ctx); err != nil || what == "" {
		t.Fatalf("undo: %q, %v", what, err)
	}
	st = b.state()
	if !st.Claims[last.ID].Live() || st.Claims[again].Live() {
		t.Error("undo did not bring the wording before it back")
	}
}

// Another model under the same name is amber: a known claim is read again before
// the run goes on, and the change is on record.
func TestAnotherModelIsTriedOutFirst(t *testing.T) {
	b := newBench(t, nil)
	ctx := context.Background()
	if _, err := b.runner().Run(ctx); err != nil {
		t.Fatal(err)
	}
	b.fake.Set(func(s *fakeollama.Server) {
		s.Models = []fakeollama.Model{{Name: fakeollama.DefaultModel, Digest: strings.Repeat("ab", 32)}}
	})
	if err := b.task.Reopen(ctx, b.state().QuestionIDs[0]); err != nil {
		t.Fatal(err)
	}
	before := b.readings()
	if _, err := b.task.Ask(ctx, "Which study is the newest?"); err != nil {
		t.Fatal(err)
	}
	if end, err := b.runner().Run(ctx); err != nil || end.Outcome != "done" {
		t.Fatalf("end %+v, error %v", end, err)
	}
	st := b.state()
	passed := 0
	for id, v := range st.Passed {
		if strings.HasPrefix(id, "model:abab") && v == "passed" {
			passed++
		}
	}
	if passed != 1 {
		t.Errorf("the change of the model is not on record: %v", st.Passed)
	}
	if b.readings() == before {
		t.Error("nothing was read")
	}
	if st.Settings.Digest != strings.Repeat("ab", 32) {
		t.Errorf("digest %s", st.Settings.Digest)
	}
}

// A stored text that was altered stops the run before it starts, by name.
func TestDamagedTextStopsTheRun(t *testing.T) {
	b := newBench(t, nil)
	ctx := context.Background()
	if _, err := b.runner().Run(ctx); err != nil {
		t.Fatal(err)
	}
	st := b.state()
	h, err := ledger.ParseHash(st.Sources[st.SourceIDs[0]].Body)
	if err != nil {
		t.Fatal(err)
	}
	b.store.(*vaulttest.Memory).Damage(h)
	b.reopen()
	if _, err := b.task.Ask(ctx, "Another question?"); err != nil && engine.KindOf(err) != engine.KindDamaged {
		t.Fatal(err)
	}
	calls := b.readings()
	_, err = b.runner().Run(ctx)
	if engine.KindOf(err) != engine.KindDamaged {
		t.Errorf("error %v", err)
	}
	if b.readings() != calls {
		t.Error("the model was asked although the record is damaged")
	}
}

// A stop that comes when nothing is left to do, or before anything was begun, is a
// stop and no error.
func TestStopAtTheEdges(t *testing.T) {
	for name, between := range map[string]bool{"at the end": true, "before the begin": false} {
		b := newBench(t, nil)
		if _, err := b.runner().Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := b.task.Drop(context.Background(), b.state().QuestionIDs[0], "not needed"); err != nil { // so another ending is to be recorded
			t.Fatal(err)
		}
		ctx, stop := context.WithCancelCause(context.Background())
		r := b.runner()
		r.Between = func(context.Context) error { stop(run.ErrStop); return nil }
		if !between {
			stop(run.ErrStop)
		}
		end, err := r.Run(ctx)
		if err != nil {
			t.Errorf("%s: %+v, %v", name, end, err)
		}
		if last := b.state().Ended; last == nil || last.Outcome != end.Outcome {
			t.Errorf("%s: the record says %+v, the run %+v", name, last, end)
		}
	}
}
