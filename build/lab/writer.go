package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

// The writing child: it opens a home, saves groups with texts, and acknowledges
// each on its standard output once the store said that it is saved:
//
//	ack <branch> <seq> <chain value>
//
// What it says beside that, for the labs: "point <name>" at each point of a commit
// when asked for, "full <kind>" when a save was refused, "end" at its good end.

// settings of a child, as arguments name=value.
type settings struct {
	home    vault.Home
	dieAt   string // point at which it kills itself
	dieOn   int    // ... when it is reached the n-th time
	holdAt  string // point at which it says "held" and waits for a line
	holdOn  int    // ... when it is reached the n-th time
	text    int    // size of a text; 0 = some kilobytes
	groups  int    // groups to save; 0 = until it is killed
	seed    uint64
	early   bool   // acknowledge before saving: a planted fault
	points  bool   // say each point
	pause   bool   // when a save is refused: say so, wait for a line, go on
	floor   uint64 // free space below which nothing is saved; 0 = the usual one
	stage   string // of a home with real tasks
	docs    string // folder with its documents; "" is beside the home
	program string
}

func (c settings) args() []string {
	child := "child-write"
	if c.stage != "" {
		child = "child-task"
	}
	out := []string{child, "home=" + string(c.home), "seed=" + strconv.FormatUint(c.seed, 10), "program=" + c.program}
	add := func(on bool, text string) {
		if on {
			out = append(out, text)
		}
	}
	add(c.dieAt != "", "die="+c.dieAt+" "+strconv.Itoa(c.dieOn))
	add(c.holdAt != "", "hold="+c.holdAt+" "+strconv.Itoa(c.holdOn))
	add(c.stage != "", "stage="+c.stage)
	add(c.docs != "", "docs="+c.docs)
	add(c.text > 0, "text="+strconv.Itoa(c.text))
	add(c.groups > 0, "groups="+strconv.Itoa(c.groups))
	add(c.early, "early=1")
	add(c.points, "points=1")
	add(c.pause, "pause=1")
	add(c.floor > 0, "floor="+strconv.FormatUint(c.floor, 10))
	return out
}

func parseSettings(args []string) (c settings, err error) {
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		var bad error
		switch name {
		case "home":
			c.home = vault.Home(value)
		case "die":
			_, bad = fmt.Sscanf(value, "%s %d", &c.dieAt, &c.dieOn)
		case "docs":
			c.docs = value
		case "stage":
			c.stage = value
		case "hold":
			_, bad = fmt.Sscanf(value, "%s %d", &c.holdAt, &c.holdOn)
		case "text":
			c.text, bad = strconv.Atoi(value)
		case "groups":
			c.groups, bad = strconv.Atoi(value)
		case "seed":
			c.seed, bad = strconv.ParseUint(value, 10, 64)
		case "early":
			c.early = true
		case "points":
			c.points = true
		case "pause":
			c.pause = true
		case "floor":
			c.floor, bad = strconv.ParseUint(value, 10, 64)
		case "program":
			c.program = value
		default:
			bad = fmt.Errorf("no setting %q", name)
		}
		err = errors.Join(err, bad)
	}
	return c, err
}

// pointFull is where a child dies that is refused for want of room.
const pointFull = "full"

// Exit codes of the writing child.
const (
	endGood    = 0
	endError   = 1 // with the error's kind and words on standard error
	endUnclean = 4 // saved all it was to, and could not end well
)

func childWrite(args []string) int {
	c, err := parseSettings(args)
	if err == nil {
		err = c.write()
	}
	if err == nil {
		fmt.Println("end")
		return endGood
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", engine.KindOf(err), err)
	return endError
}

// open opens the home as the program does. Free space is no matter of most labs.
func (c settings) open(hook func(string) error) (*vault.Store, vault.Opened, func() error, error) {
	lock, err := vault.Lock(c.home)
	if err != nil {
		return nil, vault.Opened{}, nil, err
	}
	o := vault.Options{Hook: hook, Floor: c.floor, Probe: vault.ProbeChild(c.program, "child-probe")}
	if c.floor == 0 {
		o.FreeSpace = func(string) (uint64, error) { return 1 << 40, nil }
	}
	s, found, err := vault.Open(c.home, lock, o)
	if err != nil {
		return nil, found, nil, errors.Join(err, lock.Release())
	}
	return s, found, func() error { return errors.Join(s.Close(), lock.Release()) }, nil
}

func (c settings) write() error {
	in := bufio.NewReader(os.Stdin)
	s, _, end, err := c.open(c.hook(in))
	if err != nil {
		return err
	}
	w := &writing{settings: c, store: s, in: in, dice: rand.New(rand.NewPCG(c.seed, 0))}
	if err := w.all(); err != nil {
		return errors.Join(err, end())
	}
	return end()
}

// hook is what a child does at the points of a commit; nil for nothing.
func (c settings) hook(in *bufio.Reader) func(string) error {
	if c.dieAt == "" && c.holdAt == "" && !c.points {
		return nil
	}
	die, hold := c.dieOn, c.holdOn
	return func(point string) error {
		if c.points {
			fmt.Println("point", point)
		}
		if point == c.holdAt {
			if hold--; hold == 0 {
				fmt.Println("held", point)
				if _, err := in.ReadString('\n'); err != nil {
					return fmt.Errorf("wait at a point: %w", err)
				}
			}
		}
		if point == c.dieAt {
			if die--; die == 0 {
				endHere()
			}
		}
		return nil
	}
}

// endHere ends this process without a last word.
func endHere() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

// writing is a child at work.
type writing struct {
	settings
	store *vault.Store
	in    *bufio.Reader
	dice  *rand.Rand
	saved int
}

var bg = context.Background()

// all writes branches of nine groups each, every third one a fork of the last.
func (w *writing) all() error {
	list, err := w.store.Branches(bg)
	if err != nil {
		return err
	}
	for _, name := range locals {
		if err := w.whenRoom(func() error { return w.store.PutLocal(bg, "lab", name, []byte("kept "+name)) }); err != nil {
			return err
		}
	}
	for n := len(list); w.groups == 0 || w.saved < w.groups; n++ {
		line := &vaulttest.Writer{Salt: fmt.Sprintf("%d-%d", w.seed, n)}
		branch, group, err := w.begin("", line)
		if err != nil {
			return err
		}
		lines := slices.Clone(group)
		for g := 0; g < 8 && (w.groups == 0 || w.saved < w.groups); g++ {
			group, err := w.group(line)
			if err != nil {
				return err
			}
			lines = append(lines, group...)
			if err := w.save(branch, group, line, func() error { return w.store.Append(bg, branch, group) }); err != nil {
				return err
			}
		}
		if n%3 == 2 && (w.groups == 0 || w.saved < w.groups) {
			cut := len(group) + w.dice.IntN(len(lines)-len(group)+1)
			for !strings.Contains(string(lines[cut-1]), `"n":`) {
				cut--
			}
			if _, _, err := w.begin(branch, vaulttest.Continue(lines[:cut], line.Salt+"f")); err != nil {
				return err
			}
		}
	}
	return nil
}

// group is a step: two texts of several kilobytes, a claim, a checkpoint.
func (w *writing) group(line *vaulttest.Writer) ([][]byte, error) {
	var texts []string
	for range 2 {
		size := 3000 + w.dice.IntN(6000)
		if w.text > 0 {
			size = w.text
		}
		body, h := noise(w.dice, size), ledger.Hash{}
		err := w.whenRoom(func() (err error) { h, err = w.store.PutBlob(bg, body); return err })
		if err != nil {
			return nil, err
		}
		texts = append(texts, h.String())
	}
	return line.Group(texts[0], texts[1], vaulttest.Filler(200+w.dice.IntN(900), "claim"), "checkpoint"), nil
}

// noise does not compress, so that what is written is as long as what is read.
func noise(dice *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(33 + dice.IntN(90))
	}
	return b
}

func (w *writing) begin(parent string, line *vaulttest.Writer) (branch string, group [][]byte, err error) {
	if group, err = w.group(line); err != nil {
		return "", nil, err
	}
	h, err := firstID(group)
	if err != nil {
		return "", nil, err
	}
	return h, group, w.save(h, group, line, func() error { _, err := w.store.Begin(bg, parent, group); return err })
}

// firstID is the id of the branch that begins with a group.
func firstID(group [][]byte) (string, error) {
	l, err := prevOf(group[0])
	if err != nil {
		return "", err
	}
	return l.Extend(ledger.HashOf(group[0])).String(), nil
}

func prevOf(line []byte) (ledger.Hash, error) {
	_, rest, ok := strings.Cut(string(line), `"prev":"`)
	if !ok || len(rest) < 64 {
		return ledger.Hash{}, errors.New("read a line: no prev")
	}
	return ledger.ParseHash(rest[:64])
}

// save saves a group and acknowledges it; one refused for want of room is saved
// again once somebody says that there is room.
func (w *writing) save(branch string, group [][]byte, line *vaulttest.Writer, do func() error) error {
	ack := func() { fmt.Println("ack", branch, line.Seq(), line.Chain()) }
	if w.early {
		ack()
	}
	if err := w.whenRoom(do); err != nil {
		return err
	}
	if !w.early {
		ack()
	}
	w.saved++
	return nil
}

// whenRoom does something that writes; where there is no room it says so and does
// it again when it gets a line.
func (w *writing) whenRoom(do func() error) error {
	for {
		err := do()
		if err == nil || !w.pause || engine.KindOf(err) != engine.KindDiskFull {
			return err
		}
		fmt.Println("full", engine.KindOf(err))
		if w.dieAt == pointFull {
			endHere()
		}
		if _, err := w.in.ReadString('\n'); err != nil {
			return fmt.Errorf("wait for room: %w", err)
		}
	}
}

// ack is an acknowledged place in a branch.
type ack struct {
	branch string
	seq    int
	chain  string
}

func parseAck(line string) (ack, bool) {
	var a ack
	n, err := fmt.Sscanf(line, "ack %s %d %s", &a.branch, &a.seq, &a.chain)
	return a, err == nil && n == 3 && len(a.chain) == 64
}

// life starts a writing child and reads what it says until it ends. after > 0
// kills it that long after its first acknowledgement. each may be nil.
func (o Options) life(ctx context.Context, c settings, after time.Duration, each func(line string, in io.Writer), lead ...string) (acks []ack, said string, state *os.ProcessState, err error) {
	c.program = o.Program
	args := append(append(append([]string{}, lead...), o.Program), c.args()...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", nil, fmt.Errorf("start a child: %w", err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", nil, fmt.Errorf("start a child: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, "", nil, fmt.Errorf("start a child: %w", err)
	}
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break // half an acknowledgement is none
		}
		line = strings.TrimSpace(line)
		if each != nil {
			each(line, in)
		}
		if a, ok := parseAck(line); ok {
			acks = append(acks, a)
			if len(acks) == 1 && after > 0 {
				go func() {
					if (clock.Real{}).Sleep(ctx, after) == nil {
						_ = cmd.Process.Kill() // it may have ended by itself, which is looked at
					}
				}()
			}
		}
	}
	_ = cmd.Wait() // how it ended is looked at
	return acks, stderr.String(), cmd.ProcessState, ctx.Err()
}
