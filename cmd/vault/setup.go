package main

import (
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func initCmd(a *app) *cobra.Command {
	var here bool
	c := verb("init [--here]", "Make the scope of this folder's project (the first remember does it too)", `  vault init
  vault init --here         in the project's own folder .vault, hidden from its git
  vault init --scope user`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		var s *vault.Scope
		var made bool
		if here {
			if a.scope != "" && a.scope != vault.ProjectScope {
				return usage("--here is for the project's scope")
			}
			s, made, err = h.InitHere(c.Context())
		} else {
			s, made, err = h.Init(c.Context(), a.scope)
		}
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
		a.println(what, safetext.Line(s.Name()), a.paint(dim, "  "+safetext.Line(s.Dir())))
		return nil
	})
	c.Flags().BoolVar(&here, "here", false, "keep it in the workspace, in .vault")
	return c
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
			line := mark + safetext.Line(s.Name) + a.paint(dim, "  "+safetext.Line(s.Path))
			if !s.Trusted {
				line += "  " + a.paint(yellow, "not trusted yet")
			}
			if s.Error != "" {
				line += "  " + a.paint(red, safetext.Line(s.Error))
			}
			a.println(line)
		}
		return nil
	})
}
