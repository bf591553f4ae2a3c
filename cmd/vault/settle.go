package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func settleCmd(a *app) *cobra.Command {
	var take, text string
	c := verb("settle [ID] [--take this|other | --text TEXT]", "Settle what a merge could not decide", `  vault settle                       goes through them on a terminal
  vault settle gk2m9xqd --take other
  vault settle gk2m9xqd --text -`, cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		if len(args) == 0 || take == "" && !c.Flags().Changed("text") {
			return a.disagreements(c, h, args)
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

// disagreements lists what is to be settled, with all texts and their authors;
// on a terminal it asks what to do with each.
func (a *app) disagreements(c *cobra.Command, h *vault.Home, ids []string) error {
	all, err := h.Conflicts(c.Context(), a.scope)
	if err != nil {
		return err
	}
	list := []vault.Disagreement{}
	for _, d := range all {
		if len(ids) == 0 || matches(d, ids[0]) {
			list = append(list, d)
		}
	}
	if len(ids) > 0 && len(list) == 0 {
		return &vault.Error{Code: vault.NotFound, Message: safetext.Line(ids[0]) + " has no other version to settle", Hint: "'vault settle' lists what has"}
	}
	switch {
	case a.json:
		printJSON(a.stdout, map[string]any{"conflicts": list})
		return nil
	case len(list) == 0:
		a.note("nothing to settle")
		return nil
	case a.inTerminal && a.outTerminal:
		return (&walk{app: a, cmd: c, home: h, keys: a.keys()}).settle(list)
	}
	for _, d := range list {
		a.disagreement(d)
		a.println()
	}
	a.note("choose with 'vault settle ID --take this|other', or write with --text -")
	return nil
}

// disagreement shows the versions of an entry.
func (a *app) disagreement(d vault.Disagreement) {
	if d.Entry.ID != "" {
		a.println(a.paint(bold, "this, which stands"), wroteBy(d, d.Entry), ":")
		a.entry(d.Entry)
	}
	for _, o := range d.Siblings {
		a.println()
		a.println(a.paint(bold, "other, kept as "+o.ID), wroteBy(d, o), ":")
		if d.Entry.ID == "" {
			a.entry(o)
			continue
		}
		a.println(indent(a.wordDiff(d.Entry.Title+"\n\n"+d.Entry.Body, o.Title+"\n\n"+o.Body, whole)))
	}
}

// wroteBy says who wrote a version, as far as it is known.
func wroteBy(d vault.Disagreement, e vault.Entry) string {
	who := ""
	if w, ok := d.Wrote[e.ID]; ok {
		who = ", by " + safetext.Line(w.Author) + " on " + w.Time.Local().Format(minute)
	}
	if e.Source != "" && e.Source != "person" {
		who += ", first from " + safetext.Line(e.Source)
	}
	return who
}

func matches(d vault.Disagreement, id string) bool {
	ids := []string{d.Entry.ID}
	for _, o := range d.Siblings {
		ids = append(ids, o.ID)
	}
	for _, have := range ids {
		if len(id) >= 4 && strings.HasPrefix(have, id) {
			return true
		}
	}
	return false
}

// settle asks about each disagreement.
func (w *walk) settle(list []vault.Disagreement) error {
	settled := 0
	defer func() { w.note(fmt.Sprintf("%d settled, %d left", settled, len(list)-settled)) }()
	for i, d := range list {
		w.show(func(a *app) {
			a.println(a.paint(bold, fmt.Sprintf("%d of %d", i+1, len(list))))
			a.disagreement(d)
		})
		done, more, err := w.settleOne(d)
		if err != nil {
			return err
		}
		if done {
			settled++
		}
		if !more {
			return nil
		}
	}
	return nil
}

// settleOne asks what is to become of one; more is false where the person has
// had enough.
func (w *walk) settleOne(d vault.Disagreement) (done, more bool, err error) {
	last := d.Siblings[len(d.Siblings)-1]
	prompt := "[t]his  [o]ther  [e]dit both into one  [s]kip  [q]uit: "
	if len(d.Siblings) > 1 {
		prompt = strings.Replace(prompt, "[o]ther", "[o]ther, the last", 1)
	}
	for {
		key, err := w.keys.next(prompt)
		if err != nil {
			return false, false, err
		}
		s := vault.Settlement{Scope: last.Scope}
		switch key {
		case 't':
			s.Take = "this"
		case 'o':
			s.Take = "other"
		case 'e':
			err = w.mergedByHand(d, &s)
			if err == nil && s.Text == nil {
				w.note("nothing was changed")
				continue
			}
		case 's':
			return false, true, nil
		case 'q':
			return false, false, nil
		default:
			continue
		}
		if err == nil {
			var ch vault.Change
			if ch, err = w.home.Settle(w.cmd.Context(), last.ID, s); err == nil {
				w.changes("settled", []vault.Change{ch})
				return true, true, nil
			}
		}
		w.note(err.Error())
		if s.Text != nil {
			fmt.Fprintln(w.stderr, "your text was:\n"+safetext.Text(*s.Text))
		}
	}
}

// otherMark begins the line after which the other texts follow in an editor.
const otherMark = "----- other"

// mergedByHand has the person write the text that is to stand.
func (w *walk) mergedByHand(d vault.Disagreement, s *vault.Settlement) error {
	editor, err := w.editor()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "vault-settle-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	text := d.Entry.Body + "\n\n"
	for _, o := range d.Siblings {
		text += otherMark + wroteBy(d, o) + " (this line and what follows is left out)\n\n" + o.Body + "\n\n"
	}
	file := filepath.Join(dir, d.Siblings[0].ID+".md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	if err := w.runEditor(w.cmd, editor, file); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil || string(data) == text {
		return err
	}
	saved := "\n" + string(data)
	if i := strings.Index(saved, "\n"+otherMark); i >= 0 {
		saved = saved[:i+1]
	}
	if saved = strings.TrimSpace(saved); saved != "" {
		s.Text = &saved
	}
	return nil
}
