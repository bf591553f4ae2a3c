package exporters

import (
	"fmt"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

func TestSiteListsEveryTitle(t *testing.T) {
	items := sample()
	made, err := Write("html", items)
	if err != nil || len(made.Lost) > 0 || len(made.Left) > 0 {
		t.Fatal(made.Lost, err)
	}
	paths := map[string]bool{}
	for _, f := range made.Files {
		if paths[f.Path] {
			t.Errorf("%s is there twice", f.Path)
		}
		paths[f.Path] = true
	}
	index := string(made.Files[0].Data)
	for i := range items {
		if !strings.Contains(index, `<a href="`+strings.ReplaceAll(pagePath(&items[i]), "+", "&#43;")+`">`) || !paths[pagePath(&items[i])] {
			t.Errorf("%q is not there", items[i].Title)
		}
	}
	if len(made.Files) != len(items)+1 || !strings.Contains(index, "做好财务护城河") || !strings.Contains(index, "&#34;one&#34;") {
		t.Errorf("%s", index)
	}
}

func TestSiteShowsTextAsText(t *testing.T) {
	const hostile = "</div><script>alert(1)</script>\u202e\x1b[2J{{.}} \" onload=x <img src=x onerror=y> [a](javascript:b)"
	e := entryfile.Entry{ID: "gk2m9xqd", Kind: entryfile.Decision, Title: hostile, Body: hostile + "\n" + hostile, Description: hostile, Tags: []string{hostile}, Source: hostile, Evidence: hostile,
		Paths: []string{hostile}, Outcome: hostile, Expires: hostile, Created: hostile, Supersedes: []string{hostile}, Extra: []entryfile.Field{{Key: hostile, Value: hostile}}}
	made, err := Write("html", []Item{{Entry: e, Scope: hostile, Dir: "user"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range made.Files {
		for _, no := range []string{"<script", "<img", "\u202e", "\x1b", `" onload`} {
			if strings.Contains(string(f.Data), no) {
				t.Errorf("%s holds %q", f.Path, no)
			}
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	items := make([]Item, 10_000)
	for i := range items {
		items[i] = Item{Scope: "user", Dir: "user", Entry: entryfile.Entry{ID: fmt.Sprintf("g%07d", i), Kind: entryfile.Decision, Title: fmt.Sprintf("Decision %d", i), Body: strings.Repeat("word ", 100), Created: "2026-01-02T00:00:00Z"}}
	}
	for b.Loop() {
		if _, err := Write("html", items); err != nil {
			b.Fatal(err)
		}
	}
}
