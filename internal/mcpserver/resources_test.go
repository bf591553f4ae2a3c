package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

const (
	wait = 20 * time.Second
	tick = 10 * time.Millisecond
)

func TestResourcesAndPromptsOverEveryTransport(t *testing.T) {
	everywhere(t, func(t *testing.T, link func(*testing.T, *Server, *mcp.Client) *mcp.ClientSession) {
		l := newLab(t)
		dir := l.project("widget")
		h := l.person(dir)
		ch, err := h.Remember(t.Context(), vault.Draft{Kind: vault.Decision, Title: "Queue in Postgres", Text: "One system less to run.", Tags: []string{"storage"}})
		require.NoError(t, err)
		id := ch.Entry.ID
		cs := link(t, New(l.options(l.folder("elsewhere"))), client(nil, dir))

		resources, err := cs.ListResources(t.Context(), nil)
		require.NoError(t, err)
		var uris []string
		for _, r := range resources.Resources {
			uris = append(uris, r.URI)
		}
		assert.ElementsMatch(t, []string{contextURI, indexURI}, uris)
		templates, err := cs.ListResourceTemplates(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, entryTemplate, templates.ResourceTemplates[0].URITemplate)
		for uri, want := range map[string]string{
			contextURI: "<project_memory", indexURI: "- [" + id + "] decision: Queue in Postgres", entryURI + id: "One system less to run.", entryURI + id[:4]: id,
		} {
			r, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			require.NoError(t, err, uri)
			assert.Contains(t, r.Contents[0].Text, want, uri)
			assert.Equal(t, uri, r.Contents[0].URI)
		}
		for _, uri := range []string{"vault://nothing", entryURI + "gggggggg", entryURI + "no", entryURI + id + "/9", entryURI + id + "/x", "file:///etc/passwd"} {
			_, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			assert.Error(t, err, uri)
		}

		prompts, err := cs.ListPrompts(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, prompts.Prompts, 3)
		prompt := func(name string, args map[string]string) string {
			r, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args})
			require.NoError(t, err, name)
			return r.Messages[0].Content.(*mcp.TextContent).Text
		}
		assert.Contains(t, prompt("recall", map[string]string{"query": "queue", "tag": "storage", "kind": "decision"}), "Queue in Postgres")
		assert.Contains(t, prompt("recall", map[string]string{"query": "queue", "tag": "other"}), "nothing about")
		assert.Contains(t, prompt("review", nil), "Nothing of yours")
		assert.Contains(t, prompt("end-session", map[string]string{"session": "s7"}), `session "s7"`)
		assert.Contains(t, prompt("end-session", nil), `session "mcp-`)
		card := ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})["card"].(string)
		assert.Contains(t, prompt("review", nil), card)
		assert.Contains(t, prompt("review", map[string]string{"id": card}), card)
		assert.Contains(t, prompt("review", map[string]string{"id": "zzzz"}), "Nothing of yours")
		for _, bad := range []*mcp.GetPromptParams{{Name: "recall"}, {Name: "nothing"}, {Name: "recall", Arguments: map[string]string{"query": "x", "kind": "fact"}}} {
			_, err := cs.GetPrompt(t.Context(), bad)
			assert.Error(t, err)
		}
	})
}

func TestCompletions(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	h := l.person(dir)
	var ids []string
	for i, text := range []string{"One.", "Two.", "Three."} {
		ch, err := h.Remember(t.Context(), vault.Draft{Kind: vault.Decision, Text: text, Tags: []string{"storage", "t" + text[:1]}[:1+i%2]})
		require.NoError(t, err)
		ids = append(ids, ch.Entry.ID)
	}
	for _, version := range versions {
		cs := connect(t, New(l.options(dir)), client(nil), version)
		complete := func(ref *mcp.CompleteReference, name, value string) []string {
			r, err := cs.Complete(t.Context(), &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: name, Value: value}})
			require.NoError(t, err)
			return r.Completion.Values
		}
		prompt := &mcp.CompleteReference{Type: "ref/prompt", Name: "recall"}
		entry := &mcp.CompleteReference{Type: "ref/resource", URI: entryTemplate}
		assert.ElementsMatch(t, ids, complete(entry, "id", ""))
		assert.Equal(t, []string{ids[1]}, complete(entry, "id", ids[1][:6]))
		assert.Equal(t, []string{"decision"}, complete(prompt, "kind", "De"))
		assert.Len(t, complete(prompt, "kind", ""), 6)
		assert.Equal(t, []string{"storage"}, complete(prompt, "tag", "s"), "the most used first")
		assert.Equal(t, "storage", complete(prompt, "tag", "")[0])
		assert.Empty(t, complete(prompt, "query", "x"))
		assert.Empty(t, complete(&mcp.CompleteReference{Type: "ref/prompt", Name: "review"}, "id", ""))
	}
}

// updates collects the resources that a client is told of.
type updates struct {
	mu   sync.Mutex
	uris []string
}

func (u *updates) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}, ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.uris = append(u.uris, r.Params.URI)
	}}
}

func (u *updates) has(uri string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, have := range u.uris {
		if have == uri {
			return true
		}
	}
	return false
}

func (u *updates) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.uris = nil
}

// Who subscribes is told of changes by anybody, of their own project only.
func TestSubscribersAreToldOfChanges(t *testing.T) {
	l := newLab(t)
	one, two := l.project("one"), l.project("two")
	h := l.person(one)
	ch, err := h.Remember(t.Context(), vault.Draft{Kind: vault.Decision, Text: "First."})
	require.NoError(t, err)
	entry := entryURI + ch.Entry.ID
	s := New(l.options(l.folder("elsewhere")))
	url := serve(t, s)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			var here, there updates
			a := dial(t, url, client(here.options()), map[string]string{projectHeader: one}, version)
			b := dial(t, url, client(there.options()), map[string]string{projectHeader: two}, version)
			for _, uri := range []string{contextURI, indexURI, entry} {
				require.NoError(t, a.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}))
				require.NoError(t, b.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}))
			}
			require.Eventually(t, func() bool { return subscribed(s) >= 6 }, wait, tick)
			_, err := h.Remember(t.Context(), vault.Draft{Kind: vault.Decision, Text: "Another of " + version})
			require.NoError(t, err)
			require.Eventually(t, func() bool { return here.has(contextURI) && here.has(indexURI) }, wait, tick)
			assert.False(t, here.has(entry), "that one has not changed")
			here.clear()
			_, err = h.Edit(t.Context(), ch.Entry.ID, vault.Edit{Text: ptr("First of " + version)})
			require.NoError(t, err)
			require.Eventually(t, func() bool { return here.has(entry) }, wait, tick)
			assert.False(t, there.has(contextURI) || there.has(indexURI) || there.has(entry), "another project's changes are nobody else's")
			_, err = l.person(two).Remember(t.Context(), vault.Draft{Kind: vault.Decision, Text: "There " + version})
			require.NoError(t, err)
			require.Eventually(t, func() bool { return there.has(indexURI) }, wait, tick)
			for _, uri := range []string{contextURI, indexURI, entry} {
				require.NoError(t, a.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}))
				require.NoError(t, b.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}))
			}
			require.Eventually(t, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.watching == nil }, wait, tick, "nobody watches for nobody")
		})
	}
}

// Who moves to another project is told at once that all is another thing, and
// from then on of changes there, without a call in between.
func TestSubscriptionsFollowTheRoots(t *testing.T) {
	l := newLab(t)
	one, two := l.project("one"), l.project("two")
	var told updates
	o := told.options()
	o.Capabilities.RootsV2 = &mcp.RootCapabilities{ListChanged: true}
	c := client(o, one)
	cs := connect(t, New(l.options(l.folder("elsewhere"))), c, "2025-11-25")
	require.NoError(t, cs.Subscribe(t.Context(), &mcp.SubscribeParams{URI: indexURI}))
	c.AddRoots(rootOf(two))
	c.RemoveRoots("file://" + one)
	require.Eventually(t, func() bool { return told.has(indexURI) }, wait, tick)
	add := func(dir, text string) {
		_, err := l.person(dir).Remember(t.Context(), vault.Draft{Kind: vault.Decision, Text: text})
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { // the second change of the roots may come later
		told.clear()
		add(two, fmt.Sprintf("There %d.", time.Now().UnixNano()))
		time.Sleep(50 * time.Millisecond)
		return told.has(indexURI)
	}, wait, tick)
	time.Sleep(50 * time.Millisecond)
	told.clear()
	add(one, "Here.")
	time.Sleep(100 * time.Millisecond)
	assert.False(t, told.has(indexURI), "it works there no more")
}

func subscribed(s *Server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.sessions {
		c.mu.Lock()
		n += len(c.subs)
		c.mu.Unlock()
	}
	return n
}

// What the package has to say goes to the client's log, from the level on that
// it asked for.
func TestNoticesAreLogged(t *testing.T) {
	l := newLab(t)
	l.settings("review: off\ncolour: red\n")
	var mu sync.Mutex
	var logged []string
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}, LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, r.Params.Data.(string))
	}}
	cs := connect(t, New(l.options(l.project("widget"))), client(o), "2025-06-18")
	require.NoError(t, cs.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}))
	ask(t, cs, "status", nil)
	ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(logged, "\n"), "colour")
	}, wait, tick)
}

func TestProgressIsToldToWhoAsksForIt(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	l.facts(dir, 300)
	for _, version := range versions {
		told := make(chan string, 10_000)
		o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}, ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			told <- r.Params.Message
		}}
		cs := connect(t, New(l.options(dir)), client(o), version)
		p := &mcp.CallToolParams{Name: "recall", Arguments: map[string]any{"query": "words number"}}
		p.SetProgressToken("p1")
		_, err := l.person(dir).Remember(t.Context(), vault.Draft{Kind: vault.Decision, Text: "To be indexed " + version})
		require.NoError(t, err)
		_, err = cs.CallTool(t.Context(), p)
		require.NoError(t, err)
		require.NoError(t, dropIndex(l, dir))
		_, err = cs.CallTool(t.Context(), p)
		require.NoError(t, err)
		select {
		case message := <-told:
			assert.Equal(t, "indexing", message)
		case <-time.After(wait):
			t.Fatal("no progress")
		}
	}
}
