package mcpserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

// The resources.
const (
	contextURI    = "vault://context"
	indexURI      = "vault://index"
	entryURI      = "vault://entry/"
	entryTemplate = entryURI + "{id}"
	partTemplate  = entryURI + "{id}/{page}" // of an entry that is longer than a resource may be
)

// maxContents bounds the text of a resource, in bytes.
const maxContents = 9_900

func (s *Server) addResources() {
	const markdown = "text/markdown"
	s.mcp.AddResource(&mcp.Resource{URI: contextURI, Name: "context", Title: "Context", Description: s.word("resource.context"), MIMEType: "text/plain"},
		s.resource((*call).contextText))
	s.mcp.AddResource(&mcp.Resource{URI: indexURI, Name: "index", Title: "Index", Description: s.word("resource.index"), MIMEType: markdown},
		s.resource((*call).indexText))
	entry := s.resource((*call).entryText)
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: entryTemplate, Name: "entry", Title: "Entry", Description: s.word("resource.entry"), MIMEType: markdown}, entry)
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: partTemplate, Name: "entry-part", Title: "Entry, in parts", Description: s.word("resource.entry"), MIMEType: markdown}, entry)
}

// resource makes a handler of a method that gives a resource's text.
func (s *Server) resource(read func(*call, context.Context, string) (string, error)) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c, err := s.enter(ctx, r, r.Params.InputResponses, "", r.Params.GetProgressToken())
		if err == errAskRoots {
			return &mcp.ReadResourceResult{InputRequests: mcp.InputRequestMap{rootsQuestion: &mcp.ListRootsParams{}}}, nil
		}
		if err != nil {
			return nil, failed(err)
		}
		text, err := read(c, ctx, r.Params.URI)
		switch {
		case vault.CodeOf(err) == vault.NotFound && err != nil:
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		case err != nil:
			return nil, failed(err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: text}}}, nil
	}
}

// private keeps what is remembered out of caches that others can read.
func private(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }

func (c *call) contextText(ctx context.Context, _ string) (string, error) {
	if c.opt.Off {
		return c.word("off"), nil
	}
	config, err := c.home.Config()
	if err != nil {
		return "", err
	}
	bytes := config.Context.Bytes
	if bytes > maxContents {
		bytes = maxContents
	}
	block, err := c.home.Context(ctx, vault.ContextQuery{Bytes: bytes, Session: c.writer.Session})
	return block.Text, err
}

func (c *call) indexText(ctx context.Context, _ string) (string, error) {
	all, err := c.home.List(ctx, vault.ListQuery{})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	title := c.word("noproject")
	if c.project != "" {
		title = shown(c.project)
	}
	b.WriteString("# " + title + "\n\n")
	for i, e := range all {
		line := rowOf(e).line() + "\n"
		more := c.word("resource.more", strconv.Itoa(len(all)-i)) + "\n"
		if b.Len()+len(line)+len(more) > maxContents {
			b.WriteString(more)
			break
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

func (c *call) entryText(ctx context.Context, uri string) (string, error) {
	id, page, paged := strings.Cut(strings.TrimPrefix(uri, entryURI), "/")
	n := 1
	if paged {
		var err error
		if n, err = strconv.Atoi(page); err != nil || n < 1 {
			return "", &vault.Error{Code: vault.NotFound, Message: "no page " + page}
		}
	}
	found, err := c.home.Get(ctx, "", []string{id})
	if vault.CodeOf(err) == vault.Invalid && err != nil {
		return "", &vault.Error{Code: vault.NotFound, Message: err.Error(), Err: err}
	}
	if err != nil {
		return "", err
	}
	w := wholeOf(found[0])
	const most = maxContents - 300 // which leaves room for the line about the pages
	parts := []whole{}
	for from := 0; ; {
		to := from + cut(w.Body[from:], most)
		for {
			over := len(w.part(from, to).text()) - most
			if over <= 0 || to-from <= utf8.UTFMax {
				break
			}
			to = from + cut(w.Body[from:to], to-from-max(1, over/2))
		}
		parts = append(parts, w.part(from, to))
		if from = to; from >= len(w.Body) {
			break
		}
	}
	if n > len(parts) {
		return "", &vault.Error{Code: vault.NotFound, Message: fmt.Sprintf("no page %d", n)}
	}
	text := parts[n-1].text()
	if n < len(parts) {
		text += "\n" + c.word("resource.next", strconv.Itoa(n), strconv.Itoa(len(parts)), fmt.Sprintf("%s%s/%d", entryURI, w.ID, n+1))
	}
	return text, nil
}
