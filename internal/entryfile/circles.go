package entryfile

import "slices"

// WithoutCircles takes what goes round in a circle out of a map from what is
// superseded to what supersedes it: of entries that supersede themselves, at
// once or by way of others, none supersedes another. What supersedes one of
// them from outside does.
func WithoutCircles[K comparable](by map[K][]K) {
	circle := Circles(by)
	if circle == nil {
		return
	}
	for old, list := range by {
		list = slices.DeleteFunc(slices.Clone(list), func(next K) bool { return next == old || circle[old] != 0 && circle[next] == circle[old] })
		if by[old] = list; len(list) == 0 {
			delete(by, old)
		}
	}
}

// mayCircle reports whether anything that supersedes is superseded itself.
func mayCircle[K comparable](by map[K][]K) bool {
	for _, list := range by {
		for _, next := range list {
			if by[next] != nil {
				return true
			}
		}
	}
	return false
}

// Circles numbers the sets of nodes that can be reached from each other, by
// Tarjan's algorithm; nodes that are alone in theirs have no number. It is nil
// where no node that is pointed to points on.
func Circles[K comparable](next map[K][]K) map[K]int {
	if !mayCircle(next) {
		return nil
	}
	order, low := make(map[K]int, len(next)), make(map[K]int, len(next))
	out := map[K]int{}
	done := map[K]bool{}
	var way []K
	found := 0
	var visit func(n K)
	visit = func(n K) {
		order[n] = len(order) + 1
		low[n] = order[n]
		way = append(way, n)
		for _, m := range next[n] {
			if order[m] == 0 {
				visit(m)
			}
			if !done[m] {
				low[n] = min(low[n], low[m])
			}
		}
		if low[n] != order[n] {
			return
		}
		from := len(way) - 1
		for way[from] != n {
			from--
		}
		if len(way)-from > 1 {
			found++
			for _, m := range way[from:] {
				out[m] = found
			}
		}
		for _, m := range way[from:] {
			done[m] = true
		}
		way = way[:from]
	}
	for n := range next {
		if order[n] == 0 {
			visit(n)
		}
	}
	return out
}
