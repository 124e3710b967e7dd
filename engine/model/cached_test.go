package model

import (
	"testing"
	"time"

	"cairn/engine/clock"
	fake "cairn/engine/model/fakeollama"
)

// A prompt cache must not make a second probe look faster than the first.
func TestSecondProbeIsNotCached(t *testing.T) {
	s := fake.New(obey)
	s.Models = []fake.Model{{Name: "m:x"}}
	s.Clock, s.Read, s.Write = clock.NewFake(time.Unix(1, 0)), 50, 10
	s.Run(t)
	for range 3 {
		c, _ := begin(t, s.Address(), Limits{})
		k, err := c.Preflight(t.Context(), "m:x", 0)
		if err != nil {
			t.Fatal(err)
		}
		if k.ReadRate < 45 || k.ReadRate > 60 {
			t.Errorf("it reads %v tokens a second, not 50", k.ReadRate)
		}
	}
}
