package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"cairn/app"
	"cairn/app/cli"
	"cairn/app/dto"
	"cairn/app/home"
	"cairn/engine"
	"cairn/vault"
)

// keeper is the vault as the app looks after it.
type keeper struct {
	store   *vault.Store
	clock   engine.Clock
	notices []string // what opening reported, and where the folder stands
}

var _ app.Keeper = (*keeper)(nil)

func (k *keeper) State(ctx context.Context) (dto.VaultState, error) {
	st, err := k.store.Stats(ctx)
	if err != nil {
		return dto.VaultState{}, err
	}
	list, err := vault.Backups(k.store.Home().Backups())
	if err != nil {
		return dto.VaultState{}, err
	}
	out := dto.VaultState{
		Folder: string(k.store.Home()), Histories: int64(st.Branches), Lines: st.Lines, Store: st.Vault, Journals: st.Journals,
		Aside: st.Aside, Drafts: st.Drafts, Free: int64(min(st.Free, 1<<62)), ReadOnly: st.ReadOnly, Notices: append([]string{}, k.notices...),
	}
	for _, b := range list {
		out.Backups = append(out.Backups, backup(b, nil))
	}
	return out, nil
}

func (k *keeper) Check(ctx context.Context, tell app.Progress) (dto.VaultCheck, error) {
	r, err := k.store.Examine(ctx, vault.Progress(tell))
	return dto.VaultCheck{Records: r.Records, Texts: r.Texts, Histories: r.Histories, Lines: r.Lines, Backups: r.Backups,
		Mends: r.Mends, Faults: faults(r.Faults)}, err
}

func (k *keeper) Compact(ctx context.Context, tell app.Progress) (dto.VaultCompact, error) {
	c, err := k.store.Compact(ctx, vault.Progress(tell))
	return dto.VaultCompact{Before: c.Before, After: c.After, Dropped: int64(c.Dropped)}, err
}

func (k *keeper) Backup(ctx context.Context, folder string, keep int, tell app.Progress) (dto.VaultBackup, error) {
	b, removed, err := k.store.Backup(ctx, folder, k.clock.Now(), keep, vault.Progress(tell))
	return backup(b, removed), err
}

func (k *keeper) Journal(branch string) string {
	return filepath.ToSlash(filepath.Join(filepath.Base(k.store.Home().Journals()), filepath.Base(k.store.Home().Journal(branch))))
}

func (k *keeper) Room() error { return k.store.Room() }

func backup(b vault.Backup, removed []string) dto.VaultBackup {
	return dto.VaultBackup{Path: b.Path, At: b.At.UnixMilli(), Bytes: b.Bytes, Records: b.Records, Histories: b.Histories,
		Lines: b.Lines, Removed: append([]string{}, removed...)}
}

func faults(list []vault.Fault) []dto.VaultFault {
	out := []dto.VaultFault{}
	for _, f := range list {
		out = append(out, dto.VaultFault(f))
	}
	return out
}

// closedVault is what the command line does with records that nobody has open.
func closedVault(o vault.Options) cli.Vault {
	return cli.Vault{
		Repair: func(ctx context.Context, h home.Home, tell func(string, int64, int64)) (out dto.VaultRepair, err error) {
			lock, err := vault.Lock(vault.Home(h.Dir))
			if err != nil {
				return out, err
			}
			defer func() { err = errors.Join(err, lock.Release()) }()
			r, err := vault.Repair(ctx, vault.Home(h.Dir), lock, o, tell)
			if err != nil {
				return out, err
			}
			return repaired(r), nil
		},
		Restore: func(ctx context.Context, h home.Home, path string, aside bool, tell func(string, int64, int64)) (out dto.VaultRestore, err error) {
			lock, err := vault.Lock(vault.Home(h.Dir))
			if err != nil {
				return out, err
			}
			defer func() { err = errors.Join(err, lock.Release()) }()
			r, err := vault.Restore(ctx, vault.Home(h.Dir), lock, path, aside, o, tell)
			if err != nil {
				return out, err
			}
			out.Backup, out.Aside = backup(r.Backup, nil), r.Aside
			out.Sentence = fmt.Sprintf("The backup is in place: %d histories with %d lines.", r.Histories, r.Lines)
			if r.Aside != "" {
				out.Sentence += " The records that were here before were moved, and nothing of them was changed."
			}
			return out, nil
		},
	}
}

// repaired words what a repair did.
func repaired(r vault.Repaired) dto.VaultRepair {
	out := dto.VaultRepair{Found: faults(r.Found), Done: append([]string{}, r.Done...), Left: faults(r.Left), Sound: len(r.Left) == 0}
	switch {
	case !out.Sound:
		out.Sentence = "Some of the damage can't be mended."
	case len(out.Found) == 0 && len(out.Done) == 0:
		out.Sentence = "Everything is whole; there was nothing to repair."
	default:
		out.Sentence = "Everything is whole now."
	}
	return out
}
