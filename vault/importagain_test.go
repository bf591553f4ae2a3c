package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/vault"
)

func (p *place) importFile(writer, format, name string, lines ...string) vault.Imported {
	p.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	p.must(os.MkdirAll(filepath.Dir(file), 0o755))
	p.must(os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	from := file
	if strings.Contains(name, "/") {
		from = filepath.Dir(file)
	}
	done, err := p.by(writer).Import(context.Background(), vault.Import{Format: format, Paths: []string{from}, Scope: vault.UserScope})
	p.must(err)
	return done
}

func TestAGrownSessionStaysOneTrace(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	lines := []string{
		`{"type":"user","sessionId":"s-1","cwd":"/w","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"Fix the clock"}}`,
		`{"type":"assistant","sessionId":"s-1","cwd":"/w","timestamp":"2026-05-01T10:01:00Z","message":{"role":"assistant","content":[{"type":"text","text":"Looking."}]}}`,
		`{"type":"user","sessionId":"s-1","cwd":"/w","timestamp":"2026-05-01T10:02:00Z","message":{"role":"user","content":"Now the docs"}}`,
		`{"type":"assistant","sessionId":"s-1","cwd":"/w","timestamp":"2026-05-01T10:03:00Z","message":{"role":"assistant","content":[{"type":"text","text":"Written."}]}}`,
		`{"type":"user","sessionId":"s-1","cwd":"/w","timestamp":"2026-05-01T10:04:00Z","message":{"role":"user","content":"And the tests"}}`,
	}
	trace := func() string {
		t.Helper()
		list, err := p.by("").List(ctx, vault.ListQuery{Kind: vault.SessionTrace})
		p.must(err)
		if len(list) != 1 {
			t.Fatalf("%d traces of one session", len(list))
		}
		return p.body(list[0].ID)
	}
	p.importFile("", "sessions", "s.jsonl", lines[:2]...)
	contains(t, trace(), "Fix the clock", "Looking.")
	_, err := p.by("").Trace(ctx, vault.TraceNote{Session: "s-1", Text: "A note of mine.", Scope: vault.UserScope})
	p.must(err)
	done := p.importFile("", "sessions", "s.jsonl", lines[:4]...)
	if len(done.Added) != 0 || len(done.Updated) != 1 || len(done.Commits) != 1 {
		t.Errorf("%+v", done)
	}
	text := trace()
	contains(t, text, "Fix the clock", "Now the docs", "Written.", "A note of mine.")
	if strings.Count(text, "Fix the clock") != 1 {
		t.Errorf("the same is there twice:\n%s", text)
	}
	for _, n := range []int{4, 2} { // the same, and an older copy
		if done := p.importFile("", "sessions", "s.jsonl", lines[:n]...); len(done.Updated)+len(done.Added) != 0 || done.Known != 1 || trace() != text {
			t.Errorf("%d lines again: %+v\n%s", n, done, trace())
		}
	}
	list, err := p.by("").List(ctx, vault.ListQuery{Kind: vault.SessionTrace})
	p.must(err)
	mine := strings.Replace(text, "Looking", "Seeing", 1)
	mine = strings.Replace(mine, "Fix the clock", "Mend the clock", 1)
	p.edit("", list[0].ID, vault.Edit{Text: &mine})
	p.importFile("", "sessions", "s.jsonl", lines...)
	contains(t, trace(), "Mend the clock", "A note of mine.", "And the tests")
	p.sound(p.user(""))
}

func TestAHeldSessionGrowsOnItsCard(t *testing.T) {
	p := newPlace(t)
	lines := []string{
		`{"type":"user","sessionId":"s-1","cwd":"/w","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"Fix the clock"}}`,
		`{"type":"user","sessionId":"s-1","cwd":"/w","timestamp":"2026-05-01T10:02:00Z","message":{"role":"user","content":"Now the docs"}}`,
	}
	p.importFile("codex", "sessions", "s.jsonl", lines[:1]...)
	p.importFile("codex", "sessions", "s.jsonl", lines...)
	if cards := p.pending(""); len(cards) != 1 {
		t.Fatalf("%+v", cards)
	}
	if done := p.importFile("", "sessions", "s.jsonl", lines...); len(done.Added) != 1 || len(p.pending("")) != 0 {
		t.Errorf("%+v, waiting %+v", done, p.pending(""))
	}
	p.sound(p.user(""))
}

func TestAPersonsImportKeepsWhatAnAgentsHeld(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	lines := []string{`{"title":"Zebras","body":"Use zebras.","kind":"decision"}`, `{"title":"Lions","body":"Use lions.","kind":"decision","supersedes":["Zebras"]}`}
	p.importLines("codex", lines...)
	done := p.importLines("", lines...)
	if len(done.Added) != 2 || done.Known != 0 || done.Held != 0 || len(p.pending("")) != 0 {
		t.Errorf("%+v, waiting %+v", done, p.pending(""))
	}
	list, err := p.by("").List(ctx, vault.ListQuery{})
	p.must(err)
	if len(list) != 1 || list[0].Title != "Lions" {
		t.Errorf("%+v", list)
	}
	p.sound(p.user(""))
}

func TestAnImportFollowsTheSourcesStatus(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	current := func() string {
		list, err := p.by("").List(ctx, vault.ListQuery{})
		p.must(err)
		var titles []string
		for _, e := range list {
			titles = append(titles, e.Title)
		}
		return strings.Join(titles, ", ")
	}
	first := []string{"# 1. Queue in Redis", "", "Date: 2026-01-02", "", "## Status", "", "Accepted", "", "## Decision", "", "Redis."}
	p.importFile("", "adr", "adr/0001-queue.md", first...)
	first[6] = "Superseded by [2. Postgres](0002-postgres.md)"
	p.importFile("", "adr", "adr/0001-queue.md", first...)
	done := p.importFile("", "adr", "adr/0002-postgres.md", "# 2. Postgres", "", "Date: 2026-02-02", "", "## Status", "", "Accepted", "", "## Decision", "", "Postgres.")
	if got := current(); got != "Postgres" || len(done.Added) != 1 {
		t.Errorf("offered: %s; %+v", got, done)
	}
	p.importFile("", "adr", "madr/0003-cache.md", "---", "status: accepted", "---", "# Cache", "", "In memory.")
	done = p.importFile("", "adr", "madr/0003-cache.md", "---", "status: rejected", "---", "# Cache", "", "In memory.")
	if len(done.Updated) != 1 {
		t.Fatalf("%+v", done)
	}
	contains(t, done.Updated[0].Description, "Rejected")
	text := "Mine."
	p.edit("", done.Updated[0].ID, vault.Edit{Text: &text})
	done = p.importFile("", "adr", "madr/0003-cache.md", "---", "status: accepted", "---", "# Cache", "", "In memory and on disk.")
	if len(done.Updated)+len(done.Added) != 0 || !strings.Contains(strings.Join(done.Notes, "\n"), "changed here") || p.body(cacheID(p)) != "Mine." {
		t.Errorf("%+v", done)
	}
	p.sound(p.user(""))
}

// cacheID is the id of the decision on the cache.
func cacheID(p *place) string {
	list, err := p.by("").List(context.Background(), vault.ListQuery{})
	p.must(err)
	for _, e := range list {
		if e.Title == "Cache" {
			return e.ID
		}
	}
	p.Fatal("no decision on the cache")
	return ""
}
