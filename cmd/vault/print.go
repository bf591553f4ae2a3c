package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

// printJSON prints one document, the way every verb does.
func printJSON(w io.Writer, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v)
	_, _ = w.Write(safetext.JSON(b.Bytes()))
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

// minute is how a person is told a time: theirs.
const minute = "2006-01-02 15:04"

func (a *app) println(parts ...string) {
	fmt.Fprintln(a.stdout, strings.Join(parts, ""))
}

// fit cuts a line of an overview to the person's terminal.
func (a *app) fit(line string) string {
	if a.columns <= 0 {
		return line
	}
	return ansi.Truncate(line, a.columns, "…")
}

// headline is an entry on one line: what list, remember and log show of it.
func (a *app) headline(e vault.Entry) string {
	var b strings.Builder
	if e.ID != "" {
		b.WriteString(a.paint(yellow, e.ID) + "  ")
	}
	b.WriteString(a.paint(bold, safetext.Line(e.Title)))
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
	if vault.IsShared(e.Scope) {
		out = append(out, "from "+safetext.Line(e.Scope))
	}
	if e.Pinned {
		out = append(out, "pinned")
	}
	if e.Status != "" && e.Status != vault.StatusOpen {
		out = append(out, e.Status)
	}
	if e.Review != "" {
		out = append(out, strings.TrimRight("card "+e.Card, " ")+" to "+e.Review+" it, by "+e.Source)
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
		field("created", e.Created.Local().Format(minute))
	}
	if !e.Updated.IsZero() {
		field("updated", e.Updated.Local().Format(minute))
	}
	if e.Source != "person" {
		field("source", e.Source)
	}
	field("evidence", e.Evidence)
	field("paths", strings.Join(e.Paths, ", "))
	field("code", e.Code)
	field("supersedes", strings.Join(e.Supersedes, ", "))
	field("superseded by", strings.Join(e.SupersededBy, ", "))
	if len(e.Chain) > 2 {
		a.chain(e.Chain)
	}
	field("derived from", strings.Join(e.DerivedFrom, ", "))
	field("outcome", e.Outcome)
	field("expires", e.Expires)
	a.println()
	a.println(safetext.Text(e.Body))
}

// chain prints a line of entries with arrows, and one that branches entry by
// entry.
func (a *app) chain(list []vault.ChainLink) {
	line := vault.IsLine(list)
	parts := make([]string, len(list))
	for i, l := range list {
		parts[i] = l.ID + " " + safetext.Line(l.Title)
		if !line && len(l.Supersedes) > 0 {
			parts[i] += a.paint(dim, " (supersedes "+strings.Join(l.Supersedes, " and ")+")")
		}
	}
	if line {
		a.println(a.paint(dim, "chain: "), strings.Join(parts, " → "))
		return
	}
	a.println(a.paint(dim, "chain:"))
	for _, part := range parts {
		a.println("  ", part)
	}
}

// change prints what was done to an entry.
func (a *app) change(verb string, c vault.Change) {
	switch {
	case a.quiet:
		a.println(c.Entry.ID)
	case c.Unchanged:
		a.println(a.headline(c.Entry), a.paint(dim, "  (unchanged)"))
	case c.Withdrawn:
		a.println(a.withdrew(), " ", a.headline(c.Entry), a.paint(dim, "  in "+c.Entry.Scope))
	default:
		switch {
		case c.Pending && a.isAgent():
			verb = "proposed"
		case c.Pending:
			verb = "changed the proposal for"
		}
		a.println(verb, " ", a.headline(c.Entry), a.paint(dim, "  in "+c.Entry.Scope))
	}
	if c.Pending {
		a.note("it waits for a person: 'vault review' shows it")
	}
}

// withdrew says that what was done is only that a change was taken back which
// an agent had asked for.
func (a *app) withdrew() string {
	if a.isAgent() {
		return "withdrew your proposal for"
	}
	return "withdrew the proposal for"
}

func (a *app) isAgent() bool {
	w := a.writer()
	return w.IsAgent()
}

// changes prints one change, or several, as text or JSON.
func (a *app) changes(verb string, list []vault.Change) {
	switch {
	case a.json && len(list) == 1:
		printJSON(a.stdout, list[0])
	case a.json:
		printJSON(a.stdout, map[string]any{"changes": list})
	default:
		for _, c := range list[:few(list, maxChanges)] {
			a.change(verb, c)
		}
		if rest := len(list) - few(list, maxChanges); rest > 0 {
			a.println(a.paint(dim, fmt.Sprintf("and %d more", rest)))
		}
	}
}

// What is shown of a change of many entries, in lines. A rest of one is no
// shorter than what it stands for.
const (
	maxChanges = 20 // by the command that makes it
	maxLogged  = 10 // by log, among others; show has them all
)

func few[T any](list []T, most int) int {
	if len(list) <= most+1 {
		return len(list)
	}
	return most
}

// symbols are how changes look in log and diff.
var symbols = map[string]string{vault.Added: "+", vault.Edited: "~", vault.Forgotten: "-", vault.Moved: ">"}

func (a *app) changeLine(c vault.EntryChange) string {
	colour := map[string]string{vault.Added: green, vault.Forgotten: red, vault.Edited: yellow, vault.Moved: dim}[c.Change]
	return a.paint(colour, symbols[c.Change]) + " " + c.ID + "  " + safetext.Line(c.Title) + a.paint(dim, "  ("+string(c.Kind)+")")
}
