package main

import (
	"github.com/spf13/cobra"
)

func getCmd(a *app) *cobra.Command {
	return verb("get ID...", "Show whole entries", `  vault get gk2m9xqd
  vault get gk2m h7tq --json`, cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.Get(c.Context(), a.scope, args)
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"entries": list})
			return nil
		}
		for i, e := range list {
			if i > 0 {
				a.println()
			}
			a.entry(e)
		}
		return nil
	})
}
