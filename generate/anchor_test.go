package generate

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"

	"gitvault/internal/entryfile"
)

func TestAnchors(t *testing.T) {
	doc := strings.Join([]string{
		"# Decisions",                   // 1
		"",                              // 2
		"## One repository per scope",   // 3
		"## One repository per scope",   // 4
		"## `foo_bar`: use *it*!",       // 5
		"## Use _no_ __markup__ a_b_c",  // 6
		"## [A link](https://x.org/y)",  // 7
		"## C++ & C#: R&amp;D",          // 8
		"## 使用 Redis 做队列（二）",            // 9
		"## Übergröße — ÉTÉ",            // 10
		"## <b>bold</b> \\<T> <a@b.c>",  // 11
		"## Closed ##",                  // 12
		"## Not closed \\#",             // 13
		"## 🚀",                          // 14
		"## one repository per scope-1", // 15
		"```",                           // 16
		"## in a fence",                 // 17
		"```",                           // 18
		"Under",                         // 19
		"-----",                         // 20
		"<!--",                          // 21
		"## in a comment",               // 22
		"-->",                           // 23
		"> ## quoted",                   // 24
		"#nospace",                      // 25
		"    ## code",                   // 26
		"",
		"## v1.2.3  two  blanks", // 28
	}, "\n")
	assert.Equal(t, map[int]string{
		1: "decisions", 3: "one-repository-per-scope", 4: "one-repository-per-scope-1", 5: "foo_bar-use-it", 6: "use-no-markup-a_b_c",
		7: "a-link", 8: "c--c-rd", 9: "使用-redis-做队列二", 10: "übergröße--été", 11: "bold-t-abc", 12: "closed", 13: "not-closed-",
		15: "one-repository-per-scope-1-1", 19: "under", 24: "quoted", 28: "v123--two--blanks",
	}, Anchors([]byte(doc)))
}

// The headings of a document, by goldmark: line and anchor.
func goldmarkAnchors(doc string) (lines []int, slugs []string) {
	md := goldmark.New(goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(noImages{gmhtml.NewRenderer()}, 1))))
	src := []byte(doc)
	root := md.Parser().Parse(text.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		if !ok || !in {
			return ast.WalkContinue, nil
		}
		line := 0
		if h.Lines().Len() > 0 {
			line = 1 + strings.Count(doc[:h.Lines().At(0).Start], "\n")
		}
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			_ = md.Renderer().Render(&b, src, c)
		}
		shown := html.UnescapeString(regexp.MustCompile(`(?s)<[^>]*>`).ReplaceAllString(b.String(), ""))
		lines = append(lines, line)
		slugs = append(slugs, plainSlug(strings.ReplaceAll(shown, "\n", " ")))
		return ast.WalkSkipChildren, nil
	})
	return lines, slugs
}

type noImages struct{ renderer.NodeRenderer }

func (r noImages) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	r.NodeRenderer.RegisterFuncs(reg)
	skip := func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
		return ast.WalkSkipChildren, nil
	}
	reg.Register(ast.KindImage, skip)
	reg.Register(ast.KindRawHTML, skip)
}

// plainSlug is the anchor of a text that is not Markdown.
func plainSlug(s string) string {
	return slugOf(regexp.MustCompile("[\\\\`<&\\[_*]").ReplaceAllStringFunc(s, func(c string) string { return "\\" + c }))
}

func TestInlineTextIsWhatAReaderShows(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "foo_bar", "_", "__", "_x_", "`", "``", "`c_d`", " ", " ", "*", "**", "[", "]", "](u)", "](<u v> \"t\")", "![", "(", ")", "<b>", "</b>", "<T", ">",
		"<https://x.y/z_w>", "&amp;", "&", ";", "\\", "\\_", "\\`", "!", ".", "é", "财", "C++", "#", "-", "\"", "'", "<!-- c -->", "1"})
	rapid.Check(t, func(t *rapid.T) {
		title := strings.TrimSpace(strings.Join(rapid.SliceOfN(word, 1, 9).Draw(t, "words"), ""))
		if title == "" || strings.Contains(title, "[^") {
			return
		}
		_, want := goldmarkAnchors("## x" + title + "\n")
		h := entryfile.Headings([]byte("## x" + title + "\n"))
		if got := slugOf(h[0].Text); len(want) == 1 && got != want[0] {
			t.Fatalf("%q: %q, goldmark %q", title, got, want[0])
		}
	})
}

func TestHeadingsAreGoldmarks(t *testing.T) {
	line := rapid.SampledFrom([]string{"## a", "# b ##", "text", "===", "---", "- item", "* * *", "```", "~~~~", "````x", "<!-- c", "c -->", "<div>", "</div>", "<pre>", "</pre>", "", "", "    ## code",
		"   ## three", "> quote", "> ## quoted", "> ```", "#none", "####### seven", "1. one", "<https://x.y>", "## c"})
	rapid.Check(t, func(t *rapid.T) {
		doc := strings.Join(rapid.SliceOfN(line, 1, 10).Draw(t, "lines"), "\n") + "\n"
		lines, slugs := goldmarkAnchors(doc)
		var got []int
		var gotSlugs []string
		for _, h := range entryfile.Headings([]byte(doc)) {
			got = append(got, h.Line)
			gotSlugs = append(gotSlugs, slugOf(h.Text))
		}
		if !assert.ObjectsAreEqual(lines, got) || !assert.ObjectsAreEqual(slugs, gotSlugs) {
			t.Fatalf("%s\ngot %v, goldmark %v", strings.ReplaceAll(doc, "\n", "⏎\n"), got, lines)
		}
	})
}

func BenchmarkAnchors(b *testing.B) {
	var doc strings.Builder
	for i := range 1000 {
		doc.WriteString("## Use `foo_bar` for case " + strconv.Itoa(i) + "\n<!-- vault: {id: gk2m9xqd} -->\n\nA body of\nsome lines\n\n")
	}
	b.SetBytes(int64(doc.Len()))
	for b.Loop() {
		Anchors([]byte(doc.String()))
	}
}
