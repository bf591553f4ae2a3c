package main

import (
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
)

func initCmd(a *app) *cobra.Command {
	return verb("init", "Make the scope of this folder's project (the first remember does it too)", `  vault init
  vault init --scope user`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		s, made, err := h.Init(c.Context(), a.scope)
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"name": s.Name(), "path": s.Dir(), "made": made})
			return nil
		}
		what := "made "
		if !made {
			what = "there already: "
		}
		a.println(what, safetext.Line(s.Name()), a.paint(dim, "  "+s.Dir()))
		return nil
	})
}

func linkCmd(a *app) *cobra.Command {
	return verb("link [SCOPE]", "Bind this folder to a scope, or make it a project of its own", `  vault link                          this folder is a project
  vault link github.com/acme/widget   this folder belongs to that one`, cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			err = h.LinkFolder()
		} else {
			_, err = h.Link(args[0])
		}
		if err != nil {
			return err
		}
		ws, err := h.Workspace()
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"key": ws.Key, "found_by": ws.FoundBy, "dir": ws.Root})
			return nil
		}
		a.println("linked to ", safetext.Line(ws.Key))
		return nil
	})
}

func scopesCmd(a *app) *cobra.Command {
	return verb("scopes", "List every scope of the home", `  vault scopes`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.ScopeList(c.Context())
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"scopes": list})
			return nil
		}
		for _, s := range list {
			mark := "  "
			if s.Here {
				mark = "* "
			}
			line := mark + safetext.Line(s.Name) + a.paint(dim, "  "+s.Path)
			if s.Error != "" {
				line += "  " + a.paint(red, safetext.Line(s.Error))
			}
			a.println(line)
		}
		return nil
	})
}
