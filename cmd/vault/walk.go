package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gitvault/vault"
)

// A walk shows cards one by one and does what the person says of each.
type walk struct {
	*app
	cmd   *cobra.Command
	home  *vault.Home
	keys  *keys
	stale bool // something was decided since the cards were read

	kept, restored int
}

func (a *app) walk(c *cobra.Command, h *vault.Home, cards []vault.CardView, unseen []vault.UnseenChange) error {
	w := &walk{app: a, cmd: c, home: h, keys: a.keys()}
	of := len(cards) + len(unseen)
	defer func() { a.note(fmt.Sprintf("%d kept, %d put back, %d left", w.kept, w.restored, of-w.kept-w.restored)) }()
	for i, v := range cards {
		if w.stale {
			now, err := h.Card(c.Context(), v.Card)
			if vault.CodeOf(err) == vault.NotFound {
				continue // decided meanwhile, from elsewhere
			}
			if err != nil {
				return err
			}
			v = now
		}
		more, err := w.ask(v, i+1, of)
		if err != nil || !more {
			return err
		}
	}
	for i, u := range unseen {
		more, err := w.askUnseen(u, len(cards)+i+1, of)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// askUnseen shows what somebody else pushed until the person has said what to
// do with it.
func (w *walk) askUnseen(u vault.UnseenChange, n, of int) (bool, error) {
	w.show(func(a *app) { a.unseen(u, n, of) })
	for {
		key, err := w.keys.next("[k]eep  [r]estore what was before  [s]kip  [q]uit: ")
		if err != nil {
			return false, err
		}
		switch key {
		case 'k':
			list, err := w.home.Keep(w.cmd.Context(), []string{u.ID}, vault.DecideOptions{Scope: u.Scope, Version: u.Version})
			return w.after(&w.kept, "kept", list, err), nil
		case 'r':
			list, err := w.home.Discard(w.cmd.Context(), []string{u.ID}, vault.DecideOptions{Scope: u.Scope, Version: u.Version})
			return w.after(&w.restored, "put back", list, err), nil
		case 's':
			return true, nil
		case 'q':
			return false, nil
		}
	}
}

// ask shows one card until the person has said what to do with it; false ends
// the walk.
func (w *walk) ask(v vault.CardView, n, of int) (bool, error) {
	w.show(func(a *app) { a.card(v, n, of) })
	prompt := "[k]eep  [r]estore  [e]dit then keep  [s]kip  [q]uit: "
	editable := v.Op != "forget" && v.After != nil
	if !editable {
		prompt = strings.Replace(prompt, "[e]dit then keep  ", "", 1)
	}
	o := vault.DecideOptions{Scope: v.Scope, Version: v.Version}
	keep := o
	keep.Force = v.Conflict // both texts have been seen
	for {
		key, err := w.keys.next(prompt)
		if err != nil {
			return false, err
		}
		switch {
		case key == 'k':
			list, err := w.home.Keep(w.cmd.Context(), []string{v.Card}, keep)
			return w.after(&w.kept, "kept", list, err), nil
		case key == 'r':
			list, err := w.home.Discard(w.cmd.Context(), []string{v.Card}, o)
			return w.after(&w.restored, "put back", list, err), nil
		case key == 'e' && editable:
			ch, err := w.edit(v)
			switch {
			case err != nil:
				w.note(err.Error())
				continue
			case ch == nil || ch.Unchanged:
				continue
			case ch.Withdrawn: // the person has made of it what stands already
				return w.after(&w.restored, "", []vault.Change{*ch}, nil), nil
			}
			keep.Version = "" // it is what the person has just written
			list, err := w.home.Keep(w.cmd.Context(), []string{v.Card}, keep)
			return w.after(&w.kept, "kept", list, err), nil
		case key == 's':
			return true, nil
		case key == 'q':
			return false, nil
		}
	}
}

// after counts a decision and prints what it did. A card that can't be decided
// as it stands is left, and is not the end.
func (w *walk) after(count *int, verb string, list []vault.Change, err error) bool {
	if err = w.decided(verb, list, err); err != nil {
		w.note(err.Error())
		return true
	}
	w.stale = true
	*count++
	return true
}

// edit opens the editor on the text that a card proposes, or on the entry where
// that counts already.
func (w *walk) edit(v vault.CardView) (*vault.Change, error) {
	id := v.Card
	if v.Applied {
		id = v.After.ID
	}
	w.stale = true
	return w.editInEditor(w.cmd, w.home, v.Scope, id)
}

// show prints what is to be decided on, in lines that fit the terminal.
func (w *walk) show(print func(*app)) {
	var b strings.Builder
	to := *w.app
	to.stdout = &b
	print(&to)
	fmt.Fprint(w.stdout, fold(b.String(), w.width()))
}

// widest is where lines end on a terminal that is wider than one can read.
const widest = 100

func (a *app) width() int {
	if f, ok := a.stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return min(columns, widest)
		}
	}
	return 80
}

// fold breaks lines between words so that they fit a width. What is broken off
// is indented as its line is.
func fold(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\t", "    ")) {
		line = strings.TrimRight(line, "\n")
		rest := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(rest)]
		if room := width - len(indent); ansi.StringWidth(line) > width && room >= 20 {
			rest = strings.ReplaceAll(ansi.Wrap(rest, room, ""), "\n", "\n"+indent)
		}
		b.WriteString(indent + rest + "\n")
	}
	return b.String()
}
