package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/vault"
)

func importCmd(a *app) *cobra.Command {
	var in vault.Import
	c := verb("import FORMAT PATH... [flags]", "Bring another system's memories in, in one commit", `  vault import jsonl decisions.jsonl --dry-run
  vault import jsonl decisions.jsonl --kind decision`, cobra.MinimumNArgs(2), func(c *cobra.Command, args []string) error {
		in.Format, in.Paths, in.Scope = args[0], args[1:], a.scope
		bar := a.progress()
		h, err := a.openWith(bar.show)
		if err != nil {
			return err
		}
		done, err := h.Import(c.Context(), in)
		bar.clear()
		if err != nil {
			return err
		}
		a.imported(in, done)
		if len(done.Refused) > 0 {
			return errFailed
		}
		return nil
	})
	var formats []string
	for _, f := range vault.ImportFormats() {
		formats = append(formats, fmt.Sprintf("  %-18s %s", f.Name, f.What))
	}
	c.Long = c.Short + ".\nIts source stays as it is; what is there already is not added again.\n\nFormats:\n" + strings.Join(formats, "\n")
	f := c.Flags()
	f.BoolVar(&in.DryRun, "dry-run", false, "only say what would become what")
	f.BoolVar(&in.Hold, "hold", false, "as cards, for review")
	addKindFlag(c, &in.Kind, "the `KIND` of all of it (default: what the format says)")
	return c
}

func (a *app) imported(in vault.Import, done vault.Imported) {
	for _, r := range done.Refused {
		what := r.Where
		if r.Title != "" {
			what += " " + r.Title
		}
		fmt.Fprintln(a.stderr, a.tellable("refused: "+what+": "+r.Reason))
	}
	for _, n := range done.Notes {
		a.note("note: " + n)
	}
	if a.json {
		printJSON(a.stdout, done)
		return
	}
	verb := "imported"
	switch {
	case in.DryRun:
		verb = "would import"
		for _, e := range done.Added {
			a.println(a.paint(dim, fmt.Sprintf("%-13s", e.Kind)), "  ", a.headline(e), a.paint(dim, "  in "+e.Scope))
		}
	case done.Pending:
		verb = "holds for review"
	}
	line := fmt.Sprintf("%s %d", verb, len(done.Added))
	if done.Held > 0 && !done.Pending {
		line += fmt.Sprintf(", of which %d wait for review as they did there", done.Held)
	}
	if n := len(done.Updated); n > 0 {
		line += fmt.Sprintf(", %d brought up to date", n)
	}
	if done.Known > 0 {
		line += fmt.Sprintf(", %d there already", done.Known)
	}
	if len(done.Refused) > 0 {
		line += fmt.Sprintf(", %d refused", len(done.Refused))
	}
	a.println(line)
}
