package main

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func diffCmd(a *app) *cobra.Command {
	var patch bool
	var code string
	c := verb("diff [A[..B] | --code A[..B]] [--patch]", "Compare two states, entry by entry", `  vault diff                 what was edited by hand and not committed yet
  vault diff HEAD~5          what changed since
  vault diff 3f9c2d1..HEAD --patch
  vault diff --code v1.2..v1.3`, cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		byCode := c.Flags().Changed("code")
		if byCode && len(args) > 0 {
			return usage("give two states of the memory, or two of the code with --code")
		}
		h, err := a.open()
		if err != nil {
			return err
		}
		var list []vault.Diff
		if byCode {
			from, to, _ := strings.Cut(code, "..")
			list, err = h.DiffCode(c.Context(), a.scope, orHead(from), orHead(to))
		} else {
			q := vault.DiffQuery{Scope: a.scope}
			if len(args) == 1 {
				from, to, span := strings.Cut(args[0], "..")
				if q.From, q.To = from, to; span {
					q.From, q.To = orHead(from), orHead(to)
				}
			}
			list, err = h.Diff(c.Context(), q)
		}
		if err != nil {
			return err
		}
		if a.json {
			changes := []vault.EntryChange{}
			for _, d := range list {
				changes = append(changes, d.Changes...)
			}
			printJSON(a.stdout, map[string]any{"changes": changes})
			return nil
		}
		for _, d := range list {
			if patch {
				if err := a.patch(d); err != nil {
					return err
				}
				continue
			}
			for _, ch := range d.Changes {
				a.texts(ch, around)
			}
		}
		return nil
	})
	c.Flags().StringVar(&code, "code", "", "between two revisions of the code, `A[..B]`")
	c.Flags().BoolVarP(&patch, "patch", "p", false, "as plain patches of the files")
	return c
}

// orHead is where a span that leaves one end open begins or ends.
func orHead(rev string) string {
	if rev == "" {
		return "HEAD"
	}
	return rev
}

// patch prints a diff as git would.
func (a *app) patch(d vault.Diff) error {
	for _, f := range d.Patch {
		from, to := "a/"+f.Path, "b/"+f.Path
		if f.Before == nil {
			from = "/dev/null"
		}
		if f.After == nil {
			to = "/dev/null"
		}
		text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
			A: lines(f.Before), B: lines(f.After), FromFile: from, ToFile: to, Context: 3,
		})
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			line = safetext.Text(strings.TrimSuffix(line, "\n"))
			switch {
			case strings.HasPrefix(line, "+"):
				line = a.paint(green, line)
			case strings.HasPrefix(line, "-"):
				line = a.paint(red, line)
			}
			a.println(line)
		}
	}
	return nil
}

// lines splits a file for a patch; a last line without an end says so, as git
// has it.
func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	out := strings.SplitAfter(string(data), "\n")
	if out[len(out)-1] == "" {
		return out[:len(out)-1]
	}
	out[len(out)-1] += "\n\\ No newline at end of file\n"
	return out
}
