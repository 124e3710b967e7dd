package cli

import (
	"context"

	"github.com/spf13/cobra"

	"cairn/app/dto"
)

func (t *tool) branchCmd() *cobra.Command {
	var at int64
	var name string
	cmd := &cobra.Command{
		Use: "branch TASK [--at LINE] [--name TEXT]", Short: "Begin an alternative at a checkpoint; the task stays as it is", Args: takes("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at < 0 {
				return misuse{"The line of a checkpoint is a number from 1 on.", usageLine(cmd)}
			}
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				made, err := s.Branch(ctx, id, at, name)
				if err != nil {
					return err
				}
				return t.done(made, "Saved: the alternative "+short(made)+" begins there. It is a line of work of its own.")
			})
		},
	}
	cmd.Flags().Int64Var(&at, "at", 0, "line of the checkpoint that it begins after; without it the newest")
	cmd.Flags().StringVar(&name, "name", "", "what it is for")
	return cmd
}

func (t *tool) joinCmd() *cobra.Command {
	return &cobra.Command{
		Use: "join TASK OTHER", Short: "Take over the results of another alternative or task", Args: takes("TASK", "OTHER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				other, err := t.task(ctx, s, args[1])
				if err != nil {
					return err
				}
				said, err := s.Join(ctx, id, other)
				if err != nil {
					return err
				}
				return t.done(id, said)
			})
		},
	}
}
