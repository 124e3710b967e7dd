package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"cairn/vault"
)

// points of a commit, in order. Those between journal and store come twice, so
// that they are at least a twentieth of all kills.
var points = []string{
	vault.PointBlobs, vault.PointBlobsDone, vault.PointJournalHalf, vault.PointJournal,
	vault.PointJournalDone, vault.PointVault, vault.PointJournalDone, vault.PointVault, vault.PointVaultDone,
}

// crashLab kills a process while it saves, at random and at each point of a
// commit, again and again in one home, and looks whether all that was acknowledged
// is there and all that is there fits together.
func crashLab() Lab {
	return Lab{
		Name: "crash", About: "kill -9 at random and at each point of a commit", Short: 45, Usual: 300, Long: 20000,
		Faults: []Fault{
			{"early-ack", "a group is acknowledged before it is saved", vault.PointJournalHalf},
			{"blob-after-line", "texts are written after the lines that name them", vault.PointVaultDone},
			{"torn-group-applied", "part of a group is taken over from a journal", vault.PointJournalHalf},
		},
		Missing: func() string { return "" },
		Run:     runCrash,
	}
}

// livesInAHome is how many kills one home goes through before a fresh one is used.
const livesInAHome = 12

func runCrash(ctx context.Context, o Options, p *Progress) error {
	var acks []ack
	var home vault.Home
	for i := range o.N {
		// Each kill is drawn from its own seed, and homes begin at fixed places: so the
		// seed of a home's first trial repeats all that a failure came from.
		if i%livesInAHome == 0 {
			if err := os.RemoveAll(string(home)); err != nil {
				return fmt.Errorf("remove a home: %w", err)
			}
			home, acks = vault.Home(filepath.Join(o.Dir, fmt.Sprintf("home-%d", i))), nil
		}
		t, more, err := o.kill(ctx, home, acks, o.Seed+uint64(i))
		if err != nil {
			return err
		}
		acks = append(acks, more...)
		t.Seed, t.N = o.Seed+uint64(i-i%livesInAHome), i%livesInAHome+1
		if err := p.Add(t); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) kill(ctx context.Context, home vault.Home, before []ack, seed uint64) (Trial, []ack, error) {
	dice := rand.New(rand.NewPCG(seed, 1))
	c := settings{home: home, seed: seed, early: o.Break == "early-ack"}
	t := Trial{Seed: seed, Kind: "at random"}
	var after time.Duration
	if n := dice.IntN(2 * len(points)); n < len(points) || o.Only != "" {
		c.dieAt, c.dieOn = points[n%len(points)], 1+dice.IntN(25)
		if o.Only != "" {
			c.dieAt = o.Only
		}
		t.Kind = "at " + c.dieAt
	} else {
		after = time.Duration(dice.IntN(120_000)) * time.Microsecond
	}
	acks, said, state, err := o.life(ctx, c, after, nil)
	if err != nil {
		return t, nil, err
	}
	t.Landed = state.ExitCode() < 0 // by a signal: ours
	if !t.Landed {
		return t, nil, fmt.Errorf("seed %d: the writing child ended by itself: %s", seed, said)
	}
	kept, err := keep(home, seed)
	if err != nil {
		return t, nil, err
	}
	j, crashed, err := o.judge(ctx, home)
	t.Crashed = crashed
	if err != nil && ctx.Err() == nil {
		t.Lost = append(t.Lost, err.Error())
		return t, acks, nil
	}
	t.Lost = j.told(append(j.missing(append(before, acks...)), j.wrong()...))
	return t, acks, errors.Join(err, kept(len(t.Lost) > 0))
}
