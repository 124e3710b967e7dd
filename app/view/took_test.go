package view

import "testing"

func TestTookIsNoMatterOfASetClock(t *testing.T) {
	const hour, years = int64(3_600_000), int64(10 * 365 * 24 * 3_600_000)
	for _, c := range []struct{ wall, awake, want int64 }{
		{2700, 2000, 2700}, {0, 0, 0}, {900_000, 4000, 900_000},
		{hour + 4001, 4000, 4000}, {years, 4000, 4000}, {-hour, 4000, 4000}, {-years, 0, 0}, {years, 0, 0},
	} {
		if got := took(c.wall, c.awake); got != c.want {
			t.Errorf("wall %d, awake %d: %d, want %d", c.wall, c.awake, got, c.want)
		}
	}
}
