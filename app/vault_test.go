package app_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/app"
	"cairn/app/dto"
	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/ledger"
)

// keeper is a vault that finds what it is told to find.
type keeper struct {
	found []dto.VaultFault
	mends bool
	full  atomic.Bool
}

func (k *keeper) State(context.Context) (dto.VaultState, error) {
	return dto.VaultState{Notices: []string{"The store was missing."}}, nil
}

func (k *keeper) Check(_ context.Context, tell app.Progress) (dto.VaultCheck, error) {
	tell("reading records", 500, 0)
	return dto.VaultCheck{Records: 1, Texts: 2, Lines: 3, Faults: k.found, Mends: k.mends}, nil
}

func (k *keeper) Compact(context.Context, app.Progress) (dto.VaultCompact, error) {
	return dto.VaultCompact{Before: 9e6, After: 4e6}, nil
}

func (k *keeper) Backup(_ context.Context, folder string, keep int, _ app.Progress) (dto.VaultBackup, error) {
	return dto.VaultBackup{Path: folder + "/b", Histories: 2, Lines: 10, Bytes: 1e6, Removed: make([]string, keep)}, nil
}

func (k *keeper) Journal(branch string) string { return "journal/" + branch + ".jsonl" }

func (k *keeper) Room() error {
	if k.full.Load() {
		return &engine.Error{Kind: engine.KindDiskFull, What: "The disk is almost full."}
	}
	return nil
}

// kept begins a service whose records have a keeper.
func (b *bench) kept(k *keeper, c engine.Clock) *app.Service {
	b.t.Helper()
	s, err := app.New(context.Background(), app.Config{
		Store: b.store, Clock: c, Random: rand.Reader, Home: b.home, Version: "cairn test", Log: b.log, Vault: k,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.end(s) })
	return s
}

func TestVaultIsWordedForPeople(t *testing.T) {
	b := newBench(t, nil)
	k := &keeper{}
	s := b.kept(k, clock.Real{})
	ctx := t.Context()
	if _, err := s.Create(ctx, b.form()); err != nil {
		t.Fatal(err)
	}
	c, err := s.VaultCheck(ctx)
	if err != nil || !c.Sound || c.Audited < 1 || !strings.Contains(c.Sentence, "everything is whole") {
		t.Errorf("%+v, %v", c, err)
	}
	k.found = []dto.VaultFault{{File: "vault", Record: "text x", What: "Text x is lost."}}
	if c, err = s.VaultCheck(ctx); err != nil || c.Sound || !strings.Contains(c.Do, "restore a backup") {
		t.Errorf("%+v, %v", c, err)
	}
	k.mends = true
	if c, err = s.VaultCheck(ctx); err != nil || c.Sound || !strings.Contains(c.Do, "cairn vault repair") {
		t.Errorf("%+v, %v", c, err)
	}
	if m, err := s.VaultCompact(ctx); err != nil || m.Sentence != "The store takes 4.0 MB now; it took 9.0 MB." {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := s.VaultBackup(ctx, "", 1); err != nil || !strings.Contains(m.Sentence, "same disk") || !strings.Contains(m.Sentence, "1 older backup was removed") {
		t.Errorf("%+v, %v", m, err)
	}
	for folder, keep := range map[string]int{"relative": 1, "": -1} {
		if _, err := s.VaultBackup(ctx, folder, keep); engine.KindOf(err) != engine.KindUsage {
			t.Errorf("%q, %d: %v", folder, keep, err)
		}
	}
	if st, err := s.Vault(ctx); err != nil || !slices.Contains(st.Notices, "The store was missing.") {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := b.start(true).Vault(ctx); engine.KindOf(err) != engine.KindUsage {
		t.Errorf("without a vault: %v", err)
	}
}

// A damaged task is named by the audit, with its file and line.
func TestVaultCheckAudits(t *testing.T) {
	b := newBench(t, nil)
	s := b.kept(&keeper{}, clock.Real{})
	ctx := t.Context()
	id, err := s.Create(ctx, b.form())
	if err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "the folder is read", func(v dto.View) bool { return v.Status.State == "ready" })
	sources, err := s.Sources(ctx, id)
	if err != nil || len(sources) == 0 {
		t.Fatal(err)
	}
	spoiled := false
	err = b.store.Lines(ctx, id, 1, func(_ int64, raw []byte) error {
		line, err := ledger.Decode(slices.Clone(raw))
		if err != nil {
			return err
		}
		if op, ok := line.Op.(*ledger.Source); ok && op.Body != "" && !spoiled {
			h, err := ledger.ParseHash(op.Body)
			spoiled = err == nil && b.store.Damage(h)
			return err
		}
		return nil
	})
	if err != nil || !spoiled {
		t.Fatal(spoiled, err)
	}
	c, err := s.VaultCheck(ctx)
	if err != nil || c.Sound || !slices.ContainsFunc(c.Faults, func(f dto.VaultFault) bool { return f.File == "journal/"+id+".jsonl" }) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A full disk pauses a task, which says so, and goes on by itself when there is room.
func TestFullDiskGoesOnWithRoom(t *testing.T) {
	b := newBench(t, nil)
	k := &keeper{}
	s := b.kept(k, quick{})
	ctx := t.Context()
	id, err := s.Create(ctx, b.form())
	if err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "the folder is read", func(v dto.View) bool { return v.Status.State == "ready" })
	k.full.Store(true)
	var appended atomic.Int64
	b.store.Fail(func(op string) error {
		if op == "Append" && appended.Add(1) > 8 && k.full.Load() {
			return fmt.Errorf("append: %w", k.Room())
		}
		return nil
	})
	if err := s.Run(ctx, id); err != nil {
		t.Fatal(err)
	}
	b.until(s, id, "the disk is full", func(v dto.View) bool { return v.Status.State == "disk_full" })
	if _, err := s.Tasks(ctx); err != nil {
		t.Error(err)
	}
	k.full.Store(false)
	b.until(s, id, "it is done", func(v dto.View) bool { return v.Status.State == "done" })
}

// quick is a clock on which a long wait is a short one.
type quick struct{ clock.Real }

func (q quick) Sleep(ctx context.Context, d time.Duration) error {
	return q.Real.Sleep(ctx, min(d, 20*time.Millisecond))
}
