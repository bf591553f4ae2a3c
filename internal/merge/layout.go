package merge

import (
	"slices"
	"sort"
)

// A layout is what a file holds besides the words of its entries: which ones
// stand in it, in what order, and what a person wrote between them.
type layout struct {
	bom   bool   // it begins with a byte order mark
	head  string // blank lines before the first item
	items []item
}

// An item is an entry's place, or a stretch of text outside entries.
type item struct {
	id    string // "" for text
	text  string // without blank lines at its ends
	after string // the blank lines that follow
}

func (it item) key() string {
	if it.id != "" {
		return it.id
	}
	return "\x00" + it.text
}

// An arrangement merges three layouts of one file.
type arrangement struct {
	base, ours, theirs layout

	want    map[string]bool             // the entries that shall stand in the file
	near    map[string]string           // those that new ones belong behind
	less    func(a, b string) bool      // the order of entries that no layout orders
	text    func(b, o, t string) string // merges text outside entries
	prefer  int                         // whose order stands where both changed it: -1 ours, 1 theirs, 0 neither
	newline string
}

// merge keeps base entries in the base's order, or that of the side that changed
// it. New ones stay behind the entry they were put behind; where both sides put
// some, they are sorted. Text is merged where it stands.
func (a *arrangement) merge() layout {
	switch {
	case a.ours.equal(a.base) && a.fits(a.theirs):
		return a.theirs
	case (a.theirs.equal(a.base) || a.theirs.equal(a.ours)) && a.fits(a.ours):
		return a.ours
	}
	var kept []string // base entries that stay in this file
	for _, it := range a.base.items {
		if it.id != "" && a.want[it.id] {
			kept = append(kept, it.id)
		}
	}
	isKept := make(map[string]bool, len(kept))
	for _, id := range kept {
		isKept[id] = true
	}
	order := a.order(kept, isKept)
	b, o, t := a.segments(a.base, isKept), a.segments(a.ours, isKept), a.segments(a.theirs, isKept)
	placed := make(map[string]bool, len(a.want))
	var out []item
	for _, id := range slices.Concat([]string{head}, order, []string{end}) {
		if id != head && id != end {
			out = append(out, item{id: id})
			placed[id] = true
		}
		for _, it := range a.segment(b[id], o[id], t[id], id != head) {
			if it.id == "" || !placed[it.id] {
				out = append(out, it)
				placed[it.id] = true
			}
		}
	}
	return a.space(a.addRest(out, placed))
}

// addRest puts in the wanted entries that stand in no layout of this file: each
// behind the one it belongs to, the others at the end.
func (a *arrangement) addRest(items []item, placed map[string]bool) []item {
	var rest []string
	for id := range a.want {
		if !placed[id] {
			rest = append(rest, id)
		}
	}
	if len(rest) == 0 {
		return items
	}
	sort.Slice(rest, func(i, j int) bool { return a.less(rest[i], rest[j]) })
	behind := map[string][]item{}
	var last []item
	for _, id := range rest {
		if near := a.near[id]; placed[near] {
			behind[near] = append(behind[near], item{id: id})
		} else {
			last = append(last, item{id: id})
		}
	}
	var out []item
	for i := 0; i < len(items); i++ {
		id := items[i].id
		out = append(out, items[i])
		if len(behind[id]) == 0 {
			continue
		}
		n := len(out)
		out = append(out, behind[id]...)
		for i+1 < len(items) && items[i+1].id != "" && a.near[items[i+1].id] == id {
			i++
			out = append(out, items[i])
		}
		sort.SliceStable(out[n:], func(i, j int) bool { return a.less(out[n+i].id, out[n+j].id) })
	}
	return append(out, last...)
}

func (l layout) equal(other layout) bool {
	return l.bom == other.bom && l.head == other.head && slices.Equal(l.items, other.items)
}

// fits reports whether exactly the wanted entries stand in l.
func (a *arrangement) fits(l layout) bool {
	n := 0
	for _, it := range l.items {
		if it.id == "" {
			continue
		}
		if !a.want[it.id] {
			return false
		}
		n++
	}
	return n == len(a.want)
}

// order is that of the base entries.
func (a *arrangement) order(base []string, isKept map[string]bool) []string {
	ours, theirs := orderIn(a.ours, base, isKept), orderIn(a.theirs, base, isKept)
	switch {
	case slices.Equal(ours, base):
		return theirs
	case slices.Equal(theirs, base), slices.Equal(ours, theirs), a.prefer < 0:
		return ours
	case a.prefer > 0:
		return theirs
	}
	sorted := slices.Clone(base)
	sort.SliceStable(sorted, func(i, j int) bool { return a.less(sorted[i], sorted[j]) })
	return sorted
}

// orderIn is the order of the base entries in l; those that are not in l follow
// whatever they follow in the base.
func orderIn(l layout, base []string, isKept map[string]bool) []string {
	out := make([]string, 0, len(base))
	there := make(map[string]bool, len(base))
	for _, it := range l.items {
		if it.id != "" && isKept[it.id] && !there[it.id] {
			there[it.id] = true
			out = append(out, it.id)
		}
	}
	if len(out) == len(base) {
		return out
	}
	missing := map[string][]string{} // by the entry they follow
	last := ""
	for _, id := range base {
		if there[id] {
			last = id
			continue
		}
		missing[last] = append(missing[last], id)
	}
	all := append(make([]string, 0, len(base)), missing[""]...)
	for _, id := range out {
		all = append(append(all, id), missing[id]...)
	}
	return all
}

// sameText reports whether two layouts have the same text outside entries.
func (l layout) sameText(other layout) bool {
	return slices.Equal(l.texts(), other.texts())
}

func (l layout) texts() []string {
	var out []string
	for _, it := range l.items {
		if it.id == "" {
			out = append(out, it.text)
		}
	}
	return out
}

// withoutText is a layout's entries alone.
func (l layout) withoutText() layout {
	out := layout{bom: l.bom, head: l.head}
	for _, it := range l.items {
		if it.id != "" {
			out.items = append(out.items, it)
		}
	}
	return out
}
