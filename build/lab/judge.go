package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault"
)

// judgement is what a fresh process finds in a home folder: it opens it as the
// program does, reads everything, and has the vault check itself.
type judgement struct {
	Error    string            `json:"error"` // it could not be opened: kind and words
	Report   []string          `json:"report"`
	Check    []string          `json:"check"`
	Faults   []vault.Fault     `json:"faults"` // of which Check has the sentences
	Branches map[string]found  `json:"branches"`
	Locals   map[string]string `json:"locals"`
}

// found is one branch.
type found struct {
	Damage string `json:"damage"`
	// Chains are the chain values after each line, made of the lines themselves.
	Chains []string `json:"chains"`
	Whole  bool     `json:"whole"` // ends with a group's last line, in its head
	Error  string   `json:"error"` // reading the lines failed
	// State, Fault and Audit are what the engine makes of the lines, in a home with
	// real tasks: the state hash, why the task can't be used, broken invariants.
	State string   `json:"state"`
	Fault string   `json:"fault"`
	Audit []string `json:"audit"`
	// Texts says of each text that a line names: "good", or what reading it gave.
	// Its bytes are hashed here, not believed.
	Texts map[string]string `json:"texts"`
	Of    map[string]string `json:"of"` // what a text is of, in a home with real tasks
}

const good = "good"

// locals are the local records that a rotten home has.
var locals = []string{"a", "b"}

// childJudge writes a judgement as JSON. It ends with endUnclean when the home
// can't be closed well.
func childJudge(args []string) int {
	c, err := parseSettings(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return endError
	}
	j, err := c.judge()
	if werr := json.NewEncoder(os.Stdout).Encode(j); werr != nil {
		fmt.Fprintln(os.Stderr, werr)
		return endError
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return endUnclean
	}
	return endGood
}

func (c settings) judge() (judgement, error) {
	j := judgement{Branches: map[string]found{}, Locals: map[string]string{}}
	s, opened, end, err := c.open(nil)
	j.Report = opened.Report
	if err != nil {
		j.Error = fmt.Sprintf("%s: %v", engine.KindOf(err), err)
		return j, nil
	}
	list, err := s.Branches(bg)
	if err != nil {
		j.Error = err.Error()
		return j, end()
	}
	for _, b := range list {
		j.Branches[b.ID] = look(s, b)
	}
	for _, name := range locals {
		value, err := s.Local(bg, "lab", name)
		if err != nil {
			value = []byte(engine.KindOf(err))
		}
		j.Locals[name] = string(value)
	}
	if c.stage != "" {
		lookAtTasks(s, &j)
	}
	report, err := s.Examine(bg, nil)
	j.Faults = report.Faults
	for _, f := range report.Faults {
		j.Check = append(j.Check, f.What)
	}
	if err != nil {
		j.Check = append(j.Check, "the check ended: "+err.Error())
	}
	return j, end()
}

func look(s *vault.Store, b engine.Branch) found {
	f := found{Damage: b.Damage, Texts: map[string]string{}}
	var chain ledger.Hash
	last := ""
	err := s.Lines(bg, b.ID, 1, func(_ int64, line []byte) error {
		chain = chain.Extend(ledger.HashOf(line))
		f.Chains = append(f.Chains, chain.String())
		last = string(line)
		h, ok := textOf(last)
		if !ok {
			return nil
		}
		if f.Texts[h.String()] != "" {
			return nil
		}
		body, err := s.Blob(bg, h)
		switch {
		case err != nil:
			f.Texts[h.String()] = fmt.Sprintf("%s: %v", engine.KindOf(err), err)
		case ledger.HashOf(body) != h:
			f.Texts[h.String()] = "other bytes were given for it"
		default:
			f.Texts[h.String()] = good
		}
		return nil
	})
	if err != nil {
		f.Error = fmt.Sprintf("%s: %v", engine.KindOf(err), err)
	}
	f.Whole = chain == b.Head.Chain && int64(len(f.Chains)) == b.Head.Seq && strings.Contains(last, `"n":`)
	return f
}

// textOf reads the hash of a text out of a line of the writing child.
func textOf(line string) (ledger.Hash, bool) {
	_, rest, ok := strings.Cut(line, `"text":"`)
	if !ok || len(rest) < 65 || rest[64] != '"' {
		return ledger.Hash{}, false
	}
	h, err := ledger.ParseHash(rest[:64])
	return h, err == nil
}

// judgeTime is how long a judgement may take before it counts as hanging.
const judgeTime = 2 * time.Minute

// judge has a child look at a home. A child that a damaged file ends, by a panic
// of the store's own goroutines or a signal, is started again once: crashed says so.
func (o Options) judge(ctx context.Context, home vault.Home, more ...settings) (j judgement, crashed bool, err error) {
	args := []string{"child-judge", "home=" + string(home), "program=" + o.Program}
	for _, c := range more {
		args = append(args, "floor="+strconv.FormatUint(c.floor, 10), "stage="+c.stage)
	}
	for try := range 2 {
		wait, stop := context.WithTimeout(ctx, judgeTime)
		cmd := exec.CommandContext(wait, o.Program, args...)
		var said strings.Builder
		cmd.Stderr = &said
		out, rerr := cmd.Output()
		stop()
		if ctx.Err() != nil {
			return j, crashed, ctx.Err()
		}
		j = judgement{}
		if jerr := json.Unmarshal(out, &j); jerr == nil {
			return j, crashed, nil
		}
		if try == 1 {
			return j, true, fmt.Errorf("judge: %w: %s", rerr, said.String()[:min(600, said.Len())])
		}
		crashed = true
	}
	return j, crashed, errors.New("judge: not reached")
}

// missing says what of the acknowledged is not there.
func (j judgement) missing(acks []ack) []string {
	var out []string
	for _, a := range acks {
		f := j.Branches[a.branch]
		if len(f.Chains) < a.seq || f.Chains[a.seq-1] != a.chain {
			out = append(out, fmt.Sprintf("line %d of %.8s was acknowledged and is not there", a.seq, a.branch))
		}
	}
	if j.Error != "" {
		out = append(out, "the folder can't be opened: "+j.Error)
	}
	return out
}

// wrong says what does not fit together in what is there: that must never be, also
// for what nobody acknowledged.
func (j judgement) wrong() []string {
	var out []string
	for id, f := range j.Branches {
		if f.Damage != "" {
			out = append(out, fmt.Sprintf("%.8s is damaged: %s", id, f.Damage))
		}
		if f.Error != "" {
			out = append(out, fmt.Sprintf("%.8s can't be read: %s", id, f.Error))
		} else if !f.Whole {
			out = append(out, fmt.Sprintf("%.8s does not end with a whole group in its head", id))
		}
		for h, state := range f.Texts {
			if state != good {
				out = append(out, fmt.Sprintf("text %.8s of %.8s: %s", h, id, state))
			}
		}
	}
	slices.Sort(out)
	return append(out, j.Check...)
}
