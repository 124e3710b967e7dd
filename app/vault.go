package app

import (
	"context"
	"fmt"
	"path/filepath"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/view"
	"cairn/engine"
	"cairn/engine/audit"
)

// Progress says how far something is that takes long; total 0 = not known.
type Progress func(doing string, done, total int64)

// Keeper looks after the vault as a whole. Its results have no sentences; those are
// the service's. Calls may take as long as reading or writing everything.
type Keeper interface {
	State(ctx context.Context) (dto.VaultState, error)
	Check(ctx context.Context, tell Progress) (dto.VaultCheck, error)
	Compact(ctx context.Context, tell Progress) (dto.VaultCompact, error)
	Backup(ctx context.Context, folder string, keep int, tell Progress) (dto.VaultBackup, error)
	// Journal names the file of a branch's lines in Cairn's folder.
	Journal(branch string) string
	// Room gives KindDiskFull while there is too little free space to save a step.
	Room() error
}

func (s *Service) keeper() (Keeper, error) {
	if s.cfg.Vault == nil {
		return nil, usage("This Cairn keeps its records in memory.", "Use one with a folder.")
	}
	return s.cfg.Vault, nil
}

// Vault is what the records take, and what the person should know about them.
func (s *Service) Vault(ctx context.Context) (dto.VaultState, error) {
	k, err := s.keeper()
	if err != nil {
		return dto.VaultState{}, err
	}
	st, err := k.State(ctx)
	if err != nil {
		return st, err
	}
	s.mu.Lock()
	st.Notices = append(st.Notices, s.notices...)
	s.mu.Unlock()
	return dto.Whole(st), nil
}

// notice keeps a sentence for the person; the window and `cairn doctor` show it.
func (s *Service) notice(sentence string) {
	s.mu.Lock()
	s.notices = append(s.notices, sentence)
	s.mu.Unlock()
	if s.cfg.Log != nil {
		fmt.Fprintln(s.cfg.Log, "cairn:", sentence)
	}
	s.bus.send(dto.Event{Kind: "vault"})
}

// tell sends how far something is to whoever watches.
func (s *Service) tell(doing string, done, total int64) {
	text := fmt.Sprintf("%s: %d", doing, done)
	if total > 0 {
		text = fmt.Sprintf("%s: %d of %d", doing, done, total)
	}
	s.bus.send(dto.Event{Kind: "vault", Text: text})
}

// VaultCheck reads every record, text and journal, and folds and audits every task.
func (s *Service) VaultCheck(ctx context.Context) (dto.VaultCheck, error) {
	k, err := s.keeper()
	if err != nil {
		return dto.VaultCheck{}, err
	}
	c, err := k.Check(ctx, s.tell)
	if err != nil {
		return c, err
	}
	branches, err := s.desk.Branches(ctx)
	if err != nil {
		return c, err
	}
	for i, b := range branches {
		s.tell("auditing tasks", int64(i+1), int64(len(branches)))
		if b.Damage != "" {
			continue // named already
		}
		faults, err := s.auditBranch(ctx, k, b)
		if err != nil {
			return c, err
		}
		c.Faults = append(c.Faults, faults...)
		c.Audited++
	}
	return dto.Whole(checked(c)), nil
}

// auditBranch folds a branch's lines anew and holds them against the invariants.
func (s *Service) auditBranch(ctx context.Context, k Keeper, b engine.Branch) ([]dto.VaultFault, error) {
	file := k.Journal(b.ID)
	fault := func(seq int64, what string) dto.VaultFault {
		record := "history " + b.ID
		if seq > 0 {
			record = fmt.Sprintf("line %d", seq)
		}
		return dto.VaultFault{File: file, Record: record, What: what}
	}
	h, err := s.handle(ctx, b.ID)
	if err == nil {
		err = h.task.Fault()
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return []dto.VaultFault{fault(0, "A task can't be opened: "+problem.Of(err).What)}, nil
	}
	st := h.task.Snapshot() // a run goes on meanwhile
	report, err := audit.Audit(ctx, st, h.task.Blobs(), audit.Options{
		Lines: func(fn func(int64, []byte) error) error {
			return h.task.Lines(ctx, 1, func(seq int64, line []byte) error {
				if seq > st.Seq {
					return nil
				}
				return fn(seq, line)
			})
		},
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return []dto.VaultFault{fault(0, "A task can't be audited: "+problem.Of(err).What)}, nil
	}
	var out []dto.VaultFault
	for _, p := range report.Problems {
		if p.Class == audit.Invariant {
			out = append(out, fault(p.Seq, p.Message))
		}
	}
	return out, nil
}

// checked words a check.
func checked(c dto.VaultCheck) dto.VaultCheck {
	c.Sound = len(c.Faults) == 0
	read := fmt.Sprintf("%s, %s and %s were read, %s audited",
		view.Count(c.Records, "record", "records"), view.Count(c.Texts, "text", "texts"),
		view.Count(c.Lines, "line of the journals", "lines of the journals"), view.Count(c.Audited, "task", "tasks"))
	switch {
	case c.Sound:
		c.Sentence = read + ": everything is whole."
	case c.Mends:
		c.Sentence = read + ": " + view.Count(int64(len(c.Faults)), "thing is damaged.", "things are damaged.")
		c.Do = "Close Cairn and run “cairn vault repair”, or open it again: what is damaged in one place is written again from the other. The damaged files are kept in the folder aside."
	default:
		c.Sentence = read + ": " + view.Count(int64(len(c.Faults)), "thing is damaged.", "things are damaged.")
		c.Do = "A repair does not change this. What can be read is kept: go on from a checkpoint before the damage, restore a backup, or import a good copy."
	}
	return c
}

// VaultCompact writes the store anew and says what that gave back.
func (s *Service) VaultCompact(ctx context.Context) (dto.VaultCompact, error) {
	k, err := s.keeper()
	if err != nil {
		return dto.VaultCompact{}, err
	}
	c, err := k.Compact(ctx, s.tell)
	if err != nil {
		return c, err
	}
	if c.Sentence = fmt.Sprintf("The store takes %s now; it took %s.", size(c.After), size(c.Before)); c.Before <= c.After {
		c.Sentence = fmt.Sprintf("The store takes %s; there was nothing to give back.", size(c.After))
	}
	return dto.Whole(c), nil
}

// VaultBackup writes a backup, reads it back, and removes older ones beyond keep.
func (s *Service) VaultBackup(ctx context.Context, folder string, keep int) (dto.VaultBackup, error) {
	k, err := s.keeper()
	if err != nil {
		return dto.VaultBackup{}, err
	}
	if keep < 0 {
		return dto.VaultBackup{}, usage("A number of backups to keep can't be negative.", "Give 0 to keep all.")
	}
	if folder != "" && !filepath.IsAbs(folder) {
		return dto.VaultBackup{}, usage("The folder for backups has to be named in full.", "Begin its name at the top of the disk.")
	}
	b, err := k.Backup(ctx, folder, keep, s.tell)
	if err != nil {
		return b, err
	}
	b.Sentence = fmt.Sprintf("Backed up %s with %s, %s, and read back whole.",
		view.Count(b.Histories, "history", "histories"), view.Count(b.Lines, "line", "lines"), size(b.Bytes))
	if n := int64(len(b.Removed)); n > 0 {
		b.Sentence += " " + view.Count(n, "older backup was removed.", "older backups were removed.")
	}
	if folder == "" {
		b.Sentence += " It stands on the same disk as the records: a copy elsewhere survives the disk too."
	} else {
		b.Sentence += " Deleting a task does not reach a backup there."
	}
	return dto.Whole(b), nil
}
