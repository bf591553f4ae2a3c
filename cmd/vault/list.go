package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func listCmd(a *app) *cobra.Command {
	var q vault.ListQuery
	c := verb("list [flags]", "List the entries, the newest first", `  vault list
  vault list --kind decision --tag storage
  vault list --all --json`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		q.Scope = a.scope
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.List(c.Context(), q)
		if list == nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, map[string]any{"entries": list, "total": len(list)})
			return err
		}
		a.list(list, q.ByUse)
		return err
	})
	f := c.Flags()
	addKindFlag(c, &q.Kind, "only entries of this `KIND`")
	f.StringVar(&q.Tag, "tag", "", "only entries with this tag")
	f.StringVar(&q.Status, "status", "", "only open, resolved, superseded or expired ones")
	f.BoolVar(&q.Pending, "pending", false, "the changes of agents that wait for review")
	f.BoolVar(&q.All, "all", false, "also superseded, expired and resolved entries, and conflict siblings")
	f.BoolVar(&q.Stale, "stale", false, "only entries about workspace files that are gone or changed since")
	f.BoolVar(&q.NeverRecalled, "never-recalled", false, "only entries that no recall has brought up")
	f.BoolVar(&q.ByUse, "by-use", false, "those recalled most often first")
	f.BoolVar(&q.Body, "body", false, "with --json: bodies too")
	return c
}

// list prints entries as lines, with how often each was recalled where that is
// asked for.
func (a *app) list(list []vault.Entry, uses bool) {
	for _, e := range list {
		line := ""
		if uses {
			line = fmt.Sprintf("%4d× ", e.Uses)
		}
		line += fmt.Sprintf("%s  %s", a.paint(dim, fmt.Sprintf("%-13s", e.Kind)), a.headline(e))
		if e.Description != "" && e.Description != e.Title {
			line += a.paint(dim, ": "+safetext.Line(e.Description))
		}
		if len(e.Stale) > 0 {
			line += a.paint(yellow, "  (stale: "+safetext.Line(strings.Join(e.Stale, ", "))+")")
		}
		a.println(a.fit(line))
	}
}
