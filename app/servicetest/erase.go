package servicetest

import (
	"context"

	"cairn/app/dto"
)

func (f *Fake) PlanErase(_ context.Context, task, source string) (dto.Removal, error) {
	return ask[dto.Removal](f, "PlanErase", task, source)
}

func (f *Fake) Erase(_ context.Context, task, source string) (dto.Removal, error) {
	return ask[dto.Removal](f, "Erase", task, source)
}
