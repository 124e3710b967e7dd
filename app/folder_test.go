package app_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/app"
	"cairn/app/dto"
	"cairn/engine/clock"
	"cairn/engine/source"
)

// What happened in the folder while no process watched it is said by a command that
// only looks, records nothing, and is taken in by a service that stays.
func TestFolderThatChangedMeanwhile(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(false)
	f := b.form()
	f.Model, f.Start = "-", false
	id, err := s.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	before := b.until(s, id, "the folder", func(v dto.View) bool { return v.Counts.Sources == 5 && v.Status.State == "ready" })
	b.end(s)
	names, err := filepath.Glob(filepath.Join(b.docs, "*.md"))
	if err != nil || len(names) != 5 {
		t.Fatalf("%v, %v", names, err)
	}
	changed, gone, touched := names[0], names[1], names[2]
	body, err := os.ReadFile(changed)
	if err == nil {
		err = os.WriteFile(changed, append(body, "One sentence more.\n"...), 0o600)
	}
	if err == nil {
		err = os.Remove(gone)
	}
	if err == nil {
		err = os.Chtimes(touched, time.Unix(1e9, 0), time.Unix(1e9, 0))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(b.docs, "zzz.txt"), []byte("Another document."), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	short := b.start(true)
	v, err := short.View(t.Context(), id, 0)
	if want := "1 file was changed, 1 file is gone and 1 file is new"; err != nil || v.StateHash != before.StateHash || !strings.Contains(v.Status.Detail, want) {
		t.Errorf("%+v, %v", v.Status, err)
	}
	list, err := short.Sources(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range list {
		want := map[string]string{filepath.Base(changed): "changed", filepath.Base(gone): "missing"}[row.Name]
		if want == "" {
			want = "readable"
		}
		if row.Status != want {
			t.Errorf("%s is %s (%s), want %s", row.Name, row.Status, row.Reason, want)
		}
	}
	checks, err := short.Doctor(t.Context())
	if err != nil || !slices.ContainsFunc(checks, func(c dto.Check) bool { return c.Good && strings.Contains(c.Value, "1 file is gone") }) {
		t.Errorf("doctor says %+v, %v", checks, err)
	}
	b.end(short)
	s = b.start(false)
	after := b.until(s, id, "what came meanwhile", func(v dto.View) bool {
		return v.Status.Gate == "amber" && v.Status.State != "starting" && !strings.Contains(v.Status.Detail, "In the folder")
	})
	if !slices.ContainsFunc(after.ToCheck, func(c dto.CheckItem) bool { return c.Text == "1 document whose file or text is not here" }) {
		t.Errorf("to check: %+v", after.ToCheck)
	}
	if said := b.log.String(); said != "" {
		t.Errorf("logged: %s", said)
	}
}

// failing reads no file.
type failing struct{}

func (failing) Extract(context.Context, string) (source.Document, error) {
	return source.Document{}, errors.New("the child that reads documents did not start")
}

// A reading of the folder that went wrong is still said by the next process, until
// the folder was read.
func TestFailedReadingIsRemembered(t *testing.T) {
	b := newBench(t, nil)
	broken, err := app.New(t.Context(), app.Config{
		Store: b.store, Clock: clock.Real{}, Random: rand.Reader, Home: b.home, Version: "cairn test", Log: b.log, Short: true, Extract: failing{},
	})
	if err != nil {
		t.Fatal(err)
	}
	f := b.form()
	f.Model, f.Start = "-", false
	id, err := broken.Create(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	b.until(broken, id, "the failure", state("needs_you"))
	b.end(broken)
	short := b.start(true)
	v, err := short.View(t.Context(), id, 0)
	if err != nil || v.Status.State != "needs_you" || !strings.Contains(v.Status.Sentence, "not read to its end") || !strings.Contains(v.Status.Sentence, "did not start") {
		t.Errorf("after a restart it is %+v, %v", v.Status, err)
	}
	b.end(short)
	s := b.start(false)
	b.until(s, id, "the folder read", func(v dto.View) bool { return v.Counts.Sources == 5 && v.Status.State == "ready" })
	b.end(s)
	short = b.start(true)
	if v, err := short.View(t.Context(), id, 0); err != nil || v.Status.State != "ready" {
		t.Errorf("it is still said: %+v, %v", v.Status, err)
	}
}
