package lives

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/planner"
	"cairn/engine/state"
	"cairn/engine/task"
)

// Op is one thing that happens in a life. All of it is drawn from its seed, so a
// life with some of its ops left out is a life too.
type Op struct {
	Kind string
	Seed uint64
}

// Options of a life.
type Options struct {
	Fault string // planted, "" for none
	Dir   string // to work in, for lives on a real disk
	Real  bool   // on the vault itself
}

// Outcome is what a life came to.
type Outcome struct {
	Ops     []Op     // all of them, or the fewest with which it fails
	Fails   []string // what did not hold, "" for nothing
	Crashes int      // processes that were ended in the middle of something; jumps of the clock
	Ended   string   // how a run under a clock that is set ended
	Lines   int64
}

// ops by weight.
var weights = []struct {
	kind string
	n    int
}{
	{"run", 14}, {"whole", 5}, {"files", 8}, {"accept", 6}, {"right", 5}, {"retract", 6}, {"edit", 6}, {"judge", 3}, {"ask", 4}, {"drop", 3}, {"reopen", 4},
	{"aside", 4}, {"back", 4}, {"note", 3}, {"undo", 5}, {"and-undo", 6}, {"amend", 3}, {"set", 2}, {"fork", 5}, {"join", 6}, {"send", 6}, {"delete", 2},
	{"erase", 2}, {"create", 2}, {"crash", 4}, {"sleep", 3}, {"meddle", 7},
}

// Plan draws the ops of a life.
func Plan(seed uint64) []Op {
	dice := rand.New(rand.NewPCG(seed, 7))
	sum := 0
	for _, w := range weights {
		sum += w.n
	}
	out := []Op{{"create", dice.Uint64()}, {"files", dice.Uint64()}, {"run", dice.Uint64()}}
	for n := 6 + dice.IntN(20); n > 0; n-- {
		at := dice.IntN(sum)
		for _, w := range weights {
			if at -= w.n; at < 0 {
				out = append(out, Op{w.kind, dice.Uint64()})
				break
			}
		}
	}
	return out
}

// Live lives the life of a seed. One that fails is made shorter as long as it still
// does.
func Live(ctx context.Context, seed uint64, o Options) (Outcome, error) {
	out, err := once(ctx, seed, Plan(seed), o)
	if err != nil || len(out.Fails) == 0 || o.Fault != "" {
		return out, err
	}
	for i := len(out.Ops) - 1; i >= 1; i-- {
		fewer := slices.Delete(slices.Clone(out.Ops), i, i+1)
		again, err := once(ctx, seed, fewer, o)
		if err != nil {
			return out, err
		}
		if len(again.Fails) > 0 {
			again.Ops = again.Ops[:min(len(again.Ops), i+len(again.Ops)-i)]
			out = again
			i = min(i, len(out.Ops))
		}
	}
	return out, nil
}

// once lives these ops, up to the first that fails.
func once(ctx context.Context, seed uint64, ops []Op, o Options) (out Outcome, err error) {
	l := &life{seed: seed, o: o, clock: clock.NewFake(time.Unix(1_800_000_000, 0)),
		dirs: &folders{at: map[string]*folder{}, ever: map[string][]byte{}}, next: planner.Next}
	plant(l)
	defer func() { err = errors.Join(err, l.close()) }()
	for i, name := range []string{"here", "away"} {
		m, err := l.machine(name, o.Real && i == 0)
		if err != nil {
			return out, err
		}
		l.machines = append(l.machines, m)
	}
	for i, op := range ops {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		l.do(ctx, op)
		if len(l.fails) > 0 {
			for n := range l.fails {
				l.fails[n] = fmt.Sprintf("after op %d (%s): %s", i+1, op.Kind, l.fails[n])
			}
			ops = ops[:i+1]
			break
		}
	}
	return Outcome{Ops: ops, Fails: l.fails, Crashes: l.crashes, Lines: l.lines}, nil
}

// Words lists ops for people.
func Words(ops []Op) string {
	var out []string
	for _, op := range ops {
		out = append(out, op.Kind)
	}
	return strings.Join(out, " ")
}

// life is a life as it is lived: a person's machine and a colleague's.
type life struct {
	seed     uint64
	o        Options
	clock    *clock.Fake
	dirs     *folders
	machines []*machine
	crashes  int
	lines    int64
	fails    []string

	// What planted faults reach.
	next   func(*state.State, planner.Library) (planner.Step, error)
	undo   func(context.Context, *task.Task) error
	person func(context.Context, *task.Task, func() error) error
}

func (l *life) fail(format string, args ...any) {
	if len(l.fails) < 4 {
		l.fails = append(l.fails, fmt.Sprintf(format, args...))
	}
}

func (l *life) close() error {
	var errs []error
	for _, m := range l.machines {
		errs = append(errs, m.medium.close())
	}
	return errors.Join(errs...)
}

// machine is one computer with its records.
type machine struct {
	*life
	name   string
	medium medium
	desk   *task.Desk
	random *randomBytes
	seen   map[string]*record // by branch
	acked  map[string]int64   // since the last start
}

func (l *life) machine(name string, real bool) (*machine, error) {
	m := &machine{life: l, name: name, random: &randomBytes{seed: l.seed, name: name}, seen: map[string]*record{}, acked: map[string]int64{}}
	m.medium = newDisk(l.o.Fault)
	if real {
		h, err := newHome(filepath.Join(l.o.Dir, fmt.Sprintf("life-%d", l.seed)))
		if err != nil {
			return nil, err
		}
		m.medium = h
	}
	m.start()
	return m, nil
}

// start is a start of the program: nothing but the store is left of what was.
func (m *machine) start() {
	m.desk = task.NewDesk(&witness{m.medium.store(), m.acked}, m.clock, m.random, "lives")
}

// restart starts the program after its process ended, as the program does: what was
// to take another's place and did not get whole is deleted.
func (m *machine) restart(ctx context.Context) {
	m.crashes++
	if err := m.medium.restart(); err != nil {
		m.fail("%s: it does not start again: %v", m.name, err)
		return
	}
	m.missing(ctx)
	m.start()
	half, err := m.desk.HalfReplaced(ctx)
	for _, id := range half {
		if _, derr := m.medium.store().Delete(ctx, id); derr != nil {
			err = errors.Join(err, derr)
		}
	}
	if err != nil {
		m.fail("%s: what was not whole is not deleted: %v", m.name, err)
	}
}

// branches lists the branches that a person sees.
func (m *machine) branches(ctx context.Context) []engine.Branch {
	all, err := m.desk.Branches(ctx)
	if err != nil {
		m.fail("%s: list the branches: %v", m.name, err)
	}
	return all
}

// randomBytes gives the same "random" bytes in every life of a seed.
type randomBytes struct {
	mu   sync.Mutex
	seed uint64
	name string
	n    uint64
}

func (d *randomBytes) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for at := 0; at < len(p); {
		d.n++
		b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte(d.name), d.seed), d.n)
		h := sha256.Sum256(b)
		at += copy(p[at:], h[:])
	}
	return len(p), nil
}
