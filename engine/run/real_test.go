package run_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/run"
	"cairn/engine/run/scholar"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
	"cairn/vault/vaulttest"
)

// The tests of this file use a real runtime with the starter model: a natural
// liar. CAIRN_OLLAMA is its address, CAIRN_MODEL the model's name.

func realModel(t *testing.T) (*model.Client, string) {
	t.Helper()
	addr, name := os.Getenv("CAIRN_OLLAMA"), os.Getenv("CAIRN_MODEL")
	if addr == "" || name == "" {
		t.Skip("CAIRN_OLLAMA and CAIRN_MODEL name no real model; `go run ./build test` sets both")
	}
	if testing.Short() {
		t.Skip("a real model takes minutes; left out of -short")
	}
	c, err := model.New(model.Config{Address: addr, Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	return c, name
}

func corpus(t *testing.T, parts ...string) string {
	t.Helper()
	dir := os.Getenv("CAIRN_CORPUS")
	if dir == "" {
		t.Skip("CAIRN_CORPUS names no corpus")
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// work runs a task over dir with the real model to its end.
func work(t *testing.T, dir string, questions []string, depth string) (*task.Task, ledger.End) {
	t.Helper()
	client, name := realModel(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	desk := task.NewDesk(vaulttest.NewMemory(), clock.Real{}, &dice{}, "cairn test")
	tk, err := desk.Create(ctx, task.New{Goal: "Find what the documents say.", Questions: questions,
		Set: ledger.Set{Model: name, Depth: depth}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.SetFolder(ctx, dir); err != nil {
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
	if _, err := tk.Intake(ctx, source.Scan, w, nil); err != nil {
		t.Fatal(err)
	}
	r := &run.Runner{Task: tk, Model: client, Clock: clock.Real{}, Patience: time.Minute, NumCtx: 4096,
		Ready: func(ctx context.Context) (model.Capability, error) { return client.Preflight(ctx, name, 4096) }}
	begun := time.Now()
	end, err := r.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	st := tk.Snapshot()
	t.Logf("%s: %s in %.0f s; %d calls, %d claims, %d refusals, %d lines, trial model: %v",
		filepath.Base(dir), end.Outcome, time.Since(begun).Seconds(), st.Log.Calls, st.Counts().Claims, len(st.Log.Refusals), st.Seq, st.Settings.Trial)
	if !st.Settings.Trial {
		t.Error("the run does not say that this model is for trying only")
	}
	return tk, end
}

// holds checks what must hold whatever a model says.
func holds(t *testing.T, tk *task.Task, end ledger.End) *state.State {
	t.Helper()
	st := tk.Snapshot()
	if end.Outcome != "done" && end.Outcome != "stuck" {
		t.Errorf("the run ended %+v", end)
	}
	for _, c := range st.Claims {
		for _, e := range c.Evidence {
			text, err := tk.Library().Text(context.Background(), st.Sources[e.Slice.Source])
			if err != nil {
				t.Fatal(err)
			}
			if text.Slice(e.Slice.From, e.Slice.To) != e.Slice.Text {
				t.Errorf("a quote of %s is no slice of its source", c.ID)
			}
		}
	}
	for _, cp := range st.Checkpoints {
		if cp.Sum != nil && cp.Sum.Lost != 0 {
			t.Errorf("checkpoint at line %d lost %d", cp.Seq, cp.Sum.Lost)
		}
	}
	for source, of := range st.Read {
		if st.Sources[source].Body == "" {
			t.Errorf("unreadable %q counts as read for %d questions", st.Sources[source].Name, len(of))
		}
	}
	again, findings := state.New(), 0
	err := tk.Lines(context.Background(), 1, func(_ int64, raw []byte) error {
		line, err := ledger.Decode(raw)
		if err != nil {
			return err
		}
		findings += len(again.Apply(line))
		return nil
	})
	if err != nil || findings > 0 || again.Hash() != st.Hash() {
		t.Errorf("folding the lines again: %d findings, error %v", findings, err)
	}
	return st
}

func TestRealModelOnTheSample(t *testing.T) {
	tk, end := work(t, filepath.Join(sample, "files"), questions, "quick")
	st := holds(t, tk, end)
	expected, err := os.ReadFile(filepath.Join(sample, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	gold, err := scholar.Read(expected)
	if err != nil {
		t.Fatal(err)
	}
	var none struct {
		Questions []struct {
			NoAnswerIn []string `json:"no_answer_in"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(expected, &none); err != nil {
		t.Fatal(err)
	}
	for i, q := range gold.Questions {
		id := ledger.QuestionID(ledger.Question{Text: q.Question})
		claims := st.LiveClaims(id)
		if len(claims) == 0 {
			t.Errorf("question %d has no quoted passage", i+1)
		}
		found, wrong := 0, 0
		for _, g := range q.Gold {
			for _, c := range claims {
				if strings.Contains(squeeze(c.Evidence[0].Slice.Text), squeeze(g.Sentence)) {
					found++
					break
				}
			}
		}
		for _, c := range claims {
			for _, name := range none.Questions[i].NoAnswerIn {
				if st.Sources[c.Evidence[0].Slice.Source].Name == name {
					wrong++
				}
			}
		}
		t.Logf("question %d: %d of %d gold sentences among %d quoted passages; %d from files without an answer", i+1, found, len(q.Gold), len(claims), wrong)
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestRealModelOnFivePapers(t *testing.T) {
	papers := corpus(t, "papers")
	dir := t.TempDir()
	for _, name := range []string{"1604.08504.txt", "1612.06685.txt", "1806.00738.txt", "1902.09666.txt", "1910.06592.txt"} {
		b, err := os.ReadFile(filepath.Join(papers, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tk, end := work(t, dir, []string{"What data was used, and how large is it?"}, "quick")
	holds(t, tk, end)
}

func TestRealModelOnTheMixedFolder(t *testing.T) {
	tk, end := work(t, corpus(t, "mixed"), []string{"Who was elected, and when?"}, "quick")
	st := holds(t, tk, end)
	unreadable := 0
	for _, s := range st.Sources {
		if s.Body == "" {
			unreadable++
			if s.Reason == "" {
				t.Errorf("%q is unreadable without a reason", s.Name)
			}
			t.Logf("unreadable: %s (%s)", s.Name, s.Reason)
		}
	}
	if unreadable == 0 {
		t.Error("the empty file and the picture were not listed as unreadable")
	}
}
