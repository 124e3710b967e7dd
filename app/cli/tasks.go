package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
)

func (t *tool) newCmd() *cobra.Command {
	var form dto.NewTask
	var budget time.Duration
	cmd := &cobra.Command{
		Use: "new --goal TEXT --question TEXT… --sources DIR", Short: "Begin a task and print its id", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if budget < 0 {
				return misuse{"--budget can't be negative.", "Give a time like 90m or 2h30m."}
			}
			form.Budget = int64(budget / time.Second)
			if form.Folder != "" {
				dir, err := filepath.Abs(form.Folder)
				if err != nil {
					return ran{err}
				}
				form.Folder = dir
			}
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := s.Create(ctx, form)
				if err != nil {
					return err
				}
				// The task is there whatever becomes of the wait: its id is printed.
				waited := t.settle(ctx, s, id)
				if err := t.print(map[string]string{"task": id}, func(w io.Writer) { fmt.Fprintln(w, id) }); err != nil {
					return err
				}
				if waited != nil && ctx.Err() != nil {
					return &engine.Error{Kind: engine.KindCancelled, What: "Reading the folder stopped early.",
						Safe: "The task is saved, with what was read until then.", Do: "`cairn run " + short(id) + "` reads the rest and goes on.", Err: waited}
				}
				return waited
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&form.Goal, "goal", "", "what you want to find out")
	f.StringArrayVar(&form.Questions, "question", nil, "a question; may be given several times")
	f.StringArrayVar(&form.Constraints, "condition", nil, "a condition to keep; may be given several times")
	f.StringVar(&form.Folder, "sources", "", "folder with your documents")
	f.StringVar(&form.Title, "title", "", "a short title")
	f.StringVar(&form.Model, "model", "", `model to use; "-" for none (default: the one of the settings)`)
	f.StringVar(&form.Depth, "depth", dto.DefaultDepth, "quick, thorough or exhaustive")
	f.DurationVar(&budget, "budget", 0, "time the task may take, such as 2h30m")
	return cmd
}

// settle waits until the folder of a new task has been read.
func (t *tool) settle(ctx context.Context, s dto.Service, id string) error {
	p := t.progress()
	defer p.done()
	for {
		v, err := s.View(ctx, id, 0)
		if err != nil {
			return err
		}
		if v.Status.State != "starting" {
			switch {
			case v.Status.Detail == "":
			case v.Status.State == "needs_you":
				p.say(problem.Stop(v.Status.Sentence) + " " + v.Status.Detail)
			case v.Status.State == "ready":
				p.say(v.Status.Detail)
			}
			return nil
		}
		p.show(v.Status.Sentence)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (t *tool) tasksCmd() *cobra.Command {
	return &cobra.Command{
		Use: "tasks", Short: "List the tasks", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				list, err := s.Tasks(ctx)
				if err != nil {
					return err
				}
				return t.print(list, func(w io.Writer) {
					for _, row := range list {
						fmt.Fprintf(w, "%-*s  %-11s  %s\n", shown, short(row.ID), row.State, row.Title)
						if row.Line != "" && row.Line != row.Title {
							fmt.Fprintf(w, "%*s  %s\n", shown, "", row.Line)
						}
					}
					if len(list) == 0 {
						fmt.Fprintln(w, "No tasks yet. Begin one with `cairn new`.")
					}
				})
			})
		},
	}
}

// agrees asks; no answer is no.
func (t *tool) agrees(question string) bool {
	fmt.Fprint(t.Err, printable(question), " ")
	if t.In == nil {
		return false
	}
	answer, err := bufio.NewReader(t.In).ReadString('\n')
	if err != nil && answer == "" {
		fmt.Fprintln(t.Err)
		return false
	}
	return strings.EqualFold(strings.TrimSpace(answer), "yes")
}
