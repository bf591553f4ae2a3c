package main

import (
	"github.com/spf13/cobra"

	"gitvault/vault"
)

func resolveCmd(a *app) *cobra.Command {
	var r vault.Resolution
	var as string
	c := verb("resolve ID [--outcome TEXT] [--as KIND]", "Close an open thread", `  vault resolve gk2m9xqd --outcome "It was the connection pool."
  vault resolve gk2m9xqd --as decision --outcome "Pool size is 20."`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		var err error
		if as != "" {
			if r.As, err = vault.ParseKind(as); err != nil {
				return err
			}
		}
		if r.Outcome, err = a.text(r.Outcome); err != nil {
			return err
		}
		r.Scope = a.scope
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.Resolve(c.Context(), args[0], r)
		if err != nil {
			return err
		}
		a.changes("resolved", list)
		return nil
	})
	c.Flags().StringVarP(&r.Outcome, "outcome", "o", "", "how it ended, or - for standard input")
	c.Flags().StringVar(&as, "as", "", "remember the outcome as a decision, convention or failed_path, too")
	return c
}

func promoteCmd(a *app) *cobra.Command {
	var p vault.Promotion
	var to string
	c := verb("promote ID --to KIND [TEXT]", "Make a decision, convention or failed path of a note or thread", `  vault promote gk2m9xqd --to decision
  vault promote gk2m9xqd --to failed-path --title "Sharding by user" "We sharded by user and lost joins."`, cobra.RangeArgs(1, 2), func(c *cobra.Command, args []string) error {
		var err error
		if to == "" {
			return usage("--to is missing: decision, convention or failed_path")
		}
		if p.To, err = vault.ParseKind(to); err != nil {
			return err
		}
		if len(args) == 2 {
			if p.Text, err = a.text(args[1]); err != nil {
				return err
			}
		}
		p.Scope = a.scope
		h, err := a.open()
		if err != nil {
			return err
		}
		ch, err := h.Promote(c.Context(), args[0], p)
		if err != nil {
			return err
		}
		a.changes("promoted", []vault.Change{ch})
		return nil
	})
	c.Flags().StringVar(&to, "to", "", "decision, convention or failed_path")
	c.Flags().StringVarP(&p.Title, "title", "t", "", "the new entry's title")
	return c
}
