package lives

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/run"
	"cairn/engine/state"
	"cairn/engine/task"
)

// ClockFaults are the faults that the laboratory clock must find.
var ClockFaults = []Fault{
	{"budget-by-wall", "the budget of a run is counted on the wall clock"},
	{"durations-by-wall", "how long a call took is read off the wall clock"},
	{"speed-by-wall", "the model's measured speed depends on the wall clock"},
}

// jumps are how the clock is set, or the machine sleeps.
var jumps = []time.Duration{time.Hour, -time.Hour, 10 * 365 * 24 * time.Hour, -10 * 365 * 24 * time.Hour}

// wallClock is a clock whose awake time follows the wall time: a planted fault.
type wallClock struct{ *clock.Fake }

func (w wallClock) Awake() time.Duration { return time.Duration(w.Now().UnixNano()) }

// clocked is one run of a task under a clock.
type clocked struct {
	end    ledger.End
	state  *state.State
	jumped int
	errs   []string
}

// Clock runs a task twice: under a clock that goes on evenly, and under one that is
// set between and in the middle of steps. Both come to the same.
func Clock(ctx context.Context, seed uint64, fault string) (Outcome, error) {
	dice := rand.New(rand.NewPCG(seed, 13))
	budget := int64(0)
	if dice.IntN(2) == 0 {
		budget = 10 + dice.Int64N(60) // seconds: it ends in the middle of the reading
	}
	even, err := underClock(ctx, seed, budget, nil, "")
	if err != nil {
		return Outcome{}, fmt.Errorf("without jumps: %w", err)
	}
	set, err := underClock(ctx, seed, budget, dice, fault)
	if err != nil {
		return Outcome{Fails: []string{fmt.Sprintf("under a clock that is set the run gave an error: %v", err)}, Crashes: set.jumped}, nil
	}
	out := Outcome{Crashes: set.jumped, Lines: set.state.Seq, Fails: set.errs}
	out.Ended = even.end.Outcome + fmt.Sprint(even.end.Reasons)
	fail := func(format string, args ...any) { out.Fails = append(out.Fails, fmt.Sprintf(format, args...)) }
	if even.state.Hash() != set.state.Hash() {
		fail("another state: %s", differs(even.state, set.state))
	}
	if even.end.Outcome != set.end.Outcome || fmt.Sprint(even.end.Reasons) != fmt.Sprint(set.end.Reasons) {
		fail("it ended %s %v, and %s %v without jumps", set.end.Outcome, set.end.Reasons, even.end.Outcome, even.end.Reasons)
	}
	if a, b := len(even.state.FinishedKeys), len(set.state.FinishedKeys); a != b {
		fail("%d steps were made, and %d without jumps", b, a)
	}
	for i, c := range set.state.Log.CallsAt {
		if c.Awake < 0 || c.LoadMs < 0 || c.PromptMs < 0 || c.EvalMs < 0 || c.Awake > time.Minute.Milliseconds() {
			fail("call %d took %d ms", i+1, c.Awake)
		}
	}
	for _, e := range set.state.Log.Events {
		if e.Asleep < 0 {
			fail("line %d: the machine slept %d ms", e.Seq, e.Asleep)
		}
	}
	if set.state.Log.ModelMs < 0 {
		fail("the model worked %d ms in all", set.state.Log.ModelMs)
	}
	return out, nil
}

// underClock makes a task and works it to its end. With dice the clock is set.
func underClock(ctx context.Context, seed uint64, budget int64, dice *rand.Rand, fault string) (clocked, error) {
	var out clocked
	fake := clock.NewFake(time.Unix(1_800_000_000, 0))
	var c engine.Clock = fake
	if fault == "budget-by-wall" {
		c = wallClock{fake}
	}
	jump := func(often int) time.Duration {
		if dice == nil || dice.IntN(often) > 0 {
			return 0
		}
		d := pick(dice, jumps)
		fake.Jump(d)
		out.jumped++
		return d
	}
	dirs, files := &folders{at: map[string]*folder{}, ever: map[string][]byte{}}, rand.New(rand.NewPCG(seed, 17))
	folder := &folder{files: map[string]*file{}}
	for i := range 3 {
		folder.write(files, fmt.Sprintf("notes-%d.txt", i), time.Unix(1_700_000_000, 0))
	}
	dirs.at["/notes"] = folder
	desk := task.NewDesk(newDisk(""), c, &randomBytes{seed: seed, name: "clock"}, "lives")
	t, err := desk.Create(ctx, task.New{Goal: "Find out.", Questions: []string{question(files), question(files)}, Set: ledger.Set{Model: modelName, Depth: "exhaustive"}})
	if err == nil {
		err = t.SetFolder(ctx, "/notes")
	}
	if err == nil {
		_, err = t.Intake(ctx, dirs.Scan, dirs, nil)
	}
	if err == nil && budget > 0 {
		// The plan may take all the time it wants; the clock ends the run.
		err = t.Set(ctx, ledger.Set{Budget: budget, ReadRate: 1 << 40, WriteRate: 1 << 40})
	}
	if err != nil {
		return out, err
	}
	r := &run.Runner{Task: t, Clock: c, Patience: time.Hour}
	r.Ready = func(context.Context) (model.Capability, error) {
		found := capability(digestOf(1))
		if budget > 0 {
			found.ReadRate, found.WriteRate = 1<<40, 1<<40
		}
		if fault == "speed-by-wall" {
			found.ReadRate = 1 + float64(fake.Now().Unix()%4000)
		}
		return found, nil
	}
	l := &liar{clock: fake, away: 9, takes: 4 * time.Second, wall: fault == "durations-by-wall"}
	l.each = func(int) {
		if d := jump(3); d == time.Hour && budget == 0 && dice.IntN(2) == 0 {
			r.Woke(d) // as the detector of sleep does
		}
	}
	r.Model = l
	r.Between = func(context.Context) error { jump(4); return nil }
	out.end, err = r.Run(ctx)
	if err != nil {
		return out, err
	}
	out.state = t.Snapshot()
	if again, err := desk.Open(ctx, t.Branch); err != nil || again.Fault() != nil {
		out.errs = append(out.errs, fmt.Sprintf("the record can't be opened again: %v", err))
	}
	return out, nil
}
