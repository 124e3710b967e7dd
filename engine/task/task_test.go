package task_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
	"cairn/vault/vaulttest"
)

var ctx = context.Background()

func desk(store engine.Store) *task.Desk {
	return task.NewDesk(store, clock.NewFake(time.Unix(1_800_000_000, 0)), rand.Reader, "cairn test")
}

// texts is a scanner and an extractor over files that only exist in memory.
type texts map[string]string

func (x texts) scan(context.Context, string) ([]source.File, error) {
	var out []source.File
	for _, name := range slices.Sorted(maps.Keys(x)) {
		out = append(out, source.File{Path: "/" + name, Name: name, Size: int64(len(x[name])), ModTime: time.Unix(1, 0)})
	}
	return out, nil
}

func (x texts) Extract(_ context.Context, path string) (source.Document, error) {
	name := strings.TrimPrefix(path, "/")
	body := []byte(x[name])
	d := source.Document{Name: name, Media: "text", Extractor: "test/1", File: ledger.HashOf(body)}
	if len(body) == 0 {
		d.Reason = source.Empty
		return d, nil
	}
	d.Body = body
	for at := 0; at < len(body); {
		end := at + strings.IndexByte(string(body[at:])+".", '.') + 1
		d.Table.Sentences = append(d.Table.Sentences, source.Sentence{From: at, To: min(end, len(body)), Heading: -1, Start: at == 0})
		at = end
	}
	return d, nil
}

// made is a task with two questions and the given files.
func made(t *testing.T, store engine.Store, files texts) *task.Task {
	t.Helper()
	tk, err := desk(store).Create(ctx, task.New{Goal: "Find out.", Questions: []string{"Who?", "When?"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.SetFolder(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	if _, err := tk.Intake(ctx, files.scan, files, nil); err != nil {
		t.Fatal(err)
	}
	return tk
}

func TestAcceptedBeforeAnyModel(t *testing.T) {
	store := vaulttest.NewMemory()
	tk, err := desk(store).Create(ctx, task.New{Goal: "Find out.", Questions: []string{"Who?"}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := desk(store).Open(ctx, tk.Branch)
	if err != nil {
		t.Fatal(err)
	}
	st := again.Snapshot()
	if st.Task.Goal != "Find out." || len(st.QuestionIDs) != 1 || len(st.Checkpoints) != 1 {
		t.Errorf("%+v", st.Task)
	}
}

func TestCreateRefusesWhatTheLedgerCanNotHold(t *testing.T) {
	for name, n := range map[string]task.New{
		"no goal":       {Questions: []string{"Who?"}},
		"huge goal":     {Goal: strings.Repeat("x", ledger.MaxText+1)},
		"huge question": {Goal: "g", Questions: []string{strings.Repeat("x", ledger.MaxText+1)}},
	} {
		store := vaulttest.NewMemory()
		if _, err := desk(store).Create(ctx, n); engine.KindOf(err) != engine.KindUsage {
			t.Errorf("%s: %v", name, err)
		}
		if all, _ := store.Branches(ctx); len(all) != 0 {
			t.Errorf("%s left a branch behind", name)
		}
	}
}

func TestIntakeIsRepeatable(t *testing.T) {
	files := texts{"a.txt": "One. Two.", "b.txt": "", "c.txt": "One. Two."}
	tk := made(t, vaulttest.NewMemory(), files)
	st := tk.Snapshot()
	if len(st.SourceIDs) != 2 {
		t.Fatalf("%d sources: the same bytes twice are one", len(st.SourceIDs))
	}
	if c := st.Counts(); c.Sources != 1 || c.Unreadable != 1 {
		t.Errorf("%+v", c)
	}
	taken, err := tk.Intake(ctx, files.scan, files, nil)
	if err != nil || taken.New != 0 || tk.Snapshot().Seq != st.Seq {
		t.Errorf("a second intake: %+v, %v", taken, err)
	}
	files["b.txt"] = "Now it has words."
	delete(files, "c.txt")
	taken, err = tk.Intake(ctx, files.scan, files, nil)
	if err != nil || taken.New != 1 || taken.Gone != 1 {
		t.Errorf("after a change: %+v, %v", taken, err)
	}
	if c := tk.Snapshot().Counts(); c.Sources != 2 {
		t.Errorf("c.txt is gone, but the same bytes are still in a.txt: %+v", c)
	}
}

// A name that is not UTF-8 is remembered like any other: its file is read once.
func TestNameThatIsNotUTF8(t *testing.T) {
	files := texts{"n\xe9w.txt": "It was Ada.", "n\xe8w.txt": "It was Grace."}
	tk := made(t, vaulttest.NewMemory(), files)
	read := 0
	count := counting{files, &read}
	if taken, err := tk.Intake(ctx, files.scan, count, nil); err != nil || taken.New != 0 || taken.Gone != 0 || read != 0 {
		t.Errorf("%+v, %d read, %v", taken, read, err)
	}
	if l, err := tk.Look(ctx, files.scan, files.hash); err != nil || !l.None() {
		t.Errorf("%+v, %v", l, err)
	}
	delete(files, "n\xe8w.txt")
	if l, err := tk.Look(ctx, files.scan, files.hash); err != nil || len(l.Gone) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

// counting counts the files that are read.
type counting struct {
	texts
	n *int
}

func (c counting) Extract(ctx context.Context, path string) (source.Document, error) {
	*c.n++
	return c.texts.Extract(ctx, path)
}

func (x texts) hash(path string) (string, error) {
	return ledger.HashOf([]byte(x[strings.TrimPrefix(path, "/")])).String(), nil
}

// A file that is gone is said to be gone, is amber until its quotes were compared,
// and is no longer read; its claims stay. A file that only moved is not gone; one
// that comes back is lifted.
func TestGoneFile(t *testing.T) {
	files := texts{"a.txt": "It was Ada.", "b.txt": "Many more words."}
	for n := range 60 {
		files[fmt.Sprintf("n%02d.txt", n)] = fmt.Sprintf("Number %d.", n)
	}
	tk := made(t, vaulttest.NewMemory(), files)
	st := tk.Snapshot()
	id := ""
	for _, s := range st.Sources {
		if s.Name == "a.txt" {
			id = s.ID
		}
	}
	claim, err := tk.AcceptCandidate(ctx, st.QuestionIDs[0], id, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	intake := func(wantNew, wantGone int) {
		t.Helper()
		if taken, err := tk.Intake(ctx, files.scan, files, nil); err != nil || taken.New != wantNew || taken.Gone != wantGone {
			t.Fatalf("%+v, %v", taken, err)
		}
		st = tk.Snapshot()
	}
	files["moved.txt"] = files["a.txt"]
	delete(files, "a.txt")
	intake(0, 1)
	if s := st.Sources[id]; s.Missing != "" || task.Gate(st) != audit.Green {
		t.Errorf("a moved file is %q, the gate %s", s.Missing, task.Gate(st))
	}
	moved := files["moved.txt"]
	for name := range files {
		if name != "b.txt" {
			delete(files, name)
		}
	}
	intake(0, 61)
	if s := st.Sources[id]; s.Missing != "gone" || s.Readable() || !st.Claims[claim].Live() || task.Gate(st) != audit.Amber || len(planner.Readable(st)) != 1 {
		t.Errorf("%+v, gate %s, %d read", s, task.Gate(st), len(planner.Readable(st)))
	}
	seq := st.Seq
	if intake(0, 0); st.Seq != seq {
		t.Error("what is gone is said again")
	}
	files["back.txt"] = moved
	intake(1, 0)
	if s := st.Sources[id]; s.Missing != "" || !s.Readable() {
		t.Errorf("a file that came back is %q", s.Missing)
	}
}

func TestCandidateBecomesACheckedClaim(t *testing.T) {
	tk := made(t, vaulttest.NewMemory(), texts{"a.txt": "It was Ada. In 1843."})
	st := tk.Snapshot()
	q, src := st.QuestionIDs[0], st.SourceIDs[0]
	id, err := tk.AcceptCandidate(ctx, q, src, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := tk.Snapshot().Claims[id]
	if c == nil || c.Text != "It was Ada." || !c.IsQuote || c.Trust != state.Checked || c.By != ledger.Person {
		t.Errorf("%+v", c)
	}
	if again, err := tk.AcceptCandidate(ctx, q, src, 1, 1); err != nil || again != id {
		t.Errorf("accepted twice: %s %v", again, err)
	}
	for range 2 { // it was accepted twice
		if _, err := tk.Undo(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if c := tk.Snapshot().Claims[id]; c.Live() || c.Reason != state.ReasonUndone {
		t.Errorf("after undo the claim is %s for the reason %q", c.Standing, c.Reason)
	}
	if again, err := tk.AcceptCandidate(ctx, q, src, 1, 1); err != nil || again != id || !tk.Snapshot().Claims[id].Live() {
		t.Errorf("accepted again after undo: %v", err)
	}
	for _, bad := range [][2]int64{{0, 1}, {2, 1}, {9, 9}} {
		if _, err := tk.AcceptCandidate(ctx, q, src, bad[0], bad[1]); engine.KindOf(err) != engine.KindUsage {
			t.Errorf("sentences %v: %v", bad, err)
		}
	}
}

func TestEditAndUndo(t *testing.T) {
	tk := made(t, vaulttest.NewMemory(), texts{"a.txt": "It was Ada. In 1843."})
	st := tk.Snapshot()
	old, err := tk.AcceptCandidate(ctx, st.QuestionIDs[0], st.SourceIDs[0], 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	edited, err := tk.Edit(ctx, old, "Ada Lovelace did.")
	if err != nil {
		t.Fatal(err)
	}
	st = tk.Snapshot()
	if st.Claims[old].Standing != state.Superseded || st.Claims[old].Into != edited || len(st.Claims[edited].Evidence) != 1 {
		t.Errorf("old %+v, new %+v", st.Claims[old], st.Claims[edited])
	}
	if what, err := tk.Undoable(ctx); err != nil || what != "your correction" {
		t.Errorf("undo would take back %q (%v)", what, err)
	}
	if _, err := tk.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	st = tk.Snapshot()
	if !st.Claims[old].Live() || st.Claims[edited].Live() {
		t.Error("undo did not bring the first wording back")
	}
	if back, err := tk.Edit(ctx, old, "Ada Lovelace did."); err != nil || back != edited || !tk.Snapshot().Claims[edited].Live() {
		t.Errorf("editing again after undo: %v", err)
	}
}

func TestRetractNeedsNoReasonButKeepsOne(t *testing.T) {
	tk := made(t, vaulttest.NewMemory(), texts{"a.txt": "It was Ada."})
	st := tk.Snapshot()
	id, err := tk.AcceptCandidate(ctx, st.QuestionIDs[0], st.SourceIDs[0], 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Retract(ctx, id, "another Ada"); err != nil {
		t.Fatal(err)
	}
	st = tk.Snapshot()
	if c := st.Claims[id]; c.Live() || c.Reason != "another Ada" {
		t.Errorf("%+v", c)
	}
	if last := st.Checkpoints[len(st.Checkpoints)-1]; last.Sum.Retracted != 1 || last.Sum.Lost != 0 {
		t.Errorf("%+v", last.Sum)
	}
	if err := tk.Retract(ctx, "c00000000000000000000000000000000", ""); engine.KindOf(err) != engine.KindRefused {
		t.Errorf("retracting what is not there: %v", err)
	}
	if tk.Snapshot().Seq != st.Seq {
		t.Error("a refused act left lines")
	}
}

// A store that fails leaves the task as it is stored: nothing half done in memory.
func TestFailedSaveLeavesTheStateAsStored(t *testing.T) {
	store := &broken{Store: vaulttest.NewMemory()}
	tk := made(t, store, texts{"a.txt": "It was Ada."})
	before := tk.Snapshot()
	store.err = errors.New("the disk said no")
	if _, err := tk.Ask(ctx, "Where?"); !errors.Is(err, store.err) {
		t.Fatalf("error %v", err)
	}
	if after := tk.Snapshot(); after.Seq != before.Seq || after.Hash() != before.Hash() {
		t.Error("the state moved although nothing was saved")
	}
	store.err = nil
	if _, err := tk.Ask(ctx, "Where?"); err != nil {
		t.Errorf("after the store is back: %v", err)
	}
}

type broken struct {
	engine.Store
	err error
}

func (b *broken) Append(ctx context.Context, branch string, group [][]byte) error {
	if b.err != nil {
		return b.err
	}
	return b.Store.Append(ctx, branch, group)
}

// A closed question whose only claim is taken back is opened again in the same group.
func TestConsequencesStandInTheSameGroup(t *testing.T) {
	tk := made(t, vaulttest.NewMemory(), texts{"a.txt": "It was Ada."})
	st := tk.Snapshot()
	q := st.QuestionIDs[0]
	id, err := tk.AcceptCandidate(ctx, q, st.SourceIDs[0], 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	err = tk.Commit(ctx, []task.Entry{{By: ledger.Engine, Op: &ledger.Close{ID: q, Claims: []string{id}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	groups := tk.Snapshot().Group
	if err := tk.Retract(ctx, id, "wrong"); err != nil {
		t.Fatal(err)
	}
	st = tk.Snapshot()
	if st.Group != groups+1 || st.Questions[q].Status != state.Open {
		t.Errorf("group %d, question %s", st.Group, st.Questions[q].Status)
	}
}

func TestEarlierCheckpointIsAsItWas(t *testing.T) {
	tk := made(t, vaulttest.NewMemory(), texts{"a.txt": "It was Ada."})
	st := tk.Snapshot()
	if _, err := tk.Ask(ctx, "Where?"); err != nil {
		t.Fatal(err)
	}
	old, err := tk.At(ctx, st.Seq)
	if err != nil || old.Hash() != st.Hash() {
		t.Errorf("%v", err)
	}
	if _, err := tk.At(ctx, 9999); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("a line that is not there: %v", err)
	}
}

func TestUndoWithNothingToUndo(t *testing.T) {
	tk := made(t, vaulttest.NewMemory(), texts{"a.txt": "It was Ada."})
	for range 3 { // the task itself is never undone
		if _, err := tk.Undo(ctx); err != nil {
			if engine.KindOf(err) != engine.KindUsage {
				t.Error(err)
			}
			return
		}
	}
	t.Error("the task itself was undone")
}

// An import that is interrupted stays invisible, and goes on when begun again.
func TestHalfAnImportIsInvisible(t *testing.T) {
	from := vaulttest.NewMemory()
	sent := made(t, from, texts{"a.txt": "It was Ada."})
	var groups [][][]byte
	var group [][]byte
	err := sent.Lines(ctx, 1, func(_ int64, line []byte) error {
		group = append(group, append([]byte(nil), line...))
		f, err := ledger.DecodeFrame(line)
		if err == nil && f.N > 0 {
			groups, group = append(groups, group), nil
		}
		return err
	})
	if err != nil || len(groups) < 2 {
		t.Fatalf("%d groups, %v", len(groups), err)
	}
	store := &broken{Store: vaulttest.NewMemory(), err: errors.New("the disk said no")}
	d := desk(store)
	closing := func(tk *task.Task) error {
		return tk.Act(ctx, &ledger.Import{File: ledger.HashOf([]byte("file")).String()})
	}
	if _, err := d.Adopt(ctx, "", groups, closing); !errors.Is(err, store.err) {
		t.Fatalf("error %v", err)
	}
	if all, err := d.Branches(ctx); err != nil || len(all) != 0 {
		t.Errorf("%d branches are visible (%v)", len(all), err)
	}
	store.err = nil
	got, err := desk(store).Adopt(ctx, "", groups, closing)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := desk(store).Branches(ctx); err != nil || len(all) != 1 {
		t.Errorf("%d branches are visible (%v)", len(all), err)
	}
	if st := got.Snapshot(); st.Imported == nil || st.Task.Goal != "Find out." {
		t.Errorf("%+v", st.Imported)
	}
	// The program ended when the import was saved and not yet marked: it is whole.
	for last, visible := range map[int64]int{sent.Snapshot().Seq: 1, got.Snapshot().Seq: 0} {
		if err := store.PutLocal(ctx, "adopting", got.Branch, fmt.Appendf(nil, "open:%d", last)); err != nil {
			t.Fatal(err)
		}
		if all, err := desk(store).Branches(ctx); err != nil || len(all) != visible {
			t.Errorf("copied to line %d of %d: %d branches are visible (%v)", last, got.Snapshot().Seq, len(all), err)
		}
	}
}

// A ledger whose log was left out before it was handed over opens like any other.
func TestWithheldLogLinesOpen(t *testing.T) {
	sent := made(t, vaulttest.NewMemory(), texts{"a.txt": "It was Ada."})
	if err := sent.Commit(ctx, []task.Entry{{By: ledger.Engine, Op: &ledger.Wake{Reason: "slept"}}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := sent.Ask(ctx, "Where?"); err != nil {
		t.Fatal(err)
	}
	var groups [][][]byte
	var group [][]byte
	hidden := 0
	err := sent.Lines(ctx, 1, func(_ int64, line []byte) error {
		f, err := ledger.DecodeFrame(line)
		if err != nil {
			return err
		}
		if ledger.IsLog(f.Op) {
			line, hidden = ledger.Withhold(f.Hash), hidden+1
		}
		group = append(group, append([]byte(nil), line...))
		if f.N > 0 && !ledger.IsLog(f.Op) {
			groups, group = append(groups, group), nil
		}
		return nil
	})
	if err != nil || hidden == 0 {
		t.Fatalf("%d withheld, %v", hidden, err)
	}
	d := desk(vaulttest.NewMemory())
	got, err := d.Adopt(ctx, "", groups, func(tk *task.Task) error {
		return tk.Act(ctx, &ledger.Import{File: ledger.HashOf([]byte("file")).String()})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Fault() != nil || len(got.Snapshot().QuestionIDs) != 3 {
		t.Errorf("fault %v", got.Fault())
	}
}

// A folder of thousands of files is read to its end, and remembered.
func TestThousandsOfFiles(t *testing.T) {
	files := many(5000)
	tk := made(t, vaulttest.NewMemory(), nil)
	taken, err := tk.Intake(ctx, files.scan, files, nil)
	if err != nil || taken.New != 5000 {
		t.Fatalf("%+v, %v", taken, err)
	}
	if taken, err = tk.Intake(ctx, files.scan, files, nil); err != nil || taken.New != 0 {
		t.Errorf("again: %+v, %v", taken, err)
	}
	if here, err := tk.FilesHere(ctx); err != nil || len(here) != 5000 {
		t.Errorf("%d remembered (%v)", len(here), err)
	}
}

// many is a folder of that many small files with long paths.
type many int

func (m many) scan(context.Context, string) ([]source.File, error) {
	out := make([]source.File, m)
	for i := range out {
		name := fmt.Sprintf("note number %d of my many small notes.txt", i)
		out[i] = source.File{Path: "/" + strings.Repeat("folder/", 12) + name, Name: name, Size: 9, ModTime: time.Unix(1, 0)}
	}
	return out, nil
}

func (m many) Extract(_ context.Context, path string) (source.Document, error) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return texts{name: "About " + name}.Extract(ctx, "/"+name)
}

// A changed file is a newer version: it takes the old one's place in search and
// reading, and what rests on the old one stays.
func TestChangedFileIsANewerVersion(t *testing.T) {
	files := texts{"a.txt": "It was Ada."}
	tk := made(t, vaulttest.NewMemory(), files)
	st := tk.Snapshot()
	old := st.SourceIDs[0]
	claim, err := tk.AcceptCandidate(ctx, st.QuestionIDs[0], old, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	files["a.txt"] = "It was Ada. Truly."
	if taken, err := tk.Intake(ctx, files.scan, files, nil); err != nil || taken.New != 1 {
		t.Fatalf("%+v, %v", taken, err)
	}
	st = tk.Snapshot()
	if len(st.SourceIDs) != 2 || st.Sources[old].Newer != st.SourceIDs[1] || st.Sources[st.SourceIDs[1]].Parent != old {
		t.Errorf("old %+v", st.Sources[old])
	}
	if c := st.Claims[claim]; !c.Live() || c.IsStale {
		t.Errorf("the claim on the old version: %+v", c)
	}
	if r := planner.Readable(st); len(r) != 1 || r[0].ID == old {
		t.Errorf("%d sources are read", len(r))
	}
}
