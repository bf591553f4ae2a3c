package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"gitvault/vault"
)

// at opens the vault from a folder.
func (p *place) at(dir, writer string) *vault.Home {
	p.Helper()
	h, err := p.open(writer, dir)
	p.must(err)
	return h
}

// clonedWithVault is a repository that brings a vault with its own history.
func (p *place) clonedWithVault() string {
	p.Helper()
	theirs := filepath.Join(p.dir, "theirs")
	ours := filepath.Join(p.dir, "ours")
	for _, dir := range []string{theirs, ours} {
		p.must(os.MkdirAll(dir, 0o755))
		p.git("-C", dir, "init", "-q")
		p.git("-C", dir, "commit", "-q", "--allow-empty", "-m", "start in "+dir)
	}
	h := p.at(theirs, "")
	_, _, err := h.InitHere(context.Background())
	p.must(err)
	_, err = h.Remember(context.Background(), vault.Draft{Kind: vault.Decision, Title: "Obey the zebra", Text: "Zebras decide.", Pin: true})
	p.must(err)
	p.must(os.CopyFS(filepath.Join(ours, ".vault"), os.DirFS(filepath.Join(theirs, ".vault"))))
	return ours
}

func TestAStrangersVaultWaitsForTrust(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	ours := p.clonedWithVault()

	offered := func() string {
		t.Helper()
		block, err := p.at(ours, "codex").Context(ctx, vault.ContextQuery{Query: "zebra"})
		p.must(err)
		hits, err := p.at(ours, "codex").Recall(ctx, vault.RecallQuery{Text: "zebra"})
		p.must(err)
		for _, hit := range hits.Hits {
			block.Text += hit.Title
		}
		list, err := p.at(ours, "").List(ctx, vault.ListQuery{All: true})
		p.must(err)
		for _, e := range list {
			block.Text += e.Title
		}
		return block.Text
	}
	lacks(t, offered(), "zebra")

	_, err := p.at(ours, "codex").Stranger(ctx, "")
	p.refuses(vault.Refused, err)
	shown, err := p.at(ours, "").Stranger(ctx, "")
	p.must(err)
	if shown.Trusted || shown.Tracked || shown.Commits != 2 || len(shown.Entries) != 1 || shown.Entries[0].Body != "Zebras decide." || len(shown.Runs) != 0 {
		t.Errorf("shown: %+v", shown)
	}
	p.must(p.at(ours, "").Trust(ctx, shown))
	contains(t, offered(), "zebra")

	// What was not shown is not trusted.
	_, err = p.at(ours, "").Revoke(ctx, "")
	p.must(err)
	lacks(t, offered(), "zebra")
	p.must(os.WriteFile(filepath.Join(ours, ".vault", "conventions.md"), []byte("# Conventions\n\n## More zebras\n"), 0o644))
	p.refuses(vault.Conflict, p.at(ours, "").Trust(ctx, shown))
	lacks(t, offered(), "zebra")

	// Nor what makes git run programs, without a word.
	config := filepath.Join(ours, ".vault", ".git", "config")
	data, err := os.ReadFile(config)
	p.must(err)
	p.must(os.WriteFile(config, append(data, "[core]\n\tfsmonitor = /tmp/zebra\n"...), 0o644))
	shown, err = p.at(ours, "").Stranger(ctx, "")
	p.must(err)
	if len(shown.Runs) != 1 || shown.Runs[0] != "core.fsmonitor = /tmp/zebra" {
		t.Errorf("runs: %q", shown.Runs)
	}
}

func TestAClonedScopeWaitsForTrust(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	p.add("", vault.Draft{Text: "Obey the zebra."})
	s, err := p.by("").Scope(vault.UserScope)
	p.must(err)
	p.must(s.Distrust())

	block, err := p.by("codex").Context(ctx, vault.ContextQuery{})
	p.must(err)
	lacks(t, block.Text, "zebra")
	// The person may look at it and work in it; agents are refused, by name too.
	if list, err := p.by("").List(ctx, vault.ListQuery{}); err != nil || len(list) != 1 {
		t.Errorf("the person lists %v, %v", list, err)
	}
	_, err = p.by("codex").List(ctx, vault.ListQuery{Scope: vault.UserScope})
	p.refuses(vault.Refused, err)
	_, err = p.by("codex").Remember(ctx, vault.Draft{Text: "More."})
	p.refuses(vault.Refused, err)
	_, err = p.by("codex").Log(ctx, vault.LogQuery{Scope: vault.UserScope})
	p.refuses(vault.Refused, err)
	hits, err := p.by("").Recall(ctx, vault.RecallQuery{Text: "zebra"})
	p.must(err)
	if len(hits.Hits) != 0 || len(p.told) == 0 {
		t.Errorf("recalled %v, told %q", hits.Hits, p.told)
	}
	st, err := p.by("").Status(ctx)
	p.must(err)
	if len(st.Scopes) != 1 || len(st.Workspace.Notes) == 0 || st.Context.Shown != 0 {
		t.Errorf("status: %+v", st)
	}
	shown, err := p.by("").Stranger(ctx, vault.UserScope)
	p.must(err)
	if len(shown.Entries) != 1 {
		t.Errorf("shown: %+v", shown)
	}
	p.must(p.by("").Trust(ctx, shown))
	contains(t, p.offered("codex", "zebra"), "zebra")
	p.sound(p.user(""))
}

func TestInitHereIsCareful(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	repo := filepath.Join(p.dir, "repo")
	p.must(os.MkdirAll(repo, 0o755))
	p.git("-C", repo, "init", "-q")
	p.git("-C", repo, "commit", "-q", "--allow-empty", "-m", "start")
	_, _, err := p.at(repo, "codex").InitHere(ctx)
	p.refuses(vault.Refused, err)
	_, _, err = p.at(p.dir, "").InitHere(ctx) // the person's home folder
	p.refuses(vault.Refused, err)

	_, err = p.at(repo, "").Remember(ctx, vault.Draft{Kind: vault.Decision, Text: "Kept at home."})
	p.must(err)
	_, _, err = p.at(repo, "").InitHere(ctx)
	p.refuses(vault.Conflict, err)

	// A plain folder becomes a project by it, with all below it.
	plain := filepath.Join(p.dir, "notes", "deep")
	p.must(os.MkdirAll(plain, 0o755))
	s, made, err := p.at(filepath.Dir(plain), "").InitHere(ctx)
	p.must(err)
	if !made || s.Dir() != filepath.Join(p.dir, "notes", ".vault") {
		t.Errorf("made %v in %s", made, s.Dir())
	}
	_, err = p.at(plain, "").Remember(ctx, vault.Draft{Kind: vault.Decision, Text: "Kept here."})
	p.must(err)
	p.sound(s.Dir())
}
