package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func remoteCmd(a *app) *cobra.Command {
	c := verb("remote add|list|remove", "Name the places that a scope is synced with", `  vault remote add git@github.com:me/memory.git
  vault remote list`, cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() })
	c.AddCommand(remoteAddCmd(a), remoteListCmd(a), remoteRemoveCmd(a))
	return c
}

func remoteAddCmd(a *app) *cobra.Command {
	var n vault.NewRemote
	c := verb("add [NAME] URL|--alongside [--branch B]", "Add a remote (it is first reached by 'vault sync')", `  vault remote add git@github.com:me/memory.git
  vault remote add --alongside
  vault remote add backup /mnt/disk/memory.git --scope user`, cobra.MaximumNArgs(2), func(c *cobra.Command, args []string) error {
		if n.Alongside && len(args) == 2 || !n.Alongside && len(args) == 0 {
			return usage("give a URL, or --alongside for the remote of this folder's code")
		}
		h, err := a.open()
		if err != nil {
			return err
		}
		n.Scope, n.Confirmed = a.scope, a.yes
		if !n.Alongside {
			n.URL, args = args[len(args)-1], args[:len(args)-1]
		}
		if len(args) == 1 {
			n.Name = args[0]
		}
		m, err := h.AddRemote(c.Context(), n)
		var question *vault.ConfirmError
		if errors.As(err, &question) && a.inTerminal {
			var yes bool
			if yes, err = a.confirm(question.Question + ". Add it?"); err == nil && yes {
				n.Confirmed = true
				m, err = h.AddRemote(c.Context(), n)
			} else if err == nil {
				err = &vault.Error{Code: vault.Refused, Message: "nothing was added"}
			}
		}
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"remotes": []vault.Remote{m}})
			return nil
		}
		a.println("added ", safetext.Line(m.Name), " to ", safetext.Line(m.Scope), a.paint(dim, "  "+safetext.Line(m.URL)))
		return nil
	})
	c.Flags().BoolVar(&n.Alongside, "alongside", false, "the code's own remote, on a branch of the memory's")
	c.Flags().StringVar(&n.Branch, "branch", "", "the scope's `BRANCH` there (chosen by the first sync if left out)")
	return c
}

func remoteListCmd(a *app) *cobra.Command {
	return verb("list", "List the remotes, and how they stand as far as it is known here", `  vault remote list`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.Remotes(c.Context(), a.scope)
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"remotes": list})
			return nil
		}
		for _, m := range list {
			a.println(a.paint(bold, safetext.Line(m.Scope)), "  ", a.remoteLine(m))
		}
		return nil
	})
}

func remoteRemoveCmd(a *app) *cobra.Command {
	return verb("remove [NAME]", "Remove a remote; what came from it stays", `  vault remote remove backup`, cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		name := ""
		if len(args) == 1 {
			name = args[0]
		}
		m, err := h.RemoveRemote(c.Context(), a.scope, name)
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"remotes": []vault.Remote{m}})
			return nil
		}
		a.println("removed ", safetext.Line(m.Name), " from ", safetext.Line(m.Scope))
		return nil
	})
}

// confirm asks a person at the terminal; only a yes is one.
func (a *app) confirm(question string) (bool, error) {
	fmt.Fprint(a.stderr, safetext.Line(question)+" [y/N] ")
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", nil
}
