package lives

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/vaulttest"
)

// errDead is what every call of a store gives after its process ended.
var errDead = errors.New("the process is gone")

// medium is what a machine keeps its records on.
type medium interface {
	store() engine.Store
	// arm lets the process end at the n-th writing call from now, before it or after.
	arm(n int, after bool)
	// died reports whether it did, or disarms.
	died() bool
	// gone reports whether it did, and leaves it so.
	gone() bool
	// restart is the next start of the program after the process ended.
	restart() error
	close() error
}

// disk is a medium in memory. Texts that no saved line names yet are lost in a
// crash, as they are with the vault; what was acknowledged is not.
type disk struct {
	mem    *vaulttest.Memory
	left   int // writing calls until the process ends; 0 = none
	after  bool
	dead   bool
	loose  map[ledger.Hash]bool // stored, and named by no saved line
	blobs  map[ledger.Hash]bool
	locals map[[2]string]bool
	late   func() error // a planted fault: the last group, not written yet
	fault  string
	honest bool // it is the laboratory that reads
}

func newDisk(fault string) *disk {
	return &disk{mem: vaulttest.NewMemory(), fault: fault, loose: map[ledger.Hash]bool{}, blobs: map[ledger.Hash]bool{}, locals: map[[2]string]bool{}}
}

func (d *disk) store() engine.Store { return d }

func (d *disk) arm(n int, after bool) { d.left, d.after = n, after }

func (d *disk) died() bool {
	d.left = 0
	return d.dead
}

func (d *disk) gone() bool { return d.dead }

func (d *disk) restart() error {
	for h := range d.loose {
		d.mem.Lose(h)
		delete(d.blobs, h)
	}
	clear(d.loose)
	d.dead, d.left, d.late = false, 0, nil
	return nil
}

func (d *disk) close() error { return d.mem.Close() }

// write makes one writing call, unless the process ends at it.
func (d *disk) write(do func() error) error {
	if d.dead {
		return errDead
	}
	if d.left > 0 {
		d.left--
		if d.left == 0 && !d.after {
			d.dead = true
			return errDead
		}
	}
	if d.late != nil {
		late := d.late
		d.late = nil
		if err := late(); err != nil {
			return err
		}
	}
	err := do()
	if d.left == 0 && d.after {
		d.after, d.dead = false, true
		return errDead
	}
	return err
}

func (d *disk) read() error {
	if d.dead {
		return errDead
	}
	if late := d.late; late != nil {
		d.late = nil
		return late()
	}
	return nil
}

// named: the texts that a group names are durable with it.
func (d *disk) named(group [][]byte) {
	if d.fault == "text-not-kept" {
		return
	}
	all := bytes.Join(group, nil)
	for h := range d.loose {
		if bytes.Contains(all, []byte(h.String())) {
			delete(d.loose, h)
		}
	}
}

func (d *disk) Begin(ctx context.Context, parent string, group [][]byte) (id string, err error) {
	err = d.write(func() (err error) {
		if id, err = d.mem.Begin(ctx, parent, group); err == nil {
			d.named(group)
		}
		return err
	})
	return id, err
}

func (d *disk) Append(ctx context.Context, branch string, group [][]byte) error {
	return d.write(func() error {
		save := func() error {
			err := d.mem.Append(ctx, branch, group)
			if err == nil {
				d.named(group)
			}
			return err
		}
		if d.fault == "early-ack" {
			ctx = context.WithoutCancel(ctx)
			d.late = save
			return nil
		}
		return save()
	})
}

func (d *disk) PutBlob(ctx context.Context, body []byte) (h ledger.Hash, err error) {
	err = d.write(func() (err error) {
		if h, err = d.mem.PutBlob(ctx, body); err == nil && !d.blobs[h] {
			d.blobs[h], d.loose[h] = true, true
		}
		return err
	})
	return h, err
}

func (d *disk) PutNamed(ctx context.Context, seq int64, body []byte) (h ledger.Hash, err error) {
	err = d.write(func() (err error) {
		if h, err = d.mem.PutNamed(ctx, seq, body); err == nil {
			d.blobs[h] = true
			delete(d.loose, h)
		}
		return err
	})
	return h, err
}

func (d *disk) PutLocal(ctx context.Context, scope, name string, value []byte) error {
	return d.write(func() error {
		d.locals[[2]string{scope, name}] = true
		return d.mem.PutLocal(ctx, scope, name, value)
	})
}

func (d *disk) PutDraft(branch string, body []byte) error {
	return d.write(func() error { return d.mem.PutDraft(branch, body) })
}

func (d *disk) Delete(ctx context.Context, branch string) (e engine.Erased, err error) {
	err = d.write(func() (err error) { e, err = d.mem.Delete(ctx, branch); return err })
	for h := range d.blobs {
		if ok, herr := d.mem.HasBlob(ctx, h); herr == nil && !ok {
			delete(d.blobs, h)
			delete(d.loose, h)
		}
	}
	return e, err
}

func (d *disk) Weigh(ctx context.Context, branch string) (engine.Erased, error) {
	if err := d.read(); err != nil {
		return engine.Erased{}, err
	}
	return d.mem.Weigh(ctx, branch)
}

func (d *disk) Blob(ctx context.Context, h ledger.Hash) ([]byte, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	body, err := d.mem.Blob(ctx, h)
	if err == nil && d.fault == "quote-not-cut" && !d.honest {
		body = bytes.ReplaceAll(body, []byte(" grains "), []byte(" plains "))
	}
	return body, err
}

func (d *disk) HasBlob(ctx context.Context, h ledger.Hash) (bool, error) {
	if err := d.read(); err != nil {
		return false, err
	}
	return d.mem.HasBlob(ctx, h)
}

func (d *disk) Lines(ctx context.Context, branch string, from int64, fn func(int64, []byte) error) error {
	if err := d.read(); err != nil {
		return err
	}
	if d.fault != "claim-dropped" {
		return d.mem.Lines(ctx, branch, from, fn)
	}
	claims := 0
	return d.mem.Lines(ctx, branch, from, func(n int64, line []byte) error {
		if bytes.Contains(line, []byte(`"op":"claim"`)) {
			if claims++; claims == 2 {
				line = ledger.Withhold(ledger.HashOf(line))
			}
		}
		return fn(n, line)
	})
}

func (d *disk) Branch(ctx context.Context, id string) (engine.Branch, error) {
	if err := d.read(); err != nil {
		return engine.Branch{}, err
	}
	return d.mem.Branch(ctx, id)
}

func (d *disk) Branches(ctx context.Context) ([]engine.Branch, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.mem.Branches(ctx)
}

func (d *disk) Local(ctx context.Context, scope, name string) ([]byte, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.mem.Local(ctx, scope, name)
}

func (d *disk) Draft(branch string) ([]byte, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.mem.Draft(branch)
}

// twin is a disk with the same things on it.
func (d *disk) twin(ctx context.Context) (*disk, error) {
	t := newDisk("")
	all, err := d.mem.Branches(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b engine.Branch) int { return int(a.From - b.From) })
	there := map[string]bool{"": true}
	for left := len(all); left > 0; {
		before := left
		for _, b := range all {
			if there[b.ID] || !there[b.Parent] {
				continue
			}
			if err := copyBranch(ctx, d.mem, t.mem, b); err != nil {
				return nil, err
			}
			there[b.ID] = true
			left--
		}
		if left == before {
			return nil, errors.New("copy a disk: a branch without its parent")
		}
	}
	for h := range d.blobs {
		body, err := d.mem.Blob(ctx, h)
		if err != nil {
			return nil, fmt.Errorf("copy a text: %w", err)
		}
		if _, err := t.mem.PutBlob(ctx, body); err != nil {
			return nil, err
		}
	}
	t.blobs, t.loose = maps.Clone(d.blobs), maps.Clone(d.loose)
	for k := range d.locals {
		v, err := d.mem.Local(ctx, k[0], k[1])
		if engine.KindOf(err) == engine.KindNotFound && err != nil {
			continue // it went with its branch
		}
		if err == nil {
			err = t.PutLocal(ctx, k[0], k[1], v)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

func copyBranch(ctx context.Context, from, to engine.Store, b engine.Branch) error {
	var group [][]byte
	begun := false
	return from.Lines(ctx, b.ID, b.From, func(_ int64, line []byte) error {
		group = append(group, line)
		f, err := ledger.DecodeFrame(line)
		if err != nil || f.N == 0 {
			return err
		}
		whole := group
		group = nil
		if begun {
			return to.Append(ctx, b.ID, whole)
		}
		begun = true
		_, err = to.Begin(ctx, b.Parent, whole)
		return err
	})
}
