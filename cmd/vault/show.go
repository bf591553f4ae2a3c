package main

import (
	"github.com/spf13/cobra"

	"gitvault/vault"
)

func showCmd(a *app) *cobra.Command {
	return verb("show ID|COMMIT", "Show a commit with the texts it changed, or an entry with its history", `  vault show gk2m9xqd
  vault show 3f9c2d1
  vault show HEAD~2`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		if vault.IsID(args[0]) {
			return a.showEntry(c, h, args[0])
		}
		k, err := h.Show(c.Context(), a.scope, args[0])
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, k)
			return nil
		}
		a.commitHead(k)
		a.println()
		for _, e := range k.Entries {
			a.texts(e, around)
		}
		return nil
	})
}

// showEntry shows an entry and its life; of a forgotten one there is only that.
func (a *app) showEntry(c *cobra.Command, h *vault.Home, id string) error {
	found, err := h.Get(c.Context(), a.scope, []string{id})
	if err != nil && vault.CodeOf(err) != vault.NotFound {
		return err
	}
	commits, err := h.Log(c.Context(), vault.LogQuery{Scope: a.scope, ID: id})
	if err != nil && len(found) == 0 {
		return err
	}
	if a.json {
		out := map[string]any{"commits": commits}
		if len(found) > 0 {
			out["entry"] = found[0]
		}
		printJSON(a.stdout, out)
		return nil
	}
	for _, e := range found {
		a.entry(e)
		a.println()
	}
	for _, k := range commits {
		a.commitHead(k)
	}
	return nil
}
