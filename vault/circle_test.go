package vault_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"gitvault/vault"
)

// What would have an entry supersede itself is refused on every way in.
func TestCirclesAreRefused(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	var ids []string
	for i := range 3 {
		d := vault.Draft{Kind: vault.Decision, Text: fmt.Sprintf("Queue %d.", i)}
		if i > 0 {
			d.Supersedes = ids[i-1:]
		}
		ids = append(ids, p.add("", d).Entry.ID)
	}
	for _, newest := range ids[1:] {
		for _, who := range []string{"", "codex"} {
			_, err := p.by(who).Edit(ctx, ids[0], vault.Edit{Supersedes: &[]string{newest}})
			p.refuses(vault.Invalid, err)
			contains(t, err.Error(), ids[0]+" can't supersede "+newest+", which supersedes it")
		}
	}
	// An agent asked for it before a person made it a circle.
	p.edit("", ids[1], vault.Edit{Supersedes: &[]string{}})
	c := p.edit("codex", ids[0], vault.Edit{Supersedes: &[]string{ids[1]}})
	p.edit("", ids[1], vault.Edit{Supersedes: &[]string{ids[0]}})
	_, err := p.by("").Keep(ctx, []string{c.Card}, vault.DecideOptions{})
	p.refuses(vault.Invalid, err)
	// So is putting back what would make one.
	out := p.edit("", ids[1], vault.Edit{Supersedes: &[]string{}})
	p.edit("", ids[0], vault.Edit{Supersedes: &[]string{ids[1]}})
	_, err = p.by("").Restore(ctx, []string{out.Commit}, vault.RestoreOptions{})
	p.refuses(vault.Invalid, err)
}

// An import leaves the link out that would close a circle, and says so.
func TestImportsMakeNoCircles(t *testing.T) {
	p := newPlace(t)
	line := func(id, supersedes string) string {
		return fmt.Sprintf(`{"format":"vault.entry.v1","id":"%s","scope":"user","kind":"decision","title":"Queue %s","body":"Text %s.","created":"2026-01-02T00:00:00Z","supersedes":[%s]}`, id, id, id, supersedes)
	}
	done := p.importLines("", line("gk2m9xqd", `"k7tqwxyz"`), line("h7tqwxyz", `"gk2m9xqd"`), line("k7tqwxyz", `"h7tqwxyz"`), line("m7tqwxyz", `"m7tqwxyz"`))
	if len(done.Added) != 4 || len(done.Notes) != 2 {
		t.Errorf("%+v", done)
	}
	contains(t, strings.Join(done.Notes, "\n"), "in.jsonl:3: left out that it supersedes h7tqwxyz", "in.jsonl:4: left out that it supersedes m7tqwxyz")
	// A circle through what is here already.
	done = p.importLines("", line("n7tqwxyz", `"gk2m9xqd"`))
	if len(done.Notes) != 0 {
		t.Errorf("%+v", done)
	}
	lacks(t, p.findings(), "error")
}

// Entries that supersede each other in the files are offered, all of them, and
// check tells of it.
func TestCirclesInFilesSupersedeNothing(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	p.add("", vault.Draft{Kind: vault.Decision, Text: "Something else."})
	at := func(id, supersedes string) string {
		return fmt.Sprintf("\n## Zebra %s\n<!-- vault: {id: %s, created: 2026-01-02T00:00:00Z, supersedes: [%s]} -->\n\nZebras %s.\n", id, id, supersedes, id)
	}
	p.must(os.WriteFile(p.user("conventions.md"), []byte("# Conventions\n"+at("gk2m9xqd", "h7tqwxyz")+at("h7tqwxyz", "k7tqwxyz, m7tqwxyz")+at("k7tqwxyz", "gk2m9xqd")+at("m7tqwxyz", "")+at("n7tqwxyz", "n7tqwxyz")), 0o644))
	round := []string{"gk2m9xqd", "h7tqwxyz", "k7tqwxyz", "n7tqwxyz"}
	list, err := p.by("codex").List(ctx, vault.ListQuery{Kind: vault.Convention})
	p.must(err)
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	contains(t, strings.Join(ids, " "), round...)
	lacks(t, strings.Join(ids, " "), "m7tqwxyz")
	offered := p.offered("codex", "zebra")
	contains(t, offered, round...)
	block, err := p.by("codex").Context(ctx, vault.ContextQuery{Query: "zebra"})
	p.must(err)
	contains(t, block.Text, round...)
	lacks(t, block.Text, "m7tqwxyz")
	contains(t, p.findings(), "conventions.md:3 error cycle gk2m9xqd", "conventions.md:23 error cycle n7tqwxyz")
	_, err = p.by("").Check(ctx, "", true)
	p.must(err)
	index, err := os.ReadFile(p.user("INDEX.md"))
	p.must(err)
	if n := strings.Count(string(index), "uperseded"); n != 1 {
		t.Errorf("INDEX.md has %d superseded:\n%s", n, index)
	}
	// They can be put right one by one.
	p.edit("", "gk2m9xqd", vault.Edit{Supersedes: &[]string{}})
	lacks(t, p.findings(), "cycle gk2m9xqd")
}
