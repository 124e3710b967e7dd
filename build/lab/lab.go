// Command lab is the laboratory: it kills, cuts the power, lets bytes rot, fills
// disks and fails calls, and compares what is found afterwards with what had been
// acknowledged. It is built with the tag `lab` and started by
// `go run ./build lab`, which says how. A trial is repeated by its seed alone.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"cairn/engine/clock"
)

// Lab is one kind of fault.
type Lab struct {
	Name, About string
	// Short runs in every test run, Usual where nothing is said, Long by hand.
	Short, Usual, Long int
	Faults             []Fault
	// Ordered: the trials are counted through from seed 1, not drawn by chance.
	Ordered bool
	// Memory: the disk itself is no part of the lab, so that it works in memory where
	// there is room, and makes more trials in its time.
	Memory bool
	// Missing says why the lab can't run on this machine, "" when it can.
	Missing func() string
	// Run makes o.N trials.
	Run func(ctx context.Context, o Options, p *Progress) error
}

// Fault is one that can be planted; with it the lab must fail.
type Fault struct {
	Name, About string
	// Only: the kind of trial in which it shows, "" for any.
	Only string
}

// Options of a run.
type Options struct {
	N    int
	Seed uint64 // trial i has the seed Seed+i, so --n 1 --seed S repeats one
	// Break is the planted fault, "" for none; Only is its kind of trial.
	Break, Only string
	Dir         string // to work in; removed afterwards
	Program     string // this program, to be started as a child
}

// Trial is what one trial came to.
type Trial struct {
	Seed    uint64
	N       int    // trials from Seed on that repeat it; 0 = 1
	Kind    string // which of the lab's faults it was
	Landed  bool   // the fault really happened
	Crashed bool   // a process ended in a panic or by a signal that nobody sent
	Lost    []string
	Silent  []string
}

// Progress collects trials and shows how far a run is.
type Progress struct {
	Lab   string
	N     int
	Out   io.Writer // progress, for people
	Stop  bool      // end at the first failure
	begin time.Time
	said  time.Time

	Done, Landed, Lost, Silent, Crashed int
	Failures                            []string
	kinds                               map[string]int
}

// errFound ends a run that was to stop at its first failure.
var errFound = fmt.Errorf("a failure was found")

// Add takes a trial in. It gives an error when the run is to end.
func (p *Progress) Add(t Trial) error {
	p.Done++
	if t.Landed {
		p.Landed++
		p.kinds[t.Kind]++
	}
	if t.Crashed {
		p.Crashed++
	}
	p.Lost += min(1, len(t.Lost))
	p.Silent += min(1, len(t.Silent))
	for _, list := range []struct {
		what string
		rows []string
	}{{"lost", t.Lost}, {"silent", t.Silent}} {
		for _, row := range list.rows {
			text := fmt.Sprintf("%s (%s): %s; repeat: --n %d --seed %d", list.what, t.Kind, row, max(1, t.N), t.Seed)
			p.Failures = append(p.Failures, text)
			if !p.Stop && len(p.Failures) <= 20 {
				fmt.Fprintln(p.Out, text)
			}
		}
	}
	at := now()
	if at.Sub(p.said) >= 5*time.Second || p.Done == p.N {
		p.said = at
		left := ""
		if p.Done < p.N {
			left = fmt.Sprintf(", about %s left", (at.Sub(p.begin) / time.Duration(p.Done) * time.Duration(p.N-p.Done)).Round(time.Second))
		}
		fmt.Fprintf(p.Out, "%s %d of %d, landed %d%s\n", p.Lab, p.Done, p.N, p.Landed, left)
	}
	if p.Stop && len(p.Failures) > 0 {
		return errFound
	}
	return nil
}

// Line is the last line of a run.
func (p *Progress) Line(seed uint64) string {
	return fmt.Sprintf("lab %s: n=%d landed=%d lost=%d silent=%d crashed=%d seed=%d", p.Lab, p.Done, p.Landed, p.Lost, p.Silent, p.Crashed, seed)
}

// Good: nothing was lost or silent, and faults really happened.
func (p *Progress) Good() bool { return p.Lost == 0 && p.Silent == 0 && p.Landed > 0 }

// run makes one run of a lab in a folder of its own.
func (l Lab) run(ctx context.Context, o Options, out io.Writer) (*Progress, error) {
	dir, err := os.MkdirTemp(l.scratch(), "cairn-lab-"+l.Name+"-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder to work in: %w", err)
	}
	defer os.RemoveAll(dir)
	o.Dir = dir
	p := &Progress{Lab: l.Name, N: o.N, Out: out, Stop: o.Break != "", begin: now(), said: now(), kinds: map[string]int{}}
	for _, f := range l.Faults {
		if f.Name == o.Break {
			o.Only = f.Only
		}
	}
	err = l.Run(ctx, o, p)
	if errors.Is(err, errFound) { // also beside what a lab adds while it cleans up
		err = nil
	}
	return p, err
}

func now() time.Time { return clock.Real{}.Now() }

// scratch is where trials work: in most labs a folder on a real disk, for syncs to
// cost what they cost.
func (l Lab) scratch() string {
	if dir := memoryDir(); l.Memory && dir != "" {
		return dir
	}
	if dir := os.Getenv("CAIRN_LAB_DIR"); dir != "" {
		return dir
	}
	return filepath.Clean(os.TempDir())
}
