package vault_test

import (
	"context"
	"strings"
	"testing"

	"gitvault/vault"
)

func (p *place) note(n vault.TraceNote) vault.Change {
	p.Helper()
	n.Scope = vault.UserScope
	c, err := p.by("").Trace(context.Background(), n)
	p.must(err)
	return c
}

// What a session's notes end with already is not added again, however much of
// it is new.
func TestNotesAreAddedOnce(t *testing.T) {
	p := newPlace(t)
	for session, notes := range map[string][]string{
		"begun anew":   {"a\nb", "a\nb\nc", "a\nb\nc"},
		"the end":      {"a\nb\nc", "b\nc", "c", "b\t\nc \nd", "a\nb\nc\nd"},
		"blanks":       {"a\n\nb", "b", "a  \n\nb\n\nc"},
		"one line":     {"ran the tests\nok", "ok\nran them again"},
		"again and on": {"x\nx\ny", "x\ny\nx\nx\nz"},
		"other":        {"a", "b", "a"},
	} {
		var c vault.Change
		for _, text := range notes {
			c = p.note(vault.TraceNote{Session: session, Text: text})
		}
		want := map[string]string{
			"begun anew": "a\nb\nc", "the end": "a\nb\nc\nd", "blanks": "a\n\nb\n\nc",
			"one line": "ran the tests\nok\n\nok\nran them again", "again and on": "x\nx\ny\nx\nx\nz", "other": "a\n\nb\n\na",
		}[session]
		if c.Entry.Body != want {
			t.Errorf("%s: %q, not %q", session, c.Entry.Body, want)
		}
	}
	if c := p.note(vault.TraceNote{Session: "the end", Text: "c\nd"}); !c.Unchanged || c.Commit != "" {
		t.Errorf("%+v", c)
	}
}

// Compacted notes name the commit that has what they took the place of.
func TestCompactedNotesNameTheCommit(t *testing.T) {
	p := newPlace(t)
	raw := p.note(vault.TraceNote{Session: "s", Text: "Looked at the pool.\nRaised it to twenty."})
	p.note(vault.TraceNote{Session: "other", Text: "Something else."})
	c := p.note(vault.TraceNote{Session: "s", Text: "Pool raised.", Replace: true})
	contains(t, c.Entry.Body, "Pool raised.\n\n_The notes before this are in commit "+raw.Commit[:12]+"._")
	contains(t, p.git("-C", p.user(""), "show", raw.Commit[:12]+":"+c.Entry.File), "Looked at the pool.")
	shown, err := p.by("").Show(context.Background(), "", raw.Commit[:12])
	p.must(err)
	if len(shown.Entries) != 1 || shown.Entries[0].ID != c.Entry.ID {
		t.Errorf("%+v", shown)
	}
	for _, same := range []string{"Pool raised.", c.Entry.Body} {
		if again := p.note(vault.TraceNote{Session: "s", Text: same, Replace: true}); !again.Unchanged || again.Commit != "" {
			t.Errorf("%+v", again)
		}
	}
	if len(p.told) > 0 {
		t.Errorf("it says %q", p.told)
	}
	p.note(vault.TraceNote{Session: "s", Text: "Pool raised, and more than that.", Replace: true})
	contains(t, strings.Join(p.told, "\n"), "these notes are longer than those whose place they take")
	p.sound(p.user(""))
}
