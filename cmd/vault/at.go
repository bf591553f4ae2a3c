package main

import (
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

// A momentDocument is what --json prints of the memory at a commit of the code.
type momentDocument struct {
	vault.Moment
	Entries []vault.Entry `json:"entries"`
}

func atCmd(a *app) *cobra.Command {
	return verb("at CODE-REV", "Show the memory as it stood at a commit of the code", `  vault at v1.2
  vault at HEAD~20 --json`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		m, list, err := h.At(c.Context(), a.scope, args[0])
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, momentDocument{m, list})
			return nil
		}
		if m.Commit == "" {
			a.note(m.Scope + " had nothing in it yet")
			return nil
		}
		a.println(a.paint(bold, safetext.Line(m.Scope)), " at ", m.Commit[:10], a.paint(dim, "  "+m.Time.Local().Format(minute)))
		a.list(list, false)
		return nil
	})
}
