package entryfile

import (
	"strings"
	"testing"
)

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

func TestPrint(t *testing.T) {
	for name, c := range map[string]struct {
		entry Entry
		want  string
	}{
		"a sentence that stands whole as the heading": {
			Entry{Title: "Use tabs.", Body: "Use tabs."},
			lines("## Use tabs.", "<!-- vault: {id: gk2m9xqd} -->"),
		},
		"no body is the title": {
			Entry{Title: "Use tabs."},
			lines("## Use tabs.", "<!-- vault: {id: gk2m9xqd} -->"),
		},
		"a plain body, without blank lines at its ends": {
			Entry{Title: "Use tabs", Body: "\n  \nThey are\n\n### better\n\n"},
			lines("## Use tabs", "<!-- vault: {id: gk2m9xqd} -->", "", "They are", "", "### better"),
		},
		"every key, in its order": {
			Entry{
				Title: "T", Body: "B", Description: "d", Created: "2026-11-30T19:27:00Z", Updated: "2026-11-30T19:28:00Z", Tags: []string{"git", "storage"},
				Pinned: true, Status: "open", Outcome: "o", Source: "claude-code", Session: "s", Evidence: "e", Paths: []string{"a.go"}, Code: "3f9c2d1 (main)",
				Supersedes: []string{"hhhhhhhh"}, DerivedFrom: []string{"jjjjjjjj"}, Conflict: "kkkkkkkk", Expires: "2027-01-01",
				Extra: []Field{{"zebra", "[a, {b: c}]"}, {"ape", `"1"`}},
			},
			lines("## T", "<!-- vault: {id: gk2m9xqd, description: d, created: 2026-11-30T19:27:00Z, updated: 2026-11-30T19:28:00Z, tags: [git, storage], "+
				"pinned: true, status: open, outcome: o, source: claude-code, session: s, evidence: e, paths: [a.go], code: 3f9c2d1 (main), "+
				"supersedes: [hhhhhhhh], derived_from: [jjjjjjjj], conflict: kkkkkkkk, expires: 2027-01-01, zebra: [a, {b: c}], ape: \"1\"} -->", "", "B"),
		},
		"quotes only where they are needed": {
			Entry{Title: "T", Tags: []string{"012", "yes", "null", "~", "C++", "a b", "-x", "it's", "x#y", "a:b", "财务", "a,b", "x: y", "#1", "- x", "", " a", "a?"}},
			lines("## T", `<!-- vault: {id: gk2m9xqd, tags: [012, yes, null, ~, C++, a b, -x, it's, x#y, a:b, 财务, "a,b", "x: y", "#1", "- x", "", " a", "a?"]} -->`),
		},
		"one line, which nothing ends": {
			Entry{Title: "T", Evidence: "a --> b\n\t--!> \"c\" \\ \x00\u0085\u2028\ufeff"},
			lines("## T", `<!-- vault: {id: gk2m9xqd, evidence: "a --\u003e b\n\t--!\u003e \"c\" \\ \x00\x85\u2028\ufeff"} -->`),
		},
		"marks at the end of a title are escaped where they would close it": {
			Entry{Title: "Write C #", Body: "Write C #"},
			lines(`## Write C \#`, "<!-- vault: {id: gk2m9xqd} -->"),
		},
		"others are not": {
			Entry{Title: "# Write C#"},
			lines(`## # Write C#`, "<!-- vault: {id: gk2m9xqd} -->"),
		},
		"a title with spaces at its ends is in the comment, too": {
			Entry{Title: " T ", Body: "B"},
			lines("## T", `<!-- vault: {id: gk2m9xqd, title: " T "} -->`, "", "B"),
		},
		"headings that stand in the way move down": {
			Entry{Title: "T", Body: "# One\n\n## Two\n\n  ### Three ###\n\n```\n# not this\n```"},
			lines("## T", "<!-- vault: {id: gk2m9xqd, body: shift 2} -->", "", "### One", "", "#### Two", "", "  ##### Three ###", "", "```", "# not this", "```"),
		},
		"headings that cannot": {
			Entry{Title: "T", Body: "# One\n\n##### Five\n\n\n  text "},
			lines("## T", "<!-- vault: {id: gk2m9xqd, body: quoted} -->", "", "> # One", ">", "> ##### Five", ">", ">", ">   text "),
		},
		"a fence that is open": {
			Entry{Title: "T", Body: "```\ncode"},
			lines("## T", "<!-- vault: {id: gk2m9xqd, body: quoted} -->", "", "> ```", "> code"),
		},
		"an entry within a fence": {
			Entry{Title: "T", Body: "```\n## x\n<!-- vault: {} -->\n```"},
			lines("## T", "<!-- vault: {id: gk2m9xqd, body: quoted} -->", "", "> ```", "> ## x", "> <!-- vault: {} -->", "> ```"),
		},
		"a preference": {
			Entry{Kind: Preference, Title: " A, b: #c ", Body: "# Any\n\n## body\n\n---\n\n```", Tags: []string{"a,b"}, Source: "me, [and] you"},
			lines("---", "id: gk2m9xqd", `title: " A, b: #c "`, `tags: ["a,b"]`, "source: me, [and] you", "---", "", "# Any", "", "## body", "", "---", "", "```"),
		},
		"a preference in a sentence": {
			Entry{Kind: Preference, Title: "Be brief.", Body: "Be brief."},
			lines("---", "id: gk2m9xqd", "title: Be brief.", "---"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.entry
			e.ID = "gk2m9xqd"
			if e.Kind == "" {
				e.Kind = Decision
			}
			out, err := Print(e)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != c.want {
				t.Errorf("got\n%s\nwant\n%s", out, c.want)
			}
			for _, s := range Parse(e.Kind, "x.md", out).Sections() {
				if !sameEntry(s.Entry, normal(e)) {
					t.Errorf("reads back as %+v", s.Entry)
				}
			}
		})
	}
}

func TestPrintRefuses(t *testing.T) {
	for name, e := range map[string]Entry{
		"a title of two lines":      {Title: "a\nb"},
		"a blank title":             {Title: " \t"},
		"metadata that is no UTF-8": {Title: "T", Evidence: "\xff"},
		"an id that is none":        {ID: "12345678", Title: "T"},
		"an unknown key that is":    {Title: "T", Extra: []Field{{"tags", "[a]"}, {"tags", "[b]"}}},
		"a value that is no YAML":   {Title: "T", Extra: []Field{{"x", "[a"}}},
		"a value of two lines":      {Title: "T", Extra: []Field{{"x", "a\nb"}}},
		"a value that is two":       {Title: "T", Extra: []Field{{"x", "a, y: b"}}},
		"a value that ends it":      {Title: "T", Extra: []Field{{"x", `"-->"`}}},
	} {
		for _, kind := range []Kind{Decision, Preference} {
			e.Kind = kind
			if kind == Preference && name == "a value that ends it" {
				continue // front matter is no comment
			}
			if kind == Preference && name == "a value that is two" {
				continue // there it is one, and reads back as other text
			}
			out, err := Print(e)
			if err == nil {
				t.Errorf("%s: printed %q", name, out)
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q has several lines", name, err)
			}
		}
	}
}
