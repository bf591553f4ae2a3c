package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitvault/internal/secrets"
	"gitvault/vault"
)

func usage(format string, args ...any) error {
	return &vault.Error{Code: vault.Invalid, Message: fmt.Sprintf(format, args...), Hint: "see 'vault help'"}
}

// unknownCommand names the verbs that a mistyped one may have been meant for.
func unknownCommand(root *cobra.Command, name string) error {
	root.SuggestionsMinimumDistance = 2
	hint := "see 'vault help'"
	if near := root.SuggestionsFor(name); name != "" && len(near) > 0 && len(near) <= 3 {
		hint = "did you mean '" + strings.Join(near, "' or '") + "'?"
	}
	return &vault.Error{Code: vault.Invalid, Message: fmt.Sprintf("unknown command %q", name), Hint: hint}
}

// checkArgs says what is wrong with a verb's arguments by showing how it is
// used.
func checkArgs(c *cobra.Command, args []string, check cobra.PositionalArgs) error {
	err := check(c, args)
	if err == nil {
		return nil
	}
	message := fmt.Sprintf("%s: unexpected argument", c.Name())
	switch {
	case len(c.ValidArgs) > 0 && len(args) == 1:
		message = fmt.Sprintf("%s: unknown argument %q", c.Name(), args[0])
	case takesMore(c, args, check):
		message = fmt.Sprintf("%s: an argument is missing", c.Name())
	case len(args) > 0:
		message += fmt.Sprintf(" %q", args[len(args)-1])
	}
	return &vault.Error{Code: vault.Invalid, Message: message, Hint: "usage: " + c.UseLine(), Err: err}
}

// takesMore reports whether the arguments would do if there were more of them.
func takesMore(c *cobra.Command, args []string, check cobra.PositionalArgs) bool {
	if len(c.ValidArgs) > 0 {
		return len(args) == 0
	}
	for more := 1; more <= 3; more++ {
		if check(c, append(slices.Clone(args), make([]string, more)...)) == nil {
			return true
		}
	}
	return false
}

// flagError says what is wrong with a flag in words a person would use.
func flagError(c *cobra.Command, err error) error {
	message, hint := oneLine(err.Error()), "see '"+c.CommandPath()+" --help'"
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var noFlag *pflag.InvalidSyntaxError
	var own *vault.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &value):
		message = fmt.Sprintf("--%s can't be %q", value.GetFlag().Name, value.GetValue())
		switch value.GetFlag().Value.Type() {
		case "int":
			hint = "give a whole number"
		case "bool":
			hint = "give true or false"
		}
	case errors.As(err, &missing):
		message = fmt.Sprintf("--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &unknown):
		flag := "--" + unknown.GetSpecifiedName()
		if s := unknown.GetSpecifiedShortnames(); s != "" {
			flag = "-" + unknown.GetSpecifiedName()
		}
		message = "unknown flag " + brief(flag)
		if strings.Contains(c.Use, "TEXT") || strings.ContainsAny(flag, " \n") {
			hint = dashText + hint
		}
	case errors.As(err, &noFlag):
		message = brief(noFlag.GetSpecifiedFlag()) + " is no flag"
		hint = dashText + hint
	}
	return &vault.Error{Code: vault.Invalid, Message: message, Hint: hint, Err: err}
}

const dashText = "put -- before text that begins with a dash; "

// brief is the beginning of what may be a whole text, on one line. It is looked
// at for secrets before it is cut: nobody knows a part of one for what it is.
func brief(s string) string {
	s = oneLine(secrets.Redact(s))
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// wantsJSON reports whether the person asked for JSON on a command line that
// could not be read to its end.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use: "help [VERB]", Short: "Show what vault does, or one of its verbs", Example: `  vault help
  vault help remember`,
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []string
			for _, sub := range c.Root().Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, sub.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 || found == nil {
				return unknownCommand(c.Root(), strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
