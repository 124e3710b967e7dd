package run_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/planner"
	"cairn/engine/run"
	"cairn/vault/vaulttest"
)

// watcher remembers what a run said while it waited.
type watcher struct {
	mu     sync.Mutex
	waited []error
	on     func()
}

func (w *watcher) Phase(p run.Phase, _ planner.Step, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p == run.Waiting {
		w.waited = append(w.waited, err)
		if w.on != nil {
			w.on()
		}
	}
}
func (w *watcher) Text(string, bool) {}
func (w *watcher) Saved()            {}

var errFull = &engine.Error{Kind: engine.KindDiskFull, What: "The disk is full."}

// The disk is full again and again, at every kind of write: the run waits, says
// why, and ends in the state of an unbroken one with as many calls.
func TestFullDiskIsWaitedOut(t *testing.T) {
	want, calls := unbroken(t)
	b := newBench(t, nil)
	writes, refused := 0, map[string]int{}
	b.store.(*vaulttest.Memory).Fail(func(op string) error {
		if writes++; op == "PutLocal" || writes%7 > 2 {
			return nil
		}
		refused[op]++
		return errFull
	})
	said := &watcher{}
	r := b.runner()
	r.Sink = said
	begin := b.clock.Now()
	end, err := r.Run(context.Background())
	if err != nil || end.Outcome != "done" {
		t.Fatalf("end %+v, error %v", end, err)
	}
	if refused["Append"] < 20 || refused["PutBlob"] < 5 {
		t.Fatalf("the disk was not full often enough: %v", refused)
	}
	if len(said.waited) != refused["Append"]+refused["PutBlob"] {
		t.Errorf("it said %d times that it waits, and was refused %v", len(said.waited), refused)
	}
	for _, err := range said.waited {
		if engine.KindOf(err) != engine.KindDiskFull {
			t.Fatalf("it waited and said %v", err)
		}
	}
	if took := b.clock.Now().Sub(begin); took < time.Duration(len(said.waited))*time.Second {
		t.Errorf("%d waits took %v", len(said.waited), took)
	}
	if got := b.state().Hash(); got != want {
		t.Errorf("the state hash is %s, unbroken %s", got, want)
	}
	if got := b.readings(); got != calls {
		t.Errorf("%d reading calls, unbroken %d", got, calls)
	}
}

// A person can end a run that waits for room; it says that the disk is full.
func TestStopWhileTheDiskIsFull(t *testing.T) {
	b := newBench(t, nil)
	appends := 0
	b.store.(*vaulttest.Memory).Fail(func(op string) error {
		if op == "Append" {
			appends++
		}
		if appends > 6 {
			return errFull
		}
		return nil
	})
	ctx, cancel := context.WithCancelCause(context.Background())
	r := b.runner()
	r.Sink = &watcher{on: func() { cancel(run.ErrStop) }}
	if _, err := r.Run(ctx); engine.KindOf(err) != engine.KindDiskFull || !errors.Is(context.Cause(ctx), run.ErrStop) {
		t.Fatalf("stopped on a full disk: %v", err)
	}
	b.store.(*vaulttest.Memory).Fail(nil)
	if end, err := b.runner().Run(context.Background()); err != nil || end.Outcome != "done" {
		t.Fatalf("going on: end %+v, error %v", end, err)
	}
}
