//go:build window

package window

import (
	"context"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"cairn/app/dto"
)

type dialog int

const (
	dialogFolder dialog = iota
	dialogSave
	dialogOpen
)

// shell is the part of the Wails runtime that the window uses; tests give their own.
type shell interface {
	Emit(e dto.Event)
	Dialog(kind dialog, name string) (string, error)
	Show()
	Reload()
	Quit()
}

// EventName is the one name under which every event reaches the page.
const EventName = "cairn"

// wails is the real shell. Its context is a handle and never used to cancel.
type wails struct{ ctx context.Context }

func (w wails) Emit(e dto.Event) { runtime.EventsEmit(w.ctx, EventName, e) }

func (w wails) Dialog(kind dialog, name string) (string, error) {
	filter := []runtime.FileFilter{{DisplayName: "Cairn hand-off (*.cairn.md)", Pattern: "*.cairn.md;*.md"}}
	switch kind {
	case dialogFolder:
		return runtime.OpenDirectoryDialog(w.ctx, runtime.OpenDialogOptions{Title: "Folder with the documents"})
	case dialogSave:
		return runtime.SaveFileDialog(w.ctx, runtime.SaveDialogOptions{
			Title: "Save the hand-off", DefaultFilename: name, CanCreateDirectories: true, Filters: filter,
		})
	default:
		return runtime.OpenFileDialog(w.ctx, runtime.OpenDialogOptions{Title: "Open a hand-off", Filters: filter})
	}
}

func (w wails) Show() {
	runtime.WindowUnminimise(w.ctx)
	runtime.WindowShow(w.ctx)
}

func (w wails) Reload() { runtime.WindowReloadApp(w.ctx) }

func (w wails) Quit() { runtime.Quit(w.ctx) }

// nobody stands in until Wails has given its context.
type nobody struct{}

func (nobody) Emit(dto.Event)                        {}
func (nobody) Dialog(dialog, string) (string, error) { return "", nil }
func (nobody) Show()                                 {}
func (nobody) Reload()                               {}
func (nobody) Quit()                                 {}
