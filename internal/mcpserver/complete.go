package mcpserver

import (
	"context"
	"sort"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

// maxValues is how many completions an answer may hold, by the protocol.
const maxValues = 100

// complete completes ids, kinds and tags.
func (s *Server) complete(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	prefix := strings.ToLower(r.Params.Argument.Value)
	offer := func(v string) {
		if strings.HasPrefix(strings.ToLower(v), prefix) {
			values = append(values, v)
		}
	}
	name := r.Params.Argument.Name
	if name == "kind" {
		for _, k := range vault.Kinds() {
			offer(string(k))
		}
	}
	if name == "id" || name == "tag" {
		c, err := s.enter(ctx, r, nil, "", nil)
		if err == errAskRoots {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
		}
		if err != nil {
			return nil, failed(err)
		}
		if err := c.candidates(ctx, r.Params.Ref, name, offer); err != nil {
			return nil, failed(err)
		}
	}
	out := mcp.CompletionResultDetails{Values: values, Total: len(values)}
	if len(values) > maxValues {
		out.Values, out.HasMore = values[:maxValues], true
	}
	return &mcp.CompleteResult{Completion: out}, nil
}

// candidates offers the ids or the tags there are.
func (c *call) candidates(ctx context.Context, ref *mcp.CompleteReference, name string, offer func(string)) error {
	if ref.Type == "ref/prompt" && name == "id" {
		waiting, err := c.home.Pending(ctx, "")
		for _, e := range waiting {
			offer(e.ID)
		}
		return err
	}
	all, err := c.home.List(ctx, vault.ListQuery{All: name == "id"})
	if err != nil {
		return err
	}
	uses := map[string]int{}
	for _, e := range all {
		if name == "id" {
			offer(e.ID)
			continue
		}
		for _, t := range e.Tags {
			uses[t]++
		}
	}
	tags := make([]string, 0, len(uses))
	for t := range uses {
		tags = append(tags, t)
	}
	sort.Slice(tags, func(i, j int) bool {
		if uses[tags[i]] != uses[tags[j]] {
			return uses[tags[i]] > uses[tags[j]]
		}
		return tags[i] < tags[j]
	})
	for _, t := range tags {
		offer(t)
	}
	return nil
}
