//go:build window

package window

import (
	"context"
	"errors"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
)

// App is what the page can call: the methods of dto.Service without a context,
// and what only a window has. Every method waits until the vault is open and
// turns a panic into an error, because a promise whose method panicked is never
// settled by Wails.
type App struct{ core *core }

// call runs fn with the service, with the window's context and a net below.
func call[T any](a *App, fn func(context.Context, dto.Service) (T, error)) (out T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = problem.Caught(v)
			a.core.report(err)
		}
	}()
	s, err := a.core.ready()
	if err != nil {
		return out, err
	}
	out, err = fn(a.core.ctx, s)
	if err != nil {
		return out, err
	}
	return dto.Whole(out), nil
}

// act is call for methods without a result.
func act(a *App, fn func(context.Context, dto.Service) error) error {
	_, err := call(a, func(ctx context.Context, s dto.Service) (bool, error) { return true, fn(ctx, s) })
	return err
}

// ---- reading -----------------------------------------------------------------

func (a *App) Tasks() ([]dto.TaskSummary, error) {
	return call(a, func(ctx context.Context, s dto.Service) ([]dto.TaskSummary, error) { return s.Tasks(ctx) })
}

func (a *App) View(task string, at int64) (dto.View, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.View, error) { return s.View(ctx, task, at) })
}

func (a *App) Sources(task string) ([]dto.Source, error) {
	return call(a, func(ctx context.Context, s dto.Service) ([]dto.Source, error) { return s.Sources(ctx, task) })
}

func (a *App) SourceText(task, source string, from, to int64) (dto.SourceText, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.SourceText, error) {
		return s.SourceText(ctx, task, source, from, to)
	})
}

func (a *App) Timeline(task string, full bool) ([]dto.Entry, error) {
	return call(a, func(ctx context.Context, s dto.Service) ([]dto.Entry, error) { return s.Timeline(ctx, task, full) })
}

func (a *App) Candidates(task string) ([]dto.Question, error) {
	return call(a, func(ctx context.Context, s dto.Service) ([]dto.Question, error) { return s.Candidates(ctx, task) })
}

// ---- tasks -------------------------------------------------------------------

func (a *App) CheckForm(form dto.NewTask) (dto.FormCheck, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.FormCheck, error) { return s.CheckForm(ctx, form) })
}

func (a *App) Create(form dto.NewTask) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.Create(ctx, form) })
}

func (a *App) Run(task string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.Run(ctx, task) })
}

func (a *App) Stop(task string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.Stop(ctx, task) })
}

func (a *App) Delete(task string) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.Delete(ctx, task) })
}

// PlanErase is what the confirmation shows; source "" is the whole task.
func (a *App) PlanErase(task, source string) (dto.Removal, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.Removal, error) { return s.PlanErase(ctx, task, source) })
}

// Erase does it. It tells how far it is by events of the kind "vault".
func (a *App) Erase(task, source string) (dto.Removal, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.Removal, error) { return s.Erase(ctx, task, source) })
}

// ---- a person's acts -----------------------------------------------------------

func (a *App) Ask(task, text string) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.Ask(ctx, task, text) })
}

func (a *App) DropQuestion(task, question, reason string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.DropQuestion(ctx, task, question, reason) })
}

func (a *App) ReopenQuestion(task, question string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.ReopenQuestion(ctx, task, question) })
}

func (a *App) AcceptCandidate(task, question, source string, from, to int64) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) {
		return s.AcceptCandidate(ctx, task, question, source, from, to)
	})
}

func (a *App) Accept(task, claim string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.Accept(ctx, task, claim) })
}

func (a *App) Judge(task, claim, verdict, reason string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.Judge(ctx, task, claim, verdict, reason) })
}

func (a *App) Retract(task, claim, reason string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.Retract(ctx, task, claim, reason) })
}

func (a *App) Edit(task, claim, text string) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.Edit(ctx, task, claim, text) })
}

func (a *App) AddNote(task string, note dto.Note) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.AddNote(ctx, task, note) })
}

func (a *App) SetAside(task, source, reason string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.SetAside(ctx, task, source, reason) })
}

func (a *App) TakeBack(task, source string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.TakeBack(ctx, task, source) })
}

func (a *App) Undo(task string) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.Undo(ctx, task) })
}

// ---- hand-off ------------------------------------------------------------------

// Export writes to a path that ChooseSave gave.
func (a *App) Export(task, path string, withhold bool) (dto.Verification, error) {
	if !a.core.chosen(path) {
		return dto.Verification{}, notChosen(path)
	}
	return call(a, func(ctx context.Context, s dto.Service) (dto.Verification, error) {
		return s.Export(ctx, task, path, withhold)
	})
}

func (a *App) RenderExport(task string, withhold bool) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.RenderExport(ctx, task, withhold) })
}

// PreviewImport reads a path that ChooseOpen, a double click or a drop gave.
func (a *App) PreviewImport(path string) (dto.Preview, error) {
	if !a.core.chosen(path) {
		return dto.Preview{}, notChosen(path)
	}
	return call(a, func(ctx context.Context, s dto.Service) (dto.Preview, error) { return s.PreviewImport(ctx, path) })
}

func (a *App) AcceptImport(token, folder string) (string, error) {
	return call(a, func(ctx context.Context, s dto.Service) (string, error) { return s.AcceptImport(ctx, token, folder) })
}

// ---- the machine ---------------------------------------------------------------

// Setup answers also when the vault could not be opened: then its Error says why
// and the page shows that instead of the tasks.
func (a *App) Setup() (dto.Setup, error) {
	set, err := call(a, func(ctx context.Context, s dto.Service) (dto.Setup, error) { return s.Setup(ctx) })
	if err == nil {
		return set, nil
	}
	p := problem.Of(err)
	return dto.Whole(dto.Setup{Stage: "error", Sentence: p.What, Error: &p, Version: a.core.opt.Version, LeftS: -1}), nil
}

func (a *App) Preferences() (dto.Preferences, error) {
	return call(a, func(ctx context.Context, s dto.Service) (dto.Preferences, error) { return s.Preferences(ctx) })
}

func (a *App) SetPreferences(p dto.Preferences) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.SetPreferences(ctx, p) })
}

func (a *App) SetModel(task, model string) error {
	return act(a, func(ctx context.Context, s dto.Service) error { return s.SetModel(ctx, task, model) })
}

func (a *App) Doctor() ([]dto.Check, error) {
	return call(a, func(ctx context.Context, s dto.Service) ([]dto.Check, error) { return s.Doctor(ctx) })
}

// ---- only a window has these ------------------------------------------------------

// Seen is what the page saw of itself when its first view stood.
type Seen struct {
	Title      string   `json:"title"`      // title of the task shown, "" when none
	Tasks      int      `json:"tasks"`      // tasks in the list
	Violations []string `json:"violations"` // breaches of the content security policy since load
	Errors     []string `json:"errors"`     // uncaught errors since load
}

// WindowReady is called by the page once its first view stands and its listener
// for "cairn" events is set. It returns the events that came earlier (a file
// opened by double click). Called again after each reload.
func (a *App) WindowReady(seen Seen) ([]dto.Event, error) {
	return dto.Whole(a.core.pageReady(seen)), nil
}

// ChooseFolder shows the system's dialog; "" when it was closed without a choice.
func (a *App) ChooseFolder() (string, error) { return a.core.choose(dialogFolder, "") }

// ChooseSave asks where to write an export; name is proposed. "" = no choice.
func (a *App) ChooseSave(name string) (string, error) { return a.core.choose(dialogSave, name) }

// ChooseOpen asks for a hand-off file to import. "" = no choice.
func (a *App) ChooseOpen() (string, error) { return a.core.choose(dialogOpen, "") }

// RevealFile shows a file that was chosen in this window in the system's file
// manager.
func (a *App) RevealFile(path string) error {
	if !a.core.chosen(path) {
		return notChosen(path)
	}
	return reveal(path)
}

// Quit ends the program; what runs is saved first (at most three seconds).
func (a *App) Quit() { a.core.now().Quit() }

func notChosen(path string) error {
	return &engine.Error{
		Kind: engine.KindUsage,
		What: "This window does not know the file “" + base(path) + "”.",
		Safe: "Nothing was read or written.",
		Do:   "Choose the file with the button, so that it is you who names it.",
		Err:  errors.New("path was not given by a dialog"),
	}
}
