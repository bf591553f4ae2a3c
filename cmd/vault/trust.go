package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func trustCmd(a *app) *cobra.Command {
	var revoke bool
	c := verb("trust [--revoke]", "Accept a vault that came with somebody else's repository", `  vault trust             shows what is in it, and asks
  vault trust --revoke    nothing of it is offered any more`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		if revoke {
			path, err := h.Revoke(c.Context(), a.scope)
			if err != nil {
				return err
			}
			a.trusted(path, false)
			return nil
		}
		v, err := h.Stranger(c.Context(), a.scope)
		if err != nil {
			return err
		}
		if v.Trusted {
			a.note("it is trusted already")
			a.trusted(v.Path, true)
			return nil
		}
		if !a.json {
			a.stranger(v)
		}
		ok, err := a.agreed("Trust it, so that all of it is offered to agents?", "nothing is trusted")
		if err != nil || !ok {
			return err
		}
		if err := h.Trust(c.Context(), v); err != nil {
			return err
		}
		a.trusted(v.Path, true)
		return nil
	})
	c.Flags().BoolVar(&revoke, "revoke", false, "no longer trust it")
	return c
}

func (a *app) trusted(path string, yes bool) {
	switch {
	case a.json:
		printJSON(a.stdout, map[string]any{"path": path, "trusted": yes})
	case yes:
		a.println("trusted: ", safetext.Line(path))
	default:
		a.println("no longer trusted: ", safetext.Line(path))
	}
}

// stranger shows what is in a vault that a person is asked to trust.
func (a *app) stranger(v vault.Stranger) {
	a.println(a.paint(bold, safetext.Line(v.Path)))
	if v.Commits == 0 {
		a.println("It is no repository of its own yet, and becomes one.")
	} else {
		var authors []string
		for who, n := range v.Authors {
			authors = append(authors, fmt.Sprintf("%s (%d)", safetext.Line(who), n))
		}
		sort.Strings(authors)
		a.println(fmt.Sprintf("%d commits by %s", v.Commits, strings.Join(authors, ", ")))
	}
	if v.Tracked {
		a.println(a.paint(yellow, "The code's own repository holds these files: whoever can push there can change them later, unseen."))
	}
	a.println(fmt.Sprintf("%d entries, %d waiting for review", len(v.Entries), v.Pending))
	if v.Secrets > 0 {
		a.println(a.paint(yellow, fmt.Sprintf("%d hold what looks like a secret, and would be kept from agents", v.Secrets)))
	}
	if len(v.Runs) > 0 {
		a.println(a.paint(yellow, "With these settings of its repository git talks to others, could run their programs, or takes them for you; take out what you don't know:"))
		for _, r := range v.Runs {
			a.println("  ", safetext.Line(r))
		}
	}
	for _, e := range v.Entries {
		a.println()
		a.entry(e)
	}
	a.println()
}

// agreed asks a person; where nobody can be asked it says that nothing was
// done.
func (a *app) agreed(question, nothing string) (bool, error) {
	if a.yes {
		return true, nil
	}
	if !a.inTerminal {
		return false, &vault.Error{Code: vault.Refused, Message: "nobody can be asked here, and " + nothing, Hint: "look at it on a terminal, or add --yes"}
	}
	ok, err := a.confirm(question)
	if err == nil && !ok {
		a.note(nothing)
	}
	return ok, err
}
