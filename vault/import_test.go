package vault_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/vault"
)

func (p *place) importLines(writer string, lines ...string) vault.Imported {
	p.Helper()
	file := filepath.Join(p.dir, "in.jsonl")
	p.must(os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	done, err := p.by(writer).Import(context.Background(), vault.Import{Format: "jsonl", Paths: []string{file}, Scope: vault.UserScope})
	p.must(err)
	return done
}

func TestImportedProposalsWait(t *testing.T) {
	p := newPlace(t)
	entry := `{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"Queue","body":"In Redis.","source":"person"}`
	lines := []string{
		entry,
		`{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"Queue","body":"In Postgres.","proposal":{"id":"h7tqwxyz","op":"edit"}}`,
		`{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"Queue","body":"In Redis.","proposal":{"id":"j7tqwxyz","op":"forget"}}`,
		`{"format":"vault.entry.v1","id":"k7tqwxyz","scope":"user","kind":"decision","title":"Zebras","body":"Use zebras.","proposal":{"id":"k7tqwxyz","op":"add"}}`,
		`{"format":"vault.entry.v1","id":"m7tqwxyz","scope":"user","kind":"decision","title":"Gone","body":"Gone.","proposal":{"id":"n7tqwxyz","op":"forget"}}`,
	}
	done := p.importLines("", lines...)
	if len(done.Added) != 4 || done.Held != 3 || done.Pending || len(done.Refused) != 1 {
		t.Fatalf("%+v", done)
	}
	if p.body("gk2m9xqd") != "In Redis." {
		t.Errorf("the entry is %q", p.body("gk2m9xqd"))
	}
	lacks(t, p.offered("codex", "zebras postgres"), "zebras", "Postgres")
	if again := p.importLines("", lines...); len(again.Added) != 0 || again.Known != 4 || len(p.pending("")) != 3 {
		t.Errorf("imported again: %+v", again)
	}
	for _, c := range p.pending("") {
		if c.Review == "edit" {
			p.keep(c.Card)
		}
	}
	if p.body("gk2m9xqd") != "In Postgres." {
		t.Errorf("kept: %q", p.body("gk2m9xqd"))
	}
	p.sound(p.user(""))
}

func TestAgentsImportsWait(t *testing.T) {
	p := newPlace(t)
	p.config("review: off")
	done := p.importLines("codex", `{"title":"Zebras","body":"Use zebras.","kind":"decision","pinned":true}`,
		`{"title":"Lions","body":"Use lions.","kind":"decision","supersedes":["Zebras"]}`)
	if !done.Pending || done.Held != 2 {
		t.Errorf("%+v", done)
	}
	lacks(t, p.offered("codex", "zebras"), "zebras")
	if len(p.pending("")) != 2 {
		t.Errorf("%+v", p.pending(""))
	}
}

func TestImportRefusesSecretsByPlace(t *testing.T) {
	p := newPlace(t)
	key := "ghp_" + strings.Repeat("a1B2c3D4", 5)[:36]
	done := p.importLines("", `{"title":"Fine","body":"Nothing here.","kind":"decision"}`,
		`{"title":"Token `+key+`","body":"x","kind":"decision"}`,
		`{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"T","body":"`+key+`","extra":[{"key":"allow_secret","value":"[github-pat]"}]}`)
	if len(done.Added) != 1 || len(done.Refused) != 2 {
		t.Fatalf("%+v", done)
	}
	for _, r := range done.Refused {
		lacks(t, r.Title+r.Reason+r.Where, key)
		contains(t, r.Where, "in.jsonl:")
		contains(t, r.Reason, "looks like a secret", "line 1")
	}
	p.holdsNot(key)
}

// An import that is taken back leaves nothing of itself behind, and comes back.
func TestAnImportIsUndoneWhole(t *testing.T) {
	p := newPlace(t)
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf(`{"kind":"decision","title":"Decision %d","body":"%s"}`, i, strings.Repeat("Because. ", 2000)))
	}
	if done := p.importLines("", lines...); len(done.Added) != 30 {
		t.Fatalf("%+v", done)
	}
	rolled := p.user("decisions/0001.md")
	if _, err := os.Stat(rolled); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		undone, err := p.by("").Undo(context.Background(), vault.RestoreOptions{Scope: vault.UserScope})
		p.must(err)
		if len(undone.Changes) != 30 {
			t.Errorf("undone: %d", len(undone.Changes))
		}
		if _, err := os.Stat(rolled); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", rolled, err)
		}
		_, err = p.by("").Restore(context.Background(), []string{undone.Commit}, vault.RestoreOptions{Scope: vault.UserScope})
		p.must(err)
		if list, err := p.by("").List(context.Background(), vault.ListQuery{}); err != nil || len(list) != 30 {
			t.Errorf("restored: %d, %v", len(list), err)
		}
		p.sound(p.user(""))
	}
}

// An import that is stopped, wherever that is, leaves nothing or all of it; the
// next one goes on as if nothing had been.
func TestImportStopped(t *testing.T) {
	p := newPlace(t)
	file := manyLines(t, 300)
	in := vault.Import{Format: "jsonl", Paths: []string{file}, Scope: vault.UserScope}
	for _, at := range []struct {
		what string
		done int
	}{{"reading", 1}, {"reading", 150}, {"import", 1}, {"import", 150}, {"import", 300}} {
		ctx, cancel := context.WithCancel(context.Background())
		o := p.options("", p.dir, "")
		o.Progress = func(what string, done, _ int) {
			if what == at.what && done == at.done {
				cancel()
			}
		}
		h, err := vault.Open(o)
		p.must(err)
		done, err := h.Import(ctx, in)
		cancel()
		if err == nil && len(done.Added) != 300 {
			t.Errorf("%+v: %d came in, and no error", at, len(done.Added))
		}
		list, listErr := p.by("").List(context.Background(), vault.ListQuery{Scope: vault.UserScope})
		if n := len(list); err != nil && (n != 0 && n != 300 || listErr != nil && vault.CodeOf(listErr) != vault.NotFound) {
			t.Fatalf("%+v: %d entries are there (%v) after %v", at, n, listErr, err)
		}
		if err == nil {
			break
		}
	}
	done, err := p.by("").Import(context.Background(), in)
	p.must(err)
	if len(done.Added)+done.Known != 300 {
		t.Errorf("%d came in, %d were there", len(done.Added), done.Known)
	}
	p.sound(p.user(""))
}

// An id that stands for something else here is replaced, and what refers to it
// goes with it.
func TestImportRenamesWhatIsTaken(t *testing.T) {
	p := newPlace(t)
	p.importLines("", `{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"Other","body":"Something else."}`)
	done := p.importLines("",
		`{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"Old","body":"In Redis."}`,
		`{"format":"vault.entry.v1","id":"h7tqwxyz","scope":"user","kind":"decision","title":"New","body":"In Postgres.","supersedes":["gk2m9xqd"]}`)
	if len(done.Added) != 2 || done.Added[0].ID == "gk2m9xqd" {
		t.Fatalf("%+v", done.Added)
	}
	if e := p.entry("h7tqwxyz"); len(e.Supersedes) != 1 || e.Supersedes[0] != done.Added[0].ID {
		t.Errorf("%+v", e.Supersedes)
	}
	if e := p.entry("gk2m9xqd"); e.Status == vault.StatusSuperseded {
		t.Error("the other entry is superseded")
	}
}

// Entries so large that nearly all of them are rolled have their lines in the
// block all the same, as many as the block has room for.
func TestLargeEntriesHaveLines(t *testing.T) {
	p := newPlace(t)
	var lines []string
	for i := range 120 {
		lines = append(lines, fmt.Sprintf(`{"kind":"decision","title":"Decision %d","body":"%s"}`, i, strings.Repeat("Because. ", 3000)))
	}
	p.importLines("", lines...)
	for _, test := range []struct{ times, most, least int }{{1, 50, 30}, {2, 90, 60}, {8, 120, 120}} {
		block, err := p.by("").Context(context.Background(), vault.ContextQuery{Scope: vault.UserScope, Bytes: 9_500 * test.times, Tokens: 3_000 * test.times})
		p.must(err)
		if n := strings.Count(block.Text, "] Decision "); n < test.least || n > test.most || n != block.Scopes[0].Shown {
			t.Errorf("a block of %d times the room has %d lines, and counts %d", test.times, n, block.Scopes[0].Shown)
		}
	}
}

// What an agent has imported waits; a person who imports the same decides it.
func TestAPersonsImportKeepsWhatAnAgentImported(t *testing.T) {
	p := newPlace(t)
	lines := []string{
		`{"id":"a","kind":"decision","title":"Queue in Redis","body":"Lists."}`,
		`{"kind":"decision","title":"Queue in Postgres","body":"A table.","supersedes":"a"}`,
	}
	if done := p.importLines("codex", lines...); done.Held != 2 {
		t.Fatalf("%+v", done)
	}
	if done := p.importLines("codex", lines...); done.Known != 2 {
		t.Errorf("again: %+v", done)
	}
	if done := p.importLines("", lines...); len(done.Added) != 2 || done.Held != 0 {
		t.Errorf("by the person: %+v", done)
	}
	if cards := p.cards(); len(cards) != 0 {
		t.Errorf("cards: %+v", cards)
	}
	list, err := p.by("").List(context.Background(), vault.ListQuery{})
	p.must(err)
	if len(list) != 1 || list[0].Title != "Queue in Postgres" {
		t.Errorf("current: %+v", list)
	}
	if done := p.importLines("", lines...); done.Known != 2 {
		t.Errorf("again: %+v", done)
	}
	p.sound(p.user(""))
}
