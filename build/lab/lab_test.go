package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLastLine(t *testing.T) {
	trials := []Trial{
		{Seed: 7, Kind: "a", Landed: true},
		{Seed: 8, Kind: "a"},
		{Seed: 9, Kind: "b", Landed: true, Crashed: true},
		{Seed: 9, N: 2, Kind: "b", Landed: true, Lost: []string{"one", "two"}},
		{Seed: 11, Kind: "c", Landed: true, Silent: []string{"three"}},
	}
	l := Lab{Name: "test", Run: func(_ context.Context, o Options, p *Progress) error {
		for _, trial := range trials[:o.N] {
			if err := p.Add(trial); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, c := range []struct {
		n    int
		stop string
		line string
		good bool
		rows []string
	}{
		{1, "", "lab test: n=1 landed=1 lost=0 silent=0 crashed=0 seed=7", true, nil},
		{3, "", "lab test: n=3 landed=2 lost=0 silent=0 crashed=1 seed=7", true, nil},
		{5, "", "lab test: n=5 landed=4 lost=1 silent=1 crashed=1 seed=7", false, []string{
			"lost (b): one; repeat: --n 2 --seed 9", "lost (b): two; repeat: --n 2 --seed 9", "silent (c): three; repeat: --n 1 --seed 11"}},
		{5, "fault", "lab test: n=4 landed=3 lost=1 silent=0 crashed=1 seed=7", false, []string{
			"lost (b): one; repeat: --n 2 --seed 9", "lost (b): two; repeat: --n 2 --seed 9"}},
	} {
		p, err := l.run(t.Context(), Options{N: c.n, Seed: 7, Break: c.stop}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if line := p.Line(7); line != c.line {
			t.Errorf("the last line is\n%s\ninstead of\n%s", line, c.line)
		}
		if p.Good() != c.good || strings.Join(p.Failures, "\n") != strings.Join(c.rows, "\n") {
			t.Errorf("good %t, failures %q", p.Good(), p.Failures)
		}
	}
}

// A run in which no fault happened proves nothing.
func TestNothingLandedIsNotGood(t *testing.T) {
	l := Lab{Name: "test", Run: func(_ context.Context, _ Options, p *Progress) error { return p.Add(Trial{Seed: 1, Kind: "a"}) }}
	p, err := l.run(t.Context(), Options{N: 1, Seed: 1}, io.Discard)
	if err != nil || p.Good() {
		t.Errorf("good %t, %v", p.Good(), err)
	}
}

func TestErrorsEndARun(t *testing.T) {
	wrong := errors.New("no disk")
	l := Lab{Name: "test", Run: func(context.Context, Options, *Progress) error { return wrong }}
	if _, err := l.run(t.Context(), Options{N: 1}, io.Discard); !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
}

// Every lab says what it is, in the numbers that a run needs, and no two faults of a
// lab have a name.
func TestLabsAreComplete(t *testing.T) {
	for _, l := range labs() {
		if l.Name == "" || l.About == "" || l.Run == nil || l.Missing == nil || l.Short <= 0 || l.Usual < l.Short || l.Long < l.Usual || len(l.Faults) == 0 {
			t.Errorf("%s: something is missing: %+v", l.Name, l)
		}
		seen := map[string]bool{}
		for _, f := range l.Faults {
			if f.Name == "" || f.About == "" || seen[f.Name] {
				t.Errorf("%s: the fault %q", l.Name, f.Name)
			}
			seen[f.Name] = true
		}
	}
}
