package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

// within calls a tool and holds the whole answer, as it goes over the wire, to
// the bound.
func within(t *testing.T, cs *mcp.ClientSession, tool string, args any) map[string]any {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	require.False(t, r.IsError, "%s: %s", tool, textOf(r))
	data, err := json.Marshal(r)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(data), maxResult, "%s %v", tool, args)
	return structured(t, r)
}

// facts fills a project with so many entries, in one import.
func (l *lab) facts(dir string, many int) {
	l.t.Helper()
	var lines strings.Builder
	for i := range many {
		fmt.Fprintf(&lines, `{"type":"entity","name":"Fact %04d","entityType":"decision","observations":["%s number %d <is> \"kept\" & found"]}`+"\n", i, strings.Repeat("wörds ", 10), i)
	}
	file := l.file("memory.jsonl", lines.String())
	out, err := l.person(dir).Import(l.t.Context(), vault.Import{Format: "mcp-memory", Paths: []string{file}, Scope: vault.ProjectScope})
	require.NoError(l.t, err)
	require.Len(l.t, out.Added, many)
}

// pages follows a tool's cursor and returns the ids it came by, each once.
func pages(t *testing.T, cs *mcp.ClientSession, tool, list string, args map[string]any) []string {
	t.Helper()
	var ids []string
	seen := map[string]bool{}
	for {
		out := within(t, cs, tool, args)
		for _, e := range out[list].([]any) {
			id := e.(map[string]any)["id"].(string)
			require.False(t, seen[id], "%s is on two pages", id)
			seen[id] = true
			ids = append(ids, id)
		}
		next, ok := out["cursor"].(string)
		if !ok {
			return ids
		}
		args["cursor"] = next
	}
}

func TestEveryEntryIsOnAPage(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	l.facts(dir, 300)
	cs := connect(t, New(l.options(dir)), client(nil))
	assert.Len(t, pages(t, cs, "list", "entries", map[string]any{}), 300)
	assert.Len(t, pages(t, cs, "recall", "hits", map[string]any{"query": "words number kept", "limit": 50}), mostHits)
}

func TestThousandsOfEntriesMakeNoAnswerLonger(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	l.facts(dir, 5000)
	cs := connect(t, New(l.options(dir)), client(nil))
	out := within(t, cs, "list", nil)
	assert.EqualValues(t, 5000, out["total"])
	assert.NotEmpty(t, out["cursor"])
	all, err := l.person(dir).List(t.Context(), vault.ListQuery{})
	require.NoError(t, err)
	last := within(t, cs, "list", map[string]any{"cursor": placeOf(all[4997])})
	assert.Len(t, last["entries"], 2)
	assert.Nil(t, last["cursor"])
	within(t, cs, "recall", map[string]any{"query": "words number 17", "limit": 50})
	within(t, cs, "context", map[string]any{"query": "words number 17"})
	within(t, cs, "context", nil)
	within(t, cs, "status", nil)
	for _, uri := range []string{contextURI, indexURI} {
		r, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.NoError(t, err)
		assert.LessOrEqual(t, len(r.Contents[0].Text), 10_000, uri)
	}
}

// The widest entry there may be: every field of a line at its limit, in
// characters that cost the most, and texts that take many parts.
func TestTheWidestEntriesFit(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	h := l.person(dir)
	wide := strings.Repeat("\"<𝄞", 66)
	var tags, paths []string
	for i := range 16 {
		tags = append(tags, fmt.Sprintf("%02d%s", i, strings.Repeat("𝄞", 62)))
	}
	for i := range 12 {
		paths = append(paths, fmt.Sprintf("%02d/%s", i, strings.Repeat("ü", 1000)))
	}
	body := strings.Repeat("<\x01\"&𝄞 a line of it\n", 3000)
	body = strings.TrimSpace(body[:20<<10])
	d := vault.Draft{Kind: vault.Decision, Title: wide, Description: strings.Repeat("<\"𝄞", 100), Text: body, Tags: tags, Paths: paths,
		Evidence: strings.Repeat("evidence <&> ", 1000), Session: strings.Repeat("s", 5000)}
	ch, err := h.Remember(t.Context(), d)
	require.NoError(t, err)
	small, err := h.Remember(t.Context(), vault.Draft{Kind: vault.Decision, Text: "Short."})
	require.NoError(t, err)
	cs := connect(t, New(l.options(dir)), client(nil))
	for tool, args := range map[string]map[string]any{"list": {}, "recall": {"query": "line evidence"}, "context": {"query": "line"}, "status": {}} {
		within(t, cs, tool, args)
	}
	ids := []string{small.Entry.ID, ch.Entry.ID, small.Entry.ID}
	bodies := make([]string, 3)
	args := map[string]any{"ids": ids}
	at, pages := 0, 0
	for {
		out := within(t, cs, "get", args)
		for i, e := range out["entries"].([]any) {
			e := e.(map[string]any)
			if i > 0 || e["id"] != ids[at] {
				at++
			}
			assert.Equal(t, ids[at], e["id"])
			from, _ := e["body_from"].(float64)
			assert.Len(t, bodies[at], int(from), "parts follow each other")
			bodies[at] += e["body"].(string)
		}
		next, ok := out["cursor"].(string)
		if !ok {
			break
		}
		args["cursor"] = next
		pages++
		require.Less(t, pages, 1000)
	}
	assert.Equal(t, "Short.", bodies[0])
	assert.Equal(t, "Short.", bodies[2])
	assert.True(t, strings.HasPrefix(bodies[1], body), "the body comes whole")
	assert.Contains(t, bodies[1], "evidence: "+strings.TrimSpace(d.Evidence))
	assert.Contains(t, bodies[1], paths[11])
	assert.Greater(t, pages, 3)

	read, uri := "", "vault://entry/"+ch.Entry.ID
	for uri != "" {
		r, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.NoError(t, err)
		text := r.Contents[0].Text
		assert.LessOrEqual(t, len(text), 10_000, uri)
		read += text
		_, uri, _ = strings.Cut(text, "the next is ")
		uri = strings.TrimSuffix(uri, ")")
	}
	assert.Contains(t, read, paths[11])

	shown := within(t, cs, "update", map[string]any{"id": ch.Entry.ID, "title": wide + "x"})
	assert.Equal(t, true, shown["pending"])
	within(t, cs, "forget", map[string]any{"id": ch.Entry.ID})
	within(t, cs, "status", nil)
}

// A list does not shift under a reader: what comes in at its top is not on a
// later page, and nothing is skipped.
// However long what a client sends, what is wrong with it is said in few words.
func TestWhatIsWrongIsSaidInFewWords(t *testing.T) {
	l := newLab(t)
	cs := connect(t, New(l.options(l.project("widget"))), client(nil))
	long := strings.Repeat("x<", 15_000)
	for _, tool := range tools() {
		for _, a := range tool.args {
			for _, value := range []any{long, []string{long, long}, map[string]any{long: long}, 1e300} {
				args := map[string]any{a.name: value}
				for _, other := range tool.args {
					if other.required && other.name != a.name {
						args[other.name] = "text"
					}
				}
				r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.name, Arguments: args})
				if err != nil {
					assert.Less(t, len(err.Error()), 2_000, "%s.%s", tool.name, a.name)
					continue
				}
				data, err := json.Marshal(r)
				require.NoError(t, err)
				assert.LessOrEqual(t, len(data), maxResult, "%s.%s: %.100s", tool.name, a.name, textOf(r))
			}
		}
	}
	for _, name := range []string{"recall", "review", "end-session"} {
		for _, arg := range []string{"query", "kind", "tag", "id", "session"} {
			r, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"query": "x", arg: long}})
			if err != nil {
				assert.Less(t, len(err.Error()), 2_000, "%s %s", name, arg)
				continue
			}
			data, err := json.Marshal(r)
			require.NoError(t, err)
			assert.LessOrEqual(t, len(data), maxResult, "%s %s", name, arg)
		}
	}
}

func TestAListStandsStillWhileItGrows(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	h := l.person(dir)
	add := func(from, to int) {
		for i := from; i < to; i++ {
			_, err := h.Remember(t.Context(), vault.Draft{Kind: vault.Decision, Title: fmt.Sprintf("Fact %d", i), Text: strings.Repeat("text ", 60)})
			require.NoError(t, err)
		}
	}
	add(0, 40)
	cs := connect(t, New(l.options(dir)), client(nil))
	out := within(t, cs, "list", nil)
	first := len(out["entries"].([]any))
	require.Less(t, first, 40)
	add(40, 45)
	next := within(t, cs, "list", map[string]any{"cursor": out["cursor"]})
	assert.Equal(t, fmt.Sprintf("Fact %d", 39-first), next["entries"].([]any)[0].(map[string]any)["title"])
}

func TestCutting(t *testing.T) {
	for _, s := range []string{"", "a", "𝄞𝄞𝄞", "ab\ncd\nef", strings.Repeat("é", 50)} {
		for n := 1; n <= len(s)+2; n++ {
			i := cut(s, n)
			assert.LessOrEqual(t, i, max(n, 4))
			if s != "" {
				assert.Positive(t, i, "%q %d", s, n)
			}
			assert.True(t, utf8.ValidString(s[:i]), "%q %d", s, n)
		}
	}
}
