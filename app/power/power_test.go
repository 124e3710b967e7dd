package power

import (
	"context"
	"testing"
	"time"

	"cairn/engine/clock"
)

var start = time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC)

func TestDetector(t *testing.T) {
	const year = 365 * 24 * time.Hour
	cases := []struct {
		name  string
		gap   time.Duration
		found bool
		kind  Kind
		major bool
	}{
		{"an ordinary tick", 15 * time.Second, false, "", false},
		{"a busy machine", 20 * time.Second, false, "", false},
		{"an early look", 2 * time.Second, false, "", false},
		{"no time at all", 0, false, "", false},
		{"half a minute", 35 * time.Second, true, Slept, false},
		{"a dark wake", 55 * time.Second, true, Slept, false},
		{"twenty minutes", 20 * time.Minute, true, Slept, true},
		{"a night", 9 * time.Hour, true, Slept, true},
		{"an hour back", -time.Hour, true, SetBack, false},
		{"a second back", -time.Second, true, SetBack, false},
		{"ten years on", 10 * year, true, SetOn, true},
		{"ten years back", -10 * year, true, SetBack, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := NewDetector(Every, start)
			j, ok := d.Look(start.Add(c.gap))
			if ok != c.found || j.Kind != c.kind || j.Major != c.major {
				t.Fatalf("a gap of %v gives %+v, %v", c.gap, j, ok)
			}
			if ok && c.kind == Slept && j.Gap != c.gap-Every {
				t.Errorf("slept %v, want %v", j.Gap, c.gap-Every)
			}
			// Whatever happened, the next ordinary tick is ordinary again.
			if j, ok := d.Look(start.Add(c.gap + Every)); ok {
				t.Errorf("the tick after it gives %+v", j)
			}
		})
	}
}

// The hour that clocks show twice in autumn is no jump, because wall times are
// compared as instants.
func TestRepeatedHour(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine")
	}
	now := time.Date(2026, 10, 25, 0, 59, 50, 0, time.UTC).In(zone)
	d := NewDetector(Every, now)
	if j, ok := d.Look(now.Add(Every)); ok {
		t.Errorf("the repeated hour gives %+v", j)
	}
}

// jumping is a clock whose n-th sleep takes extra time.
type jumping struct {
	*clock.Fake
	extra []time.Duration
}

func (j *jumping) Sleep(ctx context.Context, d time.Duration) error {
	if len(j.extra) == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	d += j.extra[0]
	j.extra = j.extra[1:]
	return j.Fake.Sleep(ctx, d)
}

func TestWatch(t *testing.T) {
	c := &jumping{Fake: clock.NewFake(start), extra: []time.Duration{0, 20 * time.Second, 0, 20 * time.Minute, -time.Hour, 0}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	want := []Kind{Slept, Slept, SetBack}
	var got []Jump
	done := make(chan struct{})
	go func() {
		defer close(done)
		Watch(ctx, c, Every, Hooks{Jumped: func(j Jump) {
			if got = append(got, j); len(got) == len(want) {
				stop()
			}
		}})
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("watch did not see the jumps")
	}
	for i, k := range want {
		if got[i].Kind != k {
			t.Errorf("jump %d is %+v, want %s", i, got[i], k)
		}
	}
	if got[0].Gap != 20*time.Second || got[0].Major || !got[1].Major {
		t.Errorf("jumps are %+v", got)
	}
}
