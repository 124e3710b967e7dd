package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cairn/vault"
)

// rotLab damages one file of a home folder and looks whether a fresh process, with
// the vault's check of itself, names the damage or is not touched by it.
func rotLab() Lab {
	return Lab{
		Name: "rot", About: "a flipped bit, a zeroed block, a cut, swapped or missing file anywhere in the home folder",
		Short: 60, Usual: 300, Long: 20000,
		Faults: []Fault{
			{"envelope-unchecked", "records and texts are believed as they are", "bit vault"},
			{"journal-unchecked", "the check does not look at journals", "bit journal"},
			{"missing-is-absent", "a lost text counts as one that never was", "text"},
		},
		Memory:  true,
		Missing: func() string { return "" },
		Run:     runRot,
	}
}

// stock is a home folder to damage copies of, and what is in it.
type stock struct {
	name  string
	dir   string
	truth judgement
	files []string       // relative
	acked map[string]int // branch → lines that were acknowledged
}

// lives of the homes: each is a start of a child, with the point at which it dies.
var lives = map[string][]settings{
	"clean": {
		{stage: stageFirst}, {stage: stageThird, dieAt: vault.PointJournalHalf, dieOn: 12},
		{stage: stageSecond}, {stage: stageThird, groups: 20},
	},
	"killed": {
		{stage: stageFirst}, {stage: stageSecond}, {stage: stageThird, dieAt: vault.PointJournalHalf, dieOn: 9},
		{stage: stageThird, dieAt: vault.PointVault, dieOn: 15},
	},
}

// stocks makes the homes: several tasks with documents, an alternative, imports, a
// backup and a task in the middle of its reading; one home ended well, one was killed
// while it saved. Both went through a kill before.
func (o Options) stocks(ctx context.Context) ([]stock, error) {
	var out []stock
	for _, name := range slices.Sorted(maps.Keys(lives)) {
		s := stock{name: name, dir: filepath.Join(o.Dir, name), acked: map[string]int{}}
		for i, c := range lives[name] {
			c.home, c.seed = vault.Home(s.dir), uint64(1+i) // the same homes for every seed of a trial
			acks, said, state, err := o.life(ctx, c, 0, nil)
			if err != nil || state.ExitCode() != endGood && (c.dieAt == "" || state.ExitCode() >= 0) {
				return nil, fmt.Errorf("prepare a home: %w %s", err, said)
			}
			for _, a := range acks {
				s.acked[a.branch] = a.seq
			}
		}
		var err error
		if s.files, err = filesOf(s.dir); err != nil {
			return nil, err
		}
		whole := filepath.Join(o.Dir, name+"-whole")
		if err := s.copyTo(whole); err != nil {
			return nil, err
		}
		if s.truth, _, err = o.judge(ctx, vault.Home(whole), settings{stage: stageJudge}); err != nil {
			return nil, err
		}
		if wrong := s.truth.wrong(); len(wrong) > 0 || len(s.truth.Branches) < 5 {
			return nil, fmt.Errorf("prepare a home: it is not whole: it said %q; %q", s.truth.Report, wrong[:min(3, len(wrong))])
		}
		for id, b := range s.truth.Branches {
			if b.Fault != "" || b.State == "" {
				return nil, fmt.Errorf("prepare a home: task %s can't be used: %s", id, b.Fault)
			}
			if s.acked[id] == 0 {
				s.acked[id] = len(b.Chains) // taken over by an import, which acknowledged the whole
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// unsure: the file is the journal of a branch that ends with lines that nobody
// acknowledged.
func (s stock) unsure(file string) bool {
	for id, f := range s.truth.Branches {
		if s.acked[id] < len(f.Chains) && strings.Contains(file, id) {
			return true
		}
	}
	return false
}

func filesOf(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files = append(files, rel)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list a home: %w", err)
	}
	return files, nil
}

func (s stock) copyTo(dir string) error {
	for _, rel := range s.files {
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return fmt.Errorf("copy a home: %w", err)
		}
		if err := copySparse(filepath.Join(s.dir, rel), to); err != nil {
			return fmt.Errorf("copy a home: %w", err)
		}
	}
	return nil
}

func runRot(ctx context.Context, o Options, p *Progress) error {
	stocks, err := o.stocks(ctx)
	if err != nil {
		return err
	}
	p.begin = now() // the homes are made
	for i := range o.N {
		t, err := o.rot(ctx, stocks, o.Seed+uint64(i))
		if err != nil {
			return err
		}
		if err := p.Add(t); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) rot(ctx context.Context, stocks []stock, seed uint64) (Trial, error) {
	dice := rand.New(rand.NewPCG(seed, 2))
	t := Trial{Seed: seed}
	s := stocks[dice.IntN(len(stocks))]
	dir := filepath.Join(o.Dir, "trial")
	if err := s.copyTo(dir); err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	d, err := s.damage(dice, dir, o.Only)
	if err != nil {
		return t, err
	}
	t.Kind, t.Landed = d.kind, d.landed
	verdict := s.compare(ctx, o, d, vault.Home(dir))
	t.Crashed = verdict.crashes > 0
	where := fmt.Sprintf("%s home, %s: ", s.name, d.what)
	for _, row := range verdict.lost {
		t.Lost = append(t.Lost, where+row)
	}
	for _, row := range verdict.silent {
		t.Silent = append(t.Silent, where+row)
	}
	return t, ctx.Err()
}
