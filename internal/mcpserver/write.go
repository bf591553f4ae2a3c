package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

type rememberArgs struct {
	Text        string   `json:"text"`
	Kind        string   `json:"kind"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Pin         bool     `json:"pin"`
	Paths       []string `json:"paths"`
	Evidence    string   `json:"evidence"`
	Supersedes  []string `json:"supersedes"`
	Scope       string   `json:"scope"`
	Session     string   `json:"session"`
}

func (a rememberArgs) session() string { return a.Session }

func (c *call) remember(ctx context.Context, r *mcp.CallToolRequest, a rememberArgs) (*mcp.CallToolResult, error) {
	kind, err := kindOf(a.Kind)
	if err != nil {
		return nil, err
	}
	scope, err := scopeOf(a.Scope)
	if err != nil {
		return nil, err
	}
	return c.change(ctx, r, true, "remembered", func() (vault.Change, error) {
		return c.home.Remember(ctx, vault.Draft{
			Scope: scope, Kind: kind, Title: a.Title, Description: a.Description, Text: a.Text, Tags: a.Tags, Pin: a.Pin,
			Paths: a.Paths, Evidence: a.Evidence, Supersedes: a.Supersedes, Session: c.writer.Session,
		})
	})
}

type updateArgs struct {
	ID          string    `json:"id"`
	Text        *string   `json:"text"`
	Title       *string   `json:"title"`
	Description *string   `json:"description"`
	Tags        *[]string `json:"tags"`
	Pin         *bool     `json:"pin"`
	Paths       *[]string `json:"paths"`
	Evidence    *string   `json:"evidence"`
	Supersedes  *[]string `json:"supersedes"`
}

func (c *call) update(ctx context.Context, r *mcp.CallToolRequest, a updateArgs) (*mcp.CallToolResult, error) {
	return c.change(ctx, r, true, "updated", func() (vault.Change, error) {
		return c.home.Edit(ctx, a.ID, vault.Edit{Text: a.Text, Title: a.Title, Description: a.Description, Tags: a.Tags, Pin: a.Pin,
			Paths: a.Paths, Evidence: a.Evidence, Supersedes: a.Supersedes})
	})
}

type forgetArgs struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func (c *call) forget(ctx context.Context, r *mcp.CallToolRequest, a forgetArgs) (*mcp.CallToolResult, error) {
	if err := tooLong("the reason", a.Reason, 300); err != nil {
		return nil, err
	}
	c.reason = a.Reason
	return c.change(ctx, r, true, "forgotten", func() (vault.Change, error) {
		list, err := c.home.Forget(ctx, "", []string{a.ID}, a.Reason)
		return first(list), err
	})
}

type traceArgs struct {
	Session string `json:"session"`
	Text    string `json:"text"`
	Title   string `json:"title"`
}

func (a traceArgs) session() string { return a.Session }

func (c *call) trace(ctx context.Context, r *mcp.CallToolRequest, a traceArgs) (*mcp.CallToolResult, error) {
	return c.change(ctx, r, false, "noted", func() (vault.Change, error) {
		return c.home.Trace(ctx, vault.TraceNote{Session: a.Session, Text: a.Text, Title: a.Title})
	})
}

type resolveArgs struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
}

func (c *call) resolve(ctx context.Context, r *mcp.CallToolRequest, a resolveArgs) (*mcp.CallToolResult, error) {
	return c.change(ctx, r, false, "resolved", func() (vault.Change, error) {
		list, err := c.home.Resolve(ctx, a.ID, vault.Resolution{Outcome: a.Outcome})
		return first(list), err
	})
}

func first(list []vault.Change) vault.Change {
	if len(list) == 0 {
		return vault.Change{}
	}
	return list[0]
}

type changeAnswer struct {
	where
	Entry     row    `json:"entry"`
	Commit    string `json:"commit,omitempty"`
	Pending   bool   `json:"pending"`
	Card      string `json:"card,omitempty"`
	Unchanged bool   `json:"unchanged,omitempty"`
	Withdrawn bool   `json:"withdrawn,omitempty"` // what had been proposed was taken back, and nothing else changed
	Review    string `json:"review,omitempty"`    // what came of it, in words
}

// change makes one change, and where it waits for a person asks them about it
// at once if the client can.
func (c *call) change(ctx context.Context, r *mcp.CallToolRequest, ask bool, done string, fn func() (vault.Change, error)) (*mcp.CallToolResult, error) {
	if c.resumed != nil {
		return c.decided(ctx, r, *c.resumed)
	}
	var ch vault.Change
	err := c.write(ctx, func() (err error) {
		ch, err = fn()
		return err
	})
	if err != nil {
		return nil, err
	}
	c.wake()
	out := changeAnswer{Entry: rowOf(ch.Entry), Commit: ch.Commit, Pending: ch.Pending, Card: ch.Card, Unchanged: ch.Unchanged, Withdrawn: ch.Withdrawn}
	out.Entry.Card, out.Entry.Review = "", ""
	switch {
	case ch.Card == "":
		return c.changed(done, out)
	case ch.Pending:
		out.Review = c.word("waits", ch.Card)
	default:
		out.Review = c.word("applied", ch.Card)
	}
	if !ask || ch.Unchanged {
		return c.changed(done, out)
	}
	return c.review(ctx, r, done, out)
}

// changed is the answer to a change.
func (c *call) changed(done string, out changeAnswer) (*mcp.CallToolResult, error) {
	out.where = c.where()
	text := done
	if out.Unchanged {
		text = "there already, nothing done:"
	} else if out.Pending {
		text = "to be " + done + ":"
	} else if out.Withdrawn {
		text = "proposal taken back, nothing else done:"
	}
	answer := func() (*mcp.CallToolResult, error) {
		text := text + strings.TrimPrefix(out.Entry.line(), "-")
		if out.Review != "" {
			text += "\n" + out.Review
		}
		return result(out.where.text(text), out)
	}
	r, err := answer()
	if err == nil && size(r) > room {
		out.Entry.trim()
		return answer()
	}
	return r, err
}
