package main

import (
	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func resolveCmd(a *app) *cobra.Command {
	var r vault.Resolution
	var as string
	c := verb("resolve ID [--outcome TEXT] [--as KIND]", "Close an open thread", `  vault resolve gk2m9xqd --outcome "It was the connection pool."
  vault resolve gk2m9xqd --as decision --outcome "Pool size is 20."`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		var err error
		if as != "" {
			if r.As, err = vault.ParseKind(as); err != nil {
				return err
			}
		}
		if r.Outcome, err = a.text(r.Outcome); err != nil {
			return err
		}
		r.Scope = a.scope
		h, err := a.open()
		if err != nil {
			return err
		}
		list, err := h.Resolve(c.Context(), args[0], r)
		if err != nil {
			return err
		}
		a.changes("resolved", list)
		return nil
	})
	c.Flags().StringVarP(&r.Outcome, "outcome", "o", "", "how it ended, or - for standard input")
	c.Flags().StringVar(&as, "as", "", "remember the outcome as a decision, convention or failed_path, too")
	return c
}

func promoteCmd(a *app) *cobra.Command {
	var p vault.Promotion
	var to string
	c := verb("promote ID --to KIND [TEXT]", "Make a decision, convention or failed path of a note or thread", `  vault promote gk2m9xqd --to decision
  vault promote gk2m9xqd --to failed-path --title "Sharding by user" "We sharded by user and lost joins."`, cobra.RangeArgs(1, 2), func(c *cobra.Command, args []string) error {
		var err error
		if to == "" {
			return usage("--to is missing: decision, convention or failed_path")
		}
		if p.To, err = vault.ParseKind(to); err != nil {
			return err
		}
		if len(args) == 2 {
			if p.Text, err = a.text(args[1]); err != nil {
				return err
			}
		}
		p.Scope = a.scope
		h, err := a.open()
		if err != nil {
			return err
		}
		ch, err := h.Promote(c.Context(), args[0], p)
		if err != nil {
			return err
		}
		a.changes("promoted", []vault.Change{ch})
		return nil
	})
	c.Flags().StringVar(&to, "to", "", "decision, convention or failed_path")
	c.Flags().StringVarP(&p.Title, "title", "t", "", "the new entry's title")
	return c
}

func settleCmd(a *app) *cobra.Command {
	var take, text string
	c := verb("settle [ID] [--take this|other | --text TEXT]", "Settle what a merge could not decide", `  vault settle
  vault settle gk2m9xqd --take other
  vault settle gk2m9xqd --text -`, cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		if len(args) == 0 || take == "" && !c.Flags().Changed("text") {
			return a.showConflicts(c, h, args)
		}
		s := vault.Settlement{Scope: a.scope, Take: take}
		if c.Flags().Changed("text") {
			if text, err = a.text(text); err != nil {
				return err
			}
			s.Text = &text
		}
		ch, err := h.Settle(c.Context(), args[0], s)
		if err != nil {
			return err
		}
		a.changes("settled", []vault.Change{ch})
		return nil
	})
	c.Flags().StringVar(&take, "take", "", "this: the text that stands; other: the one beside it")
	c.Flags().StringVar(&text, "text", "", "a text of your own, or - for standard input")
	return c
}

// showConflicts lists disagreements with both texts and their authors.
func (a *app) showConflicts(c *cobra.Command, h *vault.Home, ids []string) error {
	list, err := h.Conflicts(c.Context(), a.scope)
	if err != nil {
		return err
	}
	if a.json {
		printJSON(a.stdout, map[string]any{"conflicts": list})
		return nil
	}
	for _, d := range list {
		if len(ids) == 1 && !matches(d, ids[0]) {
			continue
		}
		if d.Entry.ID != "" {
			a.println(a.paint(bold, "this, which stands:"))
			a.entry(d.Entry)
		}
		for _, o := range d.Siblings {
			a.println()
			a.println(a.paint(bold, "other, "+o.ID+", by "+safetext.Line(o.Source)+":"))
			if d.Entry.ID == "" {
				a.entry(o)
				continue
			}
			a.println(indent(a.wordDiff(d.Entry.Title+"\n\n"+d.Entry.Body, o.Title+"\n\n"+o.Body, whole)))
		}
		a.println()
	}
	if len(list) == 0 {
		a.note("nothing to settle")
	} else {
		a.note("choose with 'vault settle ID --take this|other', or write with --text -")
	}
	return nil
}

func matches(d vault.Disagreement, id string) bool {
	ids := []string{d.Entry.ID}
	for _, o := range d.Siblings {
		ids = append(ids, o.ID)
	}
	for _, have := range ids {
		if len(id) >= 4 && len(have) >= len(id) && have[:len(id)] == id {
			return true
		}
	}
	return false
}
