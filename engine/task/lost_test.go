package task_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/vault/vaulttest"
)

// lose takes every text out of the store, as the loss of the vault's store does.
func lose(t *testing.T, store *vaulttest.Memory, st *state.State) {
	t.Helper()
	for _, id := range st.SourceIDs {
		for _, hash := range []string{st.Sources[id].Body, st.Sources[id].Table} {
			if hash == "" {
				continue
			}
			h, err := ledger.ParseHash(hash)
			if err != nil {
				t.Fatal(err)
			}
			store.Lose(h)
		}
	}
}

// Texts that the store lost are read again from files that are still the same, and
// no line is written for it; of the others it is said that they are not here.
func TestLostTexts(t *testing.T) {
	files := texts{"a.txt": "It was Ada. In May.", "b.txt": "It was Bo.", "c.txt": "", "d.txt": "It was Di."}
	store := vaulttest.NewMemory()
	tk := made(t, store, files)
	before := tk.Snapshot()
	lose(t, store, before)

	tk, err := desk(store).Open(ctx, tk.Branch)
	if err != nil {
		t.Fatal(err)
	}
	// Before the folder was read again the person can still work on what is there.
	if err := tk.Act(ctx, &ledger.Question{Text: "And why?"}); err != nil {
		t.Errorf("an act before the intake: %v", err)
	}
	seq, work := tk.Snapshot().Seq, tk.Snapshot().Hash()
	taken, err := tk.Intake(ctx, files.scan, files, nil)
	if err != nil || taken.Restored != 3 || taken.Lost != 0 || taken.New != 0 {
		t.Fatalf("%+v, %v", taken, err)
	}
	st := tk.Snapshot()
	if st.Seq != seq || st.Hash() != work {
		t.Errorf("lines were written: %d became %d", seq, st.Seq)
	}
	for _, id := range st.SourceIDs {
		if s := st.Sources[id]; s.Body != "" {
			if text, err := tk.Library().Text(ctx, s); err != nil || string(text.Body) != files[s.Name] {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}

	// One file changed, one is gone.
	lose(t, store, st)
	old := files["a.txt"]
	files["a.txt"] = "It was Ann."
	delete(files, "b.txt")
	if tk, err = desk(store).Open(ctx, tk.Branch); err != nil {
		t.Fatal(err)
	}
	taken, err = tk.Intake(ctx, files.scan, files, nil)
	if err != nil || taken.Restored != 1 || taken.Lost != 2 || taken.New != 1 {
		t.Fatalf("%+v, %v", taken, err)
	}
	why := map[string]string{}
	st = tk.Snapshot()
	for _, id := range st.SourceIDs {
		s := st.Sources[id]
		why[s.Name+" "+s.Body[:min(4, len(s.Body))]] = s.Missing
	}
	if a := ledger.HashOf([]byte(old)).String()[:4]; why["a.txt "+a] != "not_here" {
		t.Errorf("the old a.txt: %q of %v", why["a.txt "+a], why)
	}
	if b := ledger.HashOf([]byte("It was Bo.")).String()[:4]; why["b.txt "+b] != "not_here" {
		t.Errorf("b.txt: %q of %v", why["b.txt "+b], why)
	}
	// It comes back: the file that did not change meanwhile is read for it.
	files["a.txt"] = old
	if _, err := tk.Intake(ctx, files.scan, files, nil); err != nil {
		t.Fatal(err)
	}
	st = tk.Snapshot()
	for _, id := range st.SourceIDs {
		if s := st.Sources[id]; s.Name == "a.txt" && s.Body == ledger.HashOf([]byte(old)).String() && s.Missing != "" {
			t.Errorf("a.txt is back and still %s", s.Missing)
		}
	}
	if _, err := tk.Next(); err != nil {
		t.Errorf("next: %v", err)
	}
}

// More sources than fit one group, and a folder that is away: all are said to be
// not here, and come back with the folder.
func TestLostTextsWithoutFolder(t *testing.T) {
	files := texts{}
	for n := range 300 {
		files[fmt.Sprintf("f%03d.txt", n)] = fmt.Sprintf("It was number %d.", n)
	}
	store := vaulttest.NewMemory()
	tk := made(t, store, files)
	lose(t, store, tk.Snapshot())
	tk, err := desk(store).Open(ctx, tk.Branch)
	if err != nil {
		t.Fatal(err)
	}
	away := errors.New("not mounted")
	scan := func() ([]source.File, error) { return nil, away }
	taken, err := tk.Intake(ctx, func(context.Context, string) ([]source.File, error) { return scan() }, files, nil)
	if !errors.Is(err, away) || taken.Lost != 300 {
		t.Fatalf("%+v, %v", taken, err)
	}
	if c := tk.Snapshot().Counts(); c.Sources != 0 {
		t.Errorf("%+v", c)
	}
	if _, err := tk.Next(); err != nil {
		t.Errorf("next: %v", err)
	}
	if taken, err = tk.Intake(ctx, files.scan, files, nil); err != nil {
		t.Fatal(err)
	}
	for id, s := range tk.Snapshot().Sources {
		if s.Missing != "" {
			t.Fatalf("%s is still %s (%+v)", id, s.Missing, taken)
		}
	}
	if got, err := tk.Library().Text(ctx, tk.Snapshot().Sources[tk.Snapshot().SourceIDs[7]]); err != nil || !strings.HasPrefix(string(got.Body), "It was") {
		t.Error(err)
	}
}
