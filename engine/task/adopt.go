package task

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cairn/engine"
	"cairn/engine/ledger"
)

// adopting is the scope of the local records that mark a branch as half taken
// over, by its id: open with the last line to be copied, until the group with its
// `import`, which comes after it, is saved; of a branch
// that is written in place of others, replaces and the root of the old ones, for
// as long as these are there.
const (
	adopting = "adopting"
	open     = "open:"
	replaces = "replaces:"
)

// Adopt takes over lines that were verified elsewhere, kept byte for byte: as a
// new ledger, or with parent as a branch of one that is here. They are invisible
// until closing has saved the group with the `import` (DESIGN 3.5); begun again
// after a crash, it goes on where it was.
func (d *Desk) Adopt(ctx context.Context, parent string, groups [][][]byte, closing func(*Task) error) (*Task, error) {
	if len(groups) == 0 || len(groups[0]) == 0 {
		return nil, &engine.Error{Kind: engine.KindUsage, What: "There are no lines to take over."}
	}
	first, err := ledger.DecodeFrame(groups[0][0])
	if err != nil {
		return nil, fmt.Errorf("read the first line: %w", err)
	}
	id := first.Prev.Extend(first.Hash).String()
	last, err := lastSeq(groups)
	if err != nil {
		return nil, err
	}
	if err := d.store.PutLocal(ctx, adopting, id, []byte(open+strconv.FormatInt(last, 10))); err != nil {
		return nil, fmt.Errorf("mark the import as begun: %w", err)
	}
	if err := d.copyIn(ctx, id, parent, groups); err != nil {
		return nil, err
	}
	t, err := d.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := closing(t); err != nil {
		d.Forget(id)
		return nil, err
	}
	if err := d.store.PutLocal(ctx, adopting, id, []byte("done")); err != nil {
		return nil, fmt.Errorf("mark the import as finished: %w", err)
	}
	return t, nil
}

// copyIn writes the groups that are not here yet.
func (d *Desk) copyIn(ctx context.Context, id, parent string, groups [][][]byte) error {
	b, err := d.store.Branch(ctx, id)
	switch {
	case err == nil: // begun before, and interrupted
	case engine.KindOf(err) != engine.KindNotFound:
		return err
	default:
		if _, err := d.store.Begin(ctx, parent, groups[0]); err != nil {
			return fmt.Errorf("begin the imported task: %w", err)
		}
		groups = groups[1:]
	}
	for _, g := range groups {
		f, err := ledger.DecodeFrame(g[len(g)-1])
		if err != nil {
			return fmt.Errorf("read an imported line: %w", err)
		}
		if !f.Withheld && f.Seq <= b.Head.Seq {
			continue
		}
		if err := d.store.Append(ctx, id, g); err != nil {
			return fmt.Errorf("append imported lines: %w", err)
		}
	}
	return nil
}

// HalfTaken reports whether a branch is still being taken over, or was when the
// program ended.
func (d *Desk) HalfTaken(ctx context.Context, id string) (bool, error) {
	v, err := d.store.Local(ctx, adopting, id)
	if err != nil {
		if engine.KindOf(err) == engine.KindNotFound {
			return false, nil
		}
		return false, fmt.Errorf("look for half an import: %w", err)
	}
	if old, ok := strings.CutPrefix(string(v), replaces); ok {
		_, err := d.store.Branch(ctx, old)
		if engine.KindOf(err) == engine.KindNotFound && err != nil {
			return false, nil // the old ones are gone: this one is it
		}
		return err == nil, err
	}
	to, ok := strings.CutPrefix(string(v), open)
	if !ok {
		return false, nil
	}
	last, err := strconv.ParseInt(to, 10, 64)
	if err != nil {
		return false, fmt.Errorf("look for half an import: %w", err)
	}
	b, err := d.store.Branch(ctx, id)
	if engine.KindOf(err) == engine.KindNotFound && err != nil {
		return false, nil // it ended before its first group
	}
	// With the group after the copied ones it is whole, whether that was marked or not.
	return err == nil && b.Head.Seq <= last, err
}

// lastSeq is the number of the last line, which may be withheld.
func lastSeq(groups [][][]byte) (int64, error) {
	after := int64(0)
	for _, g := range slices.Backward(groups) {
		for _, line := range slices.Backward(g) {
			f, err := ledger.DecodeFrame(line)
			if err != nil {
				return 0, fmt.Errorf("read an imported line: %w", err)
			}
			if !f.Withheld {
				return f.Seq + after, nil
			}
			after++
		}
	}
	return 0, &engine.Error{Kind: engine.KindUsage, What: "Every line is withheld."}
}

// HalfReplaced lists roots that were to take the place of others that are still
// here: the program ended before they were whole, and they are to be deleted.
func (d *Desk) HalfReplaced(ctx context.Context) ([]string, error) {
	all, err := d.store.Branches(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range all {
		v, err := d.store.Local(ctx, adopting, b.ID)
		if err != nil || b.Parent != "" || !strings.HasPrefix(string(v), replaces) {
			continue
		}
		half, err := d.HalfTaken(ctx, b.ID)
		if err != nil {
			return nil, err
		}
		if half {
			out = append(out, b.ID)
		}
	}
	return out, nil
}
