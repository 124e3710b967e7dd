//go:build window

// Package window is the desktop window: the only importer of Wails. It binds
// App for the page, forwards events, and keeps quitting quick.
package window

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"

	wailsapp "github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"cairn/app/dto"
	"cairn/app/problem"
)

// Options of Run. Open is called once, beside the window's creation; its error
// becomes a page that says what happened. Drain is called once before the window
// closes and gets at most three seconds. SelfTest is a file to write what was
// seen to; then the window quits by itself.
type Options struct {
	Assets   fs.FS
	Open     func(context.Context) (dto.Service, error)
	Drain    func(context.Context)
	Show     <-chan []string // a second start: show the window and open these files
	Files    []string        // hand-off files named at the start
	Version  string
	Log      io.Writer
	SelfTest string
	Dark     bool // the first colour behind the page, so that nothing flashes
}

// Run opens the window and returns when it has closed.
func Run(opt Options) error {
	// With the graphics card busy with a model, software rendering is the safe
	// choice; this one must be set before WebKit starts.
	if _, set := os.LookupEnv("WEBKIT_DISABLE_DMABUF_RENDERER"); !set {
		if err := os.Setenv("WEBKIT_DISABLE_DMABUF_RENDERER", "1"); err != nil {
			return err
		}
	}
	c := newCore(opt)
	defer c.end()
	a := &App{core: c}
	back := options.NewRGB(0xf6, 0xf4, 0xf0)
	if opt.Dark {
		back = options.NewRGB(0x17, 0x19, 0x1c)
	}
	return wailsapp.Run(&options.App{
		Title: "Cairn", Width: 1280, Height: 820, MinWidth: 900, MinHeight: 600,
		BackgroundColour: back,
		AssetServer:      &assetserver.Options{Assets: opt.Assets},
		Menu:             menus(c),
		Bind:             []any{a},
		OnStartup:        func(ctx context.Context) { c.start(wails{ctx}) },
		OnDomReady:       func(ctx context.Context) { c.domReady(ctx) },
		OnBeforeClose:    func(context.Context) bool { return c.beforeClose() },
		ErrorFormatter:   func(err error) any { return wire(err) },
		LogLevel:         logger.ERROR, LogLevelProduction: logger.ERROR,
		DragAndDrop: &options.DragAndDrop{EnableFileDrop: true},
		Linux:       &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever, ProgramName: "cairn"},
	})
}

// wire is an error as it travels to the page. The Wails runtime there wraps it by
// new Error(x), which would make "[object Object]" of anything but text.
func wire(err error) string {
	b, jerr := json.Marshal(problem.Of(err))
	if jerr != nil { // four strings always fit; kept so that no error is ever lost
		return err.Error()
	}
	return string(b)
}

// domReady runs inside the message loop and must not wait for anything.
func (c *core) domReady(ctx context.Context) {
	c.mu.Lock()
	c.listens = false // a new page: it listens again once it says so
	c.mu.Unlock()
	runtime.OnFileDropOff(ctx)
	runtime.OnFileDrop(ctx, func(_, _ int, paths []string) {
		for _, p := range paths {
			c.openFile(p)
		}
	})
}

// menus holds what must work also when the page is dead.
func menus(c *core) *menu.Menu {
	m := menu.NewMenu()
	if goos == "darwin" {
		m.Append(menu.AppMenu())
		m.Append(menu.EditMenu())
	}
	app := m.AddSubmenu("Cairn")
	app.AddText("Reload window", keys.CmdOrCtrl("r"), func(*menu.CallbackData) { c.now().Reload() })
	app.AddSeparator()
	app.AddText("Quit", keys.CmdOrCtrl("q"), func(*menu.CallbackData) { c.now().Quit() })
	return m
}

func (c *core) now() shell {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shell
}
