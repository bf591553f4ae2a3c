package generate

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"

	"gitvault/internal/entryfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file that is read as documentation, too.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), string(got))
}

func ledger(kind entryfile.Kind, entries ...entryfile.Entry) IndexKind {
	var doc strings.Builder
	k := IndexKind{Kind: kind}
	for _, e := range entries {
		doc.WriteString("## " + e.Title + "\n\n" + e.Body + "\n\n")
	}
	anchors := Anchors([]byte(doc.String()))
	line := 1
	for _, e := range entries {
		k.Lines = append(k.Lines, Line(e, kind.Ledger(), anchors[line], line, ""))
		line += 4 + strings.Count(e.Body, "\n")
	}
	return k
}

func sampleIndex() IndexInput {
	decisions := ledger(entryfile.Decision,
		entryfile.Entry{ID: "gk2m9xqd", Title: "One repository per scope", Body: "A commit per change gives undo, blame and sync for nothing. It also costs little.", Created: "2026-11-28T19:27:00Z", Pinned: true},
		entryfile.Entry{ID: "h3f8wz1c", Title: "Store memory in SQLite", Body: "It is fast.", Created: "2026-10-02T08:00:00Z"},
		entryfile.Entry{ID: "jv70d4pn", Title: "Store memory in SQLite", Description: "for the index only; the truth is Markdown", Body: "…", Created: "2026-11-29T08:00:00Z"},
		entryfile.Entry{ID: "kq5e2b9r", Title: "Escape `foo_bar`, <T> and a | b [see](x)", Body: "Escape `foo_bar`, <T> and a | b [see](x)", Created: "2026-11-30T08:00:00Z", Expires: "2027-01-31"},
		entryfile.Entry{ID: "m8x1t6ya", Title: "Store memory in SQLite files", Body: "Both sides edited it.", Created: "2026-11-29T08:00:00Z", Conflict: "jv70d4pn"},
	)
	decisions.Lines[1].SupersededBy = "jv70d4pn"
	decisions.Rolled = []RolledFile{
		{Path: "decisions/0001.md", Count: 240, First: "2025-01-02T00:00:00Z", Last: "2025-12-24T00:00:00Z"},
		{Path: "decisions/0002.md", Count: 251, First: "2025-12-25T00:00:00Z", Last: "2026-09-30T00:00:00Z", Lines: []IndexLine{
			{ID: "n4c7s0wk", Title: "Never push on Fridays", Text: "The on-call is one person.", Created: "2026-03-01T00:00:00Z", Path: "decisions/0002.md", Anchor: "never-push-on-fridays", Pinned: true},
		}},
	}
	threads := ledger(entryfile.OpenThread,
		entryfile.Entry{ID: "p9a3v5hj", Title: "Does reftable work on Windows?", Body: "Nobody tried.", Created: "2026-11-01T08:00:00Z", Status: entryfile.StatusOpen},
		entryfile.Entry{ID: "q1r6g8mt", Title: "Which tokenizer?", Body: "o200k or an estimate.", Created: "2026-11-02T08:00:00Z", Status: entryfile.StatusResolved},
	)
	preferences := IndexKind{Kind: entryfile.Preference, Lines: []IndexLine{
		Line(entryfile.Entry{ID: "r7z2k4dx", Title: "Answer in German", Body: "Answer in German", Created: "2026-05-01T08:00:00Z"}, "preferences/answer-in-german-r7z2k4dx.md", "", 0, ""),
		Line(entryfile.Entry{ID: "s5b8n3qe", Title: "My own note", Body: "# Heading\n\nWrite tests first, e.g. for parsers. Then code.", Created: ""}, "preferences/my note (1).md", "", 0, ""),
	}}
	return IndexInput{Name: "github.com/acme/widget", Parts: []IndexPart{Part(preferences), Part(threads), Part(decisions)}}
}

func TestIndexReads(t *testing.T) {
	golden(t, "INDEX.md", Index(sampleIndex()))
	golden(t, "INDEX-empty.md", Index(IndexInput{}))
}

func TestIndexIsTheSameBytesInAnyOrder(t *testing.T) {
	k := IndexKind{Kind: entryfile.Decision}
	for i := range 300 {
		k.Lines = append(k.Lines, IndexLine{ID: fmt.Sprintf("g%07d", i), Title: "T", Created: fmt.Sprintf("2026-11-%02dT00:00:00Z", 1+i%28), Path: "decisions.md", Order: i})
		if i < 60 {
			k.Rolled = append(k.Rolled, RolledFile{Path: fmt.Sprintf("decisions/%04d.md", i+1), Count: 7, First: "2025", Last: "2026"})
		}
	}
	want := Index(IndexInput{Parts: []IndexPart{Part(k)}})
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		r.Shuffle(len(k.Lines), func(i, j int) { k.Lines[i], k.Lines[j] = k.Lines[j], k.Lines[i] })
		r.Shuffle(len(k.Rolled), func(i, j int) { k.Rolled[i], k.Rolled[j] = k.Rolled[j], k.Rolled[i] })
		require.Equal(t, string(want), string(Index(IndexInput{Parts: []IndexPart{Part(k)}})))
	}
}

// Tens of thousands of entries: each is listed, or in a file or folder that is
// linked with the number of entries in it.
func TestIndexIsBoundedAndReachesAll(t *testing.T) {
	rolled := []int{0, 1, MaxIndexRolled, MaxIndexRolled + 1, 900}
	for i, n := range []int{0, 1, 500, MaxIndexLines, MaxIndexLines + 1, 2 * MaxIndexLines} {
		for j, kind := range []entryfile.Kind{entryfile.Decision, entryfile.OpenThread, entryfile.SessionTrace} {
			files := rolled[(i+j)%len(rolled)]
			k := IndexKind{Kind: kind}
			for i := range n {
				l := IndexLine{ID: fmt.Sprintf("g%07d", i), Title: "T", Created: "2026-11-01T00:00:00Z", Path: kind.Ledger(), Order: i, Pinned: i%100 == 7, Resolved: i%50 == 3}
				if !kind.IsLedger() {
					l.Path = fmt.Sprintf("%s/t-%s.md", kind.Dir(), l.ID)
				}
				k.Lines = append(k.Lines, l)
			}
			for i := range files {
				k.Rolled = append(k.Rolled, RolledFile{Path: fmt.Sprintf("%s/%04d.md", kind.Dir(), i+1), Count: 100})
			}
			out := Index(IndexInput{Parts: []IndexPart{Part(k)}})
			listed, more, older := tally(string(out))
			assert.Equal(t, n, listed+more, "%d lines of %s", n, kind)
			assert.Equal(t, 100*files, older, "%d rolled files of %s", files, kind)
			assert.Less(t, len(out), 4096+120*(MaxIndexLines+MaxIndexRolled))
		}
	}
}

// tally adds up what an INDEX.md lists, and what it says is behind its links.
func tally(index string) (listed, more, rolled int) {
	listed = strings.Count(index, "\n- `g")
	for line := range strings.Lines(index) {
		_, count, ok := strings.Cut(line, "): ")
		if !ok || !strings.HasPrefix(line, "- [") {
			continue
		}
		var files, n int
		if k, _ := fmt.Sscanf(count, "%d older files with %d", &files, &n); k == 2 {
			rolled += n
		} else if k, _ := fmt.Sscanf(count, "%d", &n); k == 1 && strings.HasSuffix(line, "more\n") {
			more += n
		} else {
			rolled += n
		}
	}
	return listed, more, rolled
}

func TestIndexListSurvivesAnyText(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"<b>", "]", "[", "(x)", "`", "|", "*", "_", "\\", "\n", "\n\n## x", "<!--", "-->", "&lt;", "~~", "\x1b[31m", "\u202e", "a", " ", "![i](j)", "https://x.y", "\r"}), 0, 8), func(s []string) string { return strings.Join(s, "") }))
	rapid.Check(t, func(t *rapid.T) {
		k := IndexKind{Kind: entryfile.Decision}
		n := rapid.IntRange(1, 4).Draw(t, "n")
		for i := range n {
			k.Lines = append(k.Lines, IndexLine{ID: text.Draw(t, "id"), Title: text.Draw(t, "title"), Text: text.Draw(t, "text"), Created: text.Draw(t, "created"), Expires: text.Draw(t, "expires"),
				SupersededBy: text.Draw(t, "by"), Path: text.Draw(t, "path"), Order: i, Pinned: rapid.Bool().Draw(t, "pinned")})
		}
		var html bytes.Buffer
		out := Index(IndexInput{Name: text.Draw(t, "name"), Parts: []IndexPart{Part(k)}})
		if err := md.Convert(out, &html); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(html.String(), "<li>"); got != n {
			t.Fatalf("%d list items for %d entries:\n%s", got, n, out)
		}
		if got := strings.Count(html.String(), "<strong>"); got != 1 {
			t.Fatalf("%d strong in %s", got, html.String())
		}
		for _, tag := range []string{"<b>", "<img", "<a href=\"x\"", "<table", "<!--", "<em>", "</strong> ", "<del>"} {
			if strings.Contains(html.String(), tag) {
				t.Fatalf("%s in %s", tag, html.String())
			}
		}
	})
}

func TestSummary(t *testing.T) {
	for _, c := range []struct{ title, description, body, want string }{
		{"T", "as written", "Body. More.", "as written"},
		{"T", "", "First sentence. Second one.", "First sentence."},
		{"First sentence", "", "First sentence. Second one.", "Second one."},
		{"All of it", "", "All of it", ""},
		{"All of it", "", "All of it.", ""},
		{"We keep one repository…", "", "We keep one repository per scope, because of undo. Then more.", "…per scope, because of undo."},
		{"T", "", "### Context\n\n- use v1.2.3 e.g. here\n- next", "use v1.2.3 e.g. here"},
		{"T", "", "```go\nfunc main() {}\n```\nProse of a line that is surely long enough to\nwrap over two lines.\n", "Prose of a line that is surely long enough to wrap over two lines."},
		{"T", "", "Abstract\n========\n\nThis PEP proposes zip.", "This PEP proposes zip."},
		{"T", "", "| a | b |\n| - | - |\n\nAfter the table", "After the table"},
		{"T", "", "**Summary:** see [the _design_](d.md) of `foo_bar`, 2 * 3 &amp; <b>more</b>.", "Summary: see the design of `foo_bar`, 2 * 3 & more."},
		{"T", "**as** [written](x)", "Body.", "**as** [written](x)"},
		{"T", "", "做好财务护城河。然后继续。", "做好财务护城河。"},
		{"T", "", "> quoted by Mr. Smith (1999). Rest", "quoted by Mr. Smith (1999)."},
		{"T", "", "", ""},
		{"T", "", strings.Repeat("word ", 60), strings.TrimSpace(strings.Repeat("word ", 32)) + "…"},
	} {
		assert.Equal(t, c.want, Summary(entryfile.Entry{Title: c.title, Description: c.description, Body: c.body}), "%q %q", c.title, c.body)
	}
}

func FuzzSummary(f *testing.F) {
	f.Add("T…", "", "T. x")
	f.Fuzz(func(t *testing.T, title, description, body string) {
		s := Summary(entryfile.Entry{Title: title, Description: description, Body: body})
		if n := len([]rune(s)); n > entryfile.MaxDescription {
			t.Fatalf("%d characters", n)
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	var kinds []IndexKind
	for _, kind := range []entryfile.Kind{entryfile.Decision, entryfile.Convention, entryfile.FailedPath, entryfile.Preference} {
		k := IndexKind{Kind: kind}
		for i := range 250 {
			k.Lines = append(k.Lines, IndexLine{ID: fmt.Sprintf("g%07d", i), Title: fmt.Sprintf("Use `foo_bar` for case %d", i), Text: "A commit per change gives undo, blame and sync for nothing.",
				Created: "2026-11-01T00:00:00Z", Path: "decisions.md", Anchor: "use-foo_bar-for-case", Order: i})
		}
		kinds = append(kinds, k)
	}
	b.Run("1000 entries", func(b *testing.B) {
		for b.Loop() {
			in := IndexInput{Name: "user"}
			for _, k := range kinds {
				in.Parts = append(in.Parts, Part(k))
			}
			Index(in)
		}
	})
	b.Run("1000 entries, 3 parts kept", func(b *testing.B) {
		var kept []IndexPart
		for _, k := range kinds[1:] {
			kept = append(kept, Part(k))
		}
		for b.Loop() {
			Index(IndexInput{Name: "user", Parts: append([]IndexPart{Part(kinds[0])}, kept...)})
		}
	})
}
