package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func contextCmd(a *app) *cobra.Command {
	var q vault.ContextQuery
	c := verb("context [--query TEXT] [--budget TOKENS]", "Print the block that an agent gets at the start of a turn", `  vault context
  vault context --query "flaky payment tests" --format markdown`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if a.off() {
			return nil
		}
		h, err := a.open()
		if err != nil {
			return err
		}
		q.Scope = a.scope
		block, err := h.Context(c.Context(), q)
		if err != nil {
			return err
		}
		if a.json && !c.Flags().Changed("format") {
			printJSON(a.stdout, block)
			return nil
		}
		_, err = io.WriteString(a.stdout, block.Text)
		return err
	})
	f := c.Flags()
	f.StringVar(&q.Query, "query", "", "a task: the entries that bear on it are shown whole")
	f.IntVar(&q.Tokens, "budget", 0, "at most so many `TOKENS`, estimated (default 3000)")
	f.IntVar(&q.Bytes, "bytes", 0, "at most so many bytes (default 9500)")
	f.StringVar(&q.Format, "format", "", "xml (default), markdown or json")
	f.StringVar(&q.Session, "session", "", "the agent session it is for")
	return c
}

// off reports whether this session is to run without memory.
func (a *app) off() bool {
	switch a.getenv("VAULT_OFF") {
	case "", "0", "false", "no":
		return false
	}
	return true
}

func recallCmd(a *app) *cobra.Command {
	var q vault.RecallQuery
	var kind, since, until string
	c := verb("recall QUERY [flags]", "Find the entries that bear on a task", `  vault recall "queue in postgres"
  vault recall --kind failed-path --explain "migrate the session store"`, cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		if a.off() {
			return nil
		}
		text, err := a.text(joined(args))
		if err != nil {
			return err
		}
		q.Text, q.Scope = text, a.scope
		if kind != "" {
			if q.Kind, err = vault.ParseKind(kind); err != nil {
				return err
			}
		}
		if q.Since, err = date("--since", since); err != nil {
			return err
		}
		if q.Until, err = date("--until", until); err != nil {
			return err
		}
		if q.Limit < 0 || q.Budget < 0 {
			return usage("--limit and --budget can't be negative")
		}
		bar := a.progress()
		h, err := a.openWith(bar.show)
		if err != nil {
			return err
		}
		found, err := h.Recall(c.Context(), q)
		bar.clear()
		if err != nil {
			return err
		}
		if a.json {
			printJSON(a.stdout, found)
			return nil
		}
		a.recalled(found)
		return nil
	})
	f := c.Flags()
	f.StringVarP(&kind, "kind", "k", "", "only entries of this kind")
	f.StringArrayVar(&q.Tags, "tag", nil, "only entries with this `TAG`; may be repeated")
	f.StringVar(&q.Path, "path", "", "only entries about this workspace `FILE` or folder")
	f.StringVar(&q.Status, "status", "", "only open, resolved, superseded or expired ones")
	f.StringVar(&since, "since", "", "only entries changed on or after this `DATE`")
	f.StringVar(&until, "until", "", "only entries changed before this `DATE`")
	f.BoolVar(&q.All, "all", false, "also what is no longer current, marked")
	f.BoolVar(&q.Body, "body", false, "with bodies")
	f.BoolVar(&q.Explain, "explain", false, "say how each hit earned its place")
	f.IntVarP(&q.Limit, "limit", "n", 10, "at most so many hits (up to 200)")
	f.IntVar(&q.Budget, "budget", vault.DefaultRecallBudget, "at most so many `TOKENS`, estimated")
	f.StringVar(&q.Session, "session", "", "the agent session it is for")
	return c
}

func (a *app) recalled(found vault.Recalled) {
	for _, hit := range found.Hits {
		if hit.Backend == "" {
			a.println(a.paint(dim, fmt.Sprintf("%-13s", hit.Kind)), "  ", a.headline(hit.Entry))
		} else {
			a.println(a.foreign(hit))
		}
		caution, snippet := hit.Said()
		if caution != "" {
			a.println("    ", a.paint(red, "failed: "), safetext.Line(caution))
		}
		if snippet != "" {
			a.println("    ", safetext.Line(snippet))
		}
		if hit.Body != "" {
			a.println(indent(safetext.Text(hit.Body)))
		}
		if hit.Explain != nil {
			a.println("    ", a.paint(dim, safetext.Line(hit.Why)))
			for _, p := range hit.Explain.Parts {
				a.println("      ", a.paint(dim, fmt.Sprintf("%-24s %8.3f", safetext.Line(p.Name), p.Score)))
			}
		}
	}
	if found.Omitted > 0 && len(found.Hits) > 0 {
		a.note(fmt.Sprintf("%d more; --limit and --budget bound the answer", found.Omitted))
	}
}

// foreign is the first line of a hit that is no entry of the vault.
func (a *app) foreign(hit vault.Hit) string {
	name, id := safetext.Line(hit.Backend), safetext.Line(hit.ID)
	if id != "" {
		id = a.paint(dim, id) + "  "
	}
	return a.paint(dim, fmt.Sprintf("%-13s", "elsewhere")) + "  " + id + a.paint(bold, safetext.Line(hit.Title)) + " " + a.paint(dim, "(from "+name+", no entry of the vault)")
}
