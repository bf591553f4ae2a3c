package mcpserver

import (
	"context"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

func (s *Server) addPrompts() {
	arg := func(name, word string, required bool) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: name, Description: s.word("prompt.arg." + word), Required: required}
	}
	for _, p := range []struct {
		name string
		args []*mcp.PromptArgument
		text func(*call, context.Context, map[string]string) (string, error)
	}{
		{"recall", []*mcp.PromptArgument{arg("query", "query", true), arg("kind", "kind", false), arg("tag", "tag", false)}, (*call).recallPrompt},
		{"review", []*mcp.PromptArgument{arg("id", "review.id", false)}, (*call).reviewPrompt},
		{"end-session", []*mcp.PromptArgument{arg("session", "session", false)}, (*call).endPrompt},
	} {
		description := s.word("prompt." + p.name)
		s.mcp.AddPrompt(&mcp.Prompt{Name: p.name, Description: description, Arguments: p.args}, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			for _, a := range p.args {
				if a.Required && strings.TrimSpace(r.Params.Arguments[a.Name]) == "" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "argument " + a.Name + " is missing"}
				}
			}
			c, err := s.enter(ctx, r, r.Params.InputResponses, r.Params.Arguments["session"], r.Params.GetProgressToken())
			if err == errAskRoots {
				return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{rootsQuestion: &mcp.ListRootsParams{}}}, nil
			}
			if err != nil {
				return nil, failed(err)
			}
			text, err := p.text(c, ctx, r.Params.Arguments)
			if err != nil {
				return nil, failed(err)
			}
			return &mcp.GetPromptResult{Description: description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
	}
}

// failed is an error as the protocol carries it.
func failed(err error) error {
	code := int64(jsonrpc.CodeInternalError)
	switch vault.CodeOf(err) {
	case vault.Invalid, vault.NotFound, vault.Refused:
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: message(err)}
}

// maxPrompt bounds what a prompt brings in, in bytes.
const maxPrompt = 8_000

func (c *call) recallPrompt(ctx context.Context, args map[string]string) (string, error) {
	kind, err := kindOf(args["kind"])
	if err != nil {
		return "", err
	}
	q := vault.RecallQuery{Text: args["query"], Kind: kind}
	if tag := args["tag"]; tag != "" {
		q.Tags = []string{tag}
	}
	var found vault.Recalled
	if !c.opt.Off {
		if found, err = c.find(ctx, q); err != nil {
			return "", err
		}
	}
	query := oneLine(args["query"])
	if len(query) > 300 {
		query = query[:cut(query, 300)] + "…"
	}
	if len(found.Hits) == 0 {
		return c.word("prompt.recall.none", query), nil
	}
	return c.word("prompt.recall.text", query, bounded(c, found.Hits, func(h vault.Hit) string { return hitOf(h).text() })), nil
}

func (c *call) reviewPrompt(ctx context.Context, args map[string]string) (string, error) {
	list, err := c.home.Pending(ctx, "")
	if err != nil {
		return "", err
	}
	var waiting []vault.Entry
	for _, e := range list {
		if id := args["id"]; strings.HasPrefix(e.ID, id) || strings.HasPrefix(e.Card, id) {
			waiting = append(waiting, e)
		}
	}
	if len(waiting) == 0 {
		return c.word("prompt.review.none"), nil
	}
	return c.word("prompt.review.text", bounded(c, waiting, func(e vault.Entry) string {
		return rowOf(e).line()
	})), nil
}

func (c *call) endPrompt(_ context.Context, args map[string]string) (string, error) {
	session := c.writer.Session
	if args["session"] != "" {
		session = args["session"]
	}
	if session == "" {
		session = c.session.name
	}
	return c.word("prompt.end-session.text", oneLine(session)), nil
}

// bounded joins texts as far as there is room, and counts the rest.
func bounded[T any](c *call, list []T, text func(T) string) string {
	var b strings.Builder
	for i, item := range list {
		part := text(item)
		if b.Len()+len(part) > maxPrompt {
			b.WriteString(c.word("prompt.more", strconv.Itoa(len(list)-i)))
			break
		}
		b.WriteString(part + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
