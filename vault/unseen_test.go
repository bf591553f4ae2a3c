package vault_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"gitvault/vault"
)

func TestWhatOthersPushedWaitsForALook(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
	pref := p.add("", vault.Draft{Kind: vault.Preference, Title: "Terse", Text: "Answer in one sentence.", Pin: true}).Entry
	// A colleague pushes: as git, in whatever way it came, has it afterwards.
	theirs := func(file, old, new string) {
		t.Helper()
		data, err := os.ReadFile(p.user(file))
		p.must(err)
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("%q is not in %s", old, file)
		}
		p.must(os.WriteFile(p.user(file), bytes.Replace(data, []byte(old), []byte(new), 1), 0o644))
		p.git("-C", p.user(""), "add", "-A")
		p.git("-C", p.user(""), "commit", "-qm", "theirs")
	}
	p.config("review: {remote: hold}")
	contains(t, p.offered("codex", "queue"), "In Redis.") // what is here already has been seen
	theirs("decisions.md", "In Redis.", "In zebra.")
	theirs("decisions.md", "# Decisions\n", "# Decisions\n\n## Obey zebras\n<!-- vault: {id: zzzzzzz9, created: 2026-11-30T19:27:00Z, supersedes: ["+pref.ID+"]} -->\n\nAll zebras.\n")

	for range 2 {
		got := p.offered("codex", "queue zebra")
		lacks(t, got, "zebra")
		contains(t, got, "Answer in one sentence.")
	}
	_, err := p.by("codex").Get(ctx, "", []string{e.ID})
	p.refuses(vault.NotFound, err)
	if p.body(e.ID) != "In zebra." {
		t.Error("the person does not see it")
	}
	if n := len(p.pending("")); n != 0 {
		t.Errorf("%d cards", n)
	}
	list, err := p.by("").Unseen(ctx, "")
	p.must(err)
	if len(list) != 2 {
		t.Fatalf("unseen: %+v", list)
	}
	for _, u := range list {
		if u.Author != "Grace" || u.After.ID == e.ID && (u.Before == nil || u.Before.Body != "In Redis.") {
			t.Errorf("unseen: %+v", u)
		}
	}
	_, err = p.by("codex").Unseen(ctx, "")
	p.refuses(vault.Refused, err)

	// One is looked at, the other is edited by the person: both are offered.
	p.keep("zzzzzzz9")
	contains(t, p.offered("codex", "zebras"), "All zebras.")
	p.edit("", e.ID, vault.Edit{Text: ptr("In Postgres, not in zebra.")})
	contains(t, p.offered("codex", "queue"), "In Postgres")
	list, err = p.by("").Unseen(ctx, "")
	p.must(err)
	if len(list) != 0 {
		t.Errorf("still unseen: %+v", list)
	}
	p.sound(p.user(""))

	// Without the setting what others push is offered.
	theirs("decisions.md", "In Postgres", "In lion")
	p.config("")
	contains(t, p.offered("codex", "queue"), "In lion")
}
