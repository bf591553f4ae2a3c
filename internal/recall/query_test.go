package recall

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gitvault/internal/entryfile"
)

func TestParseQuery(t *testing.T) {
	for _, c := range []struct{ text, terms string }{
		{"how do we retry the jobs", "retry jobs"},
		{"to be or not to be", "to be or not"},
		{"is IT or US policy AND rules", "it us policy rules"},
		{"retry Retry RETRY", "retry"},
		{"财务护城河", "财务 务护 护城 城河"},
		{"河", "河*"},
		{"C++ or C#", "c++ c c#"},
		{"qu'est-ce que la stratégie", "est-ce estce strategie"},
		{"¿cuál es la migración?", "cual migracion"},
	} {
		var got []string
		for _, g := range parseQuery(c.text).groups {
			term := g.term
			if g.prefix {
				term += "*"
			}
			got = append(got, term)
		}
		require.Equal(t, c.terms, strings.Join(got, " "), c.text)
	}
}

func TestQuotes(t *testing.T) {
	for _, c := range []struct {
		text    string
		phrases []string
		only    bool
	}{
		{`"Query  Plan"`, []string{"query plan"}, true},
		{`“query plan” «à la carte»`, []string{"query plan", "a la carte"}, true},
		{`where is the "query plan"`, []string{"query plan"}, false},
		{`an open " quote`, nil, false},
		{`""`, nil, false},
		{`「財務」`, []string{"財務"}, true},
	} {
		q := parseQuery(c.text)
		require.Equal(t, c.phrases, q.phrases, c.text)
		require.Equal(t, c.only, q.onlyPhrases, c.text)
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		text, phrase string
		want         bool
	}{
		{"rm -rf the volume", "rm -rf", true},
		{"alarm -rf", "rm -rf", false},
		{"rm -rfv; rm -rf", "rm -rf", true},
		{"做好财务护城河", "护城", true},
		{"", "", false},
	} {
		require.Equal(t, c.want, holds(c.text, c.phrase), "%+v", c)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"schedule", "shcedule", 1}, {"kubernets", "kubernetes", 1}, {"cat", "cat", 0}, {"cat", "dog", 3}, {"abc", "abcdef", 3}, {"a", "", 1},
	} {
		require.Equal(t, c.want, distance([]rune(c.a), []rune(c.b), 2), "%+v", c)
	}
}

func TestExplain(t *testing.T) {
	ix := scope(t, append([]entryfile.Entry{{
		Title: "Retries", Tags: []string{"queue"}, Description: "Workers back off.",
		Body: "Jobs that fail are retried five times.\n\n" + strings.Repeat("Nothing here.\n\n", 200) + "The backoff doubles.",
	}}, filler...)...)
	h := find(t, ix, Query{Text: "retry queue workers backoff", Explain: true})[0]
	require.Equal(t, "backoff (body); queue (tags); retry as retries, retried (title); workers (description)", h.Explain.line())
	require.Contains(t, h.Why, "queue (tags)")
	require.NotEmpty(t, h.Explain.Parts)
	require.Equal(t, "title", h.Explain.Parts[0].Name)
	for _, term := range h.Explain.Terms {
		require.Positive(t, term.Weight)
	}
}

func TestSnippet(t *testing.T) {
	body := strings.Repeat("Filler text goes here. ", 30) + "The zeppelin\x1b[31m hangar\u202e is heated. " + strings.Repeat("More filler after it. ", 30)
	h := find(t, scope(t, note(body)), Query{Text: "zeppelin hangar"})[0]
	require.Contains(t, h.Snippet, "The zeppelin [31m hangar is heated.")
	require.True(t, strings.HasPrefix(h.Snippet, "…") && strings.HasSuffix(h.Snippet, "…"))
	require.LessOrEqual(t, len(h.Snippet), snippetBytes+2*len("…"))
}

func TestASnippetReadsHeadingsAsText(t *testing.T) {
	h := find(t, scope(t, note("# Heating\n\n## Why zeppelins?\n\nThe hangar is heated.\n\n## Cost\nTen a day, #1 of all.")), Query{Text: "zeppelin hangar"})[0]
	require.Equal(t, "Heating: Why zeppelins? The hangar is heated. Cost: Ten a day, #1 of all.", h.Snippet)
	h = find(t, scope(t, note("Heating\n=======\n\nWhy (zeppelins)\n---------------\n\nThe hangar - heated - is large.\n\n```sh\nheat --all\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n-- the end")), Query{Text: "zeppelin hangar"})[0]
	require.Equal(t, "Heating: Why (zeppelins): The hangar - heated - is large. heat --all | a | b | | 1 | 2 | -- the end", h.Snippet)
	trace := entryfile.Entry{ID: "gbbbbbbb", Kind: entryfile.SessionTrace, Title: "Monday", Body: "## Turn 4\n\nWe heat the hangar.\n\n## Turn 5\n\nWe let it cool."}
	hits := find(t, scope(t, trace), Query{Text: "turn 4"})
	require.Equal(t, "Turn 4: We heat the hangar.", hits[0].Snippet)
	for _, h := range hits {
		require.NotRegexp(t, `^Turn \d:?$`, h.Snippet)
	}
}

func TestPassages(t *testing.T) {
	para := strings.TrimSpace(strings.Repeat("word ", 60))
	split := func(body string, trace bool) []string {
		var out []string
		for _, p := range passages(body, trace) {
			out = append(out, body[p.start:p.end])
		}
		return out
	}
	require.Equal(t, []string{"short"}, split("short", false))
	require.Len(t, split(strings.Join([]string{para, para, para, para, para, para}, "\n\n"), false), 2)
	require.Equal(t, []string{"# A\n\n" + para, "# B\n\nmore"}, split("# A\n\n"+para+"\n\n# B\n\nmore", false))
	require.Equal(t, []string{para, "B\n===\n\nmore"}, split(para+"\n\nB\n===\n\nmore", false))
	require.Equal(t, []string{"Ann: hi", "Bob: hello", "- did this\n  and more", "- did that"}, split("Ann: hi\nBob: hello\n\n- did this\n  and more\n- did that", true))
	require.Equal(t, []string{"```\nAnn: in code\n\nBob: too\n```"}, split("```\nAnn: in code\n\nBob: too\n```", true)[:1])
	require.Equal(t, []string{"# Monday\n\n## Turn 1\n\nAnn: hi", "Bob: hello", "## Turn 2\n- did this", "- did that\n\n## Turn 3"},
		split("# Monday\n\n## Turn 1\n\nAnn: hi\nBob: hello\n\n## Turn 2\n- did this\n- did that\n\n## Turn 3", true))
	for _, p := range split(strings.Repeat("长", 20_000), false) {
		require.LessOrEqual(t, len(p), longestWords*12)
	}
}

func FuzzPassages(f *testing.F) {
	f.Add("# A\n\ntext\r\n---\n```\nx", true)
	f.Add(strings.Repeat("x", 5000), false)
	f.Fuzz(func(t *testing.T, body string, trace bool) {
		last := 0
		rest := ""
		for _, p := range passages(body, trace) {
			if p.start < last || p.end <= p.start || p.end > len(body) {
				t.Fatalf("%+v of %d bytes", p, len(body))
			}
			rest += body[last:p.start]
			last = p.end
		}
		if rest += body[last:]; strings.TrimSpace(rest) != "" {
			t.Fatalf("left out %q", rest)
		}
	})
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{`"a phrase" AND NEAR( *`, "用Redis做队列", "C++ -rf .env", "\xff\x00", strings.Repeat("x ", 300)} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, body, query string) {
		e := entryfile.Entry{ID: "gaaaaaaa", Kind: entryfile.FailedPath, Title: "Title", Body: body}
		trace := entryfile.Entry{ID: "gbbbbbbb", Kind: entryfile.SessionTrace, Title: "Title", Body: body + "\n\n" + query}
		files := []FileRef{{"decisions.md", "1", func() ([]entryfile.Entry, error) { return []entryfile.Entry{e, trace}, nil }}}
		ix, err := Open(context.Background(), "project", files, Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Search(context.Background(), Query{Text: query, Explain: true}, ix)
		if err != nil && err != ErrNoWords {
			t.Fatal(err)
		}
		if len(res.Hits) > DefaultLimit {
			t.Fatal(len(res.Hits), "hits")
		}
		for _, h := range res.Hits {
			if len(h.Snippet) > snippetBytes+2*len("…") && utf8.ValidString(body+query) {
				t.Fatalf("snippet of %d bytes: %q", len(h.Snippet), h.Snippet)
			}
			if strings.ContainsAny(h.Snippet+h.Why+h.Caution, "\n\r\x1b\x00") {
				t.Fatalf("%+v", h)
			}
			if h.Passage.Start > h.Passage.End || h.Passage.End > len(h.Entry.Body) {
				t.Fatalf("%+v", h.Passage)
			}
		}
	})
}
