package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func logCmd(a *app) *cobra.Command {
	var q vault.LogQuery
	c := verb("log [ID] [-n N]", "Show the history, or the life of one entry", `  vault log
  vault log gk2m9xqd
  vault log -n 5 --json`, cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			q.ID = args[0]
		}
		if q.Limit < 0 {
			return usage("-n %d is negative", q.Limit)
		}
		q.Scope, q.Texts = a.scope, q.ID != "" && !a.json
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.Log(c.Context(), q)
		if err != nil {
			return err
		}
		if a.json {
			if list == nil {
				list = []vault.Commit{}
			}
			printJSON(a.stdout, map[string]any{"commits": list})
			return nil
		}
		for _, k := range list {
			a.commitHead(k)
			shown := few(k.Entries, maxLogged)
			for _, e := range k.Entries[:shown] {
				a.println(a.fit("  " + a.changeLine(e)))
				if e.Before != nil && e.After != nil && e.Change == vault.Edited {
					a.edited(*e.Before, *e.After, 0)
				}
			}
			if rest := len(k.Entries) - shown; rest > 0 {
				a.println(a.paint(dim, fmt.Sprintf("  and %d more: vault show %s", rest, k.Commit[:10])))
			}
		}
		return nil
	})
	c.Flags().IntVarP(&q.Limit, "limit", "n", 0, "at most so many commits")
	return c
}

// commitHead prints the line that says who did what when.
func (a *app) commitHead(k vault.Commit) {
	by := k.Author
	switch {
	case k.Source == "" || k.Source == "person":
	case vault.LooksLike(k.Source, k.Author):
		by += " for an agent of that name"
	default:
		by += " for " + k.Source
	}
	a.println(a.fit(a.paint(yellow, k.Commit[:10]) + "  " + k.Time.Local().Format(minute) + "  " +
		a.paint(bold, safetext.Line(k.Subject)) + a.paint(dim, "  "+safetext.Line(by)+" in "+safetext.Line(k.Scope))))
	if k.Reason != "" {
		a.println("    ", safetext.Line(k.Reason))
	}
}
