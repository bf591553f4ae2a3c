package vault_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gitvault/vault"
)

// A place is a vault on a disk of its own, used by whoever opens it. Its clock
// goes on a second with every look at it.
type place struct {
	testing.TB
	dir   string
	clock time.Time
	ids   uint64
	allow []string
	told  []string // notices
}

func newPlace(t testing.TB) *place {
	p := &place{TB: t, dir: t.TempDir(), clock: time.Date(2026, 11, 30, 19, 27, 0, 0, time.UTC)}
	p.config("")
	return p
}

// by opens the vault anew, as another process would, for a writer: "" for the
// person, an agent's name, or "agent/session".
func (p *place) by(writer string) *vault.Home {
	p.Helper()
	h, err := p.open(writer, p.dir)
	if err != nil {
		p.Fatal(err)
	}
	return h
}

func (p *place) open(writer, dir string) (*vault.Home, error) {
	return vault.Open(p.options(writer, dir, ""))
}

// options are those of a vault that a writer opens from a folder, with git at
// hand or without.
func (p *place) options(writer, dir, git string) vault.Options {
	agent, session, _ := strings.Cut(writer, "/")
	return vault.Options{
		Git: git, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "GIT_CONFIG_NOSYSTEM=1"},
		Home: filepath.Join(p.dir, "home"), Dir: dir, UserHome: p.dir,
		Now:     func() time.Time { p.clock = p.clock.Add(time.Second); return p.clock },
		Random:  p,
		Account: "ada", Host: "example.org",
		Writer:       vault.Writer{Agent: agent, Session: session},
		AllowSecrets: p.allow,
		Notice:       func(s string) { p.told = append(p.told, s) },
	}
}

// Read gives ids that are new each time, and the same in every run.
func (p *place) Read(b []byte) (int, error) {
	p.ids++
	var seed [8]byte
	binary.LittleEndian.PutUint64(seed[:], p.ids*0x9e3779b97f4a7c15)
	return copy(b, bytes.Repeat(seed[:], len(b)/8+1)), nil
}

func (p *place) user(name string) string { return filepath.Join(p.dir, "home", "user", name) }

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// refuses fails unless an error has the code.
func (p *place) refuses(code vault.Code, err error) {
	p.Helper()
	if err == nil || vault.CodeOf(err) != code {
		p.Fatalf("got %v, want an error of code %s", err, code)
	}
}

func (p *place) add(writer string, d vault.Draft) vault.Change {
	p.Helper()
	if d.Kind == "" {
		d.Kind = vault.Decision
	}
	if d.Scope == "" {
		d.Scope = vault.UserScope
	}
	c, err := p.by(writer).Remember(context.Background(), d)
	p.must(err)
	return c
}

func (p *place) edit(writer, id string, ed vault.Edit) vault.Change {
	p.Helper()
	c, err := p.by(writer).Edit(context.Background(), id, ed)
	p.must(err)
	return c
}

func (p *place) forget(writer string, ids ...string) []vault.Change {
	p.Helper()
	c, err := p.by(writer).Forget(context.Background(), "", ids, "")
	p.must(err)
	return c
}

func (p *place) keep(names ...string) []vault.Change {
	p.Helper()
	c, err := p.by("").Keep(context.Background(), names, vault.DecideOptions{})
	p.must(err)
	return c
}

func (p *place) restore(names ...string) vault.Restored {
	p.Helper()
	r, err := p.by("").Restore(context.Background(), names, vault.RestoreOptions{})
	p.must(err)
	return r
}

// body is an entry's text as the person has it, "" where there is no entry.
func (p *place) body(id string) string {
	p.Helper()
	list, err := p.by("").Get(context.Background(), "", []string{id})
	if vault.CodeOf(err) == vault.NotFound {
		return ""
	}
	p.must(err)
	return list[0].Body
}

func (p *place) pending(writer string) []vault.Entry {
	p.Helper()
	list, err := p.by(writer).Pending(context.Background(), "")
	p.must(err)
	return list
}

func (p *place) cards() []vault.CardView {
	p.Helper()
	list, err := p.by("").Cards(context.Background(), "")
	p.must(err)
	return list
}

// config writes the person's config.yaml; nothing here waits for the disk.
func (p *place) config(text string) {
	p.Helper()
	p.must(os.MkdirAll(filepath.Join(p.dir, "home"), 0o755))
	p.must(os.WriteFile(filepath.Join(p.dir, "home", "config.yaml"), []byte("durability: fast\n"+text+"\n"), 0o644))
}

// commits counts those of the user's scope.
func (p *place) commits() int {
	p.Helper()
	list, err := p.by("").Log(context.Background(), vault.LogQuery{})
	p.must(err)
	return len(list)
}

// offered is all that an agent is given of the vault, whichever way it asks.
func (p *place) offered(agent string, words string) string {
	p.Helper()
	ctx := context.Background()
	h := p.by(agent)
	var b strings.Builder
	block, err := h.Context(ctx, vault.ContextQuery{Query: words})
	p.must(err)
	b.WriteString(block.Text)
	hits, err := h.Recall(ctx, vault.RecallQuery{Text: words, Body: true, All: true})
	p.must(err)
	for _, hit := range hits.Hits {
		b.WriteString("\n" + hit.ID + " " + hit.Title + " " + hit.Body + " " + hit.Snippet)
	}
	list, err := h.List(ctx, vault.ListQuery{All: true, Body: true})
	p.must(err)
	waiting, err := h.Pending(ctx, "")
	p.must(err)
	for _, e := range append(list, waiting...) {
		b.WriteString("\n" + e.ID + " " + e.Title + " " + e.Description + " " + e.Body)
		whole, err := h.Get(ctx, e.Scope, []string{e.ID})
		p.must(err)
		b.WriteString("\n" + whole[0].Title + " " + whole[0].Description + " " + whole[0].Body)
	}
	return b.String()
}

// sound holds a scope to what git thinks of it, and to what vault checks.
func (p *place) sound(dir string) {
	p.Helper()
	for _, args := range [][]string{
		{"-C", dir, "status", "--porcelain", "--untracked-files=all"},
		{"-C", dir, "fsck", "--strict", "--no-dangling", "--no-progress"},
	} {
		if out := p.git(args...); out != "" {
			p.Fatalf("git %v says:\n%s", args[2:], out)
		}
	}
	found, err := p.by("").Check(context.Background(), "", false)
	p.must(err)
	for _, f := range damage(found) {
		p.Errorf("check: %s %s:%d %s", f.Rule, f.File, f.Line, f.Message)
	}
}

// git runs git without anybody's configuration.
func (p *place) git(args ...string) string {
	p.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "GIT_CONFIG_GLOBAL="+filepath.Join(p.dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Grace", "GIT_AUTHOR_EMAIL=grace@example.org", "GIT_COMMITTER_NAME=Grace", "GIT_COMMITTER_EMAIL=grace@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func ptr[T any](v T) *T { return &v }

func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func lacks(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in:\n%s", part, text)
		}
	}
}

// holdsNot fails where any file of the home, or any object of its repositories,
// holds a text.
func (p *place) holdsNot(texts ...string) {
	p.Helper()
	root := filepath.Join(p.dir, "home")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				p.objectsHoldNot(filepath.Dir(path), texts...)
			}
			return nil
		}
		data, err := os.ReadFile(path)
		for _, text := range texts {
			if bytes.Contains(data, []byte(text)) {
				p.Errorf("%s holds %q", path, text)
			}
		}
		return err
	})
	p.must(err)
}

// objectsHoldNot looks into every object that a repository has, reachable or not.
func (p *place) objectsHoldNot(dir string, texts ...string) {
	p.Helper()
	list := p.git("-C", dir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
	for line := range strings.Lines(list) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind == "tree" {
			continue
		}
		content := p.git("-C", dir, "cat-file", kind, name)
		for _, text := range texts {
			if strings.Contains(content, text) {
				p.Errorf("%s %s of %s holds %q", kind, name, dir, text)
			}
		}
	}
}

// idOf is the id of the entry with a title.
func (p *place) idOf(title string) string {
	p.Helper()
	list, err := p.by("").List(context.Background(), vault.ListQuery{All: true})
	p.must(err)
	for _, e := range list {
		if e.Title == title {
			return e.ID
		}
	}
	p.Fatalf("no entry %q", title)
	return ""
}

// damage leaves out of findings what a person's text may be like.
func damage(found []vault.Finding) []vault.Finding {
	return slices.DeleteFunc(found, func(f vault.Finding) bool {
		switch f.Rule {
		case "duplicate", "description", "expired", "path":
			return true
		}
		return false
	})
}
