package merge

import (
	"slices"
	"sort"
	"strings"
)

// A segment is what stands between two base entries.
type segment struct {
	lines []string // of text
	added []addition
}

// An addition is an entry that the base does not have here.
type addition struct {
	id string
	at int // lines of text before it
}

// What stands at the ends of a file, where elsewhere an id stands.
const head, end = "\x00^", "\x00$"

// segments cuts a layout behind its base entries; the key is the entry in
// front, or head. New entries that end the file stay at the end, whatever
// becomes of the entry they follow.
func (a *arrangement) segments(l layout, isKept map[string]bool) map[string]segment {
	out := map[string]segment{}
	in, blank := head, ""
	for _, it := range l.items {
		switch {
		case it.id != "" && isKept[it.id]:
			in, blank = it.id, ""
		case it.id == "":
			s := out[in]
			if len(s.lines) > 0 && (len(s.added) == 0 || s.added[len(s.added)-1].at < len(s.lines)) {
				s.lines = append(s.lines, lines(blank)...)
			}
			text := it.text
			if !strings.HasSuffix(text, "\n") {
				text += a.newline
			}
			s.lines = append(s.lines, lines(text)...)
			out[in], blank = s, it.after
		case a.want[it.id]:
			s := out[in]
			s.added = append(s.added, addition{it.id, len(s.lines)})
			out[in] = s
		}
	}
	last := out[in]
	n := len(last.added)
	for n > 0 && last.added[n-1].at == len(last.lines) {
		n--
	}
	if n < len(last.added) {
		out[end] = segment{added: atStart(last.added[n:])}
		last.added = last.added[:n]
		out[in] = last
	}
	return out
}

func atStart(list []addition) []addition {
	out := slices.Clone(list)
	for i := range out {
		out[i].at = 0
	}
	return out
}

func (s segment) equal(other segment) bool {
	if len(s.lines)+len(s.added)+len(other.lines)+len(other.added) == 0 {
		return true
	}
	return slices.Equal(s.words(), other.words())
}

// words is all that is not blank in a segment, in order.
func (s segment) words() []string {
	var out []string
	n := 0
	for i := 0; i <= len(s.lines); i++ {
		for n < len(s.added) && s.added[n].at == i {
			out = append(out, "\x00"+s.added[n].id)
			n++
		}
		if i < len(s.lines) && strings.TrimSpace(s.lines[i]) != "" {
			out = append(out, s.lines[i])
		}
	}
	return out
}

func (s segment) text() string { return strings.Join(s.lines, "") }

// segment merges what stands between two base entries; behind says that it
// follows one.
func (a *arrangement) segment(b, o, t segment, behind bool) []item {
	switch {
	case o.equal(t):
		return a.spaced(b, o, t).cut(nil)
	case o.equal(b):
		return t.cut(nil)
	case t.equal(b):
		return o.cut(nil)
	}
	m := segment{lines: lines(a.text(b.text(), o.text(), t.text()))}
	if behind && len(m.lines) > 0 && !isHeading(m.lines[0]) {
		// Without a heading in front the entry above would swallow the text.
		m.lines = lines(a.text("", o.text(), t.text()))
	}
	first, second := o, t
	if a.prefer > 0 || a.prefer == 0 && contains(t.added, o.added) {
		first, second = t, o
	}
	at := m.positions(first)
	inFirst := len(at)
	for id, n := range m.positions(second) {
		if i, ok := at[id]; !ok || a.prefer == 0 && i < n {
			at[id] = n
		}
	}
	places := make([][]string, len(m.lines)+1)
	for _, x := range slices.Concat(first.added, second.added) {
		if n := at[x.id]; !slices.Contains(places[n], x.id) {
			places[n] = append(places[n], x.id)
		}
	}
	if a.prefer == 0 && (len(at) > inFirst || !sameOrder(o.added, t.added)) {
		for _, list := range places {
			sort.SliceStable(list, func(i, j int) bool { return a.less(list[i], list[j]) })
		}
	}
	return m.cut(places)
}

// spaced chooses between two segments that differ in blank lines at most.
func (a *arrangement) spaced(b, o, t segment) segment {
	inB, inO, inT := b.text(), o.text(), t.text()
	if inO == inB && a.prefer >= 0 || inT != inB && (a.prefer > 0 || a.prefer == 0 && inT > inO) {
		return t
	}
	return o
}

// positions finds where the additions of a side stand among the merged lines.
func (m segment) positions(side segment) map[string]int {
	out := make(map[string]int, len(side.added))
	if len(side.added) == 0 {
		return out
	}
	pair := match(side.lines, m.lines)
	for _, x := range side.added {
		out[x.id] = m.settle(place(pair, x.at, len(m.lines)))
	}
	return out
}

// contains reports whether all of few are among all, and more besides.
func contains(all, few []addition) bool {
	if len(all) <= len(few) {
		return false
	}
	there := map[string]bool{}
	for _, x := range all {
		there[x.id] = true
	}
	for _, x := range few {
		if !there[x.id] {
			return false
		}
	}
	return true
}

// sameOrder reports whether what is in both lists stands in one order.
func sameOrder(a, b []addition) bool {
	at := map[string]int{}
	for i, x := range a {
		at[x.id] = i
	}
	last := -1
	for _, x := range b {
		i, ok := at[x.id]
		if ok && i < last {
			return false
		}
		if ok {
			last = i
		}
	}
	return true
}

// place finds where a position among a side's lines is among the merged ones.
func place(pair []int, at, end int) int {
	for i := at - 1; i >= 0; i-- {
		if pair[i] >= 0 {
			return pair[i] + 1
		}
	}
	if at == 0 {
		return 0
	}
	for _, j := range pair[at:] {
		if j >= 0 {
			return j
		}
	}
	return end
}

// settle moves a position on to where an entry may stand: before a heading, or
// at the end, so that it swallows no text.
func (m segment) settle(at int) int {
	for at < len(m.lines) && !isHeading(m.lines[at]) {
		at++
	}
	return at
}

// isHeading reports whether a line ends the entry above it.
func isHeading(line string) bool {
	s := strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(s, "#")
	n := len(s) - len(rest)
	return len(line)-len(s) <= 3 && (n == 1 || n == 2) && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n"))
}

// cut turns a segment into items: the additions at their places, or where
// places is nil at their own, and the text between.
func (s segment) cut(places [][]string) []item {
	if places == nil {
		places = make([][]string, len(s.lines)+1)
		for _, x := range s.added {
			places[x.at] = append(places[x.at], x.id)
		}
	}
	var out []item
	from := 0
	flush := func(to int) {
		text := strings.Join(s.lines[from:to], "")
		from = to
		if text = strings.TrimSuffix(text, trailingBlank(text)); text != "" {
			text = text[len(leadingBlank(text)):]
			out = append(out, item{text: text})
		}
	}
	for at, list := range places {
		if len(list) == 0 {
			continue
		}
		flush(at)
		for _, id := range list {
			out = append(out, item{id: id})
		}
	}
	flush(len(s.lines))
	return out
}
