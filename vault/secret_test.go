package vault_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"gitvault/gitstore"
	"gitvault/vault"
)

// Shaped like the real thing, and nobody's.
var (
	githubKey = "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	slackKey  = "xoxb-" + strings.Repeat("123456789012-", 2) + strings.Repeat("aB3dE6", 4)
	urlLogin  = "postgres://ada:" + "hunter2secret" + "@db.example.org/app"
)

func TestSecretsAreRefusedInEveryField(t *testing.T) {
	ctx := context.Background()
	one := func(_ any, err error) error { return err }
	for _, who := range []string{"", "codex"} {
		for _, secret := range []string{githubKey, slackKey, urlLogin} {
			p := newPlace(t)
			p.config("review: apply")
			e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
			thread := p.add("", vault.Draft{Kind: vault.OpenThread, Title: "Why slow?", Text: "Nobody knows."}).Entry
			h := p.by(who)
			draft := func(d vault.Draft) error {
				d.Scope, d.Kind = vault.UserScope, vault.Decision
				if d.Text == "" {
					d.Text = "Fine."
				}
				return one(h.Remember(ctx, d))
			}
			edit := func(ed vault.Edit) error { return one(h.Edit(ctx, e.ID, ed)) }
			for name, err := range map[string]error{
				"text":         draft(vault.Draft{Text: "Use " + secret + " there."}),
				"title":        draft(vault.Draft{Title: "Use " + secret}),
				"description":  draft(vault.Draft{Description: secret}),
				"evidence":     draft(vault.Draft{Evidence: secret}),
				"session":      draft(vault.Draft{Session: secret}),
				"paths":        draft(vault.Draft{Paths: []string{"a/" + secret}}),
				"edit text":    edit(vault.Edit{Text: ptr("Line one.\n\nThen " + secret)}),
				"edit title":   edit(vault.Edit{Title: &secret}),
				"reason":       one(h.Forget(ctx, "", []string{e.ID}, "it held "+secret)),
				"outcome":      one(h.Resolve(ctx, thread.ID, vault.Resolution{Outcome: secret})),
				"trace":        one(h.Trace(ctx, vault.TraceNote{Scope: vault.UserScope, Session: "s", Text: "curl " + secret})),
				"trace title":  one(h.Trace(ctx, vault.TraceNote{Scope: vault.UserScope, Session: "s", Title: secret, Text: "x"})),
				"trace's name": one(h.Trace(ctx, vault.TraceNote{Scope: vault.UserScope, Session: secret, Text: "x"})),
			} {
				var e *vault.Error
				if !errors.As(err, &e) || e.Code != vault.Refused {
					t.Errorf("%s by %q of %s: %v", name, who, secret[:4], err)
					continue
				}
				lacks(t, err.Error(), secret)
				contains(t, err.Error(), "looks like a secret (", "line ", "column ")
				if strings.Contains(err.Error(), "--allow-secret") != (who == "") {
					t.Errorf("%s by %q: %v", name, who, err)
				}
			}
			p.holdsNot(secret)
			p.sound(p.user(""))
		}
	}
}

func TestAPersonLetsInWhatIsNone(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	p.allow = []string{"github-pat"}
	_, err := p.open("codex", p.dir)
	p.refuses(vault.Refused, err)
	p.allow = []string{"no-such-rule"}
	_, err = p.open("", p.dir)
	p.refuses(vault.Invalid, err)

	p.allow = []string{"github-pat"}
	_, err = p.by("").Remember(ctx, vault.Draft{Scope: vault.UserScope, Text: "Not " + slackKey})
	p.refuses(vault.Refused, err)
	e := p.add("", vault.Draft{Title: "An example token", Text: "The docs use " + githubKey + " everywhere."}).Entry
	p.allow = nil
	contains(t, p.offered("codex", "example token"), githubKey)

	// It stays let in, for that rule and that entry alone.
	p.edit("", e.ID, vault.Edit{Tags: &[]string{"docs"}})
	p.edit("codex", e.ID, vault.Edit{Title: ptr("An example of a token")})
	other := "ghp_" + strings.Repeat("Zy9xW8v7U6", 4)[:36]
	_, err = p.by("codex").Edit(ctx, e.ID, vault.Edit{Text: ptr("The docs use " + githubKey + " and " + other)})
	p.refuses(vault.Refused, err)
	_, err = p.by("").Edit(ctx, e.ID, vault.Edit{Text: ptr("The docs use " + slackKey)})
	p.refuses(vault.Refused, err)
	p.keep(p.pending("")[0].Card)
	contains(t, p.offered("codex", "example token"), githubKey)
	p.sound(p.user(""))
}

func TestSecretsTypedByHand(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
	data, err := os.ReadFile(p.user("decisions.md"))
	p.must(err)
	data = bytes.Replace(data, []byte("In Redis."), []byte("In Redis, with "+githubKey+"."), 1)
	data = append(data, "\n## Slack wants "+slackKey+"\n\nFor the zebra bot.\n\n## Fine\n\nNothing here.\n"...)
	p.must(os.WriteFile(p.user("decisions.md"), data, 0o644))

	look := func(when string) {
		t.Helper()
		for _, words := range []string{"queue redis", "slack zebra bot", "fine"} {
			got := p.offered("codex", words)
			lacks(t, got, githubKey, slackKey, "zebra", e.ID)
			contains(t, got, "Nothing here.")
		}
		for _, cmd := range []func(*vault.Home) (string, error){
			func(h *vault.Home) (string, error) {
				list, err := h.Log(ctx, vault.LogQuery{})
				var b strings.Builder
				for _, c := range list {
					b.WriteString(c.Subject)
					for _, e := range c.Entries {
						b.WriteString(e.Title)
					}
				}
				return b.String(), err
			},
			func(h *vault.Home) (string, error) {
				list, err := h.Diff(ctx, vault.DiffQuery{From: "HEAD"})
				var b bytes.Buffer
				for _, d := range list {
					for _, c := range d.Changes {
						b.WriteString(c.Title)
					}
					for _, f := range d.Patch {
						b.Write(f.After)
					}
				}
				return b.String(), err
			},
		} {
			got, err := cmd(p.by("codex"))
			p.must(err)
			lacks(t, got, githubKey, slackKey)
		}
		_, err := p.by("codex").Get(ctx, "", []string{e.ID})
		p.refuses(vault.NotFound, err)
		_, err = p.by("codex").Edit(ctx, e.ID, vault.Edit{Title: ptr("Mine")})
		p.refuses(vault.NotFound, err)
		found, err := p.by("").Check(ctx, "", false)
		p.must(err)
		n := 0
		for _, f := range found {
			if f.Rule == "secret" {
				n++
			}
			lacks(t, f.Message, githubKey, slackKey)
		}
		if n != 2 {
			t.Errorf("%s: check finds %d secrets: %+v", when, n, found)
		}
		st, err := p.by("").Status(ctx)
		p.must(err)
		if st.Scopes[0].Secrets != 2 {
			t.Errorf("%s: status counts %d", when, st.Scopes[0].Secrets)
		}
	}
	look("on disk")
	p.add("", vault.Draft{Text: "The next change adopts it."})
	look("adopted")

	// The person's text is not refused, and is nowhere but in its file.
	index, err := os.ReadFile(p.user("INDEX.md"))
	p.must(err)
	lacks(t, string(index), githubKey, slackKey)
	lacks(t, p.git("-C", p.user(""), "log", "--format=%B"), githubKey, slackKey)
	if !strings.Contains(p.body(e.ID), githubKey) {
		t.Error("the person does not see their own text")
	}
	// They may go on editing it, and take it out.
	p.edit("", e.ID, vault.Edit{Tags: &[]string{"queue"}})
	_, err = p.by("").Edit(ctx, e.ID, vault.Edit{Text: ptr("In Redis, with " + urlLogin)})
	p.refuses(vault.Refused, err)
	p.edit("", e.ID, vault.Edit{Text: ptr("In Redis.")})
	contains(t, p.offered("codex", "queue"), "In Redis.")
}

func TestSecretsOnTheWayOut(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	p.add("", vault.Draft{Title: "Queue", Text: "In Redis."})
	s, err := p.by("").Scope(vault.UserScope)
	p.must(err)
	hash := func() gitstore.Hash {
		h, err := s.Head()
		p.must(err)
		return h
	}
	clean := hash()
	if found, err := s.SecretsIn(ctx, clean); err != nil || len(found) > 0 {
		t.Fatalf("in a clean history: %v %v", found, err)
	}
	data, err := os.ReadFile(p.user("decisions.md"))
	p.must(err)
	p.must(os.WriteFile(p.user("decisions.md"), append(data, "\n## Bot\n\nToken:\n"+githubKey+"\n"...), 0o644))
	p.must(os.WriteFile(p.user("notes.txt"), []byte("mine: "+slackKey+"\n"), 0o644))
	p.git("-C", p.user(""), "add", "-A")
	p.git("-C", p.user(""), "commit", "-qm", "use "+urlLogin)
	p.add("", vault.Draft{Text: "After."})
	dirty := hash()
	p.forget("", p.idOf("Bot")) // gone from the files, and still in the history

	found, err := s.SecretsIn(ctx, hash(), clean)
	p.must(err)
	where := map[string]bool{}
	for _, f := range found {
		where[f.File+" "+f.Field] = true
		lacks(t, f.String(), githubKey, slackKey, "hunter2")
	}
	if len(found) != 4 || !where["decisions.md body"] || !where["notes.txt text"] || !where[" message"] {
		t.Errorf("found %v", found)
	}
	if found, err := s.SecretsIn(ctx, hash(), dirty); err != nil || len(found) > 0 {
		t.Errorf("beyond what the other side has: %v %v", found, err)
	}
	err = s.CheckOutgoing(ctx, hash(), clean)
	p.refuses(vault.Refused, err)
	lacks(t, err.Error(), githubKey, slackKey, "hunter2")
	p.must(s.CheckOutgoing(ctx, hash(), dirty))
}
