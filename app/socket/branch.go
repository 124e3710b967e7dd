package socket

import "context"

func (c *Client) Branch(ctx context.Context, task string, at int64, name string) (string, error) {
	return call[string](ctx, c, "Branch", task, at, name)
}

func (c *Client) Join(ctx context.Context, task, other string) (string, error) {
	return call[string](ctx, c, "Join", task, other)
}
