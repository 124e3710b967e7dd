// Package cli is the command line: the commands of `cairn`, over any dto.Service.
// Results go to standard output, progress and errors to standard error; with
// --json the problem of a command that has no result is its value on standard
// output. Exit codes: 0 good, 1 failed, 2 wrong usage, 3 verification failed.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/problem"
	"cairn/engine"
)

// The exit codes.
const (
	Good    = 0
	Failed  = 1
	Usage   = 2
	Unsound = 3 // verification failed
)

// Session is a service for the time of one command.
type Session struct {
	Service dto.Service
	// Close ends it; for an owner that means saving and closing the vault. An owner
	// whose socket others watch waits for them until ctx ends.
	Close func(ctx context.Context) error
}

// Need says what a command wants of its session.
type Need int

const (
	// Short commands do one thing; they run nothing beside it.
	Short Need = iota
	// Long commands follow a run: folders are watched, the runtime is started, and
	// other commands can use the same process through its socket.
	Long
)

// Env is what the commands work with.
type Env struct {
	Args     []string // without the program's name
	In       io.Reader
	Out, Err io.Writer
	// Screen: Err is a terminal, so a line may be written over.
	Screen  bool
	Version string
	// Now is the wall time in the reader's zone.
	Now func() time.Time
	// Connect opens the vault of a home, or, where another process owns it, gives
	// that process's service.
	Connect func(ctx context.Context, h home.Home, need Need) (Session, error)
	// Window opens the window with these files; nil when this program has none.
	Window func(ctx context.Context, h home.Home, files []string) error
	// Verify checks a hand-off file without a vault.
	Verify func(path string) (dto.Verification, error)
	// Sample unpacks the sample's documents below a home and gives the form of its
	// task.
	Sample func(h home.Home) (dto.NewTask, error)
	// Vault is what needs the records closed.
	Vault Vault
}

// tool is one invocation.
type tool struct {
	Env
	homeFlag string
	json     bool
	quiet    bool
	printed  bool // the result is on standard output
}

// ran marks an error of a command's own work, as opposed to cobra's about usage.
type ran struct{ error }

func (r ran) Unwrap() error { return r.error }

// Run runs one command and gives the exit code.
func Run(ctx context.Context, env Env) int {
	t := &tool{Env: env}
	root := t.root()
	root.SetArgs(env.Args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return Good
	}
	return t.fail(err)
}

// fail prints an error for people, or as JSON, and gives its exit code.
func (t *tool) fail(err error) int {
	var own ran
	var p dto.Problem
	if errors.As(err, &own) {
		p = problem.Of(own.error)
	} else {
		p = misused(err)
		t.json = t.json || asksJSON(t.Args) // a wrong flag before it hides it
	}
	if t.json {
		body, merr := json.Marshal(struct {
			Error dto.Problem `json:"error"`
		}{p})
		if merr != nil {
			body = []byte(`{"error":{"kind":"internal"}}`)
		}
		out := t.Out
		if t.printed {
			out = t.Err // one value on standard output: what was printed is the result
		}
		fmt.Fprintln(out, string(body))
	} else {
		fmt.Fprintln(t.Err, printable(p.What))
		for _, more := range []string{p.Safe, p.Do} {
			if more != "" {
				fmt.Fprintln(t.Err, printable(more))
			}
		}
	}
	switch engine.Kind(p.Kind) {
	case engine.KindUsage:
		return Usage
	case engine.KindVerification:
		return Unsound
	}
	return Failed
}

func asksJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

func (t *tool) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "cairn [FILE.cairn.md…]",
		Short: "Run long research tasks on a local model and keep a checked record of where they stand",
		Long: `Cairn runs a long research task on a local model and writes down after every step
where the task stands: what is solved, what still needs checking, and the next step.
TASK and CLAIM may be any beginning of an id that fits only one.`,
		Version: t.Version, SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args:              cobra.ArbitraryArgs,
		RunE:              t.window,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("{{.Version}}\n")
	root.PersistentFlags().StringVar(&t.homeFlag, "home", "", "folder of Cairn's records (else CAIRN_HOME, else the system's place)")
	root.PersistentFlags().BoolVar(&t.json, "json", false, "write the result as JSON")
	root.PersistentFlags().BoolVarP(&t.quiet, "quiet", "q", false, "no progress on standard error")
	root.AddCommand(
		t.newCmd(), t.runCmd(), t.tasksCmd(), t.showCmd(), t.candidatesCmd(), t.acceptCmd(), t.retractCmd(), t.editCmd(), t.branchCmd(), t.joinCmd(),
		t.exportCmd(), t.importCmd(), t.verifyCmd(), t.logCmd(), t.deleteCmd(), t.vaultCmd(), t.doctorCmd(), t.demoCmd(),
	)
	return root
}

// window is what `cairn` alone does.
func (t *tool) window(cmd *cobra.Command, args []string) error {
	for _, a := range args {
		if !isFile(a) {
			return misuse{fmt.Sprintf("There is no command “%s”.", a), "Run `cairn --help` to see what there is."}
		}
	}
	if t.Window == nil {
		if len(args) > 0 {
			return misuse{"This program was built without a window.", "Use `cairn import FILE`."}
		}
		return cmd.Help()
	}
	h, err := t.Env.home(t.homeFlag)
	if err != nil {
		return ran{err}
	}
	if err := t.Window(cmd.Context(), h, args); err != nil {
		return ran{err}
	}
	return nil
}

func isFile(arg string) bool { return len(arg) > 3 && arg[len(arg)-3:] == ".md" }

func (Env) home(flag string) (home.Home, error) { return home.Find(flag) }

// with opens a session for fn and closes it whatever happens.
func (t *tool) with(cmd *cobra.Command, need Need, fn func(ctx context.Context, s dto.Service) error) (err error) {
	ctx := cmd.Context()
	h, err := home.Find(t.homeFlag)
	if err != nil {
		return ran{err}
	}
	s, err := t.Connect(ctx, h, need)
	if err != nil {
		return ran{err}
	}
	defer func() {
		if cerr := s.Close(ctx); cerr != nil && err == nil {
			err = ran{fmt.Errorf("close Cairn's records: %w", cerr)}
		}
	}()
	if err := fn(ctx, s.Service); err != nil {
		return ran{err}
	}
	return nil
}

// print writes a result: as JSON, or as text.
func (t *tool) print(v any, text func(w io.Writer)) error {
	t.printed = true
	if !t.json {
		text(seen{t.Out})
		return nil
	}
	body, err := json.MarshalIndent(dto.WholeAny(v), "", "  ")
	if err != nil {
		t.printed = false
		return fmt.Errorf("write the result: %w", err)
	}
	_, err = fmt.Fprintln(t.Out, string(body))
	return err
}

func usage(what, do string) error {
	return &engine.Error{Kind: engine.KindUsage, What: what, Safe: "Nothing was changed.", Do: do}
}
