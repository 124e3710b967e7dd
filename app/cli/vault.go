package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/engine"
)

// Vault does what needs a folder that no process has open. Each takes the folder's
// lock, and gives KindBusy, having changed nothing, when another process holds it.
type Vault struct {
	Repair  func(ctx context.Context, h home.Home, tell func(doing string, done, total int64)) (dto.VaultRepair, error)
	Restore func(ctx context.Context, h home.Home, path string, aside bool, tell func(doing string, done, total int64)) (dto.VaultRestore, error)
}

// keepBackups is how many backups stay where nobody says a number.
const keepBackups = 5

func (t *tool) vaultCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "vault", Short: "Check, repair, compact, back up or restore Cairn's records",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse{fmt.Sprintf("“%s” is no command of `cairn vault`.", args[0]), "Run `cairn vault --help` to see what there is."}
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(t.vaultCheckCmd(), t.vaultRepairCmd(), t.vaultCompactCmd(), t.vaultBackupCmd(), t.vaultBackupsCmd(), t.vaultRestoreCmd())
	return cmd
}

func (t *tool) vaultCheckCmd() *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Read every record, text, journal and backup and audit every task", Args: takes(),
		Long: `Reads every record against its checksum, every text against its hash, every journal
line against the store and the chain, every backup, and audits every task. It changes
nothing and works beside an open window. It ends with 3 when something is damaged.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.watched(cmd, func(ctx context.Context, s dto.Service, still func()) error {
				c, err := s.VaultCheck(ctx)
				still()
				if err != nil {
					return err
				}
				if err := t.print(c, func(w io.Writer) {
					writeFaults(w, c.Faults)
					fmt.Fprintln(w, printable(c.Sentence))
				}); err != nil || c.Sound {
					return err
				}
				return unsound(c.Do)
			})
		},
	}
}

func (t *tool) vaultCompactCmd() *cobra.Command {
	return &cobra.Command{
		Use: "compact", Short: "Write the store anew and give back the space it no longer needs", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.watched(cmd, func(ctx context.Context, s dto.Service, still func()) error {
				c, err := s.VaultCompact(ctx)
				still()
				if err != nil {
					return err
				}
				return t.print(c, func(w io.Writer) { fmt.Fprintln(w, printable(c.Sentence)) })
			})
		},
	}
}

func (t *tool) vaultBackupCmd() *cobra.Command {
	var to string
	keep := keepBackups
	cmd := &cobra.Command{
		Use: "backup", Short: "Write a backup of all records, and read it back", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			folder := to
			if folder != "" {
				abs, err := filepath.Abs(folder)
				if err != nil {
					return ran{fmt.Errorf("find the folder: %w", err)}
				}
				folder = abs
			}
			return t.watched(cmd, func(ctx context.Context, s dto.Service, still func()) error {
				b, err := s.VaultBackup(ctx, folder, keep)
				still()
				if err != nil {
					return err
				}
				return t.print(b, func(w io.Writer) {
					fmt.Fprintln(w, printable(b.Path))
					fmt.Fprintln(w, printable(b.Sentence))
				})
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "`folder` for the backup (else backups in Cairn's folder)")
	cmd.Flags().IntVar(&keep, "keep", keep, "`number` of backups to keep in that folder, 0 for all")
	return cmd
}

func (t *tool) vaultBackupsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "backups", Short: "List the backups in Cairn's folder", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				st, err := s.Vault(ctx)
				if err != nil {
					return err
				}
				return t.print(st.Backups, func(w io.Writer) {
					if len(st.Backups) == 0 {
						fmt.Fprintln(w, "There is no backup in Cairn's folder.")
					}
					for _, b := range st.Backups {
						fmt.Fprintf(w, "%8.1f MB  %s\n", float64(b.Bytes)/1e6, printable(b.Path))
					}
				})
			})
		},
	}
}

func (t *tool) vaultRepairCmd() *cobra.Command {
	return &cobra.Command{
		Use: "repair", Short: "Mend what a check finds, as far as it can be", Args: takes(),
		Long: `Compares journals and store line by line, writes again in one what is damaged there and
whole in the other, and checks again. Damaged files are moved to the folder aside and
kept. Cairn must be closed. It ends with 3 when something is left that can't be mended.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.closed(cmd, func(ctx context.Context, h home.Home, p *progress) error {
				if t.Vault.Repair == nil {
					return usage("This program can't repair records.", "")
				}
				r, err := t.Vault.Repair(ctx, h, p.far)
				p.done()
				if err != nil {
					return err
				}
				if err := t.print(r, func(w io.Writer) {
					writeFaults(w, r.Found)
					for _, line := range r.Done {
						fmt.Fprintln(w, printable(line))
					}
					if len(r.Left) > 0 {
						fmt.Fprintln(w, "Left:")
						writeFaults(w, r.Left)
					}
					fmt.Fprintln(w, printable(r.Sentence))
				}); err != nil || r.Sound {
					return err
				}
				return unsound("What can be read is kept: go on from a checkpoint before the damage, restore a backup, or import a good copy.")
			})
		},
	}
}

func (t *tool) vaultRestoreCmd() *cobra.Command {
	var aside bool
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Put a backup in place, beside what is there", Args: takes("FILE"),
		Long: `Reads the backup whole and puts its records into Cairn's folder. It never overwrites:
where there are records already it refuses, or with --set-aside moves them to the
folder aside, where they are kept. Cairn must be closed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.closed(cmd, func(ctx context.Context, h home.Home, p *progress) error {
				if t.Vault.Restore == nil {
					return usage("This program can't restore backups.", "")
				}
				r, err := t.Vault.Restore(ctx, h, args[0], aside, p.far)
				p.done()
				if err != nil {
					return err
				}
				return t.print(r, func(w io.Writer) {
					if r.Aside != "" {
						fmt.Fprintln(w, printable(r.Aside))
					}
					fmt.Fprintln(w, printable(r.Sentence))
				})
			})
		},
	}
	cmd.Flags().BoolVar(&aside, "set-aside", false, "move the records that are there to the folder aside first")
	return cmd
}

// watched runs fn with a session and shows how far the vault is meanwhile, also
// where another process does the work. fn calls still before it prints.
func (t *tool) watched(cmd *cobra.Command, fn func(ctx context.Context, s dto.Service, still func()) error) error {
	return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
		p := t.progress()
		watch, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			// What the watch gives when it ends is of no interest: fn has the result.
			_ = s.Watch(watch, "", func(e dto.Event) {
				if e.Kind == "vault" && e.Text != "" {
					p.show(upper(e.Text))
				}
			})
		}()
		err := fn(ctx, s, func() {
			stop()
			<-ended
			p.done()
		})
		stop()
		<-ended
		p.done()
		return err
	})
}

// closed runs fn on a home that no other process may have open.
func (t *tool) closed(cmd *cobra.Command, fn func(context.Context, home.Home, *progress) error) error {
	h, err := home.Find(t.homeFlag)
	if err != nil {
		return ran{err}
	}
	err = fn(cmd.Context(), h, t.progress())
	if err == nil {
		return nil
	}
	if engine.KindOf(err) == engine.KindBusy {
		err = errors.Join(&engine.Error{
			Kind: engine.KindBusy, What: "Cairn is open with this folder, and this needs its records closed.",
			Safe: "Nothing was changed.", Do: "Close the window or end the other command, then run this again.",
		}, err)
	}
	return ran{err}
}

// far shows how far something is.
func (p *progress) far(doing string, done, total int64) {
	if total > 0 {
		p.show(upper(fmt.Sprintf("%s: %d of %d", doing, done, total)))
		return
	}
	p.show(upper(fmt.Sprintf("%s: %d", doing, done)))
}

func upper(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

func writeFaults(w io.Writer, faults []dto.VaultFault) {
	for _, f := range faults {
		fmt.Fprintf(w, "!!  %s, %s\n    %s\n", printable(f.File), printable(f.Record), printable(f.What))
	}
}

func unsound(do string) error {
	return &engine.Error{
		Kind: engine.KindVerification, What: "Something in Cairn's records is damaged.",
		Safe: "Nothing was changed by looking.", Do: do,
	}
}
