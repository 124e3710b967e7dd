package socket

import (
	"context"

	"cairn/app/dto"
)

func (c *Client) Vault(ctx context.Context) (dto.VaultState, error) {
	return call[dto.VaultState](ctx, c, "Vault")
}

func (c *Client) VaultCheck(ctx context.Context) (dto.VaultCheck, error) {
	return call[dto.VaultCheck](ctx, c, "VaultCheck")
}

func (c *Client) VaultCompact(ctx context.Context) (dto.VaultCompact, error) {
	return call[dto.VaultCompact](ctx, c, "VaultCompact")
}

func (c *Client) VaultBackup(ctx context.Context, folder string, keep int) (dto.VaultBackup, error) {
	return call[dto.VaultBackup](ctx, c, "VaultBackup", folder, keep)
}
