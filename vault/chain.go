package vault

import (
	"cmp"
	"context"
	"slices"
)

// A ChainLink is an entry of a chain, in which each supersedes others.
type ChainLink struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Supersedes []string `json:"supersedes,omitempty"` // ids
}

// IsLine reports whether each entry of a chain supersedes the one before and
// no other of them: whether nothing branches, or comes together.
func IsLine(chain []ChainLink) bool {
	in := map[string]bool{}
	for _, l := range chain {
		in[l.ID] = true
	}
	for i, l := range chain {
		n := 0
		for _, old := range l.Supersedes {
			if in[old] {
				n++
			}
		}
		if i == 0 && n > 0 || i > 0 && (n != 1 || !slices.Contains(l.Supersedes, chain[i-1].ID)) {
			return false
		}
	}
	return true
}

// chain lists the entries that an entry supersedes, itself, and those that
// supersede it, however many are between: none before what it supersedes, and
// else by date and id; nothing for one that stands alone.
func (t *tree) chain(ctx context.Context, id string) ([]located, error) {
	out, _, err := t.reach(ctx, id)
	if err != nil || len(out) < 2 {
		return nil, err
	}
	slices.SortFunc(out, func(a, b located) int {
		return cmp.Or(parseStamp(a.Created).Compare(parseStamp(b.Created)), cmp.Compare(a.ID, b.ID))
	})
	return afterWhatTheySupersede(out), nil
}

// afterWhatTheySupersede moves entries of a list behind those they supersede
// and leaves their order else as it is. In a circle the first one that was
// come to comes last.
func afterWhatTheySupersede(list []located) []located {
	left := make(map[string]located, len(list))
	for _, l := range list {
		left[l.ID] = l
	}
	out := make([]located, 0, len(list))
	var put func(l located)
	put = func(l located) {
		if _, ok := left[l.ID]; !ok {
			return
		}
		delete(left, l.ID)
		for _, old := range slices.Sorted(slices.Values(l.Supersedes)) {
			put(left[old])
		}
		out = append(out, l)
	}
	for _, l := range list {
		put(l)
	}
	return out
}

// reach finds the entries of a chain, and the ids of those too that are not
// there any more.
func (t *tree) reach(ctx context.Context, id string) (out []located, seen map[string]bool, err error) {
	successors, err := t.naming(ctx)
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
			out = append(out, ChainLink{l.ID, l.Title, l.Supersedes})
		}
	}
	return out, err
}
