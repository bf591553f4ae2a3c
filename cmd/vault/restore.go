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
  vault restore gk2m9xqd      brings a forgotten entry back, or puts an agent's change back
  vault restore --all         puts back every change of an agent that waits for review`, cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		if all == (len(args) > 0) {
			return usage("name commits, entries or cards, or --all cards")
		}
		h, err := a.open()
		if err != nil {
			return err
		}
		var done []vault.Change
		if all {
			done, err = h.Discard(c.Context(), nil, vault.DecideOptions{Scope: a.scope, All: true, Force: force})
		} else {
			var r vault.Restored
			r, err = h.Restore(c.Context(), args, vault.RestoreOptions{Scope: a.scope, Force: force})
			done = r.Changes
		}
		return a.decided("restored", done, err)
	})
	c.Flags().BoolVar(&all, "all", false, "put every open card back")
	c.Flags().BoolVar(&force, "force", false, "also where a later change is lost by it")
	return c
}

// decided prints what was done, and where not all of it could be, what a
// person has to choose between.
func (a *app) decided(verb string, list []vault.Change, err error) error {
	if len(list) > 0 || err == nil {
		a.changes(verb, list)
	}
	if err != nil {
		a.lostTexts(verb, err)
	}
	return err
}

// lostTexts shows what a refused keep or restore would have had to choose
// between.
func (a *app) lostTexts(verb string, err error) {
	var l *vault.LostChange
	if a.json || a.quiet || !errors.As(err, &l) {
		return
	}
	show := func(id, what, text string) {
		if text == "" {
			a.println(a.paint(yellow, id), "  ", what, ": gone")
			return
		}
		a.println(a.paint(yellow, id), "  ", what, ":")
		a.println(indent(safetext.Text(text)))
	}
	wanted := "as it would be restored"
	if verb == "kept" {
		wanted = "as the card has it"
	}
	for _, t := range l.Texts() {
		show(t[0], "as it stands now", t[1])
		show(t[0], wanted, t[2])
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
		return a.decided("undone", r.Changes, err)
	})
	c.Flags().BoolVar(&force, "force", false, "also where a later change is lost by it")
	return c
}
