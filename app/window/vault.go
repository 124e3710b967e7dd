//go:build window

package window

import (
	"context"

	"cairn/app/dto"
)

// keptBackups is how many backups the window keeps in Cairn's folder.
const keptBackups = 5

// Vault is what the records take, and what was said of them at opening.
func (a *App) Vault() (dto.VaultState, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.VaultState, error) { return s.Vault(ctx) })
}

func (a *App) VaultCheck() (dto.VaultCheck, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.VaultCheck, error) { return s.VaultCheck(ctx) })
}

func (a *App) VaultCompact() (dto.VaultCompact, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.VaultCompact, error) { return s.VaultCompact(ctx) })
}

// VaultBackup writes a backup into Cairn's folder; `cairn vault backup --to` names
// another one.
func (a *App) VaultBackup() (dto.VaultBackup, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.VaultBackup, error) {
		return s.VaultBackup(ctx, "", keptBackups)
	})
}
