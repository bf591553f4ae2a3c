package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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
	return Options{Open: l.open, Dir: dir, Nowhere: filepath.Join(l.home, "state"), Version: "test", PollInterval: 10 * time.Millisecond}
}

// file writes a file and returns its path.
func (l *lab) file(name, text string) string {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	require.NoError(l.t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// settings writes the person's config.yaml.
func (l *lab) settings(text string) {
	l.t.Helper()
	require.NoError(l.t, os.MkdirAll(l.home, 0o755))
	require.NoError(l.t, os.WriteFile(filepath.Join(l.home, "config.yaml"), []byte(text), 0o644))
}

// versions are the protocol versions, the newest first.
var versions = mcp.SupportedProtocolVersions()

// connect connects a client to a server, as a client that starts the server
// does: over a pipe each way.
func connect(t *testing.T, s *Server, c *mcp.Client, version ...string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeIO(context.Background(), in, out); out.Close() }()
	cs, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, versioned(version))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = cs.Close()
		require.NoError(t, <-done)
	})
	return cs
}

func versioned(version []string) *mcp.ClientSessionOptions {
	if len(version) == 0 {
		return nil
	}
	return &mcp.ClientSessionOptions{ProtocolVersion: version[0]}
}

// serve serves on HTTP for the length of the test and returns the address.
func serve(t *testing.T, s *Server) string {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l, "secret") }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	return "http://" + l.Addr().String() + Path
}

// dial connects a client over HTTP, with headers of its own.
func dial(t *testing.T, url string, c *mcp.Client, headers map[string]string, version ...string) *mcp.ClientSession {
	t.Helper()
	cs, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withHeaders(headers)}}, versioned(version))
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}

// withHeaders sends the token, and what else is given, with each request.
type withHeaders map[string]string

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer secret")
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// everywhere runs a test over each transport, in each protocol version.
func everywhere(t *testing.T, run func(t *testing.T, link func(*testing.T, *Server, *mcp.Client) *mcp.ClientSession)) {
	for _, version := range versions {
		t.Run("stdio "+version, func(t *testing.T) {
			run(t, func(t *testing.T, s *Server, c *mcp.Client) *mcp.ClientSession { return connect(t, s, c, version) })
		})
		t.Run("http "+version, func(t *testing.T) {
			run(t, func(t *testing.T, s *Server, c *mcp.Client) *mcp.ClientSession {
				return dial(t, serve(t, s), c, nil, version)
			})
		})
	}
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
		c.AddRoots(rootOf(dir))
	}
	return c
}

func rootOf(dir string) *mcp.Root {
	return &mcp.Root{URI: "file://" + filepath.ToSlash(dir), Name: "root"}
}

// ask calls a tool and decodes its structured content; a tool's error fails
// the test.
func ask(t *testing.T, cs *mcp.ClientSession, tool string, args any) map[string]any {
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

type recaller []vault.Hit

func (r recaller) Recall(context.Context, vault.RecallQuery) ([]vault.Hit, error) { return r, nil }

// What another searcher knows itself is told from entries in text and data.
func TestAHitFromElsewhereIsMarked(t *testing.T) {
	l := newLab(t)
	dir := l.folder("plain")
	_, err := l.person(dir).Remember(context.Background(), vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: "Queue in Postgres."})
	require.NoError(t, err)
	o := l.options(dir)
	o.Open = func(in Opening) (*vault.Home, error) {
		elsewhere := vault.NamedRecaller{Name: "sessions", Timeout: time.Minute, Recaller: recaller{{Entry: vault.Entry{ID: "event:7", Title: "Talk about queues"}}}}
		return vault.Open(vault.Options{Home: l.home, Dir: in.Dir, Writer: in.Writer, Now: l.clock, Notice: in.Notice, Recallers: []vault.NamedRecaller{elsewhere}})
	}
	cs := connect(t, New(o), mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil))
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "recall", Arguments: map[string]any{"query": "queue"}})
	require.NoError(t, err)
	text := res.Content[0].(*mcp.TextContent).Text
	assert.Contains(t, text, "- [event:7] Talk about queues (from sessions, no entry of the vault: get does not know it)")
	assert.Equal(t, 1, strings.Count(text, "no entry of the vault"))
	var backends []any
	for _, hit := range res.StructuredContent.(map[string]any)["hits"].([]any) {
		backends = append(backends, hit.(map[string]any)["backend"])
	}
	assert.ElementsMatch(t, []any{nil, "sessions"}, backends)
}
