package main

import (
	"errors"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func restoreCmd(a *app) *cobra.Command {
	var force, all bool
	c := verb("restore ID|COMMIT...|--all [--force]", "Take a commit's changes back, or bring a forgotten entry back", `  vault restore 3f9c2d1       takes back what that commit did, and nothing else
  vault restore gk2m9xqd      brings a forgotten entry back, or puts an agent's change back`, cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		if len(args) == 0 && !all {
			return usage("name commits, entries or cards, or --all cards")
		}
		var done []vault.Change
		if all {
			list, err := h.Discard(c.Context(), nil, vault.DecideOptions{Scope: a.scope, All: true, Force: force})
			if err != nil {
				a.lostTexts(err)
				return err
			}
			done = append(done, list...)
		}
		for _, target := range args {
			r, err := h.Restore(c.Context(), target, vault.RestoreOptions{Scope: a.scope, Force: force})
			if err != nil {
				a.lostTexts(err)
				return err
			}
			done = append(done, r.Changes...)
		}
		a.changes("restored", done)
		return nil
	})
	c.Flags().BoolVar(&all, "all", false, "put every open card back")
	c.Flags().BoolVar(&force, "force", false, "also where a later change is lost by it")
	return c
}

// lostTexts shows what a refused restore would have had to choose between.
func (a *app) lostTexts(err error) {
	var l *vault.LostChange
	if a.json || a.quiet || !errors.As(err, &l) {
		return
	}
	for _, t := range l.Texts() {
		a.println(a.paint(yellow, t[0]), "  as it stands now:")
		a.println(indent(safetext.Text(t[1])))
		a.println(a.paint(yellow, t[0]), "  as it would be restored:")
		a.println(indent(safetext.Text(t[2])))
	}
}

func undoCmd(a *app) *cobra.Command {
	var force bool
	c := verb("undo [--force]", "Take the newest change back", `  vault undo
  vault undo --scope project`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		r, err := h.Undo(c.Context(), vault.RestoreOptions{Scope: a.scope, Force: force})
		if err != nil {
			a.lostTexts(err)
			return err
		}
		a.changes("undone", r.Changes)
		return nil
	})
	c.Flags().BoolVar(&force, "force", false, "also where a later change is lost by it")
	return c
}
