package vault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gitvault/vault"
)

func TestAlikeNamesDuplicatesAndContradictions(t *testing.T) {
	p := newPlace(t)
	long := strings.Repeat("We talked about the queue, the tests, the release, tabs and spaces, errors, logs, answers, languages and the database. ", 40)
	for title, text := range map[string]string{
		"Queue in Redis":            "Redis is there already.",
		"Indent with tabs":          "Use tabs for indentation.",
		"Answer in German":          "Answer in German.",
		"Errors are wrapped":        "Wrap errors with %w, so that callers can ask for them.",
		"Release on Fridays":        "A release goes out each Friday at noon.",
		"What we talked about":      long,
		"用Redis做队列":                 "队列在Redis里。",
		"Notes of a long afternoon": long + " More of it.",
	} {
		p.add("", vault.Draft{Title: title, Text: text})
	}
	for _, test := range []struct {
		title, text string
		want        string // the title that has to come first, "" for none
	}{
		{"The queue lives in Redis", "It is there already.", "Queue in Redis"},
		{"Queue in Postgres", "One system less to run.", "Queue in Redis"},
		{"Indent with spaces", "Use spaces for indentation.", "Indent with tabs"},
		{"Answer in English", "Answer in English.", "Answer in German"},
		{"Wrap errors", "Wrap errors with %w.", "Errors are wrapped"},
		{"Never release on a Friday", "Releases wait until Monday.", "Release on Fridays"},
		{"用Postgres做队列", "队列在Postgres里。", "用Redis做队列"},
		{"Name tests by what they show", "A test's name says what it shows.", ""},
		{"Keep functions short", "A function does one thing.", ""},
		{"Logs as JSON", "The logs are JSON in production.", ""},
	} {
		c := p.add("codex", vault.Draft{Title: test.title, Text: test.text})
		cards := p.cards()
		i := slices.IndexFunc(cards, func(v vault.CardView) bool { return v.Card == c.Card })
		var got []string
		for _, e := range cards[i].Alike {
			got = append(got, e.Title)
		}
		switch {
		case test.want == "" && len(got) > 0, test.want != "" && (len(got) == 0 || got[0] != test.want):
			t.Errorf("beside %q stand %q, want %q", test.title, got, test.want)
		}
		p.restore(c.Card)
	}

	// What another agent proposes counts as well; an entry is not like itself.
	p.add("codex", vault.Draft{Text: "Prefer composition to inheritance."})
	p.add("claude-code", vault.Draft{Text: "Prefer composition to inheritance."})
	for _, v := range p.cards() {
		if len(v.Alike) != 1 || v.Alike[0].Card == v.Card || v.Alike[0].Card == "" {
			t.Errorf("beside %s: %+v", v.Card, v.Alike)
		}
	}
}

func BenchmarkCards(b *testing.B) {
	p := newPlace(b)
	for i := range 300 {
		p.add("", vault.Draft{Title: fmt.Sprintf("Decision %d about part %d", i, i%17), Text: fmt.Sprintf("Part %d is done in way %d, because of reason %d.", i%17, i%5, i)})
	}
	p.add("codex", vault.Draft{Text: "Part 3 is done in another way."})
	for b.Loop() {
		p.cards()
	}
}
