package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
)

// misuse is an error of how a command was typed, before anything was done. It
// says what to type instead.
type misuse struct {
	what, do string
}

func (m misuse) Error() string { return m.what }

// misused is what is printed of an error that no command's own work gave.
func misused(err error) dto.Problem {
	p := dto.Problem{Kind: string(engine.KindUsage), What: problem.Sentence(err.Error()), Safe: "Nothing was changed.", Do: "Run `cairn --help` to see what there is."}
	var m misuse
	if errors.As(err, &m) {
		p.What, p.Do = m.what, m.do
	}
	return p
}

// takes wants exactly these arguments.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			missing := strings.Join(names[len(args):], " and ")
			return misuse{fmt.Sprintf("`%s` needs %s.", cmd.CommandPath(), missing), usageLine(cmd)}
		case len(args) > len(names):
			return misuse{fmt.Sprintf("“%s” is more than `%s` takes.", args[len(names)], cmd.CommandPath()), usageLine(cmd) + " A text of several words stands in quotation marks."}
		}
		return nil
	}
}

func usageLine(cmd *cobra.Command) string {
	path := "cairn"
	if cmd.HasParent() {
		path = cmd.Parent().CommandPath()
	}
	return fmt.Sprintf("Type it like this: %s %s.", path, strings.TrimSuffix(cmd.Use, "."))
}

// flagError puts what the flag library says into words.
func flagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("Run `%s --help` to see what it takes.", cmd.CommandPath())
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		return misuse{fmt.Sprintf("`%s` has no %s.", cmd.CommandPath(), name), help}
	case errors.As(err, &bare):
		return misuse{fmt.Sprintf("--%s needs a value.", bare.GetFlag().Name), help}
	case errors.As(err, &wrong):
		f := wrong.GetFlag()
		return misuse{fmt.Sprintf("--%s can't be “%s”.", f.Name, wrong.GetValue()), valueHelp(f)}
	case errors.As(err, &syntax):
		return misuse{fmt.Sprintf("“%s” is not a flag.", syntax.GetSpecifiedFlag()), help}
	}
	return err
}

// valueHelp says what a flag of this type takes.
func valueHelp(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "duration":
		return fmt.Sprintf("Give a time with its unit, like --%s 90m or --%s 2h30m.", f.Name, f.Name)
	case "int", "int64":
		return fmt.Sprintf("Give a whole number, like --%s 12.", f.Name)
	case "bool":
		return fmt.Sprintf("Give --%s alone, or --%s=false.", f.Name, f.Name)
	}
	return "Its help says: " + f.Usage + "."
}
