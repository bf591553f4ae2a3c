package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func checkCmd(a *app) *cobra.Command {
	var fix, staged bool
	c := verb("check [--fix | --staged]", "Look for what is wrong in the entries; exit 1 on errors", `  vault check
  vault check --fix --json
  vault check --staged   # as a pre-commit hook of git's`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if fix && staged {
			return usage("--fix is for the files as they are, not for what is staged: leave one of the two out")
		}
		h, err := a.open()
		if err != nil {
			return err
		}
		var list []vault.Finding
		if staged {
			list, err = h.CheckStaged(c.Context(), a.scope)
		} else {
			list, err = h.Check(c.Context(), a.scope, fix)
		}
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"findings": list})
		}
		for _, f := range list {
			if a.json {
				break
			}
			place := f.File
			if f.Line > 0 {
				place = fmt.Sprintf("%s:%d", f.File, f.Line)
			}
			colour := yellow
			if f.Severity == vault.SeverityError {
				colour = red
			}
			a.println(safetext.Line(f.Scope), ": ", safetext.Line(place), ": ", a.paint(colour, f.Severity), " [", f.Rule, "] ", safetext.Line(f.Message))
		}
		if slices.ContainsFunc(list, func(f vault.Finding) bool { return f.Severity == vault.SeverityError }) {
			return errFailed
		}
		return nil
	})
	c.Flags().BoolVar(&fix, "fix", false, "commit hand edits, write ids down and make INDEX.md anew first")
	c.Flags().BoolVar(&staged, "staged", false, "look at what is staged for git's next commit, not at the files")
	return c
}
