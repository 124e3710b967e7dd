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

// journalKind ends the kinds of damage to a journal.
const journalKind = "journal/*.jsonl"

// stocks makes the homes: one that ended well, one that was killed while it saved.
func (o Options) stocks(ctx context.Context) ([]stock, error) {
	var out []stock
	for _, name := range []string{"clean", "killed"} {
		dir := filepath.Join(o.Dir, name)
		c := settings{home: vault.Home(dir), seed: o.Seed, groups: 40}
		acks, said, state, err := o.life(ctx, c, 0, nil)
		if err != nil || state.ExitCode() != endGood {
			return nil, fmt.Errorf("prepare a home: %w %s", err, said)
		}
		if name == "killed" {
			c.groups, c.dieAt, c.dieOn = 0, vault.PointVault, 15
			more, said, state, err := o.life(ctx, c, 0, nil)
			if err != nil || state.ExitCode() >= 0 {
				return nil, fmt.Errorf("prepare a home: %w %s", err, said)
			}
			acks = append(acks, more...)
		}
		files, err := filesOf(dir)
		if err != nil {
			return nil, err
		}
		s := stock{name: name, dir: dir, files: files, acked: map[string]int{}}
		for _, a := range acks {
			s.acked[a.branch] = a.seq
		}
		whole := filepath.Join(o.Dir, name+"-whole")
		if err := s.copyTo(whole); err != nil {
			return nil, err
		}
		if s.truth, _, err = o.judge(ctx, vault.Home(whole)); err != nil {
			return nil, err
		}
		if wrong := s.truth.wrong(); len(wrong) > 0 || len(s.truth.Branches) < 4 {
			return nil, fmt.Errorf("prepare a home: it is not whole: it said %q; %q", s.truth.Report, wrong[:min(3, len(wrong))])
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
	where := fmt.Sprintf("%s home, %s: ", s.name, d.what)
	j, crashed, err := o.judge(ctx, vault.Home(dir))
	t.Crashed = crashed
	if err != nil {
		if ctx.Err() != nil {
			return t, ctx.Err()
		}
		t.Lost = append(t.Lost, where+err.Error())
		return t, nil
	}
	lost, silent, named := j.against(s)
	if d.landed && !named && strings.HasSuffix(d.kind, journalKind) && !s.unsure(d.what) {
		silent = append(silent, "a journal is not what it was")
	}
	if len(lost) > 0 && named && j.Error == "" {
		// What a table of the store lost is in the journals: the next start has it.
		if j, _, err = o.judge(ctx, vault.Home(dir)); err != nil {
			return t, err
		}
		lost, _, _ = j.against(s)
	}
	for _, row := range lost {
		t.Lost = append(t.Lost, where+row)
	}
	for _, row := range silent {
		t.Silent = append(t.Silent, where+row)
	}
	return t, nil
}

// against compares what a fresh process found with what was there. Lines stand
// twice, in journal and store, so a single fault may lose none. What else is not
// as it was must be named by a sentence of the opening or of the check.
func (j judgement) against(s stock) (lost, silent []string, named bool) {
	truth := s.truth
	if j.Error != "" {
		return []string{"it can't be opened: " + j.Error}, nil, true
	}
	known := map[string]bool{}
	for _, s := range append(slices.Clone(truth.Report), truth.Check...) {
		known[s] = true
	}
	for _, s := range append(slices.Clone(j.Report), j.Check...) {
		named = named || !known[s]
	}
	tell := func(always bool, format string, args ...any) {
		if always || !named {
			silent = append(silent, fmt.Sprintf(format, args...))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(truth.Branches)) {
		want, got := truth.Branches[id], j.Branches[id]
		// What nobody acknowledged stands in the journal alone, and its last line is
		// vouched for by nothing yet: it may be gone, or other.
		n := s.acked[id]
		torn := n < len(want.Chains)
		if len(got.Chains) < n || !torn && len(got.Chains) > n || !slices.Equal(want.Chains[:n], got.Chains[:n]) || got.Error != "" || got.Damage != "" && !torn {
			lost = append(lost, fmt.Sprintf("%.8s had %d lines, has %d: %s%s; said: %q", id, len(want.Chains), len(got.Chains), got.Error, got.Damage, j.Report))
		}
		for h := range want.Texts {
			switch state := got.Texts[h]; {
			case state == good, state == "" && torn:
			case strings.HasPrefix(state, "other bytes"):
				tell(true, "text %.8s: %s", h, state)
			default:
				tell(false, "text %.8s: %s", h, state)
			}
		}
	}
	for id := range j.Branches {
		if _, ok := truth.Branches[id]; !ok {
			tell(false, "a history %.8s appeared", id)
		}
	}
	for name, value := range truth.Locals {
		if got := j.Locals[name]; got != value {
			tell(got != "not_found" && got != "damaged", "the local record %s is %q", name, got)
		}
	}
	return lost, silent, named
}
