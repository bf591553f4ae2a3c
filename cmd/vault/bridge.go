package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func bridgeCmd(a *app) *cobra.Command {
	var in vault.Bridge
	c := verb("bridge CLIENT [--into FILE] [--no-index] [--remove] [--dry-run]", "Take in an agent's own memory, and show it the vault's index", `  vault bridge claude-code                     its memory comes in, held for review; the index goes into its MEMORY.md
  vault bridge codex                           the index goes into AGENTS.md
  vault bridge claude-code --into CLAUDE.md
  vault bridge codex --remove                  the index goes again`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		in.Client = args[0]
		done, err := h.Bridge(c.Context(), in)
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, done)
			return nil
		}
		if done.Import != nil {
			a.imported(vault.Import{DryRun: in.DryRun}, *done.Import)
		}
		a.wiredFiles(done.Files, in.DryRun)
		for _, n := range done.Notes {
			a.note(n)
		}
		return nil
	})
	c.Long = "Take in an agent's own memory, and show it the vault's index.\n\nThe clients: " + strings.Join(vault.Clients(), ", ") + ". Only claude-code has a memory to take in."
	c.ValidArgs = vault.Clients()
	f := c.Flags()
	f.StringVar(&in.Into, "into", "", "the `FILE` that gets the index, by default one that the client reads")
	f.BoolVar(&in.NoIndex, "no-index", false, "only take in")
	f.BoolVar(&in.Remove, "remove", false, "only take the index out again")
	f.BoolVarP(&in.DryRun, "dry-run", "n", false, "only show what would change")
	c.MarkFlagsMutuallyExclusive("no-index", "remove")
	return c
}

// wiredFiles prints what became of a client's files; it reports whether any
// changes.
func (a *app) wiredFiles(files []vault.WiredFile, dryRun bool) bool {
	any := false
	for _, f := range files {
		what := safetext.Line(f.Path)
		if f.Change != "unchanged" {
			any = true
			what += a.paint(dim, "  ("+strings.Join(f.What, ", ")+")")
		}
		a.println(f.Change, " ", what)
		if dryRun && f.Diff != "" {
			a.println(safetext.Text(f.Diff))
		}
	}
	return any
}
