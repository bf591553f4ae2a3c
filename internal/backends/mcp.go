package backends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
	transport, end, err := s.transport(ctx)
	if err != nil {
		return nil, err
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return nil, failure(ctx, end(fmt.Errorf("no connection: %w", err)))
	}
	res, err := s.ask(ctx, session, tool, q)
	_ = session.Close()
	if err = end(err); err != nil {
		return nil, failure(ctx, err)
	}
	return s.read(ctx, res, tool, q)
}

// failure is an error, or that the time was up.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ask calls the search tool.
func (s server) ask(ctx context.Context, session *sdk.ClientSession, tool Tool, q recall.Query) (*sdk.CallToolResult, error) {
	args := map[string]any{}
	for k, v := range tool.Arguments {
		args[k] = v
	}
	args[tool.Query] = q.Text
	if tool.Limit != "" {
		args[tool.Limit] = s.limit(q)
	}
	res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool.Tool, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool.Tool, err)
	}
	return res, nil
}

func (s server) limit(q recall.Query) int {
	if s.config.Mapping == "moraine" {
		return min(limitOf(q), moraineMost)
	}
	return limitOf(q)
}

// read takes what was found out of an answer.
func (s server) read(ctx context.Context, res *sdk.CallToolResult, tool Tool, q recall.Query) ([]recall.Hit, error) {
	answer, text := structured(res)
	if res.IsError {
		return nil, fmt.Errorf("%s: %.200s", tool.Tool, strings.Join(strings.Fields(text), " "))
	}
	list, ok := at(answer, tool.Results).([]any)
	if !ok {
		return nil, fmt.Errorf("%s answered without %s", tool.Tool, tool.Results)
	}
	var out []found
	for _, item := range list[:min(len(list), s.limit(q))] {
		out = append(out, found{ID: textAt(item, tool.ID), Title: textAt(item, tool.Title), Text: textAt(item, tool.Text), Score: numberAt(item, tool.Score)})
	}
	return s.world.hits(ctx, s.config.Name, out, q)
}

// transport reaches the server; what end is told went wrong, it completes with
// what a server that was started said.
func (s server) transport(ctx context.Context) (t sdk.Transport, end func(error) error, err error) {
	if s.config.URL != "" {
		t = &sdk.StreamableClientTransport{Endpoint: s.config.URL, HTTPClient: s.world.authorized(s.config.KeyEnv), MaxRetries: -1}
		return t, func(err error) error { return err }, nil
	}
	c, err := s.world.start(ctx, s.config.Command)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.config.Command[0], err)
	}
	end = func(err error) error {
		_ = c.end() // how it ends is no matter once it has answered
		if err != nil {
			return c.said(err)
		}
		return nil
	}
	return &sdk.IOTransport{Reader: c.stdout, Writer: c.stdin}, end, nil
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
