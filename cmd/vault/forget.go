package main

import "github.com/spf13/cobra"

func forgetCmd(a *app) *cobra.Command {
	var reason string
	c := verb("forget ID... [--reason TEXT]", "Take entries out; the history keeps them", `  vault forget gk2m9xqd --reason "no longer true since 2.0"
  vault restore gk2m9xqd`, cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.Forget(c.Context(), a.scope, args, reason)
		if err != nil {
			return err
		}
		a.changes("forgot", list)
		return nil
	})
	c.Flags().StringVarP(&reason, "reason", "r", "", "why, for the history")
	return c
}
