package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cairn/app/dto"
)

func (t *tool) deleteCmd() *cobra.Command {
	var yes, only bool
	var source string
	cmd := &cobra.Command{
		Use: "delete TASK [--source SOURCE]", Short: "Delete a task, an alternative or a document of a task for good", Args: takes("TASK"),
		Long: `Deletes for good: from the store, the journals, the drafts, the backups in Cairn's
folder and everything that was set aside there. A task goes with its alternatives, an
alternative with those that began in it. With --source a document goes, with what
quotes it or rests on it: the task is written again without it, under a new id, and
its history before that is gone. First it is listed what goes, what stays and what it
can't reach, and asked for your word.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.watched(cmd, func(ctx context.Context, s dto.Service, still func()) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				src := ""
				if cmd.Flags().Changed("source") {
					if src, err = t.source(ctx, s, id, source); err != nil {
						return err
					}
				}
				if only || !yes {
					plan, err := s.PlanErase(ctx, id, src)
					if err != nil {
						return err
					}
					if only {
						return t.print(plan, func(w io.Writer) { writeRemoval(w, plan, "Would be removed:") })
					}
					writeRemoval(t.Err, plan, "Is removed:")
					if !t.agrees(printable(plan.Question) + " This can't be undone. Type yes:") {
						return usage("Nothing was deleted.", "Answer yes, or give --yes.")
					}
				}
				r, err := s.Erase(ctx, id, src)
				still()
				if r.Done {
					if perr := t.print(deleted{Deleted: id, Removal: r}, func(w io.Writer) {
						fmt.Fprintln(w, printable(r.Sentence))
						if r.Now != "" {
							fmt.Fprintln(w, r.Now)
						}
						if yes {
							writeRemoval(w, r, "Removed:")
						}
					}); perr != nil {
						return perr
					}
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&source, "source", "", "`document` to delete: its file name, or the beginning of its id")
	f.BoolVar(&yes, "yes", false, "do not ask")
	f.BoolVar(&only, "list", false, "only list what would go, and delete nothing")
	return cmd
}

// deleted is the result for programs.
type deleted struct {
	Deleted string `json:"deleted"`
	dto.Removal
}

// source finds a document by its file name or the beginning of its id.
func (t *tool) source(ctx context.Context, s dto.Service, task, name string) (string, error) {
	list, err := s.Sources(ctx, task)
	if err != nil {
		return "", err
	}
	var ids, same []string
	for _, row := range list {
		ids = append(ids, row.ID)
		if row.Name == name {
			same = append(same, row.ID)
		}
	}
	if len(same) == 1 {
		return same[0], nil
	}
	if len(same) > 1 {
		var short []string
		for _, id := range same {
			short = append(short, id[:min(len(id), shown)])
		}
		return "", usage(fmt.Sprintf("%d documents are called %q: %s.", len(same), name, strings.Join(short, ", ")), "Use one of these ids.")
	}
	return pick("document", name, ids)
}

// writeRemoval lists what goes, what stays, and what is out of reach.
func writeRemoval(w io.Writer, r dto.Removal, head string) {
	list := func(head string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintln(w, head)
		for _, item := range items {
			fmt.Fprintln(w, "  "+printable(item))
		}
	}
	list(head, r.Removed)
	list("Of what you wrote yourself, this goes too:", r.Yours)
	list("Stays in Cairn's folder:", r.Stays)
	list("Out of reach:", r.Beyond)
}
