package vault_test

import (
	"crypto/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/state/statetest"
	"cairn/engine/task"
)

// checkpointsEnv sets the number of checkpoints of the rebuild test; the promise is
// about 10,000.
const checkpointsEnv = "CAIRN_CHECKPOINTS"

// rebuildWithin is how long the store of 10,000 checkpoints may take to be built
// again from the journals, to the newest checkpoint shown.
const rebuildWithin = 30 * time.Second

// Of a store that is gone, the journals give back every checkpoint with its state.
func TestRebuildFromJournals(t *testing.T) {
	checkpoints := 1000
	if n, err := strconv.Atoi(os.Getenv(checkpointsEnv)); err == nil {
		checkpoints = n
	}
	made, err := statetest.Make(checkpoints * 7)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(made.State.Checkpoints); n < checkpoints {
		t.Fatalf("%d lines have only %d checkpoints", len(made.Lines), n)
	}
	h := newHome(t)
	h.end()
	if err := os.RemoveAll(h.dir.Vault()); err != nil {
		t.Fatal(err)
	}
	branch := (ledger.Hash{}).Extend(ledger.HashOf(made.Lines[0])).String()
	if err := os.WriteFile(h.dir.Journal(branch), []byte(joined(made.Lines)), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	h.open()
	opened := time.Since(begun)
	tk, err := task.NewDesk(h, clock.Real{}, rand.Reader, "test").Open(bg, branch)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	t.Logf("%d lines with %d checkpoints: store built in %v, newest checkpoint after %v", len(made.Lines), len(made.State.Checkpoints), opened, took)
	if limit := rebuildWithin * time.Duration(max(checkpoints, 10_000)) / 10_000; took > limit {
		t.Errorf("it took %v, %v allowed", took, limit)
	}
	if err := tk.Fault(); err != nil {
		t.Error(err)
	}
	got := tk.Snapshot()
	if got.Hash() != made.State.Hash() || len(got.Checkpoints) != len(made.State.Checkpoints) || got.Chain != made.State.Chain {
		t.Errorf("%d checkpoints of %d; state %s, not %s", len(got.Checkpoints), len(made.State.Checkpoints), got.Hash(), made.State.Hash())
	}
	for i, want := range made.State.Checkpoints {
		if c := got.Checkpoints[i]; c.Chain != want.Chain || c.State != want.State || c.At != want.At {
			t.Fatalf("checkpoint %d differs", i+1)
		}
	}
	if !h.Rebuilt {
		t.Error("not said to be rebuilt")
	}
	h.sound()
	h.reopen()
	h.quiet()
}
