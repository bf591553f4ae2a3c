package main

import (
	"github.com/spf13/cobra"

	"gitvault/vault"
)

func traceCmd(a *app) *cobra.Command {
	c := verb("trace", "Keep the notes of sessions", `  vault trace append --session 2026-11-30-a1b2 "Tried the pool size; no change."
  vault trace show 2026-11-30-a1b2`, cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() })
	c.AddCommand(
		traceNote(a, "add", "Begin a session's notes, or add to them", false),
		traceNote(a, "append", "Add to a session's notes", false),
		traceNote(a, "compact", "Put shorter notes in place of a session's; the history keeps them", true),
		verb("list", "List the traces", `  vault trace list`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
			h, err := a.open()
			if err != nil {
				return err
			}
			list, err := h.List(c.Context(), vault.ListQuery{Scope: a.scope, Kind: vault.SessionTrace, All: true})
			if err != nil {
				return err
			}
			if a.json {
				printJSON(a.stdout, map[string]any{"entries": list, "total": len(list)})
				return nil
			}
			a.list(list, false)
			return nil
		}),
		verb("show SESSION", "Show the trace of a session", `  vault trace show 2026-11-30-a1b2`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
			h, err := a.open()
			if err != nil {
				return err
			}
			e, err := h.ShowTrace(c.Context(), a.scope, args[0])
			if err != nil {
				return err
			}
			if a.json {
				printJSON(a.stdout, map[string]any{"entries": []vault.Entry{e}})
				return nil
			}
			a.entry(e)
			return nil
		}),
	)
	return c
}

func traceNote(a *app, name, short string, replace bool) *cobra.Command {
	n := vault.TraceNote{Replace: replace}
	c := verb(name+" --session ID [--title T] TEXT", short, "  vault trace "+name+` --session 2026-11-30-a1b2 "Three tests fail without the cache."`,
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			text, err := a.text(joined(args))
			if err != nil {
				return err
			}
			n.Text, n.Scope = text, a.scope
			h, err := a.open()
			if err != nil {
				return err
			}
			ch, err := h.Trace(c.Context(), n)
			if err != nil {
				return err
			}
			a.changes("noted", []vault.Change{ch})
			return nil
		})
	c.Flags().StringVar(&n.Session, "session", "", "which session")
	c.Flags().StringVarP(&n.Title, "title", "t", "", "the trace's title")
	return c
}
