package servicetest

import "context"

func (f *Fake) Branch(_ context.Context, task string, at int64, name string) (string, error) {
	return ask[string](f, "Branch", task, at, name)
}

func (f *Fake) Join(_ context.Context, task, other string) (string, error) {
	return ask[string](f, "Join", task, other)
}
