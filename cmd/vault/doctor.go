package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func doctorCmd(a *app) *cobra.Command {
	var fix, all bool
	c := verb("doctor [--all] [--fix]", "Look for what is wrong with the settings, repositories, locks, files and clients; exit 1 on errors", `  vault doctor
  vault doctor --all --fix`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		o, err := a.options()
		if err != nil {
			return err
		}
		h, err := vault.Open(o)
		if err != nil {
			return err
		}
		program, _ := program(false) // the clients that name another say so
		if all && a.scope != "" {
			return &vault.Error{Code: vault.Invalid, Message: "--all and --scope exclude each other", Hint: "give one of them"}
		}
		list, err := h.Doctor(c.Context(), vault.Checkup{Scope: a.scope, All: all, Fix: fix, UID: max(os.Geteuid(), 0), Program: program, OwnHome: o.Home != filepath.Join(xdg.DataHome, "vault")})
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
	c.Flags().BoolVar(&all, "all", false, "every scope of the home; without it those of other folders get a quick look")
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
	place := t.File
	if t.Line > 0 {
		place = fmt.Sprintf("%s:%d", t.File, t.Line)
	}
	a.println(safetext.Line(t.Scope), ": ", safetext.Line(place), ": ", a.paint(colour, word), " [", t.Rule, "] ", safetext.Line(t.Message))
	switch {
	case t.Copy != "":
		a.println("  what stood there is kept as ", safetext.Line(t.Copy))
	case t.Fix != "" && !t.Fixed:
		a.println("  'vault doctor --fix' would ", t.Fix)
	}
}
