package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/problem"
	"cairn/app/view"
	"cairn/engine"
	"cairn/engine/run"
)

// stopWait is how long stopping may take after Ctrl-C.
const stopWait = 5 * time.Second

func (t *tool) runCmd() *cobra.Command {
	return &cobra.Command{
		Use: "run TASK", Short: "Work on a task until it is done; Ctrl-C stops at once", Args: takes("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd, Long, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				return t.runAndShow(ctx, s, id)
			})
		},
	}
}

func (t *tool) runAndShow(ctx context.Context, s dto.Service, id string) error {
	v, err := t.follow(ctx, s, id)
	if err != nil {
		return err
	}
	if err := t.printView(ctx, s, v, false); err != nil {
		return err
	}
	return outcome(v)
}

// outcome is the error of a run that ended before its work did.
func outcome(v dto.View) error {
	switch v.Status.State {
	case "done":
		return nil
	case "stopped":
		if strings.Contains(v.Status.Detail, view.Reason(run.ReasonBudget)) {
			return nil // the time that the person gave it is its good end
		}
		return &engine.Error{Kind: engine.KindCancelled, What: "The task was stopped before it was done.", Safe: "Everything so far is saved.", Do: "Run it again to go on."}
	}
	kind := engine.KindInternal
	switch v.Status.State {
	case "disk_full":
		kind = engine.KindDiskFull
	case "read_only":
		kind = engine.KindReadOnly
	case "damaged":
		kind = engine.KindDamaged
	case "stuck", "needs_you":
		kind = engine.KindBusy
	}
	return &engine.Error{Kind: kind, What: problem.Stop(v.Status.Sentence), Safe: "Everything so far is saved.", Do: v.Status.Detail}
}

// follow starts a task, shows what goes on, and gives the view at its end.
func (t *tool) follow(ctx context.Context, s dto.Service, id string) (dto.View, error) {
	p := t.progress()
	defer p.done()
	watch, stop := context.WithCancel(ctx)
	defer stop()
	events := make(chan dto.Event, 256)
	ended := make(chan error, 1)
	go func() {
		ended <- s.Watch(watch, id, func(e dto.Event) {
			select {
			case events <- e:
			default: // display only; what counts is asked for below
			}
		})
	}()
	if err := s.Run(ctx, id); err != nil {
		return dto.View{}, err
	}
	look := time.NewTicker(500 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), run.ErrQuit) {
				return dto.View{}, t.quit(id, p)
			}
			return dto.View{}, t.interrupt(s, id, p)
		case err := <-ended:
			if ctx.Err() == nil && err != nil && !errors.Is(err, context.Canceled) {
				return dto.View{}, err
			}
		case e := <-events:
			switch {
			case e.Kind == "stream":
				p.text(e.Text)
			case e.Kind == "status" && e.Status != nil && e.Status.Running:
				p.show(statusLine(*e.Status))
				continue
			case e.Kind != "status" && e.Kind != "tasks":
			default:
				if v, over, err := standing(ctx, s, id); err != nil || over {
					return v, err
				}
			}
		case <-look.C:
			if v, over, err := standing(ctx, s, id); err != nil || over {
				return v, err
			}
		}
	}
}

// standing asks whether the run has ended.
func standing(ctx context.Context, s dto.Service, id string) (dto.View, bool, error) {
	v, err := s.View(ctx, id, 0)
	return v, err == nil && !v.Status.Running, err
}

// interrupt stops the run after Ctrl-C and says that it is saved.
func (t *tool) interrupt(s dto.Service, id string, p *progress) error {
	ctx, done := context.WithTimeout(context.Background(), stopWait)
	defer done()
	if err := s.Stop(ctx, id); err != nil {
		return err
	}
	v, err := s.View(ctx, id, 0)
	if err != nil {
		return err
	}
	p.say("Stopped. Saved " + t.clock(v.Status.SavedAt) + "; `cairn run " + short(id) + "` goes on from there.")
	return &engine.Error{Kind: engine.KindCancelled, What: "The task was stopped before it was done.", Safe: "Nothing is lost.", Do: "Run it again to go on."}
}

// quit leaves the run to the end of this program, which saves it as interrupted:
// nobody wanted it stopped. A run in another process goes on there.
func (t *tool) quit(id string, p *progress) error {
	p.say("Ended from outside. What is finished is saved; `cairn run " + short(id) + "` goes on from there.")
	return &engine.Error{
		Kind: engine.KindCancelled, What: "Cairn was ended before the task was done.", Safe: "Nothing is lost.",
		Do: "The task goes on by itself when Cairn is opened again, unless that is switched off.",
	}
}

func (t *tool) clock(ms int64) string {
	if ms == 0 {
		return "now"
	}
	return time.UnixMilli(ms).In(t.Now().Location()).Format("15:04:05")
}

func statusLine(s dto.Status) string {
	// A problem stands here as a sentence; the rest of the line goes on from it.
	line := strings.TrimRight(s.Sentence, ".")
	var more []string
	switch {
	case s.Step == "":
	case line != s.Sentence:
		more = append(more, s.Step)
	default:
		line += ": " + s.Step
	}
	if s.LeftS > 0 {
		more = append(more, left(s.LeftS)+" left")
	}
	if len(more) > 0 {
		line += " (" + strings.Join(more, "; ") + ")"
	}
	if s.Detail != "" {
		line = problem.Stop(line) + " " + s.Detail
	} else if line == strings.TrimRight(s.Sentence, ".") {
		line = s.Sentence
	}
	return printable(line)
}

func left(seconds float64) string {
	d := time.Duration(seconds) * time.Second
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

func (t *tool) demoCmd() *cobra.Command {
	var out string
	var noModel, terminal bool
	cmd := &cobra.Command{
		Use: "demo", Short: "Run the sample task in the terminal and write its .cairn.md", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := home.Find(t.homeFlag)
			if err != nil {
				return ran{err}
			}
			return t.with(cmd, Long, func(ctx context.Context, s dto.Service) error {
				return t.demo(ctx, s, h, out, noModel)
			})
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "sample.cairn.md", "file to write")
	cmd.Flags().BoolVar(&noModel, "no-model", false, "search only; no model is asked")
	cmd.Flags().BoolVar(&terminal, "terminal", true, "in the terminal (the only way there is)")
	if err := cmd.Flags().MarkHidden("terminal"); err != nil {
		panic(err) // the flag is defined one line above
	}
	return cmd
}

func (t *tool) demo(ctx context.Context, s dto.Service, h home.Home, out string, noModel bool) error {
	form, err := t.Sample(h)
	if err != nil {
		return err
	}
	p := t.progress()
	form.Model, form.Depth = "-", "quick" // a demonstration ends within half an hour on any machine
	if !noModel {
		if form.Model, err = t.model(ctx, s, p); err != nil {
			return err
		}
	}
	id, err := s.Create(ctx, form)
	if err != nil {
		return err
	}
	if err := t.settle(ctx, s, id); err != nil {
		return err
	}
	p.say("The sample task is " + short(id) + ".")
	v, err := t.follow(ctx, s, id)
	if err != nil {
		return err
	}
	if form.Model == "-" {
		p.say("No model has read anything. The sentences below are what search found; `cairn accept` makes them claims.")
	}
	path, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	check, err := s.Export(ctx, id, path, false)
	if err != nil {
		return err
	}
	if v.Status.Trial {
		p.say("This model is for trying only: it is far too small to be right about anything.")
	}
	if err := t.print(struct {
		Task   string           `json:"task"`
		File   string           `json:"file"`
		View   dto.View         `json:"view"`
		Verify dto.Verification `json:"verify"`
	}{id, path, v, check}, func(w io.Writer) {
		writeView(w, v, nil, false)
		fmt.Fprintf(w, "\nWrote %s. %s\n", path, check.Sentence)
	}); err != nil {
		return err
	}
	if form.Model == "-" {
		return nil // without a model the questions stay open; that is its good end
	}
	return outcome(v)
}

// model waits a little for a runtime that is being started, and names the model
// at hand; "-" when there is none.
func (t *tool) model(ctx context.Context, s dto.Service, p *progress) (string, error) {
	for range 600 {
		set, err := s.Setup(ctx)
		if err != nil {
			return "", err
		}
		switch set.Stage {
		case "ready":
			for _, m := range set.Models {
				if m.Default {
					p.say("Using " + m.Name + ". " + m.Note)
					return m.Name, nil
				}
			}
			return "-", nil
		case "no_model", "error":
			p.say(set.Sentence + " Going on by search alone.")
			return "-", nil
		}
		p.show(set.Sentence)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	p.say("The runtime did not get ready in time. Going on by search alone.")
	return "-", nil
}
