package app_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/app"
	"cairn/app/dto"
	"cairn/engine/clock"
	"cairn/engine/source"
)

// hanging reads no file until it is ended, and says when the first is asked for.
type hanging struct{ asked chan struct{} }

func (h hanging) Extract(ctx context.Context, _ string) (source.Document, error) {
	select {
	case h.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return source.Document{}, ctx.Err()
}

// A process that is ended while it reads a new task's folder leaves that said, and the
// next run reads the rest.
func TestFirstReadingIsInterrupted(t *testing.T) {
	b := newBench(t, nil)
	asked := make(chan struct{}, 1)
	first, err := app.New(t.Context(), app.Config{
		Store: b.store, Clock: clock.Real{}, Random: rand.Reader, Home: b.home, Version: "cairn test", Log: b.log, Short: true, Extract: hanging{asked},
	})
	if err != nil {
		t.Fatal(err)
	}
	f := b.form()
	f.Model, f.Start = "-", false
	id, err := first.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	b.end(first)
	short := b.start(true)
	v, err := short.View(t.Context(), id, 0)
	said := v.Status.Sentence + " " + v.Status.Detail
	if err != nil || !strings.Contains(said, "not read to its end") || !strings.Contains(said, "The next run reads the rest.") || strings.Contains(said, "Ready") || !v.Status.CanRun {
		t.Errorf("%+v, %v", v.Status, err)
	}
	if err := short.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	v = b.until(short, id, "the run's end", func(v dto.View) bool { return !v.Status.Running })
	if v.Counts.Sources != 5 || strings.Contains(v.Status.Sentence, "not read to its end") {
		t.Errorf("after a run: %+v, %+v", v.Counts, v.Status)
	}
	if said := b.log.String(); said != "" {
		t.Errorf("logged: %s", said)
	}
}

// What is never opened is said while one types and listed with its reason afterwards;
// an odd name stops nothing; a file that was read and is gone can still be read.
func TestOddFolder(t *testing.T) {
	b := newBench(t, nil)
	only, outside := t.TempDir(), t.TempDir()
	paper := filepath.Join(outside, "paper.txt")
	if err := os.WriteFile(paper, []byte("A paper."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{only, b.docs} {
		if err := os.Symlink(paper, filepath.Join(dir, "paper.txt")); err != nil {
			t.Skip("no links on this system")
		}
	}
	if err := os.WriteFile(filepath.Join(b.docs, "\x1b[31mred.txt"), []byte("A red one."), 0o600); err != nil {
		t.Skip("no such names on this system")
	}
	s := b.start(false)
	f := b.form()
	f.Model, f.Start, f.Folder = "-", false, only
	check, err := s.CheckForm(t.Context(), f)
	if err != nil || len(check.Problems) != 1 || !strings.Contains(check.Problems[0].Text, "leads out of the folder") {
		t.Errorf("%+v, %v", check.Problems, err)
	}
	f.Folder = b.docs
	if check, err = s.CheckForm(t.Context(), f); err != nil || !strings.Contains(check.Folder, "7 files, 6 likely readable, 1 not (1 a link that is not followed)") {
		t.Errorf("%+v, %v", check, err)
	}
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	v := b.until(s, id, "the folder", state("ready"))
	if v.Counts.Sources != 6 || v.Counts.Unreadable != 1 || strings.Contains(v.Status.Detail, "cop") {
		t.Errorf("%+v, %+v", v.Counts, v.Status)
	}
	list, err := s.Sources(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var found int
	for _, row := range list {
		switch row.Name {
		case "paper.txt":
			found++
			if row.Status != "unreadable" || !strings.Contains(row.Reason, "leads out of the folder") {
				t.Errorf("%+v", row)
			}
		case `\x1b[31mred.txt`:
			found++
			if row.Status != "readable" {
				t.Errorf("%+v", row)
			}
		}
	}
	if found != 2 {
		t.Errorf("sources are %+v", list)
	}
	if err := os.Remove(filepath.Join(b.docs, "\x1b[31mred.txt")); err != nil {
		t.Fatal(err)
	}
	v = b.until(s, id, "what was deleted", func(v dto.View) bool { return v.Counts.Sources == 5 })
	if v.Counts.Unreadable != 1 {
		t.Errorf("a file that was read counts as unreadable: %+v", v.Counts)
	}
}
