package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cairn/app/dto"
	"cairn/app/view"
	"cairn/engine"
)

func (t *tool) acceptCmd() *cobra.Command {
	return &cobra.Command{
		Use: "accept TASK CLAIM", Short: "Say that a claim is right, or take a candidate as a claim", Args: takes("TASK", "CLAIM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				v, err := s.View(ctx, id, 0)
				if err != nil {
					return err
				}
				list, err := s.Candidates(ctx, id)
				if err != nil {
					return err
				}
				c, found, err := claimOrCandidate(v, list, args[1])
				if err != nil {
					return err
				}
				if found != nil {
					return t.acceptCandidate(ctx, s, id, found)
				}
				if err := s.Accept(ctx, id, c); err != nil {
					return err
				}
				return t.done(c, "Saved: you checked this claim and found it right.")
			})
		},
	}
}

func (t *tool) acceptCandidate(ctx context.Context, s dto.Service, id string, f *found) error {
	p := f.candidate.Place
	c, err := s.AcceptCandidate(ctx, id, f.question, p.Source, p.From, p.To)
	if err != nil {
		return err
	}
	return t.done(c, "Saved as a claim that you checked: "+short(c)+"\n  “"+f.candidate.Text+"”\nNot what you meant? `cairn retract` takes it back.")
}

func (t *tool) retractCmd() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "retract TASK CLAIM --reason TEXT", Short: "Take a claim back; no later step undoes it", Args: takes("TASK", "CLAIM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.onClaim(cmd, args, func(ctx context.Context, s dto.Service, id, c string) error {
				if err := s.Retract(ctx, id, c, reason); err != nil {
					return err
				}
				return t.done(c, "Saved: the claim is taken back. What rests on it is to be redone.")
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	return cmd
}

func (t *tool) editCmd() *cobra.Command {
	var text string
	cmd := &cobra.Command{
		Use: "edit TASK CLAIM --text TEXT", Short: "Put your wording in the place of a claim's", Args: takes("TASK", "CLAIM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(text) == "" {
				return misuse{"The new wording is missing.", usageLine(cmd)}
			}
			return t.onClaim(cmd, args, func(ctx context.Context, s dto.Service, id, c string) error {
				next, err := s.Edit(ctx, id, c, text)
				if err != nil {
					return err
				}
				return t.done(next, "Saved as "+short(next)+", checked by you.")
			})
		},
	}
	cmd.Flags().StringVar(&text, "text", "", "the claim in your words")
	return cmd
}

func (t *tool) onClaim(cmd *cobra.Command, args []string, fn func(ctx context.Context, s dto.Service, id, claim string) error) error {
	return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
		id, err := t.task(ctx, s, args[0])
		if err != nil {
			return err
		}
		v, err := s.View(ctx, id, 0)
		if err != nil {
			return err
		}
		c, err := claim(v, args[1])
		if err != nil {
			return err
		}
		return fn(ctx, s, id, c)
	})
}

func (t *tool) done(claim, sentence string) error {
	return t.print(map[string]string{"claim": claim, "sentence": sentence}, func(w io.Writer) { fmt.Fprintln(w, sentence) })
}

func (t *tool) exportCmd() *cobra.Command {
	var out string
	var withhold bool
	cmd := &cobra.Command{
		Use: "export TASK -o FILE", Short: "Write a task as a .cairn.md file that others can read and check", Args: takes("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return misuse{"It is missing which file to write.", usageLine(cmd)}
			}
			path, err := filepath.Abs(out)
			if err != nil {
				return ran{err}
			}
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				if out == "-" {
					text, err := s.RenderExport(ctx, id, withhold)
					if err != nil {
						return err
					}
					_, err = io.WriteString(t.Out, text)
					return err
				}
				v, err := s.Export(ctx, id, path, withhold)
				if err != nil {
					return err
				}
				return t.print(v, func(w io.Writer) { fmt.Fprintf(w, "Wrote %s. %s\n", path, v.Sentence) })
			})
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write; - for standard output")
	cmd.Flags().BoolVar(&withhold, "withhold-log", false, "leave out calls, refusals and accounts; only their hashes travel")
	return cmd
}

func (t *tool) importCmd() *cobra.Command {
	var folder string
	var yes bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take over a .cairn.md file as a new task", Args: takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return ran{err}
			}
			if folder != "" {
				if folder, err = filepath.Abs(folder); err != nil {
					return ran{err}
				}
			}
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				p, err := s.PreviewImport(ctx, path)
				if err != nil {
					return err
				}
				t.writePreview(p)
				if !yes && t.Screen && !t.agrees("Take it over? Type yes:") {
					return usage("Nothing was taken over.", "Answer yes, or give --yes.")
				}
				id, err := s.AcceptImport(ctx, p.Token, folder)
				if err != nil {
					return err
				}
				return t.print(struct {
					Task    string      `json:"task"`
					Preview dto.Preview `json:"preview"`
				}{id, p}, func(w io.Writer) { fmt.Fprintln(w, id) })
			})
		},
	}
	cmd.Flags().StringVar(&folder, "sources", "", "folder with the documents, to check quotes against them")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (t *tool) writePreview(p dto.Preview) {
	if t.quiet {
		return
	}
	o := writer{t.Err}
	o.line(0, "%s (%s)", p.Title, p.From)
	o.line(0, "%s, %s, %s, %d of them checked by the sender.", view.Count(p.Lines, "line", "lines"),
		view.Count(p.Questions, "question", "questions"), view.Count(p.Claims, "claim", "claims"), p.Checked)
	switch {
	case p.Here > 0:
		o.line(0, "Of %s the text of %d is here already, so its quotes can be checked.", view.Count(p.Sources, "source", "sources"), p.Here)
	case p.Sources == 1:
		o.line(0, "Its source is not here yet; --sources names a folder to look for it in.")
	case p.Sources > 0:
		o.line(0, "None of the %s is here yet; --sources names a folder to look for them in.", view.Count(p.Sources, "source", "sources"))
	}
	for _, w := range p.Warnings {
		o.line(0, "! %s", w)
	}
}

func (t *tool) verifyCmd() *cobra.Command {
	return &cobra.Command{
		Use: "verify FILE", Short: "Check a .cairn.md file; needs no records", Args: takes("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := t.Verify(args[0])
			if err != nil {
				return ran{err}
			}
			if err := t.print(v, func(w io.Writer) { fmt.Fprintln(w, printable(v.Sentence)) }); err != nil {
				return ran{err}
			}
			if !v.Good {
				return ran{&engine.Error{Kind: engine.KindVerification, What: printable(filepath.Base(args[0])) + " does not hold.", Safe: "Nothing was changed."}}
			}
			return nil
		},
	}
}
