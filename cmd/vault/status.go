package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func statusCmd(a *app) *cobra.Command {
	return verb("status", "Show scopes, how the project was found, and what waits", `  vault status
  vault status --json`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		st, err := h.Status(c.Context())
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, st)
			return nil
		}
		a.println("home     ", safetext.Line(st.Home))
		if st.Workspace.Key == "" {
			a.println("project  none: ", safetext.Line(strings.Join(st.Workspace.Notes, "; ")))
		} else {
			a.println("project  ", safetext.Line(st.Workspace.Key), a.paint(dim, "  found by "+st.Workspace.FoundBy))
			for _, n := range st.Workspace.Notes {
				a.println("         ", safetext.Line(n))
			}
		}
		for _, s := range st.Scopes {
			a.println()
			a.println(a.paint(bold, safetext.Line(s.Name)), a.paint(dim, "  "+safetext.Line(s.Path)))
			if s.Error != "" {
				a.println("  can't be read: ", safetext.Line(s.Error))
				continue
			}
			a.println("  ", a.counts(s))
			if s.Secrets > 0 {
				a.println("  ", a.paint(yellow, fmt.Sprintf("%d hold what looks like a secret, and are kept from agents: 'vault check' says where", s.Secrets)))
			}
			for _, m := range s.Remotes {
				a.println("  ", a.remoteLine(m))
			}
			for _, p := range s.Uncommitted {
				a.println("  edited by hand, committed with the next change: ", safetext.Line(p))
			}
			for _, b := range s.Blocked {
				a.println("  ", safetext.Line(b))
			}
		}
		if len(st.Scopes) > 0 {
			a.println()
			a.println(fmt.Sprintf("a context block holds %d entries in about %d of %d tokens, and leaves out %d",
				st.Context.Shown, st.Context.Used, st.Context.Budget, st.Context.Omitted))
		}
		for _, b := range st.Backends {
			how := "gave " + countOf(b.Hits, "hit")
			switch {
			case b.Error != "":
				how = "left out: " + b.Error
			case b.Time.IsZero():
				how = "not asked yet"
			}
			a.println(strings.TrimSpace("recall backend "+safetext.Line(b.Name)), ": ", safetext.Line(how))
		}
		for _, r := range st.Receipts {
			line := fmt.Sprintf("%s  %s gave %d entries, about %d tokens, in %s", r.Time.Local().Format("2006-01-02 15:04"), r.Op, len(r.IDs), r.Tokens, r.Scope)
			if r.Query != "" {
				line += ": " + r.Query
			}
			a.println(a.paint(dim, safetext.Line(line)))
		}
		return nil
	})
}

func (a *app) counts(s vault.ScopeStatus) string {
	var parts []string
	for _, k := range vault.Kinds() {
		if n := s.Entries[k]; n > 0 {
			parts = append(parts, countOf(n, strings.ReplaceAll(string(k), "_", " ")))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no entries"}
	}
	if s.Pending > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting for review", s.Pending))
	}
	if s.Conflicts > 0 {
		parts = append(parts, countOf(s.Conflicts, "conflict")+" to settle")
	}
	return strings.Join(parts, " · ") + a.paint(dim, fmt.Sprintf("  %s on disk", bytesText(s.Bytes)))
}

func countOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
