package main

import (
	"fmt"
	"strings"

	"gitvault/internal/merge"
	"gitvault/internal/safetext"
	"gitvault/vault"
)

// around is how many unchanged lines are shown on either side of a change.
const around = 3

// whole shows all lines, changed or not.
const whole = -1

// texts prints what a change did to an entry's text: a word diff of an edit,
// the whole text of what came or went.
func (a *app) texts(c vault.EntryChange, context int) {
	a.println(a.changeLine(c))
	switch {
	case c.Change == vault.Moved && c.Before != nil && c.After != nil:
		a.println(indent(c.Before.File + " → " + c.After.File))
	case c.Before != nil && c.After != nil:
		a.edited(*c.Before, *c.After, context)
	case c.After != nil && c.After.Body != c.After.Title:
		a.println(indent(safetext.Text(c.After.Body)))
	case c.Before != nil && c.Before.Body != c.Before.Title:
		a.println(indent(safetext.Text(c.Before.Body)))
	}
	a.println()
}

// edited prints what differs between two versions of an entry.
func (a *app) edited(before, after vault.Entry, context int) {
	for _, f := range fieldsOf(before, after) {
		if f.before != f.after {
			a.println(indent(f.name + ": " + a.wordDiff(f.before, f.after, whole)))
		}
	}
	heading := before.Body == before.Title && after.Body == after.Title
	if before.Body != after.Body && !heading {
		a.println(indent(a.wordDiff(before.Body, after.Body, context)))
	}
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
// {+new+} as git does. Of what did not change it shows so many lines around.
func (a *app) wordDiff(before, after string, context int) string {
	type line struct {
		text    strings.Builder
		changed bool
	}
	lines := []*line{{}}
	for _, s := range merge.WordDiff(before, after) {
		for i, part := range strings.Split(safetext.Text(s.Text), "\n") {
			if i > 0 {
				lines = append(lines, &line{})
			}
			l := lines[len(lines)-1]
			l.text.WriteString(a.span(s.Op, part))
			l.changed = l.changed || s.Op != merge.Equal
		}
	}
	shown := make([]bool, len(lines))
	for i, l := range lines {
		for j := max(0, i-context); l.changed && j <= min(len(lines)-1, i+context); j++ {
			shown[j] = true
		}
	}
	var b strings.Builder
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && !shown[end] && context != whole {
			end++
		}
		if n := end - i; n > 1 {
			b.WriteString(a.paint(dim, fmt.Sprintf("… %d lines", n)) + "\n")
			i = end - 1
			continue
		}
		b.WriteString(lines[i].text.String() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// span marks a stretch of one line by what became of it.
func (a *app) span(op merge.Op, text string) string {
	plain := a.paint(red, "x") == "x"
	switch {
	case op == merge.Equal || text == "":
		return text
	case op == merge.Removed && plain:
		return "[-" + text + "-]"
	case op == merge.Removed:
		return a.paint(red, text)
	case plain:
		return "{+" + text + "+}"
	}
	return a.paint(green, text)
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(s, "\n")) {
		if strings.TrimRight(line, " \n") != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}
