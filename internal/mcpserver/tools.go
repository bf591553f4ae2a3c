package mcpserver

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

// An arg is an argument of a tool. Its description is the template part
// "arg.<word>", by default that of its name.
type arg struct {
	name     string
	word     string
	schema   jsonschema.Schema
	required bool
}

// A tool is one of the server's tools; run answers a call of it.
type tool struct {
	name                              string
	readOnly, destructive, idempotent bool
	args                              []arg
	run                               func(*Server, context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)
}

func ptr[T any](v T) *T { return &v }

func text(name string, limit int) arg {
	return arg{name: name, schema: jsonschema.Schema{Type: "string", MaxLength: ptr(limit)}}
}

func list(name string, items, limit int) arg {
	return arg{name: name, schema: jsonschema.Schema{Type: "array", MaxItems: ptr(items),
		Items: &jsonschema.Schema{Type: "string", MaxLength: ptr(limit)}}}
}

func choice(name string, values ...string) arg {
	a := arg{name: name, schema: jsonschema.Schema{Type: "string"}}
	for _, v := range values {
		a.schema.Enum = append(a.schema.Enum, v)
	}
	return a
}

func flag(name string) arg { return arg{name: name, schema: jsonschema.Schema{Type: "boolean"}} }

func (a arg) needed() arg {
	a.required = true
	return a
}

func (a arg) as(word string) arg {
	a.word = word
	return a
}

// Limits of arguments that no entry has: the others' are the entries'.
const (
	maxQuery   = 10_000
	maxIDs     = 20
	maxList    = 32 // ids or paths in one argument
	maxSession = 200
	maxCursor  = 24
	maxLimit   = 50
)

// tools lists the tools, in the order in which clients show them.
func tools() []tool {
	var kinds []string
	for _, k := range vault.Kinds() {
		kinds = append(kinds, string(k))
	}
	kind := choice("kind", kinds...)
	id := arg{name: "id", schema: jsonschema.Schema{Type: "string", MinLength: ptr(4), MaxLength: ptr(8)}}
	limit := arg{name: "limit", schema: jsonschema.Schema{Type: "integer", Minimum: ptr(1.0), Maximum: ptr(float64(maxLimit))}}
	cursor := text("cursor", maxCursor)
	entry := []arg{
		text("description", 300), list("tags", 16, 64), flag("pin"), list("paths", maxList, 1024),
		text("evidence", 1000), list("supersedes", maxList, 8),
	}
	return []tool{
		{name: "remember", idempotent: true, run: typed((*call).remember),
			args: append([]arg{text("text", 64<<10).needed(), kind, text("title", 200)},
				append(entry, choice("scope", vault.UserScope, vault.ProjectScope), text("session", maxSession))...)},
		{name: "update", destructive: true, idempotent: true, run: typed((*call).update),
			args: append([]arg{id.needed(), text("text", 64<<10), text("title", 200).as("title.new"), entry[0], entry[1].as("tags.all")}, entry[2:]...)},
		{name: "forget", destructive: true, idempotent: true, run: typed((*call).forget),
			args: []arg{id.needed(), text("reason", 300)}},
		{name: "get", readOnly: true, idempotent: true, run: typed((*call).get),
			args: []arg{id, list("ids", maxIDs, 8), cursor}},
		{name: "list", readOnly: true, idempotent: true, run: typed((*call).list),
			args: []arg{kind.as("kind.only"), text("tag", 64), choice("status", vault.StatusOpen, vault.StatusResolved, vault.StatusSuperseded, vault.StatusExpired), cursor}},
		{name: "recall", readOnly: true, idempotent: true, run: typed((*call).recall),
			args: []arg{text("query", maxQuery).needed(), kind.as("kind.only"), limit, cursor}},
		{name: "context", readOnly: true, idempotent: true, run: typed((*call).context),
			args: []arg{text("query", maxQuery).as("context.query")}},
		{name: "status", readOnly: true, idempotent: true, run: typed((*call).status)},
		{name: "trace", idempotent: true, run: typed((*call).trace),
			args: []arg{text("session", maxSession).as("trace.session").needed(), text("text", 1<<20).as("trace.text").needed(), text("title", 200).as("trace.title")}},
		{name: "resolve", idempotent: true, run: typed((*call).resolve),
			args: []arg{id.needed(), text("outcome", 64<<10)}},
	}
}

// addTools offers the tools.
func (s *Server) addTools() {
	for _, t := range tools() {
		schema := &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
		if len(t.args) > 0 {
			schema.Properties = map[string]*jsonschema.Schema{}
		}
		for _, a := range t.args {
			if a.word == "" {
				a.word = a.name
			}
			p := a.schema
			p.Description = s.word("arg." + a.word)
			schema.Properties[a.name] = &p
			schema.PropertyOrder = append(schema.PropertyOrder, a.name)
			if a.required {
				schema.Required = append(schema.Required, a.name)
			}
		}
		s.mcp.AddTool(&mcp.Tool{
			Name: t.name, Description: s.word("tool." + t.name), InputSchema: schema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, DestructiveHint: ptr(t.destructive), IdempotentHint: t.idempotent, OpenWorldHint: ptr(false)},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return t.run(s, ctx, r)
		})
	}
}

// Sessioned arguments name the agent's session.
type sessioned interface{ session() string }

// typed makes a tool's handler of a method that takes its arguments decoded.
// What goes wrong is the tool's answer, on one line, for the model to read.
func typed[A any](run func(*call, context.Context, *mcp.CallToolRequest, A) (*mcp.CallToolResult, error)) func(*Server, context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return func(s *Server, ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := func() (*mcp.CallToolResult, error) {
			var a A
			if err := decode(r.Params.Arguments, &a); err != nil {
				return nil, err
			}
			session := ""
			if in, ok := any(a).(sessioned); ok {
				session = in.session()
			}
			var c *call
			var err error
			q := s.unseal(r.Params.RequestState)
			if q != nil && !q.isOf(r.Params.Name, s.writer(r, session).Agent, r.Params.Arguments) {
				return nil, invalid("make a new call without it", "requestState belongs to a call with another tool or other arguments")
			}
			if q != nil {
				c, err = s.open(ctx, r, q.Dir, session, r.Params.GetProgressToken())
			} else {
				c, err = s.enter(ctx, r, r.Params.InputResponses, session, r.Params.GetProgressToken())
			}
			if err != nil {
				return nil, err
			}
			c.resumed = q
			return run(c, ctx, r, a)
		}()
		switch {
		case err == errAskRoots:
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{rootsQuestion: &mcp.ListRootsParams{}}, RequestState: r.Params.RequestState}, nil
		case err != nil:
			return failure(err), nil
		}
		return answer, nil
	}
}

// failure is an error as a tool's answer.
func failure(err error) *mcp.CallToolResult {
	line := message(err)
	data, encodeErr := encode(map[string]any{"error": map[string]string{"code": string(vault.CodeOf(err)), "message": line}})
	r := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: line}}}
	if encodeErr == nil {
		r.StructuredContent = data
	}
	return r
}
