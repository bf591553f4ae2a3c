package main

import (
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func cloneCmd(a *app) *cobra.Command {
	var n vault.NewClone
	c := verb("clone URL|--alongside [--as SCOPE] [--branch B]", "Make a scope from one that a remote holds", `  vault clone git@github.com:me/memory.git
  vault clone git@github.com:acme/memory.git --as project
  vault clone --alongside
  vault clone git@github.com:acme/rules.git --as team/rules    # read-only, offered everywhere`, cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		if n.Alongside == (len(args) == 1) || n.Alongside && n.As != "" {
			return usage("give a URL, or --alongside for the remote of this folder's code")
		}
		bar := a.progress()
		h, err := a.openWith(bar.show)
		if err != nil {
			return err
		}
		if len(args) == 1 {
			n.URL = args[0]
		}
		s, err := h.Clone(c.Context(), n)
		bar.clear()
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"name": s.Name(), "path": s.Dir(), "made": true})
			return nil
		}
		a.println(safetext.Line(s.Name()), a.paint(dim, "  "+safetext.Line(s.Dir())))
		a.note("nothing of it is offered to agents before 'vault trust', which shows what is in it")
		return nil
	})
	c.Flags().BoolVar(&n.Alongside, "alongside", false, "the project's, from its branch of the code's own remote")
	c.Flags().StringVar(&n.As, "as", "", "the `SCOPE` that it becomes: user, project, a name, or team/NAME, which is read-only (by default what it says it is)")
	c.Flags().StringVar(&n.Branch, "branch", "", "the `BRANCH` that holds it (main, else the scope's own)")
	return c
}
