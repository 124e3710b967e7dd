package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cairn/vault"
)

// A home with one fault is opened by a fresh process, audited, checked and, where
// anything was found, started once more, which mends. Every difference from what was
// there must be named: the text, the record, the line, the file.

// verdict of a trial.
type verdict struct {
	lost, silent []string
	crashes      int
}

// difference from what was there. One that is named by its key is not silent; one
// that may not be at all, because what is stored twice survives one fault, is a loss.
type difference struct {
	key, what string
	or        string // another way to name it
	never     bool   // wrong whatever is said: other bytes than were saved
	loss      bool
}

func (s stock) compare(ctx context.Context, o Options, d damaged, home vault.Home) (v verdict) {
	first, crashed, err := o.judge(ctx, home, settings{stage: stageJudge})
	if crashed {
		v.crashes++
	}
	if err != nil {
		v.lost = append(v.lost, err.Error())
		return v
	}
	if first.Error != "" {
		v.lost = append(v.lost, "it can't be opened: "+first.Error)
		return v
	}
	said := first.sentences(s.truth)
	found := s.differences(first)
	if d.landed && !s.fileNamed(d, first, said) {
		v.silent = append(v.silent, "the file is not what it was, and that is not said")
	}
	if len(said) == 0 {
		for _, f := range found {
			if f.loss {
				v.lost = append(v.lost, f.what)
			} else {
				v.silent = append(v.silent, f.what)
			}
		}
		return v
	}
	for _, f := range found {
		if f.never {
			v.silent = append(v.silent, f.what)
		}
	}
	// What the check found is mended by the next start, or stays named.
	second, crashed, err := o.judge(ctx, home, settings{stage: stageJudge})
	if crashed {
		v.crashes++
	}
	switch {
	case v.crashes > 1:
		v.lost = append(v.lost, "two starts crashed")
	case err != nil:
		v.lost = append(v.lost, "at the next start: "+err.Error())
	case second.Error != "":
		v.lost = append(v.lost, "at the next start it can't be opened: "+second.Error)
	}
	if len(v.lost) > 0 {
		return v
	}
	all := strings.Join(append(said, second.sentences(s.truth)...), "\n")
	for _, f := range s.differences(second) {
		switch {
		case f.loss:
			v.lost = append(v.lost, "at the next start: "+f.what)
		case f.never || !strings.Contains(all, f.key) && (f.or == "" || !strings.Contains(all, f.or)):
			v.silent = append(v.silent, "at the next start: "+f.what)
		}
	}
	if len(v.lost) > 0 {
		v.lost = append(v.lost[:min(3, len(v.lost))], "said was: "+strings.ReplaceAll(all, "\n", " | ")[:min(2000, len(all))])
	}
	if len(v.silent) > 0 {
		v.silent = append(v.silent[:min(3, len(v.silent))], "said was only: "+strings.ReplaceAll(all, "\n", " | ")[:min(900, len(all))])
	}
	return v
}

// sentences are all that a judgement says that the one of the whole home did not.
func (j judgement) sentences(truth judgement) []string {
	known := map[string]bool{}
	for _, s := range truth.all() {
		known[s] = true
	}
	return slices.DeleteFunc(j.all(), func(s string) bool { return known[s] })
}

func (j judgement) all() []string {
	out := slices.Clone(j.Report)
	for _, f := range j.Faults {
		out = append(out, f.File+" · "+f.Record+" · "+f.What)
	}
	for _, id := range slices.Sorted(maps.Keys(j.Branches)) {
		b := j.Branches[id]
		if b.Fault != "" {
			out = append(out, "task "+id+": "+b.Fault)
		}
		out = append(out, b.Audit...)
	}
	return out
}

// fileNamed: a journal or a backup that is not what it was is named as a file, or its
// mending was told. Of the others what they hold is compared.
func (s stock) fileNamed(d damaged, j judgement, said []string) bool {
	journal := strings.HasPrefix(d.file, "journal/") && !s.unsure(d.file)
	backup := strings.HasPrefix(d.file, "backups/") && !strings.HasPrefix(d.kind, "missing")
	if !journal && !backup {
		return true
	}
	if slices.ContainsFunc(j.Faults, func(f vault.Fault) bool { return f.File == filepath.ToSlash(d.file) && f.Record != "" }) {
		return true
	}
	return journal && slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "journal") || strings.Contains(s, "Journal") })
}

// differences between what a judgement found and what was there.
func (s stock) differences(j judgement) (out []difference) {
	add := func(d difference, format string, args ...any) {
		d.what = fmt.Sprintf(format, args...)
		out = append(out, d)
	}
	for _, id := range slices.Sorted(maps.Keys(s.truth.Branches)) {
		want, got := s.truth.Branches[id], j.Branches[id]
		// What nobody acknowledged stands in the journal alone, and its last line is
		// vouched for by nothing yet: it may be gone, or other.
		n := s.acked[id]
		torn := n < len(want.Chains)
		switch {
		case len(got.Chains) < n, !torn && len(got.Chains) > n, !slices.Equal(want.Chains[:n], got.Chains[:n]), got.Error != "", got.Damage != "" && !torn:
			add(difference{key: id, loss: true}, "history %.8s had %d lines, has %d: %s%s", id, len(want.Chains), len(got.Chains), got.Error, got.Damage)
			continue
		case got.Damage != "" && torn, len(got.Chains) != len(want.Chains) || !slices.Equal(want.Chains, got.Chains):
			continue // its end, which nobody acknowledged
		}
		if got.State != want.State && got.Fault == "" {
			add(difference{key: id, never: true}, "task %.8s has another state", id)
		}
		gone := 0
		for _, h := range slices.Sorted(maps.Keys(want.Texts)) {
			if state := got.Texts[h]; state != good {
				gone++
				or := "of the prompts, replies and other texts"
				if name := want.Of[h]; name != "" {
					or = "“" + name + "”"
				}
				add(difference{key: h, or: or, never: strings.HasPrefix(state, "other bytes")}, "text %.8s of %s: %.60q", h, want.Of[h], state)
			}
		}
		if got.Fault != "" && gone == 0 {
			add(difference{key: id, loss: true}, "task %.8s can't be used: %s", id, got.Fault)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(j.Branches)) {
		if _, ok := s.truth.Branches[id]; !ok {
			add(difference{key: id}, "a history %.8s appeared", id)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.truth.Locals)) {
		value, got := s.truth.Locals[name], j.Locals[name]
		if got == value || strings.HasPrefix(name, "lab/") {
			continue
		}
		_, short, _ := strings.Cut(name, "/")
		add(difference{key: short, never: got != "not_found" && got != "damaged"}, "the local record %s was %.8s and is %.8s", name, value, got)
	}
	return out
}
