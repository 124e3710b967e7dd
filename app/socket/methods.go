package socket

import (
	"context"

	"cairn/app/dto"
)

// The methods of dto.Service; the owner's documentation of each is there.

func (c *Client) Tasks(ctx context.Context) ([]dto.TaskSummary, error) {
	return call[[]dto.TaskSummary](ctx, c, "Tasks")
}

func (c *Client) View(ctx context.Context, task string, at int64) (dto.View, error) {
	return call[dto.View](ctx, c, "View", task, at)
}

func (c *Client) Sources(ctx context.Context, task string) ([]dto.Source, error) {
	return call[[]dto.Source](ctx, c, "Sources", task)
}

func (c *Client) SourceText(ctx context.Context, task, source string, from, to int64) (dto.SourceText, error) {
	return call[dto.SourceText](ctx, c, "SourceText", task, source, from, to)
}

func (c *Client) Timeline(ctx context.Context, task string, full bool) ([]dto.Entry, error) {
	return call[[]dto.Entry](ctx, c, "Timeline", task, full)
}

func (c *Client) Candidates(ctx context.Context, task string) ([]dto.Question, error) {
	return call[[]dto.Question](ctx, c, "Candidates", task)
}

func (c *Client) CheckForm(ctx context.Context, form dto.NewTask) (dto.FormCheck, error) {
	return call[dto.FormCheck](ctx, c, "CheckForm", form)
}

func (c *Client) Create(ctx context.Context, form dto.NewTask) (string, error) {
	return call[string](ctx, c, "Create", form)
}

func (c *Client) Run(ctx context.Context, task string) error {
	return do(ctx, c, "Run", task)
}

func (c *Client) Stop(ctx context.Context, task string) error {
	return do(ctx, c, "Stop", task)
}

func (c *Client) Delete(ctx context.Context, task string) (string, error) {
	return call[string](ctx, c, "Delete", task)
}

func (c *Client) Ask(ctx context.Context, task, text string) (string, error) {
	return call[string](ctx, c, "Ask", task, text)
}

func (c *Client) DropQuestion(ctx context.Context, task, question, reason string) error {
	return do(ctx, c, "DropQuestion", task, question, reason)
}

func (c *Client) ReopenQuestion(ctx context.Context, task, question string) error {
	return do(ctx, c, "ReopenQuestion", task, question)
}

func (c *Client) AcceptCandidate(ctx context.Context, task, question, source string, from, to int64) (string, error) {
	return call[string](ctx, c, "AcceptCandidate", task, question, source, from, to)
}

func (c *Client) Accept(ctx context.Context, task, claim string) error {
	return do(ctx, c, "Accept", task, claim)
}

func (c *Client) Judge(ctx context.Context, task, claim, verdict, reason string) error {
	return do(ctx, c, "Judge", task, claim, verdict, reason)
}

func (c *Client) Retract(ctx context.Context, task, claim, reason string) error {
	return do(ctx, c, "Retract", task, claim, reason)
}

func (c *Client) Edit(ctx context.Context, task, claim, text string) (string, error) {
	return call[string](ctx, c, "Edit", task, claim, text)
}

func (c *Client) AddNote(ctx context.Context, task string, note dto.Note) (string, error) {
	return call[string](ctx, c, "AddNote", task, note)
}

func (c *Client) SetAside(ctx context.Context, task, source, reason string) error {
	return do(ctx, c, "SetAside", task, source, reason)
}

func (c *Client) TakeBack(ctx context.Context, task, source string) error {
	return do(ctx, c, "TakeBack", task, source)
}

func (c *Client) Undo(ctx context.Context, task string) (string, error) {
	return call[string](ctx, c, "Undo", task)
}

func (c *Client) Export(ctx context.Context, task, path string, withhold bool) (dto.Verification, error) {
	return call[dto.Verification](ctx, c, "Export", task, path, withhold)
}

func (c *Client) RenderExport(ctx context.Context, task string, withhold bool) (string, error) {
	return call[string](ctx, c, "RenderExport", task, withhold)
}

func (c *Client) PreviewImport(ctx context.Context, path string) (dto.Preview, error) {
	return call[dto.Preview](ctx, c, "PreviewImport", path)
}

func (c *Client) AcceptImport(ctx context.Context, token, folder string) (string, error) {
	return call[string](ctx, c, "AcceptImport", token, folder)
}

func (c *Client) Setup(ctx context.Context) (dto.Setup, error) {
	return call[dto.Setup](ctx, c, "Setup")
}

func (c *Client) Preferences(ctx context.Context) (dto.Preferences, error) {
	return call[dto.Preferences](ctx, c, "Preferences")
}

func (c *Client) SetPreferences(ctx context.Context, p dto.Preferences) error {
	return do(ctx, c, "SetPreferences", p)
}

func (c *Client) SetModel(ctx context.Context, task, model string) error {
	return do(ctx, c, "SetModel", task, model)
}

func (c *Client) Doctor(ctx context.Context) ([]dto.Check, error) {
	return call[[]dto.Check](ctx, c, "Doctor")
}
