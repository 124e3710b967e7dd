package dto

import "context"

// Service is what the window's bindings, the socket and the command line call.
// app.Service implements it; over the socket a client implements it too. Every
// error is an *engine.Error. Methods take ids, never paths from the page, except
// where a native dialog or the command line gave the path.
type Service interface {
	Tasks(ctx context.Context) ([]TaskSummary, error)
	View(ctx context.Context, task string, at int64) (View, error) // at: ledger seq, 0 = newest
	Sources(ctx context.Context, task string) ([]Source, error)
	SourceText(ctx context.Context, task, source string, from, to int64) (SourceText, error)
	Timeline(ctx context.Context, task string, full bool) ([]Entry, error) // full: calls and refusals too
	Candidates(ctx context.Context, task string) ([]Question, error)       // Question with Candidates filled

	CheckForm(ctx context.Context, form NewTask) (FormCheck, error)
	Create(ctx context.Context, form NewTask) (string, error) // task id
	Run(ctx context.Context, task string) error               // starts; returns at once
	Stop(ctx context.Context, task string) error              // stops at once, saved
	Delete(ctx context.Context, task string) (string, error)  // Erase without a source; its sentence
	// What deleting a task ("" for source), an alternative or a document of a task for
	// good takes away, what stays, and what it can't reach; PlanErase changes nothing.
	PlanErase(ctx context.Context, task, source string) (Removal, error)
	Erase(ctx context.Context, task, source string) (Removal, error)

	Ask(ctx context.Context, task, text string) (string, error) // a new question; its id
	DropQuestion(ctx context.Context, task, question, reason string) error
	ReopenQuestion(ctx context.Context, task, question string) error
	AcceptCandidate(ctx context.Context, task, question, source string, from, to int64) (string, error) // claim id
	Accept(ctx context.Context, task, claim string) error                                               // "you checked: right"
	Judge(ctx context.Context, task, claim, verdict, reason string) error                               // the person's verdict: says_more, unsure, right, wrong
	Retract(ctx context.Context, task, claim, reason string) error
	Edit(ctx context.Context, task, claim, text string) (string, error) // id of the corrected claim
	AddNote(ctx context.Context, task string, note Note) (string, error)
	SetAside(ctx context.Context, task, source, reason string) error
	TakeBack(ctx context.Context, task, source string) error
	Undo(ctx context.Context, task string) (string, error) // undoes the person's last act; sentence

	Branch(ctx context.Context, task string, at int64, name string) (string, error) // an alternative after the checkpoint at a line, 0 = newest; its id
	Join(ctx context.Context, task, other string) (string, error)                   // takes over another's results; sentence

	Export(ctx context.Context, task, path string, withhold bool) (Verification, error) // withhold log lines
	RenderExport(ctx context.Context, task string, withhold bool) (string, error)       // the finished page, as it will be written
	PreviewImport(ctx context.Context, path string) (Preview, error)
	AcceptImport(ctx context.Context, token, folder string) (string, error) // new task id; folder may be ""

	Setup(ctx context.Context) (Setup, error)
	Preferences(ctx context.Context) (Preferences, error)
	SetPreferences(ctx context.Context, p Preferences) error
	SetModel(ctx context.Context, task, model string) error
	Doctor(ctx context.Context) ([]Check, error)

	Vault(ctx context.Context) (VaultState, error)
	// These take as long as reading or writing the records does, and tell how far
	// they are by events of the kind "vault".
	VaultCheck(ctx context.Context) (VaultCheck, error)
	VaultCompact(ctx context.Context) (VaultCompact, error)
	VaultBackup(ctx context.Context, folder string, keep int) (VaultBackup, error) // folder "" = Cairn's own; keep 0 = all
	// Watch calls fn for each event until ctx ends. task "" = every task.
	Watch(ctx context.Context, task string, fn func(Event)) error
}
