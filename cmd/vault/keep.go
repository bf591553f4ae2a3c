package main

import (
	"github.com/spf13/cobra"

	"gitvault/vault"
)

func keepCmd(a *app) *cobra.Command {
	var o vault.DecideOptions
	c := verb("keep ID|COMMIT...|--all [--force]", "Let changes of agents count", `  vault keep gk2m9xqd h7tqwxyz
  vault keep 3f9c2d1          what that commit proposed
  vault keep --all`, cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		if o.All == (len(args) > 0) {
			return usage("name cards, or --all of them")
		}
		h, err := a.open()
		if err != nil {
			return err
		}
		o.Scope = a.scope
		list, err := h.Keep(c.Context(), args, o)
		return a.decided("kept", list, err)
	})
	c.Flags().BoolVar(&o.All, "all", false, "every open card")
	c.Flags().BoolVar(&o.Force, "force", false, "take the card's text where the entry was changed since in the same place")
	return c
}
