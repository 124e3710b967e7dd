package servicetest

import (
	"context"

	"cairn/app/dto"
)

func (f *Fake) Vault(context.Context) (dto.VaultState, error) {
	return ask[dto.VaultState](f, "Vault")
}

func (f *Fake) VaultCheck(context.Context) (dto.VaultCheck, error) {
	return ask[dto.VaultCheck](f, "VaultCheck")
}

func (f *Fake) VaultCompact(context.Context) (dto.VaultCompact, error) {
	return ask[dto.VaultCompact](f, "VaultCompact")
}

func (f *Fake) VaultBackup(_ context.Context, folder string, keep int) (dto.VaultBackup, error) {
	return ask[dto.VaultBackup](f, "VaultBackup", folder, keep)
}
