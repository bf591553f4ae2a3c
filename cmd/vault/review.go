package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func reviewCmd(a *app) *cobra.Command {
	return verb("review", "Go through the changes of agents that wait for you", `  vault review
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
		if a.json {
			printJSON(a.stdout, map[string]any{"cards": cards})
			return nil
		}
		if len(cards) == 0 {
			a.note("nothing waits for review")
			return nil
		}
		if !a.inTerminal || !a.outTerminal {
			for i, v := range cards {
				a.card(v, i+1, len(cards))
			}
			return nil
		}
		return a.walk(c, h, cards)
	})
}

// walk shows the cards one by one and does what the person says of each.
func (a *app) walk(c *cobra.Command, h *vault.Home, cards []vault.CardView) error {
	keys, restore := a.keys()
	defer restore()
	for i := 0; i < len(cards); {
		v := cards[i]
		a.card(v, i+1, len(cards))
		key, err := keys("[k]eep  [r]estore  [e]dit then keep  [s]kip  [q]uit: ")
		if err != nil {
			return err
		}
		o := vault.DecideOptions{Scope: v.Scope}
		switch key {
		case 'k':
			err = a.decided(h.Keep(c.Context(), []string{v.Card}, o))
		case 'r':
			err = a.decided(h.Discard(c.Context(), []string{v.Card}, o))
		case 'e':
			restore()
			err = a.editThenKeep(c, h, v)
			keys, restore = a.keys()
		case 's':
		case 'q', 3, 4:
			return nil
		default:
			continue
		}
		if err != nil {
			// A card that can't be decided as it stands is skipped, not the end.
			a.lostTexts(err)
			a.note(err.Error())
		}
		i++
	}
	return nil
}

// decided prints what a decision did.
func (a *app) decided(list []vault.Change, err error) error {
	if err == nil {
		a.changes("decided", list)
	}
	return err
}

func (a *app) editThenKeep(c *cobra.Command, h *vault.Home, v vault.CardView) error {
	kept, err := h.Keep(c.Context(), []string{v.Card}, vault.DecideOptions{Scope: v.Scope})
	if err != nil || v.Op == "forget" {
		return a.decided(kept, err)
	}
	return a.editInEditor(c, h, kept[0].Entry.ID)
}

// keys reads single keys where the terminal can, else the first letter of a
// line. The second result puts the terminal back.
func (a *app) keys() (func(prompt string) (rune, error), func()) {
	f, ok := a.stdin.(interface{ Fd() uintptr })
	if ok && a.getenv("TERM") != "dumb" {
		if old, err := term.MakeRaw(int(f.Fd())); err == nil {
			_ = term.Restore(int(f.Fd()), old)
			return func(prompt string) (rune, error) {
				fmt.Fprint(a.stderr, prompt)
				raw, err := term.MakeRaw(int(f.Fd()))
				if err != nil {
					return 0, err
				}
				var b [1]byte
				_, err = a.stdin.Read(b[:])
				_ = term.Restore(int(f.Fd()), raw)
				fmt.Fprintln(a.stderr)
				if errors.Is(err, io.EOF) {
					return 'q', nil
				}
				return rune(b[0] | 0x20), err
			}, func() {}
		}
	}
	lines := bufio.NewReader(a.stdin)
	return func(prompt string) (rune, error) {
		fmt.Fprint(a.stderr, prompt)
		line, err := lines.ReadString('\n')
		if line = strings.ToLower(strings.TrimSpace(line)); line != "" {
			return rune(line[0]), nil
		}
		if errors.Is(err, io.EOF) {
			return 'q', nil
		}
		return '?', err
	}, func() {}
}

// card prints one card: who, when, from where, and the exact text.
func (a *app) card(v vault.CardView, n, of int) {
	what := map[string]string{"add": "adds", "edit": "changes", "forget": "forgets"}[v.Op]
	head := fmt.Sprintf("%d of %d  %s  %s %s", n, of, v.Card, safetext.Line(v.Source), what)
	a.println(a.paint(bold, head), a.paint(dim, "  in "+safetext.Line(v.Scope)))
	about := []string{v.Created}
	if v.Session != "" {
		about = append(about, "session "+safetext.Line(v.Session))
	}
	if v.Code != "" {
		about = append(about, "at "+safetext.Line(v.Code))
	}
	a.println(a.paint(dim, strings.Join(about, " · ")))
	if v.Applied {
		a.println(a.paint(dim, "it counts already; restore puts the version before it back"))
	}
	if v.Moved {
		a.println(a.paint(yellow, "the entry has been changed since: keep merges both"))
	}
	a.println()
	switch {
	case v.Before != nil && v.After != nil:
		a.texts(vault.EntryChange{ID: v.After.ID, Kind: v.After.Kind, Title: v.After.Title, Change: vault.Edited, Before: v.Before, After: v.After})
	case v.After != nil:
		a.entry(*v.After)
		a.println()
	case v.Before != nil:
		a.entry(*v.Before)
		a.println()
	}
	for _, e := range v.Alike {
		a.println(a.paint(yellow, "alike: "), a.headline(e))
	}
	if len(v.Alike) > 0 {
		a.println()
	}
}

func keepCmd(a *app) *cobra.Command {
	var o vault.DecideOptions
	c := verb("keep ID...|--all [--force]", "Let changes of agents count", `  vault keep gk2m9xqd
  vault keep --all`, cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		if len(args) == 0 && !o.All {
			return usage("name cards, or --all of them")
		}
		h, err := a.open()
		if err != nil {
			return err
		}
		o.Scope = a.scope
		list, err := h.Keep(c.Context(), args, o)
		if err != nil {
			a.lostTexts(err)
			return err
		}
		a.changes("kept", list)
		return nil
	})
	c.Flags().BoolVar(&o.All, "all", false, "every open card")
	c.Flags().BoolVar(&o.Force, "force", false, "take the card's text where the entry was changed since in the same place")
	return c
}
