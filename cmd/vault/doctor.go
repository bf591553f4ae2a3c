package main

import (
	"path/filepath"
	"slices"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func doctorCmd(a *app) *cobra.Command {
	var fix bool
	c := verb("doctor [--fix]", "Look for what is wrong with the repositories, locks, files and clients; exit 1 on errors", `  vault doctor
  vault doctor --fix`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		o, err := a.options()
		if err != nil {
			return err
		}
		h, err := vault.Open(o)
		if err != nil {
			return err
		}
		program, _ := program(false) // the clients that name another say so
		list, err := h.Doctor(c.Context(), vault.Checkup{Scope: a.scope, Fix: fix, Program: program, OwnHome: o.Home != filepath.Join(xdg.DataHome, "vault")})
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"findings": list})
		} else {
			for _, t := range list {
				a.trouble(t)
			}
		}
		if slices.ContainsFunc(list, func(t vault.Trouble) bool { return t.Severity == vault.SeverityError && !t.Fixed }) {
			return errFailed
		}
		return nil
	})
	c.Flags().BoolVar(&fix, "fix", false, "do what can't lose anything; what is in the way is moved aside, never deleted")
	return c
}

func (a *app) trouble(t vault.Trouble) {
	colour, word := yellow, t.Severity
	switch {
	case t.Fixed:
		colour, word = green, "fixed"
	case t.Severity == vault.SeverityError:
		colour = red
	}
	a.println(safetext.Line(t.Scope), ": ", safetext.Line(t.File), ": ", a.paint(colour, word), " [", t.Rule, "] ", safetext.Line(t.Message))
	switch {
	case t.Copy != "":
		a.println("  moved to ", safetext.Line(t.Copy))
	case t.Fix != "" && !t.Fixed:
		a.println("  'vault doctor --fix' would ", t.Fix)
	}
}
