// Package task keeps a task's ledger open: it turns acts of the person and of
// the engine into groups of lines, makes them durable, and holds their fold. It
// is the only writer of ledgers; a model never reaches it (DESIGN, first rule).
package task

import (
	"context"
	"encoding/hex"
	"fmt"
	"sync"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Desk opens tasks of one store and keeps them open. Safe for concurrent use.
type Desk struct {
	store  engine.Store
	clock  engine.Clock
	random engine.Random
	app    string // name and version, for checkpoints

	mu   sync.Mutex
	open map[string]*Task
	who  string
}

// NewDesk makes a desk over a store. app is the program's name and version.
func NewDesk(store engine.Store, clock engine.Clock, random engine.Random, app string) *Desk {
	return &Desk{store: store, clock: clock, random: random, app: app, open: map[string]*Task{}}
}

// New is what a person gives to begin a task.
type New struct {
	Title, Goal            string
	Questions, Constraints []string
	Set                    ledger.Set
}

// Create records a new task and its questions as one group: accepted before any
// model is called. It returns the task, saved.
func (d *Desk) Create(ctx context.Context, n New) (*Task, error) {
	who, err := d.person(ctx)
	if err != nil {
		return nil, err
	}
	nonce, err := d.nonce()
	if err != nil {
		return nil, err
	}
	acts := []Entry{{By: ledger.Person, Who: who, Op: &ledger.Task{
		Goal: n.Goal, Title: n.Title, Constraints: n.Constraints, Nonce: nonce,
	}}}
	for _, q := range n.Questions {
		acts = append(acts, Entry{By: ledger.Person, Who: who, Op: &ledger.Question{Text: q}})
	}
	if n.Set != (ledger.Set{}) {
		set := n.Set
		acts = append(acts, Entry{By: ledger.Person, Who: who, Op: &set})
	}
	return d.Begin(ctx, acts)
}

// Begin makes a new ledger from its first group. The first entry opens it.
func (d *Desk) Begin(ctx context.Context, first []Entry) (*Task, error) {
	t := d.blank("")
	t.state = state.New()
	group, _, err := t.build(ctx, first, nil)
	if err != nil {
		return nil, err
	}
	id, err := d.store.Begin(ctx, "", group)
	if err != nil {
		return nil, fmt.Errorf("begin task: %w", err)
	}
	return d.Open(ctx, id)
}

// Open folds a branch and keeps it open; asked again it gives the same Task.
func (d *Desk) Open(ctx context.Context, branch string) (*Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.open[branch]; ok {
		return t, nil
	}
	t := d.blank(branch)
	if err := t.load(ctx); err != nil {
		return nil, err
	}
	d.open[branch] = t
	return t, nil
}

// Forget closes a task's handle, after it was deleted.
func (d *Desk) Forget(branch string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, branch)
}

// Branches lists the ledgers of the store, damaged ones included; one that is
// still being taken over is not among them.
func (d *Desk) Branches(ctx context.Context) ([]engine.Branch, error) {
	all, err := d.store.Branches(ctx)
	if err != nil {
		return nil, err
	}
	whole := all[:0]
	for _, b := range all {
		half, err := d.HalfTaken(ctx, b.ID)
		if err != nil {
			return nil, err
		}
		if !half {
			whole = append(whole, b)
		}
	}
	return whole, nil
}

func (d *Desk) blank(branch string) *Task {
	t := &Task{desk: d, Branch: branch}
	t.library = newLibrary(d.store, t)
	return t
}

// person gives the key that stands for the person on this machine: random, never
// a login or host name.
func (d *Desk) person(ctx context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.who != "" {
		return d.who, nil
	}
	b, err := d.store.Local(ctx, "desk", "person")
	if engine.KindOf(err) == engine.KindNotFound {
		key, err := d.hex()
		if err != nil {
			return "", err
		}
		b = []byte(ledger.WhoKey(key))
		if err := d.store.PutLocal(ctx, "desk", "person", b); err != nil {
			return "", fmt.Errorf("store the person's key: %w", err)
		}
	} else if err != nil {
		return "", fmt.Errorf("read the person's key: %w", err)
	}
	d.who = string(b)
	return d.who, nil
}

func (d *Desk) nonce() (string, error) { return d.hex() }

func (d *Desk) hex() (string, error) {
	var b [16]byte
	if _, err := d.random.Read(b[:]); err != nil {
		return "", fmt.Errorf("draw random bytes: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
