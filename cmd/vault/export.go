package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func exportCmd(a *app) *cobra.Command {
	var out string
	var dryRun, force bool
	c := verb("export FORMAT [flags]", "Write the entries out in another system's format", `  vault export jsonl --out backup.jsonl
  vault export html --out site
  vault export adr --dry-run`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		e, err := h.Export(c.Context(), vault.Export{Format: args[0], Scope: a.scope})
		if err != nil {
			return err
		}
		switch {
		case dryRun:
			a.exported("would export ", e)
			return nil
		case out != "" && out != "-":
			if !filepath.IsAbs(out) {
				out = filepath.Join(a.dir, out)
			}
			if err := e.Save(out, force); err != nil {
				return err
			}
			a.exported("exported ", e)
			return nil
		case a.json:
			return usage("--json needs --out or --dry-run: standard output is for the export")
		}
		if err := a.writeExport(e); err != nil {
			return err
		}
		for _, line := range missing(e) {
			a.note(line)
		}
		return nil
	})
	var formats []string
	for _, f := range vault.ExportFormats() {
		formats = append(formats, fmt.Sprintf("  %-12s %s", f.Name, f.What))
	}
	c.Long = c.Short + ".\nA format that is one file goes to standard output without --out. Nothing but\nwhat an earlier export wrote is overwritten.\n\nFormats:\n" + strings.Join(formats, "\n")
	f := c.Flags()
	f.StringVarP(&out, "out", "o", "", "the file or folder to write to, as `PATH`")
	f.BoolVar(&dryRun, "dry-run", false, "only say what would be in it, and what the format can't hold")
	f.BoolVar(&force, "force", false, "overwrite what no export wrote, too")
	return c
}

// writeExport writes an export to standard output: its bytes, but where a
// person's terminal is, nothing that acts on it.
func (a *app) writeExport(e vault.Exported) error {
	if !a.outTerminal {
		_, err := e.WriteTo(a.stdout)
		return err
	}
	var b strings.Builder
	if _, err := e.WriteTo(&b); err != nil {
		return err
	}
	_, err := fmt.Fprint(a.stdout, safetext.Text(b.String()))
	return err
}

func (a *app) exported(verb string, e vault.Exported) {
	if a.json {
		printJSON(a.stdout, e)
		return
	}
	line := verb + e.Summary()
	if e.Out != "" {
		line += " to " + safetext.Line(e.Out)
	}
	a.println(line)
	for _, line := range missing(e) {
		a.println(line)
	}
}

// missing says what of the entries is not in an export.
func missing(e vault.Exported) []string {
	var out []string
	for _, r := range e.LeftOut {
		out = append(out, fmt.Sprintf("left out: %d of %s", r.Entries, r.Reason))
	}
	for _, l := range e.Lost {
		out = append(out, fmt.Sprintf("not held by %s: %s of %d", e.Format, l.Field, l.Entries))
	}
	return out
}
