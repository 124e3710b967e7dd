package vaulttest

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
)

// Memory is an engine.Store that keeps everything in memory: the same
// behaviour as the vault without its durability, for tests of what stands on a
// store. It is safe for use by several goroutines.
type Memory struct {
	mu       sync.Mutex
	closed   bool
	branches map[string]*memBranch
	blobs    map[ledger.Hash][]byte
	locals   map[[2]string][]byte
	drafts   map[string][]byte
	fail     func(op string) error
}

type memBranch struct {
	info  engine.Branch
	lines [][]byte // own lines
	at    []frame.At
}

var _ engine.Store = (*Memory)(nil)

// NewMemory gives an empty store.
func NewMemory() *Memory {
	return &Memory{
		branches: map[string]*memBranch{},
		blobs:    map[ledger.Hash][]byte{},
		locals:   map[[2]string][]byte{},
		drafts:   map[string][]byte{},
	}
}

// Fail sets a function that is asked before every call that writes, with the
// name of the method; an error it gives is the outcome of the call, and nothing
// is written. Tests make the Nth write fail with it. nil takes it away.
func (m *Memory) Fail(fn func(op string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fn
}

// Close ends the store: every later call but Close gives an error.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// ready is called first in every method, with the lock held.
func (m *Memory) ready(ctx context.Context, write string) error {
	if m.closed {
		return &engine.Error{Kind: engine.KindUsage, What: "The store is closed."}
	}
	if err := ctx.Err(); err != nil {
		return &engine.Error{Kind: engine.KindCancelled, What: "Stopped before anything was done.", Err: err}
	}
	if write != "" && m.fail != nil {
		return m.fail(write)
	}
	return nil
}

func usage(err error) error {
	return &engine.Error{Kind: engine.KindUsage, What: "These lines can't be saved here.", Safe: "Nothing was written.", Err: err}
}

func notFound(what string) error {
	return &engine.Error{Kind: engine.KindNotFound, What: "There is no " + what + "."}
}

// Begin implements engine.Store.
func (m *Memory) Begin(ctx context.Context, parent string, group [][]byte) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, "Begin"); err != nil {
		return "", err
	}
	seq, before, err := frame.First(group)
	if err != nil {
		return "", usage(err)
	}
	at, root, err := m.start(parent, seq)
	if err != nil {
		return "", err
	}
	if at.Chain != before {
		return "", usage(fmt.Errorf("begin branch: line %d does not continue its parent", seq))
	}
	end, err := frame.Check(at, group)
	if err != nil {
		return "", usage(err)
	}
	id := at.Chain.Extend(ledger.HashOf(group[0])).String()
	if _, ok := m.branches[id]; ok {
		return id, usage(fmt.Errorf("begin branch: %s is already here", id))
	}
	if root == "" {
		root = id
	}
	b := &memBranch{info: engine.Branch{ID: id, Root: root, Parent: parent, From: seq}}
	b.add(at, group)
	b.info.Head = engine.Head(end)
	m.branches[id] = b
	return id, nil
}

// start gives the place before seq in parent, and its root.
func (m *Memory) start(parent string, seq int64) (frame.At, string, error) {
	if parent == "" {
		if seq != 1 {
			return frame.At{}, "", usage(fmt.Errorf("begin branch: line %d without a parent", seq))
		}
		return frame.At{}, "", nil
	}
	b, ok := m.branches[parent]
	if !ok {
		return frame.At{}, "", notFound("branch " + parent)
	}
	if seq < 2 || seq > b.info.Head.Seq+1 {
		return frame.At{}, "", usage(fmt.Errorf("begin branch: the parent has no line %d", seq-1))
	}
	root := b.info.Root
	for b.info.From >= seq {
		b = m.branches[b.info.Parent]
	}
	return b.at[seq-1-b.info.From], root, nil
}

func (b *memBranch) add(at frame.At, group [][]byte) {
	for _, line := range group {
		h, _ := frame.Parse(line) // frame.Check has read it
		at, _ = at.Step(h)
		b.lines = append(b.lines, slices.Clone(line))
		b.at = append(b.at, at)
	}
}

// Append implements engine.Store.
func (m *Memory) Append(ctx context.Context, branch string, group [][]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, "Append"); err != nil {
		return err
	}
	b, ok := m.branches[branch]
	if !ok {
		return notFound("branch " + branch)
	}
	at := frame.At(b.info.Head)
	end, err := frame.Check(at, group)
	if err != nil {
		return usage(err)
	}
	b.add(at, group)
	b.info.Head = engine.Head(end)
	return nil
}

// Lines implements engine.Store.
func (m *Memory) Lines(ctx context.Context, branch string, from int64, fn func(int64, []byte) error) error {
	m.mu.Lock()
	if err := m.ready(ctx, ""); err != nil {
		m.mu.Unlock()
		return err
	}
	b, ok := m.branches[branch]
	if !ok {
		m.mu.Unlock()
		return notFound("branch " + branch)
	}
	var parts [][][]byte
	var starts []int64
	for end := b.info.Head.Seq + 1; ; {
		parts = append(parts, b.lines[:end-b.info.From])
		starts = append(starts, b.info.From)
		if end = b.info.From; b.info.Parent == "" {
			break
		}
		b = m.branches[b.info.Parent]
		for b.info.From >= end {
			b = m.branches[b.info.Parent]
		}
	}
	m.mu.Unlock()
	for i := len(parts) - 1; i >= 0; i-- {
		for j, line := range parts[i] {
			seq := starts[i] + int64(j)
			if seq < from {
				continue
			}
			if err := ctx.Err(); err != nil {
				return &engine.Error{Kind: engine.KindCancelled, What: "Reading was stopped.", Err: err}
			}
			if err := fn(seq, slices.Clone(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Branch implements engine.Store.
func (m *Memory) Branch(ctx context.Context, id string) (engine.Branch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, ""); err != nil {
		return engine.Branch{}, err
	}
	b, ok := m.branches[id]
	if !ok {
		return engine.Branch{}, notFound("branch " + id)
	}
	return b.info, nil
}

// Branches implements engine.Store; the order is by id.
func (m *Memory) Branches(ctx context.Context) ([]engine.Branch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, ""); err != nil {
		return nil, err
	}
	out := make([]engine.Branch, 0, len(m.branches))
	for _, b := range m.branches {
		out = append(out, b.info)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, nil
}

// PutBlob implements engine.Blobs.
func (m *Memory) PutBlob(ctx context.Context, body []byte) (ledger.Hash, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, "PutBlob"); err != nil {
		return ledger.Hash{}, err
	}
	h := ledger.HashOf(body)
	m.blobs[h] = slices.Clone(body)
	return h, nil
}

// Blob implements engine.Blobs.
func (m *Memory) Blob(ctx context.Context, h ledger.Hash) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, ""); err != nil {
		return nil, err
	}
	body, ok := m.blobs[h]
	if !ok {
		return nil, notFound("text " + h.String())
	}
	if ledger.HashOf(body) != h {
		return nil, &engine.Error{Kind: engine.KindDamaged, What: "The stored text " + h.String() + " is damaged."}
	}
	return slices.Clone(body), nil
}

// HasBlob implements engine.Blobs.
func (m *Memory) HasBlob(ctx context.Context, h ledger.Hash) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, ""); err != nil {
		return false, err
	}
	_, ok := m.blobs[h]
	return ok, nil
}

// PutNamed implements engine.Store.
func (m *Memory) PutNamed(ctx context.Context, _ int64, body []byte) (ledger.Hash, error) {
	return m.PutBlob(ctx, body)
}

// Lose takes a stored blob away, as the loss of a vault's store does.
func (m *Memory) Lose(h ledger.Hash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, h)
}

// Damage changes one byte of a stored blob, for tests of what happens then. It
// reports whether the blob is there.
func (m *Memory) Damage(h ledger.Hash) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, ok := m.blobs[h]
	if ok {
		m.blobs[h] = append([]byte{0}, body...)
	}
	return ok
}

// Local implements engine.Store.
func (m *Memory) Local(ctx context.Context, scope, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, ""); err != nil {
		return nil, err
	}
	v, ok := m.locals[[2]string{scope, name}]
	if !ok {
		return nil, notFound("local record " + name)
	}
	return slices.Clone(v), nil
}

// PutLocal implements engine.Store.
func (m *Memory) PutLocal(ctx context.Context, scope, name string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, "PutLocal"); err != nil {
		return err
	}
	if err := frame.Local(scope, name, value); err != nil {
		return usage(err)
	}
	m.locals[[2]string{scope, name}] = append([]byte{}, value...)
	return nil
}

// PutDraft implements engine.Store.
func (m *Memory) PutDraft(branch string, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(context.Background(), "PutDraft"); err != nil {
		return err
	}
	if _, ok := m.branches[branch]; !ok {
		return notFound("branch " + branch)
	}
	if len(body) == 0 {
		delete(m.drafts, branch)
		return nil
	}
	m.drafts[branch] = slices.Clone(body)
	return nil
}

// Draft implements engine.Store.
func (m *Memory) Draft(branch string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(context.Background(), ""); err != nil {
		return nil, err
	}
	d, ok := m.drafts[branch]
	if !ok {
		return nil, notFound("draft")
	}
	return slices.Clone(d), nil
}

// Delete implements engine.Store.
func (m *Memory) Delete(ctx context.Context, branch string) (engine.Erased, error) {
	return m.erase(ctx, "Delete", branch)
}

// Weigh implements engine.Store.
func (m *Memory) Weigh(ctx context.Context, branch string) (engine.Erased, error) {
	return m.erase(ctx, "", branch)
}

// erase removes a branch and what was forked from it, or with write "" only
// counts what would go.
func (m *Memory) erase(ctx context.Context, write, branch string) (engine.Erased, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var e engine.Erased
	if err := m.ready(ctx, write); err != nil {
		return e, err
	}
	if _, ok := m.branches[branch]; !ok {
		return e, notFound("branch " + branch)
	}
	goes := m.below(branch)
	gone, kept := map[ledger.Hash]bool{}, map[ledger.Hash]bool{}
	for id, b := range m.branches {
		into := kept
		if goes[id] {
			into = gone
			e.Branches++
			e.Lines += len(b.lines)
		}
		for _, line := range b.lines {
			frame.Names(line, func(h ledger.Hash) { into[h] = true })
			if goes[id] {
				e.Bytes += int64(len(line) + 1)
			}
		}
	}
	for h := range gone {
		switch body, ok := m.blobs[h]; {
		case ok && kept[h]:
			e.Shared++
		case ok:
			e.Blobs++
			e.Bytes += int64(len(body))
		}
	}
	for id := range goes {
		if _, ok := m.drafts[id]; ok {
			e.Drafts++
		}
		e.Locals += m.forget(id, write != "")
	}
	if write == "" {
		return e, nil
	}
	for id := range goes {
		delete(m.branches, id)
		delete(m.drafts, id)
	}
	for h := range gone {
		if !kept[h] {
			delete(m.blobs, h)
		}
	}
	engine.Progress(ctx)(1, 1)
	return e, nil
}

// below gives a branch and all that were forked from it.
func (m *Memory) below(id string) map[string]bool {
	out := map[string]bool{id: true}
	for more := true; more; {
		more = false
		for other, b := range m.branches {
			if !out[other] && out[b.info.Parent] {
				out[other], more = true, true
			}
		}
	}
	return out
}

// forget counts the local records whose scope or name holds a branch's id, and
// removes them when it is to.
func (m *Memory) forget(id string, remove bool) (n int) {
	for k := range m.locals {
		if strings.Contains(k[0], id) || strings.Contains(k[1], id) {
			n++
			if remove {
				delete(m.locals, k)
			}
		}
	}
	return n
}
