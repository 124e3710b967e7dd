package main

import (
	"context"

	life "cairn/build/lab/lives"
)

// livesLab lives the lives of tasks, and looks at all invariants after every op.
func livesLab() Lab {
	return Lab{
		Name: "lives", About: "random lives of tasks on a fake clock, disk and model, every twenty-fifth on the vault itself", Short: 400, Usual: 1000, Long: 100000,
		Memory:  true,
		Faults:  plantable(life.Faults),
		Missing: func() string { return "" },
		Run:     runLives,
	}
}

// plantable are faults that are planted around the engine, not in it.
func plantable(faults []life.Fault) (out []Fault) {
	for _, f := range faults {
		out = append(out, Fault{Name: f.Name, About: f.About})
	}
	return out
}

// onTheVault is how many lives there are for one on the vault.
const onTheVault = 25

func runLives(ctx context.Context, o Options, p *Progress) error {
	for i := range o.N {
		seed := o.Seed + uint64(i)
		real := seed%onTheVault == 0
		out, err := life.Live(ctx, seed, life.Options{Fault: o.Break, Dir: o.Dir, Real: real && o.Break == ""})
		if err != nil {
			return err
		}
		t := Trial{Seed: seed, Kind: "in memory", Landed: out.Crashes > 0}
		if real {
			t.Kind = "on the vault"
		}
		if len(out.Fails) > 0 {
			t.Landed = true
			t.Lost = append(out.Fails, "the ops were: "+life.Words(out.Ops))
		}
		if err := p.Add(t); err != nil {
			return err
		}
	}
	return nil
}

// clockLab sets the clock between and in the middle of steps.
func clockLab() Lab {
	return Lab{
		Name: "clock", About: "the clock is set by 1 hour and 10 years, forward and back, between and inside steps", Short: 200, Usual: 1000, Long: 50000,
		Memory:  true,
		Faults:  plantable(life.ClockFaults),
		Missing: func() string { return "" },
		Run:     runClock,
	}
}

func runClock(ctx context.Context, o Options, p *Progress) error {
	for i := range o.N {
		seed := o.Seed + uint64(i)
		out, err := life.Clock(ctx, seed, o.Break)
		if err != nil {
			return err
		}
		if err := p.Add(Trial{Seed: seed, Kind: "ended " + out.Ended, Landed: out.Crashes > 0, Lost: out.Fails}); err != nil {
			return err
		}
	}
	return nil
}
