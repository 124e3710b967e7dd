// Package statetest makes valid ledgers for tests and measurements. Nothing in
// it reads a clock or draws random numbers from outside.
package statetest

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Ledger is a ledger in memory with its fold. The time goes on by a second a line.
type Ledger struct {
	State    *state.State
	Lines    [][]byte
	Groups   []int           // number of lines of each group
	Findings []state.Finding // of every line so far
	At       int64           // Unix milliseconds of the last line
	salt     *rand.Rand
}

// New begins an empty ledger.
func New() *Ledger {
	return &Ledger{State: state.New(), At: 1767225600000, salt: rand.New(rand.NewPCG(1, 2))}
}

// Write adds one group: each op by its author. Where an op is of work, a
// checkpoint closes the group. An op with a finding is written all the same (the
// fold leaves it without effect); an op that no line can hold is an error.
func (l *Ledger) Write(by ledger.By, ops ...ledger.Op) error {
	acts := make([]Act, len(ops))
	for i, op := range ops {
		acts[i] = Act{By: by, Op: op}
	}
	return l.Group(acts...)
}

// Act is an op and its author. Origin and Reported are of a re-issued line.
type Act struct {
	By       ledger.By
	Op       ledger.Op
	Origin   *ledger.Origin
	Reported bool
}

// Group adds one group of acts by several authors.
func (l *Ledger) Group(acts ...Act) error {
	b := l.State.Begin()
	before := l.State.Seq
	work := false
	for _, a := range acts {
		work = work || ledger.IsWork(a.Op.OpName()) || a.Op.OpName() == "import"
	}
	for i, a := range acts {
		if err := l.line(b, a, i == len(acts)-1 && !work); err != nil {
			return err
		}
	}
	if work {
		c, _ := l.State.Checkpoint(before)
		c.App, c.Gate = "statetest", "green"
		if err := l.line(b, Act{By: ledger.Engine, Op: &c}, true); err != nil {
			return err
		}
	}
	l.Groups = append(l.Groups, len(b.Lines()))
	return nil
}

func (l *Ledger) line(b *ledger.Builder, a Act, last bool) error {
	l.At += 1000
	e := ledger.Entry{At: l.At, By: a.By, Origin: a.Origin, Reported: a.Reported}
	if a.By == ledger.Person {
		e.Who = ledger.WhoKey("1f")
	}
	if ledger.IsLog(a.Op.OpName()) {
		e.Salt = fmt.Sprintf("%016x%016x", l.salt.Uint64(), l.salt.Uint64())
	}
	line, err := b.Add(e, a.Op, last)
	if err != nil {
		return fmt.Errorf("line %d: %w", l.State.Seq+1, err)
	}
	l.Findings = append(l.Findings, l.State.Apply(line)...)
	l.Lines = append(l.Lines, line.Raw)
	return nil
}

// Hex is a made-up SHA-256 in hex, a function of the words.
func Hex(words ...any) string {
	h := ledger.HashOf([]byte(fmt.Sprint(words...)))
	return hex.EncodeToString(h[:])
}

// Copy gives a ledger that goes its own way from here.
func (l *Ledger) Copy() *Ledger {
	c := *l
	c.State, c.Lines, c.Groups = l.State.Clone(), slices.Clone(l.Lines), slices.Clone(l.Groups)
	c.Findings, c.salt = slices.Clone(l.Findings), rand.New(rand.NewPCG(3, 4))
	return &c
}
