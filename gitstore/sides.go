package gitstore

import (
	"container/heap"
	"context"
)

// AheadBehind counts the commits that only a has, and those that only b has.
// ZeroHash has none.
func (r *Repo) AheadBehind(ctx context.Context, a, b Hash) (ahead, behind int, err error) {
	if a == b {
		return 0, 0, nil
	}
	onlyA, onlyB, err := r.sides(ctx, []Hash{a}, []Hash{b})
	return len(onlyA), len(onlyB), err
}

// sides gives the commits that are reached only from the one, or only from the
// other, newest first.
func (r *Repo) sides(ctx context.Context, from, other []Hash) (only, theirs []*Commit, err error) {
	const shared = fromA | fromB
	flags := map[Hash]int{}
	var queue byDate
	var seen []*Commit

	add := func(h Hash, f int) error {
		old, known := flags[h]
		if h.IsZero() || old|f == old && known {
			return nil
		}
		c, err := r.objects.commit(h)
		if err != nil {
			return err
		}
		flags[h] = old | f
		heap.Push(&queue, c)
		if !known {
			seen = append(seen, c)
		}
		return nil
	}
	for side, list := range [][]Hash{from, other} {
		for _, h := range list {
			if err := add(h, fromA<<side); err != nil {
				return nil, nil, err
			}
		}
	}
	for queue.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		fresh := 0 // commits that only one side reaches
		for _, c := range queue {
			if flags[c.Hash] != shared {
				fresh++
			}
		}
		if fresh == 0 {
			break
		}
		c := heap.Pop(&queue).(*Commit)
		for _, p := range c.Parents {
			if err := add(p, flags[c.Hash]); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, c := range seen {
		switch flags[c.Hash] {
		case fromA:
			only = append(only, c)
		case fromB:
			theirs = append(theirs, c)
		}
	}
	return only, theirs, nil
}

// Beyond lists the commits that a reaches and b does not, newest first.
func (r *Repo) Beyond(ctx context.Context, a, b Hash) ([]*Commit, error) {
	if a == b {
		return nil, nil
	}
	only, _, err := r.sides(ctx, []Hash{a}, []Hash{b})
	return only, err
}
