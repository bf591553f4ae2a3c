package vault_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/vault"
)

// findings are those of the scope, as "file:line rule".
func (p *place) findings() string {
	p.Helper()
	list, err := p.by("").Check(context.Background(), "", false)
	p.must(err)
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s:%d %s %s %s\n", f.File, f.Line, f.Severity, f.Rule, f.ID)
	}
	return b.String()
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	p := newPlace(t)
	p.add("", vault.Draft{Kind: vault.Decision, Text: "Ship one binary."})
	same := "We keep one repository for each scope, so that undo, blame and sync come for nothing and everybody can read it."
	p.must(os.WriteFile(p.user("decisions.md"), []byte(`# Decisions

## A
<!-- vault: {id: gk2m9xqd, created: 2026-01-02T00:00:00Z, supersedes: [h7tqwxyz]} -->

A.

## B
<!-- vault: {id: h7tqwxyz, created: 2026-01-02T00:00:00Z, supersedes: [gk2m9xqd]} -->

B.

## Old
<!-- vault: {id: j7tqwxyz, created: 2026-01-02T00:00:00Z} -->

Old.

## New
<!-- vault: {id: k7tqwxyz, created: 2026-01-02T00:00:00Z, supersedes: [j7tqwxyz]} -->

New.

## Newer
<!-- vault: {id: m7tqwxyz, created: 2026-01-02T00:00:00Z, supersedes: [j7tqwxyz, zzzzzzzz]} -->

Newer.

## Same
<!-- vault: {id: n7tqwxyz, created: 2026-01-02T00:00:00Z} -->

`+same+`

## The same
<!-- vault: {id: p7tqwxyz, created: 2026-01-02T00:00:00Z} -->

`+strings.Replace(same, "nothing", "free", 1)+`

## Over
<!-- vault: {id: q7tqwxyz, created: 2026-01-02T00:00:00Z, expires: 2026-01-03} -->

Over.

## Nothing said
<!-- vault: {id: r7tqwxyz, created: 2026-01-02T00:00:00Z} -->

***
`), 0o644))
	want := `decisions.md:3 error cycle gk2m9xqd
decisions.md:13 warning chain j7tqwxyz
decisions.md:23 warning link m7tqwxyz
decisions.md:33 warning duplicate p7tqwxyz
decisions.md:38 warning expired q7tqwxyz
decisions.md:43 warning description r7tqwxyz
`
	got := p.findings()
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		contains(t, got, line)
	}
	if n := strings.Count(got, "duplicate"); n != 1 {
		t.Errorf("%d duplicates:\n%s", n, got)
	}
}

func TestCheckFindsStalePaths(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	dir := filepath.Join(p.dir, "widget")
	p.must(os.MkdirAll(filepath.Join(dir, "src"), 0o755))
	for _, name := range []string{"src/same.go", "src/changed.go", "src/gone.go"} {
		p.must(os.WriteFile(filepath.Join(dir, name), []byte("package src\n"), 0o644))
	}
	h := p.at(dir, "")
	_, err := h.Link("")
	p.must(err)
	h = p.at(dir, "")
	for _, name := range []string{"src/same.go", "src/changed.go", "src/gone.go"} {
		_, err := h.Remember(ctx, vault.Draft{Kind: vault.Decision, Title: "About " + name, Text: "The file " + name + " is what it is about.", Paths: []string{name}})
		p.must(err)
	}
	p.must(os.WriteFile(filepath.Join(dir, "src/changed.go"), []byte("package other\n"), 0o644))
	p.must(os.Remove(filepath.Join(dir, "src/gone.go")))
	list, err := h.Check(ctx, "", false)
	p.must(err)
	var text strings.Builder
	for _, f := range list {
		fmt.Fprintf(&text, "%s %s\n", f.Rule, f.Message)
	}
	contains(t, text.String(), "path is about src/changed.go, which has changed since", "path is about src/gone.go, which is gone")
	lacks(t, text.String(), "same.go, which")
	stale, err := h.List(ctx, vault.ListQuery{Stale: true})
	p.must(err)
	if len(stale) != 2 {
		t.Errorf("%+v", stale)
	}
}

// In a clone of a scope, wherever it is, it is the clone that is checked.
func TestCheckInAClone(t *testing.T) {
	p := newPlace(t)
	p.add("", vault.Draft{Kind: vault.Decision, Text: "Ship one binary."})
	clone := filepath.Join(p.dir, "clone")
	out, err := exec.Command("git", "clone", "-q", p.user(""), clone).CombinedOutput()
	if err != nil {
		t.Fatalf("%s", out)
	}
	p.must(os.WriteFile(filepath.Join(clone, "decisions.md"), []byte("# D\n\n## A\n<!-- vault: {id: -->\n\nA.\n"), 0o644))
	list, err := p.at(clone, "").Check(context.Background(), "", false)
	p.must(err)
	found := false
	for _, f := range list {
		found = found || f.Rule == "format" && f.File == "decisions.md" && f.Line == 3
	}
	if !found {
		t.Errorf("%+v", list)
	}
}

// Thousands of entries that all say the same, or of a chain, take no time that
// grows with their pairs.
func TestCheckOfMany(t *testing.T) {
	p := newPlace(t)
	p.add("", vault.Draft{Kind: vault.Decision, Text: "Ship one binary."})
	var b strings.Builder
	b.WriteString("# Decisions\n")
	const n = 5000
	for i := range n {
		supersedes := ""
		if i > 0 && i%2 == 0 {
			supersedes = fmt.Sprintf(", supersedes: [g%07d]", i-2)
		}
		fmt.Fprintf(&b, "\n## Decision\n<!-- vault: {id: g%07d, created: 2026-01-02T00:00:00Z%s} -->\n\nAlways the same text, word for word.\n", i, supersedes)
	}
	p.must(os.WriteFile(p.user("conventions.md"), []byte(b.String()), 0o644))
	list, err := p.by("").Check(context.Background(), "", false)
	p.must(err)
	duplicates := 0
	for _, f := range list {
		if f.Rule == "duplicate" {
			duplicates++
		}
	}
	if duplicates != n/2 {
		t.Errorf("%d duplicates", duplicates)
	}
}
