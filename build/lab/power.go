package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cairn/engine/ledger"
	"cairn/vault"
)

// powerLab cuts the power of a process that saves: it answers every sync of the
// process itself and so knows what a disk would have kept. The home folder is left
// with that, and of what was not synced with some pages and names and not others.
func powerLab() Lab {
	return Lab{
		Name: "power", About: "images of the folder after a power cut, in which pages that were not synced are old or new", Short: 40, Usual: 300, Long: 10000,
		Faults: []Fault{
			{"no-sync", "the store's transactions are not synced", ""},
			{"no-journal-sync", "the journal is not synced", ""},
			{"early-ack", "a group is acknowledged before it is saved", ""},
		},
		Memory:  true, // the disk is its own
		Missing: missingWatch,
		Run:     runPower,
	}
}

// powerHome is a home that goes through cut after cut.
type powerHome struct {
	dir         vault.Home
	acks        []ack
	pages, hits int // old pages and old names in the last image
}

func runPower(ctx context.Context, o Options, p *Progress) error {
	var h *powerHome
	pages, names := 0, 0
	p.begin = now()
	for i := range o.N {
		if i%livesInAHome == 0 {
			if h != nil {
				if err := os.RemoveAll(string(h.dir)); err != nil {
					return fmt.Errorf("remove a home: %w", err)
				}
			}
			h = &powerHome{dir: vault.Home(filepath.Join(o.Dir, fmt.Sprintf("home-%d", i)))}
		}
		t, err := o.cut(ctx, h, o.Seed+uint64(i))
		if err != nil {
			return err
		}
		pages, names = pages+h.pages, names+h.hits
		t.Seed, t.N = o.Seed+uint64(i-i%livesInAHome), i%livesInAHome+1
		if err := p.Add(t); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(p.Out, "in all images %d pages and %d names were not the newest\n", pages, names)
	return err
}

// inJournals says which acknowledged places the journals alone do not hold: they
// are the record, whatever the store holds.
func inJournals(home vault.Home, acks []ack) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(home.Journals(), "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("list the journals: %w", err)
	}
	held := map[string]bool{}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a journal: %w", err)
		}
		for line := range strings.Lines(string(body)) {
			line = strings.TrimSuffix(line, "\n")
			if prev, err := prevOf([]byte(line)); err == nil { // half a line is none
				held[prev.Extend(ledger.HashOf([]byte(line))).String()] = true
			}
		}
	}
	var out []string
	for _, a := range acks {
		if !held[a.chain] {
			out = append(out, fmt.Sprintf("line %d of %.8s was acknowledged and is in no journal", a.seq, a.branch))
		}
	}
	return out, nil
}

// told adds to failures, where there are any, what was said while opening.
func (j judgement) told(failures []string) []string {
	if len(failures) == 0 {
		return nil
	}
	more := ""
	if len(failures) > 5 {
		failures, more = failures[:5], fmt.Sprintf("; and %d more", len(failures)-5)
	}
	return append(failures, fmt.Sprintf("the opening said %q%s", j.Report, more))
}
