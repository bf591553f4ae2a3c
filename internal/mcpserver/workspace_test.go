package mcpserver

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

func TestWhichFolderACallIsAbout(t *testing.T) {
	l := newLab(t)
	root, env, own, plain := l.project("a-root"), l.project("env"), l.project("own"), l.folder("plain")
	gone := filepath.Join(root, "gone")
	for _, c := range []struct {
		roots    []string
		env, dir string
		want     string
	}{
		{[]string{root, env}, env, own, "example.org/team/a-root"},
		{nil, env, own, "example.org/team/env"},
		{nil, "", own, "example.org/team/own"},
		{nil, "", plain, ""},
		{[]string{plain}, env, own, ""}, // the client works there, and nowhere else
		{[]string{gone}, env, own, ""},
		{[]string{gone, root}, env, own, "example.org/team/a-root"},
		{nil, gone, own, ""},
	} {
		o := l.options(c.dir)
		o.ClientDir = c.env
		for _, version := range versions {
			out := ask(t, connect(t, New(o), client(nil, c.roots...), version), "status", nil)
			if c.want == "" {
				assert.NotContains(t, out, "project", "%+v", c)
				assert.Contains(t, fmt.Sprint(out["notes"]), "no project here")
				continue
			}
			assert.Equal(t, c.want, out["project"], "%+v %s", c, version)
		}
	}
}

func TestWithoutAProjectTheUsersMemoryIsUsedAndSaid(t *testing.T) {
	l := newLab(t)
	l.settings("review: off\n")
	cs := connect(t, New(l.options(l.folder("plain"))), client(nil))
	out := ask(t, cs, "remember", map[string]any{"text": "Postgres for queues.", "kind": "decision"})
	assert.Equal(t, "user", out["entry"].(map[string]any)["scope"])
	assert.Contains(t, fmt.Sprint(out["notes"]), "no project here")
	assert.Contains(t, refusal(t, cs, "remember", map[string]any{"text": "x", "kind": "decision", "scope": "project"}), "no project")
}

// A root on another machine is not the server's own folder.
func TestARootElsewhereIsNoProject(t *testing.T) {
	l := newLab(t)
	for _, version := range versions {
		c := client(nil, "host/share")
		c.RemoveRoots("file://host/share")
		c.AddRoots(&mcp.Root{URI: "file://host/share", Name: "share"})
		out := ask(t, connect(t, New(l.options(l.project("own"))), c, version), "status", nil)
		assert.NotContains(t, out, "project", version)
		assert.Contains(t, fmt.Sprint(out["notes"]), "no project here")
	}
}

// A client that moves to another folder is followed there.
func TestRootsAreFollowed(t *testing.T) {
	l := newLab(t)
	l.settings("review: off\n")
	one, two := l.project("one"), l.project("two")
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			c := client(nil, one)
			cs := connect(t, New(l.options(l.folder("elsewhere"))), c, version)
			ask(t, cs, "remember", map[string]any{"text": "One fact of " + version, "kind": "decision"})
			assert.Equal(t, "example.org/team/one", ask(t, cs, "status", nil)["project"])
			c.RemoveRoots("file://" + one)
			c.AddRoots(rootOf(two))
			require.Eventually(t, func() bool { return ask(t, cs, "status", nil)["project"] == "example.org/team/two" }, wait, tick)
			assert.Empty(t, ask(t, cs, "recall", map[string]any{"query": "fact " + version})["hits"])
		})
	}
}

func TestFileURIs(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///work/a%20b": "/work/a b", "file://localhost/work": "/work", "file:///work/../x": "/x",
		"file://server/share": "", "https://example.org/x": "", "vscode-remote://ssh/x": "", "work": "", "file:": "", "::": "",
	} {
		if want != "" {
			want = l10n(want)
		}
		assert.Equal(t, want, filePath(uri), uri)
	}
}

// One server over HTTP, several clients at once, each in a project of its own:
// nothing of one reaches another, by any tool, resource, prompt or completion.
func TestProjectsAreNeverMixed(t *testing.T) {
	l := newLab(t)
	l.settings("review: off\n")
	own := l.project("own")
	s := New(l.options(own))
	url := serve(t, s)
	const clients = 6
	var wg sync.WaitGroup
	for i := range clients {
		dir := l.project(fmt.Sprintf("proj%d", i))
		version := versions[i%len(versions)]
		wg.Go(func() {
			var cs *mcp.ClientSession
			if i%2 == 0 {
				cs = dial(t, url, client(nil, dir), nil, version)
			} else {
				cs = dial(t, url, client(nil), map[string]string{projectHeader: dir}, version)
			}
			for n := range 5 {
				out := ask(t, cs, "remember", map[string]any{"text": fmt.Sprintf("Secretword%d is fact %d.", i, n), "kind": "decision", "tags": []string{fmt.Sprintf("tag%d", i)}})
				assert.Equal(t, fmt.Sprintf("example.org/team/proj%d", i), out["project"])
			}
			ask(t, cs, "trace", map[string]any{"session": fmt.Sprintf("sess%d", i), "text": fmt.Sprintf("Secretword%d was here.", i)})
		})
	}
	wg.Wait()

	stranger := dial(t, url, client(nil, l.project("stranger")), nil)
	var said []string
	hear := func(v any, err error) {
		data, _ := json.Marshal(v)
		said = append(said, string(data))
		if err != nil {
			said = append(said, err.Error())
		}
	}
	ids := map[string]bool{}
	for i := range clients {
		list, err := l.person(l.project(fmt.Sprintf("proj%d", i))).List(t.Context(), vault.ListQuery{})
		require.NoError(t, err)
		assert.Len(t, list, 6, "project %d", i)
		for _, e := range list {
			ids[e.ID] = true
			hear(stranger.CallTool(t.Context(), &mcp.CallToolParams{Name: "get", Arguments: map[string]any{"id": e.ID}}))
			hear(stranger.CallTool(t.Context(), &mcp.CallToolParams{Name: "forget", Arguments: map[string]any{"id": e.ID}}))
			hear(stranger.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: entryURI + e.ID}))
			delete(ids, e.ID) // what was asked for may be named in the answer
		}
		hear(stranger.CallTool(t.Context(), &mcp.CallToolParams{Name: "recall", Arguments: map[string]any{"query": "fact"}}))
		hear(stranger.CallTool(t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: map[string]any{"text": "x", "scope": "elsewhere"}}))
	}
	for _, tool := range []string{"list", "context", "status"} {
		hear(stranger.CallTool(t.Context(), &mcp.CallToolParams{Name: tool}))
	}
	for _, uri := range []string{contextURI, indexURI} {
		hear(stranger.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}))
	}
	hear(stranger.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "recall", Arguments: map[string]string{"query": "fact"}}))
	hear(stranger.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "review"}))
	for _, arg := range []string{"id", "tag"} {
		hear(stranger.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "recall"}, Argument: mcp.CompleteParamsArgument{Name: arg}}))
		hear(stranger.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: entryTemplate}, Argument: mcp.CompleteParamsArgument{Name: arg}}))
	}
	for _, text := range said {
		for _, word := range []string{"Secretword", "proj0", "proj1", "proj2", "tag1", "sess1", "team/own"} {
			assert.NotContains(t, text, word)
		}
	}
	list, err := l.person(own).List(t.Context(), vault.ListQuery{})
	require.NoError(t, err)
	assert.Empty(t, list, "nothing lands in the server's own folder")
}

// A change of the person's settings counts for a server that runs already.
func TestSettingsCountAtOnce(t *testing.T) {
	l := newLab(t)
	l.settings("review: off\n")
	cs := connect(t, New(l.options(l.project("widget"))), client(nil))
	assert.Equal(t, false, ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})["pending"])
	l.settings("review: hold\n")
	assert.Equal(t, true, ask(t, cs, "remember", map[string]any{"text": "Spaces.", "kind": "convention"})["pending"])
}
