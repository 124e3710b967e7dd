package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/vault"
)

// fullLab fills a small disk while Cairn works on it.
func fullLab() Lab {
	return Lab{
		Name: "full", About: "a small disk is filled while a task works, and when Cairn is opened", Short: 24, Usual: 300, Long: 5000,
		Faults: []Fault{
			{"space-unwatched", "the store's logs are not given their blocks", "held"},
			{"floor-ignored", "free space is not looked at before saving", "gradual"},
			{"full-is-error", "a full disk is told as some error", "gradual"},
		},
		Missing: missingDisk,
		Run:     runFull,
	}
}

const (
	// smallSize is enough for a home, for a copy of it, and for what an opening wants
	// to have free.
	smallSize = 256 << 20
	// smallFloor is the free space below which nothing is saved on the small disk. It
	// stands to the store's files as the usual one does.
	smallFloor = 48 << 20
	bigText    = 120 << 10
)

// kinds of filling.
const (
	fillHeld    = "held"    // to the last byte, while it stands at a point of a commit; its log has room
	fillGradual = "gradual" // bit by bit, while it works and writes its logs to tables
	fillAtOnce  = "at once" // to some level within a moment, while it works
	fillTask    = "task"    // bit by bit, while a task reads documents with a model
	fillOpen    = "open"    // before it is opened
)

var fillings = []string{fillHeld, fillGradual, fillAtOnce, fillTask, fillOpen}

// fillsOfAHome is how many trials one home goes through: each leaves it larger.
const fillsOfAHome = 4

func runFull(ctx context.Context, o Options, p *Progress) (err error) {
	d, err := newDisk(ctx, o.Program, filepath.Join(o.Dir, "disk"), smallSize)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	var acks []ack
	var home vault.Home
	for i := range o.N {
		if i%fillsOfAHome == 0 {
			if home != "" {
				if err := os.RemoveAll(string(home)); err != nil {
					return fmt.Errorf("remove a home: %w", err)
				}
			}
			home, acks = vault.Home(filepath.Join(d.dir, fmt.Sprintf("home-%d", i))), nil
		}
		t := filling{o: o, disk: d, home: home, dice: rand.New(rand.NewPCG(o.Seed+uint64(i), 3))}
		t.Seed, t.N = o.Seed+uint64(i-i%fillsOfAHome), i%fillsOfAHome+1
		err := t.run(ctx, acks, o.Seed+uint64(i))
		if err = errors.Join(err, d.clear()); err != nil {
			return err
		}
		acks = append(acks, t.acks...)
		if err := p.Add(t.Trial); err != nil {
			return err
		}
	}
	return nil
}

// filling is one trial.
type filling struct {
	Trial
	o    Options
	disk *smallDisk
	home vault.Home
	dice *rand.Rand

	acks   []ack
	failed error // of the lab itself
	full   int   // times it said that the disk is full
	crash  int   // processes that a panic or a signal ended
}

func (t *filling) silent(format string, args ...any) {
	t.Silent = append(t.Silent, fmt.Sprintf(format, args...))
}

func (t *filling) run(ctx context.Context, before []ack, seed uint64) error {
	t.Kind = fillings[t.dice.IntN(len(fillings))]
	if t.o.Only != "" {
		t.Kind = t.o.Only
	}
	if t.Kind != fillOpen {
		if err := t.work(ctx, seed); err != nil {
			return err
		}
	}
	// As it is now, full or not, it is opened: that it is full must be said, and
	// nothing may be touched by it.
	if t.Kind == fillOpen {
		if err := t.disk.fill(t.level(openFree + 8<<20)); err != nil {
			return err
		}
		t.Landed = true
	}
	all := append(slices.Clone(before), t.acks...)
	j, crashed, err := t.o.judge(ctx, t.home, settings{floor: smallFloor})
	t.crashed(crashed)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		t.Lost = append(t.Lost, "opened on the full disk: "+err.Error())
	case strings.HasPrefix(j.Error, string(engine.KindDiskFull)+":"):
		t.Landed = true
	case j.Error != "":
		t.silent("opened on the full disk it said: %s", j.Error)
	default:
		t.look("opened on the full disk", j, all)
	}
	if err := t.disk.clear(); err != nil {
		return err
	}
	j, crashed, err = t.o.judge(ctx, t.home, settings{floor: smallFloor})
	t.crashed(crashed)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.Lost = append(t.Lost, "opened with room: "+err.Error())
		return nil
	}
	t.look("opened with room", j, all)
	if t.crash > 1 {
		t.silent("%d processes crashed", t.crash)
	}
	return t.failed
}

// openFree is about what an opening wants to have free.
const openFree = 64 << 20

func (t *filling) crashed(yes bool) {
	if yes {
		t.Crashed = true
		t.crash++
	}
}

func (t *filling) look(when string, j judgement, acks []ack) {
	for _, row := range append(j.missing(acks), j.wrong()...) {
		t.Lost = append(t.Lost, when+": "+row)
	}
}

// level draws how many bytes the filler leaves.
func (t *filling) level(top int64) int64 {
	if t.dice.IntN(3) == 0 {
		return 0
	}
	return t.dice.Int64N(top)
}

// work lets a child save while the disk fills up.
func (t *filling) work(ctx context.Context, seed uint64) error {
	// As many texts as fill several logs, but where the point of a commit counts.
	c := settings{home: t.home, seed: seed, pause: true, floor: smallFloor, groups: 90, text: bigText}
	left, start := int64(0), 1+t.dice.IntN(30)
	switch t.Kind {
	case fillHeld:
		c.groups, c.text = 12, 0
		c.holdAt, c.holdOn = points[t.dice.IntN(len(points))], 1+t.dice.IntN(8)
	case fillTask:
		c.stage, c.text, c.groups = stageThird, 0, 60
		c.docs = filepath.Join(t.o.Dir, "documents")
		start = 1 + t.dice.IntN(15)
	case fillAtOnce:
		left = t.level(smallFloor * 3 / 2)
	}
	end := t.dice.IntN(3) == 0 // it is killed when it is to wait
	if end {
		c.dieAt, c.dieOn = pointFull, 1
	}
	inBits := t.dice.IntN(2) == 0
	acked, filled := 0, make(chan struct{})
	stop, stopped := context.WithCancel(ctx)
	defer stopped()
	running := false
	each := func(line string, in io.Writer) {
		word, _, _ := strings.Cut(line, " ")
		switch word {
		case "held":
			t.note(t.disk.fill(0))
			t.tell(in)
		case "ack":
			if acked++; acked != start || t.Kind == fillHeld {
				return
			}
			if t.Kind == fillAtOnce {
				t.note(t.disk.fill(left))
				return
			}
			// Most of it at once, the rest bit by bit: how much room a group needs and
			// what comes of it must fit into what is kept free.
			t.note(t.disk.fill(smallFloor + 8<<20))
			running = true
			go func() {
				defer close(filled)
				t.note(t.fillSlowly(stop))
			}()
		case "full":
			stopped()
			if t.full++; end {
				return // it kills itself
			}
			if inBits && t.full == 1 {
				t.note(t.disk.clear())
				t.note(t.disk.fill(smallFloor / 2))
			} else {
				t.note(t.disk.clear())
			}
			t.tell(in)
		}
	}
	acks, said, state, err := t.o.life(ctx, c, 0, each)
	stopped()
	if running {
		<-filled
	}
	if err != nil {
		return err
	}
	t.acks = acks
	t.Landed = t.full > 0
	switch {
	case state.ExitCode() == endGood:
	case state.ExitCode() < 0 && end && t.full > 0: // by us
	case state.ExitCode() < 0 || strings.Contains(said, "panic:") || strings.Contains(said, "SIGBUS"):
		t.crashed(true)
		t.Landed = true
		if t.Kind != fillAtOnce { // where another program takes all room within a moment it may be
			t.silent("it crashed: %s", said[:min(400, len(said))])
		}
	case strings.HasPrefix(said, string(engine.KindDiskFull)+":"):
		t.Landed = true
	case strings.HasPrefix(said, string(engine.KindReadOnly)+":") && t.full > 0 && t.Kind != fillGradual && t.Kind != fillTask:
		// The disk was full within a sync: a new process has to look what is there.
	default:
		t.silent("it ended with %d and said %q", state.ExitCode(), said[:min(400, len(said))])
	}
	return t.failed
}

func (t *filling) note(err error) { t.failed = errors.Join(t.failed, err) }

func (t *filling) tell(in io.Writer) {
	_, _ = io.WriteString(in, "go\n") // where it is gone its end is looked at
}

// fillSlowly fills the disk at some hundred megabytes a second, faster than most
// programs write.
func (t *filling) fillSlowly(ctx context.Context) error {
	for {
		free, err := t.disk.free()
		if err != nil || free == 0 || ctx.Err() != nil {
			return err
		}
		if err := t.disk.fill(max(0, free-1<<20)); err != nil {
			return err
		}
		if (clock.Real{}).Sleep(ctx, 3*time.Millisecond) != nil {
			return nil
		}
	}
}
