package vault_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/vault"
)

func (p *place) export(writer, format string) (string, vault.Exported) {
	p.Helper()
	e, err := p.by(writer).Export(context.Background(), vault.Export{Format: format})
	p.must(err)
	var b bytes.Buffer
	if !e.IsFolder() {
		_, err = e.WriteTo(&b)
		p.must(err)
	}
	return b.String(), e
}

// What is exported and imported into an empty vault is exported the same.
func TestExportComesBackTheSame(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	remember := func(writer string, d vault.Draft) string {
		c, err := p.by(writer).Remember(ctx, d)
		p.must(err)
		return c.Entry.ID
	}
	first := remember("", vault.Draft{Kind: vault.Decision, Title: "Queue in Redis", Text: "It is there."})
	second := remember("", vault.Draft{Kind: vault.Decision, Title: "Queue in Postgres", Text: "One less.", Supersedes: []string{first}, Tags: []string{"a", "b"}, Pin: true, Evidence: "a talk"})
	third := remember("", vault.Draft{Kind: vault.Decision, Title: "Queue in Redis", Text: "Again.", Supersedes: []string{second}, Expires: "2099-01-01"})
	remember("", vault.Draft{Kind: vault.Convention, Title: "Names", Text: "# H\n\n## Two\n\nsee " + first})
	remember("", vault.Draft{Kind: vault.Preference, Text: "Answer in short sentences."})
	thread := remember("", vault.Draft{Kind: vault.OpenThread, Text: "Why is it slow?"})
	_, err := p.by("").Resolve(ctx, thread, vault.Resolution{Outcome: "The pool.", As: vault.Decision})
	p.must(err)
	_, err = p.by("").Trace(ctx, vault.TraceNote{Session: "s1", Text: "Looked.\n\n## At the pool"})
	p.must(err)
	remember("codex", vault.Draft{Kind: vault.Decision, Text: "Shard it."})
	text := "It is there."
	p.edit("", third, vault.Edit{Text: &text})
	text = "Ten."
	p.edit("codex", first, vault.Edit{Text: &text})
	p.forget("codex", second)

	want, e := p.export("", "jsonl")
	if e.Entries != 11 || len(e.Lost) > 0 || len(e.LeftOut) > 0 {
		t.Errorf("%d entries, lost %v, left out %v\n%s", e.Entries, e.Lost, e.LeftOut, want)
	}
	q := newPlace(t)
	file := filepath.Join(q.dir, "in.jsonl")
	q.must(os.WriteFile(file, []byte(want), 0o644))
	for range 2 { // the second time adds nothing
		done, err := q.by("").Import(ctx, vault.Import{Format: "jsonl", Paths: []string{file}})
		q.must(err)
		if len(done.Refused) > 0 {
			t.Errorf("%+v", done.Refused)
		}
		if got, _ := q.export("", "jsonl"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	q.sound(q.user(""))
}

// An export of an agent has what agents may see, and nobody's has a secret.
func TestExportShowsAgentsWhatTheyMaySee(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	_, err := p.by("").Remember(ctx, vault.Draft{Kind: vault.Decision, Text: "Ship one binary."})
	p.must(err)
	_, err = p.by("codex").Remember(ctx, vault.Draft{Kind: vault.Decision, Text: "Use zebras."})
	p.must(err)
	key := "ghp_" + strings.Repeat("a1B2c3D4", 5)[:36]
	file, err := os.OpenFile(p.user("decisions.md"), os.O_APPEND|os.O_WRONLY, 0)
	p.must(err)
	_, err = file.WriteString("\n## Token\n\n" + key + "\n")
	p.must(err)
	p.must(file.Close())
	for _, f := range vault.ExportFormats() {
		for _, writer := range []string{"", "codex"} {
			e, err := p.by(writer).Export(ctx, vault.Export{Format: f.Name})
			p.must(err)
			dir := filepath.Join(t.TempDir(), "out")
			p.must(os.Mkdir(dir, 0o755))
			p.must(e.Save(dir, false))
			all := ""
			p.must(filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					data, _ := os.ReadFile(path)
					all += string(data)
				}
				return err
			}))
			contains(t, all, "Ship one binary")
			lacks(t, all, key)
			if writer != "" {
				lacks(t, all, "zebras")
				if len(e.LeftOut) > 0 {
					t.Errorf("an agent is told of %v", e.LeftOut)
				}
			}
		}
	}
	if _, err := p.by("").Export(ctx, vault.Export{Format: "nonsense"}); vault.CodeOf(err) != vault.Invalid {
		t.Errorf("got %v", err)
	}
}

// What agents changed under the policy apply, and nobody has looked at yet, can
// still be looked at and put back where it was imported.
func TestExportKeepsTheMarksOfReview(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	made := func(writer string, d vault.Draft) string {
		c, err := p.by(writer).Remember(ctx, d)
		p.must(err)
		return c.Entry.ID
	}
	edited := made("", vault.Draft{Kind: vault.Decision, Title: "Retries", Text: "Three."})
	forgotten := made("", vault.Draft{Kind: vault.Decision, Title: "Cache", Text: "In memory."})
	p.config("review: apply")
	made("codex", vault.Draft{Kind: vault.Decision, Title: "Queue", Text: "In Postgres."})
	text := "Ten."
	p.edit("codex", edited, vault.Edit{Text: &text})
	p.forget("codex", forgotten)
	want, e := p.export("", "jsonl")
	if e.Entries != 5 || len(e.LeftOut) > 0 {
		t.Errorf("%d entries, left out %v\n%s", e.Entries, e.LeftOut, want)
	}
	if _, e := p.export("", "codewhale"); len(e.LeftOut) == 0 || e.LeftOut[0].Entries != 3 {
		t.Errorf("left out of codewhale: %v", e.LeftOut)
	}

	q := newPlace(t)
	file := filepath.Join(q.dir, "in.jsonl")
	q.must(os.WriteFile(file, []byte(want), 0o644))
	for range 2 {
		done, err := q.by("").Import(ctx, vault.Import{Format: "jsonl", Paths: []string{file}})
		q.must(err)
		if len(done.Refused) > 0 {
			t.Errorf("%+v", done.Refused)
		}
		if got, _ := q.export("", "jsonl"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	cards := q.cards()
	if len(cards) != 3 {
		t.Fatalf("cards: %v", cards)
	}
	for _, c := range cards {
		if c.Source != "codex" || !c.Applied {
			t.Errorf("%+v", c)
		}
		_, err := q.by("").Restore(ctx, []string{c.Card}, vault.RestoreOptions{})
		q.must(err)
	}
	var titles []string
	list, err := q.by("").List(ctx, vault.ListQuery{})
	q.must(err)
	for _, e := range list {
		titles = append(titles, e.Title+": "+e.Description)
	}
	if got := strings.Join(titles, "\n"); len(list) != 2 || !strings.Contains(got, "Three.") || !strings.Contains(got, "In memory.") {
		t.Errorf("after restoring all:\n%s", got)
	}
	q.sound(q.user(""))
}
