package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/app/dto"
	"cairn/engine"
)

// A document is deleted for good while the task reads: what goes is told before,
// the task stands in the list anew without it, and its file stays out.
func TestEraseDocument(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	id, err := s.Create(t.Context(), b.form())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	v := b.until(s, id, "the end", state("done"))
	rows, err := s.Sources(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var src dto.Source
	for _, row := range rows {
		if row.Claims > src.Claims {
			src = row
		}
	}
	out := filepath.Join(t.TempDir(), "theirs.cairn.md")
	if _, err := s.Export(t.Context(), id, out, false); err != nil {
		t.Fatal(err)
	}
	plan, err := s.PlanErase(t.Context(), id, src.ID)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(plan.Removed, "\n") + "\n" + strings.Join(plan.Beyond, "\n")
	for _, want := range []string{"claim", "history before now", out, b.docs, "SSD", "other folders"} {
		if !strings.Contains(all, want) {
			t.Errorf("the plan says nothing of %q:\n%s", want, all)
		}
	}
	if again, err := s.View(t.Context(), id, 0); err != nil || again.Counts != v.Counts {
		t.Errorf("planning changed the task: %+v, %v", again.Counts, err)
	}
	r, err := s.Erase(t.Context(), id, src.ID)
	if err != nil || !r.Done || r.Now == "" || r.Now == id {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := s.View(t.Context(), id, 0); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("the old task: %v", err)
	}
	now, err := s.View(t.Context(), r.Now, 0)
	if err != nil || now.Title != v.Title || now.Counts.Sources != v.Counts.Sources-1 || now.Counts.Claims >= v.Counts.Claims || now.Counts.Claims == 0 {
		t.Errorf("counts %+v became %+v, %v", v.Counts, now.Counts, err)
	}
	if list, err := s.Timeline(t.Context(), r.Now, true); err != nil || len(list) == 0 {
		t.Errorf("timeline: %+v, %v", list, err)
	}
	page, err := s.RenderExport(t.Context(), r.Now, false)
	if err != nil || strings.Contains(page, src.Name) {
		t.Errorf("the export names the document still: %v", err)
	}
	// It goes on, is done without the document, and the next process holds the same.
	if err := s.Run(t.Context(), r.Now); err != nil {
		t.Fatal(err)
	}
	b.until(s, r.Now, "the end", state("done"))
	b.end(s)
	s = b.start(true)
	tasks, err := s.Tasks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range tasks {
		if row.ID == id {
			t.Error("the old task is in the list")
		}
	}
	rows, err = s.Sources(t.Context(), r.Now)
	for _, row := range rows {
		if row.Name == src.Name {
			t.Errorf("the document was read in again: %+v, %v", row, err)
		}
	}
	if _, err := os.Stat(filepath.Join(b.docs, src.Name)); err != nil {
		t.Errorf("the person's own file: %v", err)
	}
	// What was exported from it holds, and can be taken over elsewhere.
	file := filepath.Join(t.TempDir(), "again.cairn.md")
	if got, err := s.Export(t.Context(), r.Now, file, false); err != nil || !got.Good {
		t.Fatalf("%+v, %v", got, err)
	}
	other := newBench(t, nil)
	o := other.start(true)
	p, err := o.PreviewImport(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := o.AcceptImport(t.Context(), p.Token, "")
	if err != nil || theirs != r.Now {
		t.Fatalf("%s, %v", theirs, err)
	}
	if _, err := o.Erase(t.Context(), theirs, src.ID); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("a document that is not there: %v", err)
	}
}

// The example goes with its documents; what was deleted does not come back.
func TestEraseExample(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	tasks, err := s.Tasks(t.Context())
	if err != nil || len(tasks) != 1 {
		t.Fatalf("%+v, %v", tasks, err)
	}
	rows, err := s.Sources(t.Context(), tasks[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Erase(t.Context(), tasks[0].ID, rows[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Tasks(t.Context())
	if err != nil || len(list) != 1 || !list[0].Example || list[0].ID != r.Now {
		t.Errorf("the example is %+v, %v", list, err)
	}
	v, err := s.View(t.Context(), r.Now, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range v.Questions {
		for _, c := range q.Claims {
			if !c.Reported || c.ByLine == "" {
				t.Errorf("what the makers wrote counts as one's own: %+v", c)
			}
		}
	}
	log := filepath.Join(b.home.RuntimeDir(), "runtime.log")
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte("a prompt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = s.Erase(t.Context(), r.Now, ""); err != nil || !r.Done {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := os.Stat(b.home.Sample()); !os.IsNotExist(err) {
		t.Errorf("the example's documents: %v", err)
	}
	if body, err := os.ReadFile(log); err != nil || len(body) > 0 {
		t.Errorf("the runtime's log holds %q, %v", body, err)
	}
	b.end(s)
	s = b.start(false)
	if list, err := s.Tasks(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("the example came back: %+v, %v", list, err)
	}
}
