package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func reviewCmd(a *app) *cobra.Command {
	return verb("review", "Go through the changes that wait for you", `  vault review
  vault review --json
  vault review | less`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		cards, err := h.Cards(c.Context(), a.scope)
		if err != nil {
			return err
		}
		unseen, err := h.Unseen(c.Context(), a.scope)
		if err != nil {
			return err
		}
		if a.json {
			out := map[string]any{"cards": cards}
			if len(unseen) > 0 {
				out["remote"] = unseen
			}
			printJSON(a.stdout, out)
			return nil
		}
		of := len(cards) + len(unseen)
		if of == 0 {
			a.note("nothing waits for review")
			return nil
		}
		if !a.inTerminal || !a.outTerminal {
			for i, v := range cards {
				a.card(v, i+1, of)
			}
			for i, u := range unseen {
				a.unseen(u, len(cards)+i+1, of)
			}
			return nil
		}
		return a.walk(c, h, cards, unseen)
	})
}

// card prints one card: who, when, from where, and the exact text.
func (a *app) card(v vault.CardView, n, of int) {
	what := map[string]string{"add": "adds", "edit": "changes", "forget": "forgets"}[v.Op]
	head := fmt.Sprintf("%d of %d  %s  %s %s", n, of, v.Card, safetext.Line(v.Source), what)
	if e := shownEntry(v); e != nil {
		head += " a " + strings.ReplaceAll(string(e.Kind), "_", " ")
	}
	a.println(a.paint(bold, head), a.paint(dim, "  in "+safetext.Line(v.Scope)))
	about := []string{v.Created}
	if v.Session != "" {
		about = append(about, "session "+v.Session)
	}
	if v.Code != "" {
		about = append(about, "at "+v.Code)
	}
	a.println(a.paint(dim, safetext.Line(strings.Join(about, " · "))))
	if v.Reason != "" {
		a.println("because: ", safetext.Line(v.Reason))
	}
	if word := standing(v); word != "" {
		a.println(a.paint(yellow, word))
	}
	a.println()
	switch {
	case v.Before != nil && v.After != nil:
		a.texts(vault.EntryChange{ID: v.After.ID, Kind: v.After.Kind, Title: v.After.Title, Change: vault.Edited, Before: v.Before, After: v.After}, whole)
	case shownEntry(v) != nil:
		a.entry(*shownEntry(v))
		a.println()
	}
	for _, e := range v.Alike {
		a.println(a.paint(yellow, "alike: "), a.headline(e))
	}
	if len(v.Alike) > 0 {
		a.println()
	}
}

// unseen prints what somebody else pushed, and does not count here yet.
func (a *app) unseen(u vault.UnseenChange, n, of int) {
	what := map[string]string{"add": "added", "edit": "changed", "forget": "forgot"}[u.Op]
	a.println(a.paint(bold, fmt.Sprintf("%d of %d  %s  %s %s a %s", n, of, u.ID, safetext.Line(u.Author), what, strings.ReplaceAll(string(u.Shown().Kind), "_", " "))),
		a.paint(dim, "  in "+safetext.Line(u.Scope)))
	a.println(a.paint(dim, u.Time.Format(time.RFC3339)+" · commit "+u.Commit[:10]+" · does not count for agents here before you keep it"))
	a.println()
	if u.Before == nil || u.After == nil {
		a.entry(*u.Shown())
		a.println()
		return
	}
	a.texts(vault.EntryChange{ID: u.After.ID, Kind: u.After.Kind, Title: u.After.Title, Change: vault.Edited, Before: u.Before, After: u.After}, whole)
}

// standing says what is particular about a card, where anything is.
func standing(v vault.CardView) string {
	switch {
	case v.Applied && shownEntry(v) == nil:
		return "it counted already, and is gone again"
	case v.Applied:
		return "it counts already: restore puts the version before it back"
	case v.Conflict && v.Op == "forget":
		return "the entry was changed after this was asked for: keep forgets it all the same"
	case v.Conflict && v.Before == nil:
		return "the entry was forgotten after this was asked for: keep brings it back, changed"
	case v.Conflict:
		return "the entry was changed in the same place after this was asked for: keep takes this text, restore leaves what stands"
	case v.Moved:
		return "the entry was changed after this was asked for: keep makes of both what you see here"
	}
	return ""
}

// shownEntry is the entry that a card is about, nil where there is none any more.
func shownEntry(v vault.CardView) *vault.Entry {
	if v.After != nil {
		return v.After
	}
	return v.Before
}
