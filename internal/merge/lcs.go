package merge

import (
	"sort"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// effort bounds the work of one comparison, in steps, so that hostile or huge
// inputs cost at most a fraction of a second. What it does not reach counts as
// replaced, which is never wrong, only coarser.
const effort = 1 << 22

// match pairs equal elements of a and b, in order: the result holds, for each
// element of a, the index of its partner in b, or -1.
func match(a, b []string) []int {
	m := matcher{pair: make([]int, len(a)), left: effort}
	for i := range m.pair {
		m.pair[i] = -1
	}
	ids := make(map[string]int32, len(a))
	number := func(list []string) []int32 {
		out := make([]int32, len(list))
		for i, s := range list {
			id, ok := ids[s]
			if !ok {
				id = int32(len(ids))
				ids[s] = id
				m.says = append(m.says, says(s))
			}
			out[i] = id
		}
		return out
	}
	m.a, m.b = number(a), number(b)
	m.inA, m.inB = make([]occurrence, len(ids)), make([]occurrence, len(ids))
	m.compare(0, len(a), 0, len(b))
	slide(m.a, len(b), m.pair)
	back := invert(m.pair, len(b))
	slide(m.b, len(a), back)
	return invert(back, len(a))
}

// slide moves each stretch of a that has no partners as far down as it can go
// and stay a stretch of the same elements. Where a paragraph went, the blank
// line before it and the one after it are alike: two sides must agree on one.
func slide(a []int32, lenB int, pair []int) {
	for from := 0; from < len(a); from++ {
		if pair[from] >= 0 {
			continue
		}
		to := from
		for to < len(a) && pair[to] < 0 {
			to++
		}
		for to < len(a) && a[from] == a[to] && alone(pair, from, to, lenB) {
			pair[from], pair[to] = pair[to], -1
			from, to = from+1, to+1
			for to < len(a) && pair[to] < 0 {
				to++
			}
		}
		from = to
	}
}

// alone reports whether nothing on the other side stands in place of the
// stretch.
func alone(pair []int, from, to, lenB int) bool {
	before, after := -1, lenB
	if from > 0 {
		before = pair[from-1]
	}
	if to < len(pair) {
		after = pair[to]
	}
	return after == before+1
}

func invert(pair []int, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
	}
	for i, j := range pair {
		if j >= 0 {
			out[j] = i
		}
	}
	return out
}

type matcher struct {
	a, b     []int32
	inA, inB []occurrence // by element, for the range being looked at
	pair     []int
	says     []bool // by element: it has a word in it
	left     int
}

// says reports whether s has more in it than blanks and marks: what is alike
// about two texts that share only those is chance.
func says(s string) bool {
	for _, r := range s {
		if c := classify(r); c == wordRune || c == glyphRune {
			return true
		}
	}
	return false
}

type occurrence struct{ count, at int }

// compare pairs a[a0:a1] with b[b0:b1]: common ends first, then elements that
// say something and stand once on either side (as patience diff does), then the
// rest by Myers.
func (m *matcher) compare(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		m.pair[a0] = b0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1, b1 = a1-1, b1-1
		m.pair[a1] = b1
	}
	if a0 == a1 || b0 == b1 {
		return
	}
	if m.left -= a1 - a0 + b1 - b0; m.left < 0 {
		return
	}
	anchors := m.anchors(a0, a1, b0, b1)
	if len(anchors) == 0 {
		m.myers(a0, a1, b0, b1)
		return
	}
	for _, p := range anchors {
		m.pair[p.a] = p.b
		m.compare(a0, p.a, b0, p.b)
		a0, b0 = p.a+1, p.b+1
	}
	m.compare(a0, a1, b0, b1)
}

type anchor struct{ a, b int }

// anchors finds the longest run of elements that say something, each once on
// both sides, in the same order on both.
func (m *matcher) anchors(a0, a1, b0, b1 int) []anchor {
	for i := a0; i < a1; i++ {
		m.inA[m.a[i]].count++
	}
	for i := b0; i < b1; i++ {
		o := &m.inB[m.b[i]]
		o.count, o.at = o.count+1, i
	}
	var once []anchor
	for i := a0; i < a1; i++ {
		if id := m.a[i]; m.says[id] && m.inA[id].count == 1 && m.inB[id].count == 1 {
			once = append(once, anchor{i, m.inB[id].at})
		}
	}
	for i := a0; i < a1; i++ {
		m.inA[m.a[i]] = occurrence{}
	}
	for i := b0; i < b1; i++ {
		m.inB[m.b[i]] = occurrence{}
	}
	return rising(once)
}

// rising returns the longest part of list in which b rises; a rises already.
func rising(list []anchor) []anchor {
	var tails []int // tails[n]: where the best run of length n+1 ends
	before := make([]int, len(list))
	for i, p := range list {
		n := sort.Search(len(tails), func(n int) bool { return list[tails[n]].b > p.b })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]anchor, len(tails))
	for i, n := tails[len(tails)-1], len(tails)-1; i >= 0; i, n = before[i], n-1 {
		out[n] = list[i]
	}
	return out
}

// myers pairs a range without unique elements, if it is small enough.
func (m *matcher) myers(a0, a1, b0, b1 int) {
	size := a1 - a0 + b1 - b0
	if size > effort || size*size > m.left {
		return
	}
	m.left -= size * size
	runes := map[int32]rune{}
	spell := func(list []int32) []rune {
		out := make([]rune, len(list))
		for i, id := range list {
			r, ok := runes[id]
			if !ok {
				r = rune(len(runes) + 1) // far below the surrogates
				runes[id] = r
			}
			out[i] = r
		}
		return out
	}
	dmp := diffmatchpatch.DiffMatchPatch{} // no DiffTimeout: its answer must not depend on the clock
	for _, d := range dmp.DiffMainRunes(spell(m.a[a0:a1]), spell(m.b[b0:b1]), false) {
		n := len([]rune(d.Text))
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			for i := range n {
				m.pair[a0+i] = b0 + i
			}
			a0, b0 = a0+n, b0+n
		case diffmatchpatch.DiffDelete:
			a0 += n
		case diffmatchpatch.DiffInsert:
			b0 += n
		}
	}
}
