package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func blameCmd(a *app) *cobra.Command {
	return verb("blame ID", "Show for each line of an entry who it comes from", `  vault blame gk2m9xqd`,
		cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
			h, err := a.open()
			if err != nil {
				return err
			}
			e, list, err := h.Blame(c.Context(), a.scope, args[0])
			if err != nil {
				return err
			}
			if a.json {
				printJSON(a.stdout, map[string]any{"id": e.ID, "lines": list})
				return nil
			}
			for _, l := range list {
				by := l.Author
				if l.Source != "" && l.Source != "person" {
					if by = l.Source; vault.LooksLike(by, l.Author) {
						by = "agent " + by
					}
				}
				commit := l.Commit
				if len(commit) > 10 {
					commit = commit[:10]
				}
				a.println(strings.TrimRight(a.paint(yellow, fmt.Sprintf("%-10s", commit))+" "+
					a.paint(dim, fmt.Sprintf("%s %-16s", l.Time.Local().Format("2006-01-02"), safetext.Line(by)))+" "+safetext.Text(l.Text), " "))
			}
			return nil
		})
}
