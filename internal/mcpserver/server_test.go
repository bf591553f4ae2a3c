package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/templates"
	"gitvault/vault"
)

// A lab is a vault of its own, with folders that clients may work in.
type lab struct {
	t    *testing.T
	dir  string
	home string
	now  time.Time
	mu   sync.Mutex
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return &lab{t: t, dir: dir, home: filepath.Join(dir, "home", "vault"), now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

// clock gives a later second each time it is looked at.
func (l *lab) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(time.Second)
	return l.now
}

// project makes a repository of its own and returns its folder.
func (l *lab) project(name string) string {
	l.t.Helper()
	dir := filepath.Join(l.dir, name)
	git := filepath.Join(dir, ".git")
	for _, d := range []string{"objects", "refs/heads"} {
		require.NoError(l.t, os.MkdirAll(filepath.Join(git, d), 0o755))
	}
	for file, text := range map[string]string{
		"HEAD":   "ref: refs/heads/main\n",
		"config": fmt.Sprintf("[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = https://example.org/team/%s.git\n", name),
	} {
		require.NoError(l.t, os.WriteFile(filepath.Join(git, file), []byte(text), 0o644))
	}
	return dir
}

// folder makes a folder that is no project.
func (l *lab) folder(name string) string {
	l.t.Helper()
	dir := filepath.Join(l.dir, name)
	require.NoError(l.t, os.MkdirAll(dir, 0o755))
	return dir
}

func (l *lab) open(o Opening) (*vault.Home, error) {
	return vault.Open(vault.Options{Home: l.home, Dir: o.Dir, UserHome: filepath.Join(l.dir, "home"), Writer: o.Writer, Now: l.clock,
		Notice: o.Notice, Progress: o.Progress, Account: "ada", Host: "lab"})
}

// person is the vault as the person sees it from a folder.
func (l *lab) person(dir string) *vault.Home {
	l.t.Helper()
	h, err := l.open(Opening{Dir: dir})
	require.NoError(l.t, err)
	return h
}

func (l *lab) options(dir string) Options {
	return Options{Open: l.open, Dir: dir, Version: "test", PollInterval: 10 * time.Millisecond}
}

// settings writes the person's config.yaml.
func (l *lab) settings(text string) {
	l.t.Helper()
	require.NoError(l.t, os.MkdirAll(l.home, 0o755))
	require.NoError(l.t, os.WriteFile(filepath.Join(l.home, "config.yaml"), []byte(text), 0o644))
}

// connect connects a client to a server in memory.
func connect(t *testing.T, s *Server, c *mcp.Client) *mcp.ClientSession {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	ss, err := s.mcp.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	cs, err := c.Connect(t.Context(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close(); _ = ss.Wait() })
	return cs
}

// client makes a client that names the folders as its roots.
func client(o *mcp.ClientOptions, roots ...string) *mcp.Client {
	if o == nil {
		o = &mcp.ClientOptions{}
	}
	if len(roots) == 0 && o.Capabilities == nil {
		o.Capabilities = &mcp.ClientCapabilities{}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o)
	for _, dir := range roots {
		c.AddRoots(root1(dir))
	}
	return c
}

func root1(dir string) *mcp.Root {
	return &mcp.Root{URI: "file://" + filepath.ToSlash(dir), Name: "root"}
}

// call calls a tool and decodes its structured content; a tool's error fails
// the test.
func call1(t *testing.T, cs *mcp.ClientSession, tool string, args any) map[string]any {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	require.False(t, r.IsError, "%s: %s", tool, textOf(r))
	return structured(t, r)
}

func structured(t *testing.T, r *mcp.CallToolResult) map[string]any {
	t.Helper()
	data, err := json.Marshal(r.StructuredContent)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(data, &out), string(data))
	return out
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// refusal calls a tool that has to answer with an error, and returns it.
func refusal(t *testing.T, cs *mcp.ClientSession, tool string, args any) string {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	require.True(t, r.IsError, "%s answered %s", tool, textOf(r))
	assert.NotContains(t, textOf(r), "\n", "an error is one line")
	return textOf(r)
}

func TestToolsAreFewWordsAndWhatTheyPromise(t *testing.T) {
	l := newLab(t)
	cs := connect(t, New(l.options(l.project("widget"))), client(nil))
	list, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	data, err := json.Marshal(list)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(data), 8<<10, "the whole of tools/list")
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		assert.NotEmpty(t, tool.Description, tool.Name)
		require.NotNil(t, tool.Annotations, tool.Name)
		require.NotNil(t, tool.Annotations.OpenWorldHint, tool.Name)
		schema := tool.InputSchema.(map[string]any)
		assert.Equal(t, false, schema["additionalProperties"], tool.Name)
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			assert.NotEmpty(t, p.(map[string]any)["description"], "%s.%s", tool.Name, name)
		}
	}
	assert.ElementsMatch(t, []string{"remember", "update", "forget", "get", "list", "recall", "context", "status", "trace", "resolve"}, names)
	assert.LessOrEqual(t, len(templates.Default().File(templates.MCP).Part("instructions").Text()), 2<<10)
	assert.NotEmpty(t, cs.InitializeResult().Instructions)
}

func TestARememberedDecisionIsFound(t *testing.T) {
	l := newLab(t)
	l.settings("review: off\n")
	cs := connect(t, New(l.options(l.project("widget"))), client(nil))
	out := call1(t, cs, "remember", map[string]any{"text": "One system less to run.", "title": "Queue in Postgres", "kind": "decision", "tags": []string{"storage"}})
	assert.Equal(t, "example.org/team/widget", out["project"])
	id := out["entry"].(map[string]any)["id"].(string)
	for tool, args := range map[string]map[string]any{
		"recall": {"query": "which queue do we use"}, "list": {"tag": "storage"}, "get": {"id": id}, "context": {"query": "queue"},
	} {
		r, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
		require.NoError(t, err)
		assert.Contains(t, textOf(r), "Queue in Postgres", tool)
		assert.Contains(t, fmt.Sprint(structured(t, r)), "Queue in Postgres", tool)
	}
}
