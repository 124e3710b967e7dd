package clock_test

import (
	"context"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
)

var _ engine.Clock = clock.Real{}

func TestAJumpOfTheWallTimeIsNoAwakeTime(t *testing.T) {
	f := clock.NewFake(time.Unix(1_800_000_000, 0))
	for _, step := range []struct {
		do    func()
		wall  time.Duration
		awake time.Duration
	}{
		{func() { f.Advance(time.Minute) }, time.Minute, time.Minute},
		{func() { f.Jump(10 * 365 * 24 * time.Hour) }, 10 * 365 * 24 * time.Hour, 0},
		{func() { f.Jump(-time.Hour) }, -time.Hour, 0},
		{func() { f.Advance(-time.Hour) }, -time.Hour, 0},
		{func() { _ = f.Sleep(context.Background(), time.Second) }, time.Second, time.Second},
	} {
		wall, awake := f.Now(), f.Awake()
		step.do()
		if got := f.Now().Sub(wall); got != step.wall {
			t.Errorf("wall moved by %v, want %v", got, step.wall)
		}
		if got := f.Awake() - awake; got != step.awake {
			t.Errorf("awake moved by %v, want %v", got, step.awake)
		}
	}
}

func TestRealSleepEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var r clock.Real
	before := r.Awake()
	if err := r.Sleep(ctx, time.Hour); err != context.Canceled {
		t.Errorf("sleep ended with %v", err)
	}
	if r.Awake() < before {
		t.Error("awake time went back")
	}
}
