package backends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/internal/recall"
)

// A Tool says how an MCP server's search is asked, and where in its structured
// answer things stand. Paths are keys with dots between them.
type Tool struct {
	Tool      string         `yaml:"tool"`      // its name
	Query     string         `yaml:"query"`     // the argument that takes the query; "query" by default
	Limit     string         `yaml:"limit"`     // the argument that takes the number of hits; none by default
	Arguments map[string]any `yaml:"arguments"` // further arguments, as they are
	Results   string         `yaml:"results"`   // path of the list; "results" by default
	ID        string         `yaml:"id"`        // in a result; "id" by default
	Title     string         `yaml:"title"`     // "title" by default
	Text      string         `yaml:"text"`      // "text" by default
	Score     string         `yaml:"score"`     // "score" by default
}

// moraine is Moraine's search_sessions, after docs/agent-mcp-search/interface.md
// of github.com/eric-tramel/moraine (response moraine.mcp.search_sessions.v1).
var moraine = Tool{
	Tool: "search_sessions", Query: "query", Limit: "n_hits",
	Results: "data.results", ID: "event.id", Title: "session.title", Text: "snippet.text", Score: "score",
}

// moraineMost is how many hits search_sessions gives at the most.
const moraineMost = 50

// tool is the configured tool, with defaults filled in.
func (c Config) tool() (Tool, error) {
	switch c.Mapping {
	case "moraine":
		return moraine, nil
	case "":
	default:
		return Tool{}, fmt.Errorf("unknown mapping %q: write moraine, or none, and tool, results, id, title and text", c.Mapping)
	}
	t := c.Tool
	if t.Tool == "" {
		return t, errors.New("kind mcp takes the name of a search tool: write tool: and that, or mapping: moraine")
	}
	for _, f := range []struct {
		field *string
		value string
	}{{&t.Query, "query"}, {&t.Results, "results"}, {&t.ID, "id"}, {&t.Title, "title"}, {&t.Text, "text"}, {&t.Score, "score"}} {
		if *f.field == "" {
			*f.field = f.value
		}
	}
	return t, nil
}

// server is an MCP server that is asked anew for each query.
type server struct {
	config Config
	world  World
}

func (s server) Recall(ctx context.Context, q recall.Query) ([]recall.Hit, error) {
	tool, err := s.config.tool()
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "vault", Version: "1"}, nil)
	session, err := client.Connect(ctx, s.transport(ctx), nil)
	if err != nil {
		return nil, fmt.Errorf("no connection: %w", err)
	}
	defer session.Close()
	args := map[string]any{}
	for k, v := range tool.Arguments {
		args[k] = v
	}
	args[tool.Query] = q.Text
	limit := limitOf(q)
	if tool.Limit != "" {
		if s.config.Mapping == "moraine" {
			limit = min(limit, moraineMost)
		}
		args[tool.Limit] = limit
	}
	res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool.Tool, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool.Tool, err)
	}
	answer, text := structured(res)
	if res.IsError {
		return nil, fmt.Errorf("%s: %.200s", tool.Tool, strings.Join(strings.Fields(text), " "))
	}
	list, ok := at(answer, tool.Results).([]any)
	if !ok {
		return nil, fmt.Errorf("%s answered without %s", tool.Tool, tool.Results)
	}
	var out []found
	for _, item := range list[:min(len(list), limit)] {
		out = append(out, found{ID: textAt(item, tool.ID), Title: textAt(item, tool.Title), Text: textAt(item, tool.Text), Score: numberAt(item, tool.Score)})
	}
	return s.world.hits(ctx, s.config.Name, out, q)
}

func (s server) transport(ctx context.Context) sdk.Transport {
	if s.config.URL != "" {
		return &sdk.StreamableClientTransport{Endpoint: s.config.URL, HTTPClient: s.world.authorized(s.config.KeyEnv), MaxRetries: -1}
	}
	cmd := exec.CommandContext(ctx, s.config.Command[0], s.config.Command[1:]...)
	cmd.Env, cmd.Dir = s.world.Environ, s.world.Dir
	return &sdk.CommandTransport{Command: cmd}
}

// structured is the answer as data: its structured content, else what its text
// holds as JSON.
func structured(res *sdk.CallToolResult) (any, string) {
	var text strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if res.StructuredContent != nil {
		return res.StructuredContent, text.String()
	}
	var v any
	_ = json.Unmarshal([]byte(text.String()), &v)
	return v, text.String()
}

// at goes down a path of keys.
func at(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func textAt(v any, path string) string {
	switch t := at(v, path).(type) {
	case string:
		return t
	case float64:
		return strconv.FormatFloat(t, 'g', -1, 64)
	}
	return ""
}

func numberAt(v any, path string) float64 {
	n, _ := at(v, path).(float64)
	return n
}

// authorized is a client that sends the key which a variable holds.
func (w World) authorized(variable string) *http.Client {
	key := ""
	if variable != "" && w.Getenv != nil {
		key = w.Getenv(variable)
	}
	if key == "" {
		return w.client()
	}
	c := *w.client()
	c.Transport = bearer{key, c.Transport}
	return &c
}

type bearer struct {
	key  string
	next http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	if b.next == nil {
		return http.DefaultTransport.RoundTrip(r)
	}
	return b.next.RoundTrip(r)
}
