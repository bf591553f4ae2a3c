package merge

import "strings"

// Op says what became of a stretch of text, or of an entry.
type Op byte

// The operations, as log and diff print them. Only an entry is ever Moved;
// only a stretch of text is ever Equal.
const (
	Equal   Op = '='
	Added   Op = '+'
	Edited  Op = '~'
	Removed Op = '-'
	Moved   Op = '>'
)

// A Span is a stretch of text that is Equal in two versions, Removed or Added.
type Span struct {
	Op   Op
	Text string
}

// WordDiff tells how b came from a, in whole words. The Equal and Removed
// spans make up a, the Equal and Added ones b; what was replaced is one Removed
// span followed by one Added.
func WordDiff(a, b string) []Span {
	wa, wb := words(a), words(b)
	pair := match(wa, wb)
	var list []hunk
	j := 0
	for i := 0; i <= len(wa); {
		i0, j0 := i, j
		for i < len(wa) && pair[i] < 0 {
			i++
		}
		j = len(wb)
		if i < len(wa) {
			j = pair[i]
		}
		h := hunk{del: wa[i0:i], ins: wb[j0:j]}
		i1 := i
		for i < len(wa) && pair[i] == j {
			i, j = i+1, j+1
		}
		h.same = wa[i1:i]
		list = append(list, h)
		if i == len(wa) && j == len(wb) {
			break
		}
	}
	var spans []Span
	add := func(op Op, tokens []string) {
		if len(tokens) > 0 {
			spans = append(spans, Span{op, strings.Join(tokens, "")})
		}
	}
	list = absorb(list, func(h, next hunk) bool { return count(h.same) == 0 && len(h.del)+len(h.ins) > 0 })
	list = absorb(list, func(h, next hunk) bool { return 2*count(h.same) <= min(h.size(), next.size()) })
	for _, h := range list {
		add(Removed, h.del)
		add(Added, h.ins)
		add(Equal, h.same)
	}
	return spans
}

// A hunk is what was replaced, and the unchanged words after it.
type hunk struct{ del, ins, same []string }

// size is how many words were replaced.
func (h hunk) size() int { return max(count(h.del), count(h.ins)) }

// absorb joins a hunk with the next one where what stands unchanged between
// them is too little to be worth telling apart.
func absorb(list []hunk, little func(h, next hunk) bool) []hunk {
	out := list[:0]
	for _, next := range list {
		if n := len(out); n > 0 && little(out[n-1], next) {
			h := out[n-1] // what follows stands right behind it in either version
			next.del = h.del[:len(h.del)+len(h.same)+len(next.del)]
			next.ins = h.ins[:len(h.ins)+len(h.same)+len(next.ins)]
			out[n-1] = next
			continue
		}
		out = append(out, next)
	}
	return out
}

func count(tokens []string) int {
	n := 0
	for _, s := range tokens {
		if isWord(s) {
			n++
		}
	}
	return n
}
