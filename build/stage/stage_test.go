package stage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLeft(t *testing.T) {
	tests := []struct {
		name        string
		spent, own  time.Duration
		done, total int64
		want        time.Duration
	}{
		{"estimate", 10 * time.Second, 60 * time.Second, 0, 0, 50 * time.Second},
		{"estimate used up", 70 * time.Second, 60 * time.Second, 0, 0, 0},
		{"too early for a pace", 10 * time.Second, 60 * time.Second, 1, 100, 50 * time.Second},
		{"pace", 10 * time.Second, 600 * time.Second, 50, 100, 10 * time.Second},
		{"all counted", 10 * time.Second, 600 * time.Second, 100, 100, 0},
		{"nothing counted yet", 3 * time.Second, 9 * time.Second, 0, 5, 6 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := left(tt.spent, tt.own, tt.done, tt.total); got != tt.want {
				t.Errorf("left = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond:          "0.4 s",
		12 * time.Second:                "12 s",
		185 * time.Second:               "3 min 05 s",
		59*time.Minute + 59*time.Second: "59 min 59 s",
		130 * time.Minute:               "2 h 10 min",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "times.json")
	times := LoadTimes(path)
	if got := times.Estimate("page", time.Minute); got != time.Minute {
		t.Errorf("with nothing remembered the estimate is %s, want the guess", got)
	}
	times.Remember("page", 10*time.Second)
	times.Remember("page", 20*time.Second)
	again := LoadTimes(path)
	if got := again.Estimate("page", time.Minute); got != 15*time.Second {
		t.Errorf("estimate after 10 s and 20 s is %s, want 15 s", got)
	}
	if err := os.WriteFile(path, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := LoadTimes(path).Estimate("page", time.Minute); got != time.Minute {
		t.Errorf("a broken file gives %s, want the guess", got)
	}
}

func runner(t *testing.T, out *bytes.Buffer) *Runner {
	t.Helper()
	return &Runner{Out: NewOutput(out, -1), Times: LoadTimes(filepath.Join(t.TempDir(), "times.json"))}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	r := runner(t, &out)
	bad := errors.New("no space")
	var order []string
	step := func(name string, err error) Stage {
		return Stage{Name: name, About: "do " + name, Run: func(context.Context, *Progress) error {
			order = append(order, name)
			return err
		}}
	}
	fresh := step("fresh", nil)
	fresh.Fresh = func(context.Context) (bool, string) { return true, "it is there" }
	results, err := r.Run(context.Background(), []Stage{step("one", nil), fresh, step("two", bad), step("three", nil)})
	if !errors.Is(err, bad) || !strings.Contains(err.Error(), "two") {
		t.Errorf("error %v, want the one of stage two", err)
	}
	if got := strings.Join(order, " "); got != "one two" {
		t.Errorf("ran %q, want one and two", got)
	}
	if len(results) != 3 || !results[1].Skipped {
		t.Errorf("results %+v, want three with the second skipped", results)
	}
	for _, want := range []string{"one        do one", "fresh      nothing to do: it is there", "two        FAILED"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestAllGoesOn(t *testing.T) {
	var out bytes.Buffer
	r := runner(t, &out)
	first, second := errors.New("first"), errors.New("second")
	ran := 0
	stages := []Stage{
		{Name: "a", Run: func(context.Context, *Progress) error { ran++; return first }},
		{Name: "b", Run: func(context.Context, *Progress) error { ran++; return nil }},
		{Name: "c", Run: func(context.Context, *Progress) error { ran++; return second }},
	}
	_, err := r.All(context.Background(), stages)
	if ran != 3 || !errors.Is(err, first) || !errors.Is(err, second) {
		t.Errorf("ran %d stages with error %v, want 3 and both errors", ran, err)
	}
}

func TestSentence(t *testing.T) {
	s := Stage{Name: "page"}
	tests := []struct {
		state State
		want  string
	}{
		{State{Stage: s, Spent: 5 * time.Second, Left: 20 * time.Second}, "page       5.0 s, about 20 s left"},
		{State{Stage: s, Spent: 5 * time.Second, Left: 20 * time.Second, After: 40 * time.Second, Note: "x"}, "page       5.0 s, about 20 s left, 1 min 00 s for everything: x"},
		{State{Stage: s, Spent: 5 * time.Second, Done: 3, Total: 9}, "page       5.0 s, 3 of 9, longer than expected"},
	}
	for _, tt := range tests {
		if got := sentence(tt.state); got != tt.want {
			t.Errorf("sentence = %q, want %q", got, tt.want)
		}
	}
}

func TestQuietOutputIsRare(t *testing.T) {
	var out bytes.Buffer
	o := NewOutput(&out, -1)
	for i := range 61 {
		o.Tick(State{Stage: Stage{Name: "long"}, Spent: time.Duration(i) * time.Second})
	}
	if n := strings.Count(out.String(), "\n"); n != 4 {
		t.Errorf("a minute gave %d lines, want 4:\n%s", n, out.String())
	}
}
