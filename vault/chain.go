package vault

import (
	"cmp"
	"context"
	"slices"
)

// A ChainLink is an entry of a chain in which each supersedes the one before.
type ChainLink struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// chain lists the entries that an entry supersedes, itself, and those that
// supersede it, however many are between, the oldest first; nothing for one
// that stands alone.
func (t *tree) chain(ctx context.Context, id string) ([]located, error) {
	out, _, err := t.reach(ctx, id)
	if err != nil || len(out) < 2 {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b located) int {
		switch {
		case slices.Contains(b.Supersedes, a.ID):
			return -1
		case slices.Contains(a.Supersedes, b.ID):
			return 1
		}
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// reach finds the entries of a chain, and the ids of those too that are not
// there any more.
func (t *tree) reach(ctx context.Context, id string) (out []located, seen map[string]bool, err error) {
	successors, err := t.successors(ctx)
	if err != nil {
		return nil, nil, err
	}
	seen = map[string]bool{id: true}
	for next := []string{id}; len(next) > 0; next = next[1:] {
		l, err := t.current(next[0])
		if err != nil {
			return nil, nil, err
		}
		more := successors[next[0]]
		if l != nil {
			out = append(out, *l)
			more = append(slices.Clone(more), l.Supersedes...)
		}
		for _, id := range more {
			if !seen[id] {
				seen[id] = true
				next = append(next, id)
			}
		}
	}
	return out, seen, nil
}

// presentChain is the chain of an entry as whoever asks may see it.
func (t *tree) presentChain(ctx context.Context, h *Home, id string) ([]ChainLink, error) {
	list, err := t.chain(ctx, id)
	var out []ChainLink
	for _, l := range list {
		if !h.opt.Writer.IsAgent() || !hasSecret(l.Entry) {
			out = append(out, ChainLink{l.ID, l.Title})
		}
	}
	return out, err
}
