package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/internal/secrets"
)

// guard keeps secrets that a client sent out of the errors it is answered with,
// whichever part of the server they come from.
func guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		answer, err := next(ctx, method, r)
		if err != nil {
			return answer, guarded(err)
		}
		if call, ok := answer.(*mcp.CallToolResult); ok && call.IsError {
			for _, c := range call.Content {
				if text, ok := c.(*mcp.TextContent); ok {
					text.Text = secrets.Redact(text.Text)
				}
			}
		}
		return answer, nil
	}
}

// guarded is an error without the secrets that it quotes.
func guarded(err error) error {
	text := secrets.Redact(err.Error())
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		if text == err.Error() {
			return err
		}
		return errors.New(text)
	}
	data := secrets.Redact(string(wire.Data))
	if text == err.Error() && data == string(wire.Data) {
		return err
	}
	clean := &jsonrpc.Error{Code: wire.Code, Message: text}
	if json.Valid([]byte(data)) {
		clean.Data = json.RawMessage(data)
	}
	return clean
}
