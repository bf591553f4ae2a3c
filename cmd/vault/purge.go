package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func purgeCmd(a *app) *cobra.Command {
	return verb("purge ID...", "Take entries out of all history too, for good", `  vault purge gk2m9xqd    shows what is rewritten, and asks`, cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		plans, err := h.PlanPurge(c.Context(), a.scope, args)
		if err != nil {
			return err
		}
		for _, p := range plans {
			if !a.json {
				a.purgePlan(p)
			}
		}
		ok, err := a.agreed("Rewrite the history without this? It can't be brought back.", "nothing is purged")
		if err != nil || !ok {
			return err
		}
		done := []vault.Purged{}
		for _, p := range plans {
			d, err := h.Purge(c.Context(), p)
			if err != nil {
				return err
			}
			done = append(done, d)
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"purged": done})
			return nil
		}
		for _, d := range done {
			a.println(fmt.Sprintf("purged %s from %s: %d commits were rewritten", strings.Join(d.IDs, ", "), safetext.Line(d.Scope), d.Rewritten))
			if len(d.Remotes) > 0 {
				a.note("'vault sync' tells " + strings.Join(d.Remotes, ", ") + "; what others have fetched already is in their clones until they sync, and a host may keep old commits for a while")
			}
		}
		return nil
	})
}

// purgePlan shows what a person is asked to let go.
func (a *app) purgePlan(p vault.PurgePlan) {
	a.println(a.paint(bold, "in "+safetext.Line(p.Scope)+":"))
	for _, e := range p.Entries {
		a.println("  ", a.headline(e))
	}
	a.println(fmt.Sprintf("  %d versions of it, and %d open cards, go; %d of %d commits are rewritten, and all later ones get other names",
		p.Versions, len(p.Cards), p.Rewritten, p.Commits))
	for _, r := range p.Remotes {
		a.println("  held by the remote ", safetext.Line(r))
	}
	for _, place := range p.Also {
		a.println("  ", a.paint(yellow, "the same text stands, and stays, in "+safetext.Line(place)))
	}
}
