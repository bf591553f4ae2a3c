package vault_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"gitvault/vault"
)

func TestHeldChangesAreOfferedToNobody(t *testing.T) {
	p := newPlace(t)
	old := p.add("", vault.Draft{Title: "Queue in Redis", Text: "Redis is there already."}).Entry
	pin := p.add("", vault.Draft{Title: "Short answers", Text: "Answer in one sentence.", Pin: true}).Entry

	held := []vault.Change{
		p.add("codex", vault.Draft{Title: "Zebra logging", Text: "Log zebra lines with slog."}),
		p.add("codex", vault.Draft{Title: "Zebra queue", Text: "Zebra takes the queue's place.", Supersedes: []string{old.ID}}),
		p.add("codex", vault.Draft{Title: "Zebra pin", Text: "Always say zebra.", Pin: true}),
		p.edit("codex", old.ID, vault.Edit{Text: ptr("Redis is there already, says the zebra.")}),
		p.edit("codex", pin.ID, vault.Edit{Pin: ptr(false), Title: ptr("Zebra answers")}),
	}
	for _, c := range held {
		if !c.Pending || c.Card == "" {
			t.Errorf("%s: pending %v, card %q", c.Entry.Title, c.Pending, c.Card)
		}
	}
	for _, who := range []string{"", "codex", "claude-code"} {
		got := p.offered(who, "zebra logging queue answers")
		if who == "" {
			block, err := p.by("").Context(context.Background(), vault.ContextQuery{Query: "zebra"})
			p.must(err)
			got = block.Text
		}
		lacks(t, got, "zebra", "Zebra")
		contains(t, got, "Queue in Redis", "Answer in one sentence.")
	}
	for _, name := range []string{"decisions.md", "INDEX.md"} {
		data, err := os.ReadFile(p.user(name))
		p.must(err)
		lacks(t, string(data), "zebra", "Zebra")
	}
	if n := len(p.pending("")); n != 5 {
		t.Errorf("the person has %d cards, want 5", n)
	}
	if n := len(p.pending("claude-code")); n != 0 {
		t.Errorf("another agent is shown %d cards", n)
	}
	list, err := p.by("claude-code").List(context.Background(), vault.ListQuery{})
	p.must(err)
	for _, e := range list {
		if len(e.Cards) > 0 {
			t.Errorf("another agent is told of cards %v", e.Cards)
		}
	}
	p.sound(p.user(""))

	p.keep(held[1].Card)
	block, err := p.by("claude-code").Context(context.Background(), vault.ContextQuery{})
	p.must(err)
	lacks(t, block.Text, old.ID)
	contains(t, block.Text, held[1].Entry.ID)
	p.restore(held[0].Card, held[2].Card, held[3].Card, held[4].Card)
	contains(t, p.offered("claude-code", "zebra"), "Zebra takes the queue's place.")
	if n := len(p.pending("")); n != 0 {
		t.Errorf("%d cards are left", n)
	}
	p.sound(p.user(""))
}

func TestAgentsCardsSideBySide(t *testing.T) {
	p := newPlace(t)
	e := p.add("", vault.Draft{Title: "Logs with slog", Text: "Text in development.\n\nJSON in production."}).Entry
	a := p.edit("codex", e.ID, vault.Edit{Text: ptr("Colour in development.\n\nJSON in production.")})
	b := p.edit("claude-code", e.ID, vault.Edit{Text: ptr("Text in development.\n\nJSON everywhere else.")})
	c := p.edit("gemini-cli", e.ID, vault.Edit{Text: ptr("Nothing in development.\n\nJSON in production.")})
	if len(p.pending("")) != 3 || a.Card == b.Card {
		t.Fatalf("want three cards: %v", p.pending(""))
	}
	_, err := p.by("").Keep(context.Background(), []string{e.ID}, vault.DecideOptions{})
	p.refuses(vault.Invalid, err)

	// What merges, merges; what does not is shown for a choice.
	p.keep(a.Card, b.Card)
	if got := p.body(e.ID); got != "Colour in development.\n\nJSON everywhere else." {
		t.Errorf("merged to %q", got)
	}
	_, err = p.by("").Keep(context.Background(), []string{c.Card}, vault.DecideOptions{})
	p.refuses(vault.Conflict, err)
	if v := p.cards(); len(v) != 1 || !v[0].Conflict || v[0].After.Body != "Nothing in development.\n\nJSON in production." {
		t.Errorf("shown as %+v", v)
	}
	_, err = p.by("").Keep(context.Background(), []string{c.Card}, vault.DecideOptions{Force: true})
	p.must(err)
	if got := p.body(e.ID); !strings.HasPrefix(got, "Nothing in development.") {
		t.Errorf("forced to %q", got)
	}
	p.sound(p.user(""))
}

func TestAgentChangesItsOwnProposal(t *testing.T) {
	p := newPlace(t)
	e := p.add("", vault.Draft{Title: "Logs with slog", Text: "Text in development."}).Entry

	t.Run("an add", func(t *testing.T) {
		add := p.add("codex/s1", vault.Draft{Text: "Use tabs."})
		again := p.edit("codex/s1", add.Entry.ID, vault.Edit{Text: ptr("Use spaces.")})
		if again.Card != add.Card || len(p.pending("")) != 1 {
			t.Errorf("card %s, then %s", add.Card, again.Card)
		}
		before := p.commits()
		same, err := p.by("codex/s1").Remember(context.Background(), vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: "Use spaces."})
		p.must(err)
		if !same.Unchanged || !same.Pending || same.Card != add.Card || p.commits() != before {
			t.Errorf("asked for again: %+v", same)
		}
		gone := p.forget("codex/s1", add.Card)
		if !gone[0].Withdrawn || gone[0].Pending || len(p.pending("")) != 0 {
			t.Errorf("withdrawn: %+v", gone)
		}
	})
	t.Run("an edit", func(t *testing.T) {
		one := p.edit("codex/s1", e.ID, vault.Edit{Text: ptr("JSON in development.")})
		two := p.edit("codex/s1", e.ID, vault.Edit{Tags: &[]string{"logs"}})
		if one.Card != two.Card || two.Entry.Body != "JSON in development." || len(two.Entry.Tags) != 1 {
			t.Errorf("the second edit does not add to the first: %+v", two)
		}
		other := p.edit("codex/s2", e.ID, vault.Edit{Title: ptr("Logs")})
		if other.Card == one.Card {
			t.Error("another session changed the card")
		}
		before := p.commits()
		if same := p.edit("codex/s1", e.ID, vault.Edit{Text: ptr("JSON in development.")}); !same.Unchanged || same.Card != one.Card || p.commits() != before {
			t.Errorf("the same edit again: %+v", same)
		}
		gone := p.forget("codex/s1", e.ID)
		if gone[0].Withdrawn || !gone[0].Pending || gone[0].Card == one.Card || p.body(e.ID) == "" {
			t.Errorf("forgetting the entry is not asked for: %+v", gone)
		}
		if got := p.pending(""); len(got) != 2 || got[1].Card != gone[0].Card || got[1].Review != "forget" {
			t.Errorf("in place of the edit: %+v", got)
		}
		three := p.edit("codex/s1", e.ID, vault.Edit{Text: ptr("JSON in development.")})
		if gone := p.forget("codex/s1", three.Card); !gone[0].Withdrawn {
			t.Errorf("forgetting the card does not take the edit back: %+v", gone)
		}
		if got := p.pending(""); len(got) != 1 || got[0].Card != other.Card {
			t.Errorf("left: %+v", got)
		}
		p.restore(other.Card)
		if p.body(e.ID) != "Text in development." {
			t.Errorf("the entry is %q", p.body(e.ID))
		}
	})
	t.Run("a forget", func(t *testing.T) {
		one := p.forget("codex/s1", e.ID)
		before := p.commits()
		if two := p.forget("codex/s1", e.ID); !two[0].Unchanged || !two[0].Pending || two[0].Card != one[0].Card || p.commits() != before {
			t.Errorf("forgotten again: %+v", two)
		}
		p.forget("codex/s1", one[0].Card)
		if len(p.pending("")) != 0 {
			t.Error("the card is not withdrawn")
		}
	})
	t.Run("a trace", func(t *testing.T) {
		note := func(text string) vault.Change {
			c, err := p.by("codex").Trace(context.Background(), vault.TraceNote{Scope: vault.UserScope, Session: "r1", Text: text})
			p.must(err)
			return c
		}
		first := note("Tried the pool.")
		if c := note("It was the cache."); c.Card != first.Card || c.Entry.Body != "Tried the pool.\n\nIt was the cache." {
			t.Errorf("noted: %+v", c)
		}
		p.keep(first.Card)
		third := note("Cleared it.")
		if c := note("All is well."); c.Card != third.Card || c.Entry.Body != "Tried the pool.\n\nIt was the cache.\n\nCleared it.\n\nAll is well." {
			t.Errorf("noted: %+v", c)
		}
		p.keep(third.Card)
	})
	t.Run("another session's", func(t *testing.T) {
		add := p.add("codex/s1", vault.Draft{Text: "Use zebras."})
		for _, who := range []string{"codex/s2", "claude-code/s1"} {
			_, err := p.by(who).Edit(context.Background(), add.Card, vault.Edit{Text: ptr("Use lions.")})
			if err == nil {
				t.Errorf("%s changed a proposal that is not its own", who)
			}
			_, err = p.by(who).Forget(context.Background(), "", []string{add.Card}, "")
			if err == nil {
				t.Errorf("%s withdrew a proposal that is not its own", who)
			}
		}
		p.restore(add.Card)
	})
	p.sound(p.user(""))
}

func TestPersonDecidesByDoing(t *testing.T) {
	p := newPlace(t)
	held := p.add("codex", vault.Draft{Text: "Use tabs."})
	said := p.add("", vault.Draft{Text: "Use tabs."})
	if said.Unchanged || said.Pending || said.Entry.ID != held.Entry.ID || len(p.pending("")) != 0 {
		t.Errorf("the person said it: %+v, pending %v", said, p.pending(""))
	}
	asked := p.forget("codex", said.Entry.ID)
	edit := p.edit("claude-code", said.Entry.ID, vault.Edit{Text: ptr("Use spaces.")})
	p.forget("", said.Entry.ID)
	if got := p.pending(""); len(got) != 1 || got[0].Card != edit.Card {
		t.Errorf("after the person forgot it: %+v", got)
	}
	_, err := p.by("").Keep(context.Background(), []string{asked[0].Card}, vault.DecideOptions{})
	p.refuses(vault.NotFound, err)
	_, err = p.by("").Keep(context.Background(), []string{edit.Card}, vault.DecideOptions{})
	p.refuses(vault.Conflict, err)
	_, err = p.by("").Keep(context.Background(), []string{edit.Card}, vault.DecideOptions{Force: true})
	p.must(err)
	if p.body(said.Entry.ID) != "Use spaces." {
		t.Errorf("brought back as %q", p.body(said.Entry.ID))
	}
	p.sound(p.user(""))
}

func TestPolicies(t *testing.T) {
	for _, test := range []struct {
		config, manifest string
		kind             vault.Kind
		counts, card     bool
	}{
		{"", "", vault.Decision, false, true},
		{"review: hold", "", vault.Decision, false, true},
		{"review: apply", "", vault.Decision, true, true},
		{"review: off", "", vault.Decision, true, false},
		{"review: {policy: off}", "", vault.Decision, true, false},
		{"review: {policy: off, kinds: {decisions: hold}}", "", vault.Decision, false, true},
		{"review: {policy: off, kinds: {decisions: hold}}", "", vault.Convention, true, false},
		{"review: {scopes: {user: off}}", "", vault.Decision, true, false},
		{"review: {scopes: {project: off}}", "", vault.Decision, false, true},
		{"review: {scopes: {user: {decision: apply}}}", "", vault.Decision, true, true},
		{"review: {policy: off, scopes: {user: {decision: apply}}}", "", vault.Convention, true, false},
		{"review: off", "review: hold", vault.Decision, false, true},
		{"review: off", "review: apply", vault.Decision, true, true},
		{"review: hold", "review: off", vault.Decision, false, true},
		{"review: off", "review: {kinds: {decision: hold}}", vault.Decision, false, true},
		{"review: off", "review: {kinds: {decision: hold}}", vault.Convention, true, false},
		{"review: off", "review: whatever", vault.Decision, false, true},
		{"review: off", "review: [off]", vault.Decision, false, true},
	} {
		t.Run(test.config+" "+test.manifest+" "+string(test.kind), func(t *testing.T) {
			p := newPlace(t)
			p.add("", vault.Draft{Text: "First."})
			if test.manifest != "" {
				data, err := os.ReadFile(p.user("vault.yaml"))
				p.must(err)
				p.must(os.WriteFile(p.user("vault.yaml"), append(data, test.manifest+"\n"...), 0o644))
			}
			p.config(test.config)
			c := p.add("codex", vault.Draft{Kind: test.kind, Text: "Use zebras."})
			if c.Pending == test.counts || (c.Card != "") != test.card {
				t.Errorf("pending %v, card %q", c.Pending, c.Card)
			}
			if got := strings.Contains(p.offered("claude-code", "zebras"), "zebras"); got != test.counts {
				t.Errorf("offered: %v", got)
			}
		})
	}
}

func TestPinsAlwaysWait(t *testing.T) {
	p := newPlace(t)
	for _, policy := range []string{"review: apply", "review: off"} {
		p.config(policy)
		pin := p.add("", vault.Draft{Title: "Pinned " + policy, Text: "Mind the gap.", Pin: true}).Entry
		plain := p.add("", vault.Draft{Text: "Plain " + policy}).Entry
		for name, c := range map[string]vault.Change{
			"a new pin":            p.add("codex", vault.Draft{Text: "New " + policy, Pin: true}),
			"pinning":              p.edit("codex", plain.ID, vault.Edit{Pin: ptr(true)}),
			"editing a pin":        p.edit("codex/1", pin.ID, vault.Edit{Text: ptr("Fall into the gap.")}),
			"unpinning":            p.edit("codex/2", pin.ID, vault.Edit{Pin: ptr(false)}),
			"editing it then":      p.edit("codex/2", pin.ID, vault.Edit{Title: ptr("Unpinned")}),
			"an end to a pin":      p.edit("codex/3", pin.ID, vault.Edit{Expires: ptr("2020-01-01")}),
			"taking a pin's place": p.add("codex", vault.Draft{Text: "Instead " + policy, Supersedes: []string{pin.ID}}),
			"forgetting a pin":     p.forget("claude-code", pin.ID)[0],
		} {
			if !c.Pending {
				t.Errorf("%s with %s counts at once", name, policy)
			}
		}
		contains(t, p.offered("codex", "gap"), "Mind the gap.")
	}
}

func TestAppliedChangesArePutBack(t *testing.T) {
	p := newPlace(t)
	p.config("review: apply")
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry

	add := p.add("codex", vault.Draft{Text: "Use tabs."})
	edit := p.edit("codex", e.ID, vault.Edit{Text: ptr("In Postgres.")})
	if p.body(e.ID) != "In Postgres." || len(p.pending("")) != 2 {
		t.Fatalf("%q, %d cards", p.body(e.ID), len(p.pending("")))
	}
	p.restore(add.Card, edit.Card)
	if p.body(e.ID) != "In Redis." || p.body(add.Entry.ID) != "" || len(p.pending("")) != 0 {
		t.Errorf("put back: %q, %q", p.body(e.ID), p.body(add.Entry.ID))
	}

	// A person's later edit is not lost by it.
	edit = p.edit("codex", e.ID, vault.Edit{Text: ptr("In Postgres.")})
	p.edit("", e.ID, vault.Edit{Text: ptr("In SQLite.")})
	_, err := p.by("").Restore(context.Background(), []string{edit.Card}, vault.RestoreOptions{})
	p.refuses(vault.Conflict, err)
	if p.body(e.ID) != "In SQLite." || len(p.pending("")) != 1 {
		t.Errorf("refused, and yet %q", p.body(e.ID))
	}
	p.keep(edit.Card)

	gone := p.forget("codex", e.ID)[0]
	if p.body(e.ID) != "" || gone.Pending || gone.Card == "" {
		t.Errorf("forgotten: %+v", gone)
	}
	p.restore(gone.Card)
	if p.body(e.ID) != "In SQLite." {
		t.Errorf("back as %q", p.body(e.ID))
	}

	// What the agent itself takes back leaves nothing to decide.
	add = p.add("codex", vault.Draft{Text: "Never mind."})
	if c := p.forget("codex", add.Entry.ID)[0]; !c.Withdrawn || len(p.pending("")) != 0 {
		t.Errorf("taken back: %+v, %v", c, p.pending(""))
	}
	// Nor does what a person forgets.
	add = p.add("codex", vault.Draft{Text: "Look away."})
	p.forget("", add.Entry.ID)
	if len(p.pending("")) != 0 {
		t.Errorf("left: %+v", p.pending(""))
	}
	p.sound(p.user(""))
}

func TestSeveralInOneCommit(t *testing.T) {
	p := newPlace(t)
	var ids []string
	for i := range 6 {
		ids = append(ids, p.add("codex", vault.Draft{Text: fmt.Sprintf("Rule %d.", i)}).Card)
	}
	before := p.commits()
	p.keep(ids[0], ids[1])
	p.restore(ids[2], ids[3])
	if got := p.commits() - before; got != 2 {
		t.Errorf("%d commits for two decisions", got)
	}

	// A commit stands for the cards that it made.
	log, err := p.by("").Log(context.Background(), vault.LogQuery{Limit: 1})
	p.must(err)
	made := p.edit("codex", ids[0], vault.Edit{Text: ptr("Rule 0, changed.")})
	p.keep(made.Commit)
	if p.body(ids[0]) != "Rule 0, changed." {
		t.Errorf("kept by commit: %q", p.body(ids[0]))
	}
	_, err = p.by("").Keep(context.Background(), []string{log[0].Commit}, vault.DecideOptions{})
	p.refuses(vault.NotFound, err)
	_, err = p.by("").Keep(context.Background(), []string{"nothing-of-the-kind"}, vault.DecideOptions{})
	p.refuses(vault.NotFound, err)

	// Restoring a commit takes back what it proposed, or what it kept.
	proposed := p.add("codex", vault.Draft{Text: "Rule 7."})
	p.restore(proposed.Commit)
	if len(p.pending("")) != 2 {
		t.Errorf("pending: %v", p.pending(""))
	}
	kept := p.keep(ids[4])[0]
	p.restore(kept.Commit)
	if got := p.pending(""); p.body(ids[4]) != "Rule 4." || len(got) != 2 {
		t.Errorf("a keep taken back: %+v", got)
	}
	if _, err := os.ReadFile(p.user("review/" + ids[4] + ".md")); err != nil {
		t.Error("the card is not open again")
	}

	// With all, what needs a choice is left, and said.
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
	p.edit("codex", e.ID, vault.Edit{Text: ptr("In Postgres.")})
	p.edit("", e.ID, vault.Edit{Text: ptr("In SQLite.")})
	before = p.commits()
	done, err := p.by("").Keep(context.Background(), nil, vault.DecideOptions{All: true})
	p.refuses(vault.Conflict, err)
	if len(done) != 2 || len(p.pending("")) != 1 || p.commits() != before+1 {
		t.Errorf("kept %d, left %d", len(done), len(p.pending("")))
	}
	done, err = p.by("").Discard(context.Background(), nil, vault.DecideOptions{All: true})
	p.must(err)
	if len(done) != 1 || p.body(e.ID) != "In SQLite." {
		t.Errorf("put back %d: %q", len(done), p.body(e.ID))
	}
	p.sound(p.user(""))
}

func TestUndoReopensCards(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	c := p.add("codex", vault.Draft{Text: "Use tabs."})
	p.keep(c.Card)
	_, err := p.by("").Undo(ctx, vault.RestoreOptions{})
	p.must(err)
	if got := p.pending(""); len(got) != 1 || got[0].Card != c.Card {
		t.Fatalf("after undoing the keep: %+v", got)
	}
	lacks(t, p.offered("codex", "tabs"), "tabs")
	p.keep(c.Card)

	p.config("review: apply")
	c = p.edit("codex", c.Entry.ID, vault.Edit{Text: ptr("Use spaces.")})
	p.keep(c.Card)
	_, err = p.by("").Undo(ctx, vault.RestoreOptions{})
	p.must(err)
	if got := p.pending(""); len(got) != 1 || p.body(c.Entry.ID) != "Use spaces." {
		t.Fatalf("after undoing the keep: %+v %q", got, p.body(c.Entry.ID))
	}
	p.restore(c.Card)
	if p.body(c.Entry.ID) != "Use tabs." {
		t.Errorf("put back: %q", p.body(c.Entry.ID))
	}
	_, err = p.by("").Undo(ctx, vault.RestoreOptions{})
	p.must(err)
	if got := p.pending(""); len(got) != 1 || p.body(c.Entry.ID) != "Use spaces." {
		t.Errorf("after undoing that: %+v %q", got, p.body(c.Entry.ID))
	}
	// The commit of an applied change is taken back with its card, also once it was kept.
	p.keep(c.Card)
	p.restore(c.Commit)
	if p.body(c.Entry.ID) != "Use tabs." {
		t.Errorf("taken back: %q", p.body(c.Entry.ID))
	}
	p.sound(p.user(""))
}

func TestOnlyAPersonMay(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	e := p.add("", vault.Draft{Text: "Mine."}).Entry
	c := p.add("codex", vault.Draft{Text: "Its own."})
	h := p.by("codex")
	one := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"keep":    one(h.Keep(ctx, []string{c.Card}, vault.DecideOptions{})),
		"discard": one(h.Discard(ctx, []string{c.Card}, vault.DecideOptions{})),
		"restore": one(h.Restore(ctx, []string{c.Card}, vault.RestoreOptions{})),
		"undo":    one(h.Undo(ctx, vault.RestoreOptions{})),
		"cards":   one(h.Cards(ctx, "")),
		"settle":  one(h.Settle(ctx, e.ID, vault.Settlement{Take: "this"})),
		"link":    one(h.Link("user")),
	} {
		if vault.CodeOf(err) != vault.Refused {
			t.Errorf("%s: %v", name, err)
		} else {
			contains(t, err.Error(), "person", "codex")
		}
	}
}

func TestNobodyPassesForAPerson(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"person", " Person ", "vault", "merge", "import:jsonl", "a\nVault-Source: person", "\x1b[2J", strings.Repeat("x", 65), "ghp_" + strings.Repeat("a1B2", 9)} {
		if _, err := p.open(name, p.dir); vault.CodeOf(err) != vault.Invalid {
			t.Errorf("an agent may be called %q", name)
		}
	}
}

func TestTooManyCards(t *testing.T) {
	p := newPlace(t)
	p.add("", vault.Draft{Text: "Mine."})
	var lines strings.Builder
	for i := range vault.MaxCards {
		fmt.Fprintf(&lines, "{\"title\":\"Rule %d\",\"body\":\"Text %d.\"}\n", i, i)
	}
	file := p.dir + "/rules.jsonl"
	p.must(os.WriteFile(file, []byte(lines.String()), 0o644))
	in := vault.Import{Format: "jsonl", Paths: []string{file}, Scope: vault.UserScope, Kind: vault.Decision}
	done, err := p.by("codex").Import(context.Background(), in)
	p.must(err)
	if !done.Pending || len(done.Added) != vault.MaxCards {
		t.Fatalf("held %d", len(done.Added))
	}
	_, err = p.by("codex").Remember(context.Background(), vault.Draft{Scope: vault.UserScope, Text: "One more."})
	p.refuses(vault.Refused, err)
	// Its own it may still change.
	p.edit("codex", done.Added[0].ID, vault.Edit{Text: ptr("Changed.")})
	p.forget("codex", done.Added[1].ID)
	p.add("codex", vault.Draft{Text: "One more."})
	// What is there already needs no card.
	again, err := p.by("codex").Import(context.Background(), vault.Import{Format: "jsonl", Paths: []string{file}, Scope: vault.UserScope, Kind: vault.Decision})
	if vault.CodeOf(err) != vault.Refused {
		t.Errorf("two more than there is room for: %v, %d", err, len(again.Added))
	}
	if n := len(p.pending("")); n != vault.MaxCards {
		t.Errorf("%d cards", n)
	}
	kept, err := p.by("").Keep(context.Background(), nil, vault.DecideOptions{All: true})
	p.must(err)
	if len(kept) != vault.MaxCards {
		t.Errorf("kept %d", len(kept))
	}
	p.sound(p.user(""))
}

// A change that its agent takes back by setting the text to what it was leaves
// no card that asks for nothing.
func TestAnEditBackLeavesNoCard(t *testing.T) {
	for _, policy := range []string{"hold", "apply"} {
		t.Run(policy, func(t *testing.T) {
			p := newPlace(t)
			p.config("review: " + policy)
			e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
			for range 2 {
				p.edit("codex/one", e.ID, vault.Edit{Text: ptr("In Postgres.")})
				if len(p.cards()) != 1 {
					t.Fatalf("cards: %+v", p.cards())
				}
				c := p.edit("codex/one", e.ID, vault.Edit{Text: ptr("In Redis.")})
				if !c.Withdrawn || c.Pending || c.Entry.Body != "In Redis." {
					t.Errorf("the edit back: %+v", c)
				}
				if n := p.cards(); len(n) != 0 {
					t.Errorf("left: %+v", n)
				}
				if p.body(e.ID) != "In Redis." {
					t.Errorf("it says %q", p.body(e.ID))
				}
			}
			// Another agent's change, or a person's since, is not taken back by it.
			p.edit("codex/one", e.ID, vault.Edit{Text: ptr("In Postgres.")})
			p.edit("", e.ID, vault.Edit{Title: ptr("The queue")})
			p.edit("codex/one", e.ID, vault.Edit{Text: ptr("In Redis.")})
			want := map[string]int{"hold": 0, "apply": 2}[policy] // what is held is the text as it was
			if n := p.cards(); len(n) != want {
				t.Errorf("%d cards: %+v", len(n), n)
			}
			list, err := p.by("").Get(context.Background(), "", []string{e.ID})
			p.must(err)
			if list[0].Title != "The queue" || list[0].Body != "In Redis." {
				t.Errorf("it is %+v", list[0])
			}
			p.sound(p.user(""))
		})
	}
	// The person, too, may set a card back to what it would change.
	p := newPlace(t)
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
	c := p.edit("codex", e.ID, vault.Edit{Text: ptr("In Postgres.")})
	p.edit("", c.Card, vault.Edit{Text: ptr("In Redis.")})
	if n := p.cards(); len(n) != 0 {
		t.Errorf("left: %+v", n)
	}
}
