package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gitvault/internal/merge"
	"gitvault/internal/safetext"
	"gitvault/vault"
)

// printJSON prints one document, the way every verb does.
func printJSON(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v)
}

// Colours, by what they say.
const (
	dim    = "2"
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// paint colours text where a person reads it on a terminal that has colours.
func (a *app) paint(code, s string) string {
	if !a.outTerminal || a.noColor || a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb" || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (a *app) println(parts ...string) {
	fmt.Fprintln(a.stdout, strings.Join(parts, ""))
}

// headline is an entry on one line: what list, remember and log show of it.
func (a *app) headline(e vault.Entry) string {
	var b strings.Builder
	b.WriteString(a.paint(yellow, e.ID) + "  " + a.paint(bold, safetext.Line(e.Title)))
	for _, mark := range marks(e) {
		b.WriteString(" " + a.paint(dim, "("+mark+")"))
	}
	for _, t := range e.Tags {
		b.WriteString(" " + a.paint(dim, "#"+safetext.Line(t)))
	}
	return b.String()
}

// marks are the things about an entry that change how it is read.
func marks(e vault.Entry) []string {
	var out []string
	if e.Pinned {
		out = append(out, "pinned")
	}
	if e.Status != "" && e.Status != vault.StatusOpen {
		out = append(out, e.Status)
	}
	if e.Review != "" {
		out = append(out, "card "+e.Card+" to "+e.Review+" it, by "+e.Source)
	} else if len(e.Cards) > 0 {
		out = append(out, "waiting for review: "+strings.Join(e.Cards, ", "))
	}
	if e.Conflict != "" {
		out = append(out, "other version of "+e.Conflict)
	}
	return out
}

// entry prints a whole entry.
func (a *app) entry(e vault.Entry) {
	a.println(a.headline(e))
	field := func(name, value string) {
		if value != "" {
			a.println(a.paint(dim, name+": "), safetext.Line(value))
		}
	}
	field("kind", string(e.Kind)+" in "+e.Scope)
	if e.Description != "" && e.Description != e.Title && !strings.HasPrefix(e.Body, strings.TrimSuffix(e.Description, "…")) {
		field("about", e.Description)
	}
	if !e.Created.IsZero() {
		field("created", e.Created.Format("2006-01-02 15:04 MST"))
	}
	if !e.Updated.IsZero() {
		field("updated", e.Updated.Format("2006-01-02 15:04 MST"))
	}
	if e.Source != "person" {
		field("source", e.Source)
	}
	field("evidence", e.Evidence)
	field("paths", strings.Join(e.Paths, ", "))
	field("code", e.Code)
	field("supersedes", strings.Join(e.Supersedes, ", "))
	field("superseded by", strings.Join(e.SupersededBy, ", "))
	field("derived from", strings.Join(e.DerivedFrom, ", "))
	field("outcome", e.Outcome)
	field("expires", e.Expires)
	a.println()
	a.println(safetext.Text(e.Body))
}

// change prints what was done to an entry.
func (a *app) change(verb string, c vault.Change) {
	switch {
	case a.quiet:
		a.println(c.Entry.ID)
	case c.Unchanged:
		a.println(a.headline(c.Entry), a.paint(dim, "  (unchanged)"))
	default:
		a.println(verb, " ", a.headline(c.Entry), a.paint(dim, "  in "+c.Entry.Scope))
	}
	if c.Pending {
		a.note("it waits for a person: 'vault review' shows it")
	}
}

// changes prints one change, or several, as text or JSON.
func (a *app) changes(verb string, list []vault.Change) {
	switch {
	case a.json && len(list) == 1:
		printJSON(a.stdout, list[0])
	case a.json:
		printJSON(a.stdout, map[string]any{"changes": list})
	default:
		for _, c := range list {
			a.change(verb, c)
		}
	}
}

// symbols are how changes look in log and diff.
var symbols = map[string]string{vault.Added: "+", vault.Edited: "~", vault.Forgotten: "-", vault.Moved: ">"}

func (a *app) changeLine(c vault.EntryChange) string {
	colour := map[string]string{vault.Added: green, vault.Forgotten: red, vault.Edited: yellow, vault.Moved: dim}[c.Change]
	return a.paint(colour, symbols[c.Change]) + " " + c.ID + "  " + safetext.Line(c.Title) + a.paint(dim, "  ("+string(c.Kind)+")")
}

// texts prints what a change did to an entry's text: a word diff of an edit,
// the whole text of what came or went.
func (a *app) texts(c vault.EntryChange) {
	a.println(a.changeLine(c))
	switch {
	case c.Change == vault.Moved && c.Before != nil && c.After != nil:
		a.println(indent(c.Before.File + " → " + c.After.File))
	case c.Before != nil && c.After != nil:
		for _, f := range fieldsOf(*c.Before, *c.After) {
			if f.before != f.after {
				a.println(indent(f.name + ": " + a.wordDiff(f.before, f.after)))
			}
		}
		if c.Before.Body != c.After.Body {
			a.println(indent(a.wordDiff(c.Before.Body, c.After.Body)))
		}
	case c.After != nil && c.After.Body != c.After.Title:
		a.println(indent(safetext.Text(c.After.Body)))
	case c.Before != nil && c.Before.Body != c.Before.Title:
		a.println(indent(safetext.Text(c.Before.Body)))
	}
	a.println()
}

type fieldPair struct{ name, before, after string }

// fieldsOf pairs what an edit may change besides the body.
func fieldsOf(b, c vault.Entry) []fieldPair {
	flag := func(on bool) string {
		if on {
			return "yes"
		}
		return "no"
	}
	return []fieldPair{
		{"title", b.Title, c.Title}, {"description", b.Description, c.Description},
		{"tags", strings.Join(b.Tags, ", "), strings.Join(c.Tags, ", ")}, {"pinned", flag(b.Pinned), flag(c.Pinned)},
		{"status", b.Status, c.Status}, {"outcome", b.Outcome, c.Outcome}, {"expires", b.Expires, c.Expires},
		{"evidence", b.Evidence, c.Evidence}, {"paths", strings.Join(b.Paths, ", "), strings.Join(c.Paths, ", ")},
		{"supersedes", strings.Join(b.Supersedes, ", "), strings.Join(c.Supersedes, ", ")},
	}
}

// wordDiff shows an edit in words: in colour on a terminal, else [-gone-] and
// {+new+} as git does.
func (a *app) wordDiff(before, after string) string {
	var b strings.Builder
	plain := a.paint(red, "x") == "x"
	for _, s := range merge.WordDiff(before, after) {
		text := safetext.Text(s.Text)
		switch {
		case s.Op == merge.Equal:
			b.WriteString(text)
		case s.Op == merge.Removed && plain:
			b.WriteString("[-" + text + "-]")
		case s.Op == merge.Removed:
			b.WriteString(a.paint(red, text))
		case plain:
			b.WriteString("{+" + text + "+}")
		default:
			b.WriteString(a.paint(green, text))
		}
	}
	return b.String()
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}
