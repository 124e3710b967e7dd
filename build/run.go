package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"cairn/app/dto"
	"cairn/build/setup"
	"cairn/build/stage"
)

func runCommand(flags *flag.FlagSet) func(context.Context, *tool) error {
	terminal := flags.Bool("terminal", false, "run the sample task in the terminal, also where there is a screen")
	return func(ctx context.Context, t *tool) error {
		if *terminal || !hasDisplay() {
			return t.runTerminal(ctx)
		}
		return t.runWindow(ctx)
	}
}

func setupCommand(flags *flag.FlagSet) func(context.Context, *tool) error {
	terminal := flags.Bool("terminal", false, "without the window and what it needs")
	model := flags.Bool("model", false, "only the runtime and the starter model")
	return func(ctx context.Context, t *tool) error {
		if *model {
			return t.setUp(ctx, append([]stage.Stage{setup.Packages(setup.Wants{Runtime: true}, keyboard())}, t.model(ctx)...))
		}
		return t.setUp(ctx, append(t.build(ctx, !*terminal && hasLibraries()), t.model(ctx)...))
	}
}

// setUp runs the stages and leaves word for the window that all is in place.
func (t *tool) setUp(ctx context.Context, stages []stage.Stage) error {
	if _, err := t.runner.Run(ctx, stages); err != nil {
		return err
	}
	return t.place.Tell(dto.Setup{Stage: "ready", Sentence: "Everything is in place", LeftS: 0})
}

// hasDisplay reports whether a window can be shown.
func hasDisplay() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// hasLibraries reports whether the window can be built: always where packages
// can be installed, and without a display only if its libraries are there.
func hasLibraries() bool {
	return hasDisplay() || os.Geteuid() == 0 || len(setup.Needs(setup.Wants{Window: true})) == 0
}

// build gives the stages up to a program that can be started.
func (t *tool) build(ctx context.Context, window bool) []stage.Stage {
	_, ok := served(ctx)
	wants := setup.Wants{Window: window, Runtime: !ok}
	stages := []stage.Stage{setup.Packages(wants, keyboard())}
	if window {
		stages = append(stages, setup.Modules(t.place), setup.Page(t.place), setup.Program(t.place, setup.Window))
	} else {
		stages = append(stages, setup.Program(t.place, setup.Terminal))
	}
	return stages
}

// keyboard gives standard input where a person can answer a question there.
func keyboard() io.Reader {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return os.Stdin
}

// served reports whether this machine has an Ollama that runs and has a model.
// One without a model is left alone: the bundled one is built and used beside it.
func served(ctx context.Context) (setup.Ollama, bool) {
	found, running := setup.FindOllama(ctx)
	return found, running && found.Models > 0
}

// model gives the stages that bring a runtime and a starter model, as far as
// this machine has none.
func (t *tool) model(ctx context.Context) []stage.Stage {
	if found, ok := served(ctx); ok {
		t.out.Line(fmt.Sprintf("runtime    nothing to do: Ollama %s runs at %s and has a model", found.Version, found.Address))
		return nil
	}
	return []stage.Stage{
		t.place.Telling(setup.BuildRuntime(t.place), "building_runtime",
			"Building the Ollama runtime from source (36 MB)", "Run the same command again, or install Ollama from ollama.com and start it."),
		t.place.Telling(setup.Starter(t.place), "getting_model",
			"Fetching the starter model (98 MB)", "Run the same command again, or give Ollama a model of your choice."),
	}
}

// environment is how the program learns what was put in place.
func (t *tool) environment() []string {
	return []string{
		"CAIRN_SETUP=" + t.place.Status(),
		"CAIRN_RUNTIME=" + t.place.Runtime(),
		"CAIRN_MODELS=" + t.place.Models(),
		"CAIRN_STARTER=" + t.place.Starter(),
	}
}

// runWindow opens the window as soon as it is built; runtime and model follow
// behind it.
func (t *tool) runWindow(ctx context.Context) error {
	if _, err := t.runner.Run(ctx, t.build(ctx, true)); err != nil {
		return err
	}
	if err := t.place.Tell(dto.Setup{Stage: "checking", Sentence: "Looking for Ollama and a model", LeftS: -1}); err != nil {
		return err
	}
	window := t.start(setup.Window)
	if err := window.cmd.Start(); err != nil {
		return fmt.Errorf("open the window: %w", err)
	}
	t.out.Line("window     is open; what is still missing is made behind it")
	go window.wait()
	behind, cancel := context.WithCancel(ctx)
	defer cancel()
	made := make(chan error, 1)
	go func() { made <- t.behind(behind) }()
	for {
		select {
		case err := <-made:
			made = nil // a nil channel is never ready: only the window is waited for now
			if err != nil && behind.Err() == nil {
				t.out.Line(err.Error())
			}
		case err := <-window.ended:
			cancel()
			if made != nil {
				<-made
				t.out.Line("The window was closed before everything was made. The next run goes on from here.")
			}
			return windowEnd(ctx, err)
		case <-ctx.Done():
			window.stop()
			return ctx.Err()
		}
	}
}

func windowEnd(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("the window ended badly: %w. Everything shown as saved is saved; `bin/cairn doctor` says what is wrong", err)
}

// behind makes what is still missing while the window is open.
func (t *tool) behind(ctx context.Context) error {
	if err := t.setUp(ctx, t.model(ctx)); err != nil {
		return err
	}
	t.out.Line("ready      everything is in place; close the window to end")
	return nil
}

// runTerminal makes everything first and then runs the sample task to its end.
func (t *tool) runTerminal(ctx context.Context) error {
	if err := t.setUp(ctx, append(t.build(ctx, false), t.model(ctx)...)); err != nil {
		return err
	}
	program := t.start(setup.Terminal, "demo", "--terminal")
	if err := program.cmd.Start(); err != nil {
		return fmt.Errorf("start the sample task: %w", err)
	}
	go program.wait()
	select {
	case err := <-program.ended:
		if err != nil {
			return fmt.Errorf("the sample task: %w", err)
		}
		return nil
	case <-ctx.Done():
		program.stop()
		return ctx.Err()
	}
}

// child is the program while it runs.
type child struct {
	cmd   *exec.Cmd
	ended chan error
}

func (t *tool) start(v setup.Variant, args ...string) *child {
	cmd := exec.Command(v.Path(t.place), args...)
	cmd.Env = append(os.Environ(), t.environment()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return &child{cmd: cmd, ended: make(chan error, 1)}
}

func (c *child) wait() { c.ended <- c.cmd.Wait() }

// stop asks the program to end. Ctrl-C in a terminal has reached it already;
// a second signal does no harm. It saves and ends by itself; after a while it is killed,
// which costs at most the running call.
func (c *child) stop() {
	signal.Ignore(os.Interrupt)
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.ended:
	case <-time.After(10 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.ended
	}
}
