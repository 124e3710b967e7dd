package task

import (
	"context"
	"crypto/rand"
	"reflect"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/state/statetest"
	"cairn/vault/vaulttest"
)

// A checkpoint that is shown by rewinding is the one that folding gives, and lines
// that are not there are not found.
func TestAt(t *testing.T) {
	made, err := statetest.Make(foldUpTo + 1500)
	if err != nil {
		t.Fatal(err)
	}
	store := vaulttest.NewMemory()
	ctx := context.Background()
	var branch string
	at := 0
	for i, n := range made.Groups {
		group := made.Lines[at : at+n]
		if at += n; i == 0 {
			branch, err = store.Begin(ctx, "", group)
		} else {
			err = store.Append(ctx, branch, group)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tk, err := NewDesk(store, clock.NewFake(time.Unix(1_800_000_000, 0)), rand.Reader, "test").Open(ctx, branch)
	if err != nil {
		t.Fatal(err)
	}
	before := tk.Snapshot().Hash()
	last := int64(len(made.Lines))
	for _, seq := range []int64{1, foldUpTo, foldUpTo + 1, foldUpTo + 700, last - 1, last} {
		got, err := tk.At(ctx, seq)
		if err != nil {
			t.Fatal(err)
		}
		want, err := tk.folded(ctx, seq)
		if err != nil {
			t.Fatal(err)
		}
		if got.Hash() != want.HashWhole() || got.Chain != want.Chain || got.At != want.At || !reflect.DeepEqual(got.Counts(), want.Counts()) ||
			!reflect.DeepEqual(got.Checkpoints, want.Checkpoints) || !reflect.DeepEqual(got.Ended, want.Ended) || got.Log.Steps != want.Log.Steps {
			t.Errorf("line %d differs from what folding gives", seq)
		}
	}
	if tk.Snapshot().Hash() != before {
		t.Error("looking at earlier checkpoints changed the task")
	}
	for _, seq := range []int64{0, last + 1} {
		if _, err := tk.At(ctx, seq); engine.KindOf(err) != engine.KindNotFound {
			t.Errorf("line %d: %v", seq, err)
		}
	}
	if _, err := tk.line(ctx, last+1); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("reading a line that is not there: %v", err)
	}
}
