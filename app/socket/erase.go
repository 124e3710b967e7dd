package socket

import (
	"context"

	"cairn/app/dto"
)

func (c *Client) PlanErase(ctx context.Context, task, source string) (dto.Removal, error) {
	return call[dto.Removal](ctx, c, "PlanErase", task, source)
}

func (c *Client) Erase(ctx context.Context, task, source string) (dto.Removal, error) {
	return call[dto.Removal](ctx, c, "Erase", task, source)
}
