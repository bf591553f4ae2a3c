package merge

import (
	"slices"
	"sort"
	"strings"
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

// leadingBlank is the blank lines that s begins with.
func leadingBlank(s string) string {
	n := 0
	for {
		i := strings.IndexByte(s[n:], '\n')
		if i < 0 || strings.TrimSpace(s[n:n+i]) != "" {
			return s[:n]
		}
		n += i + 1
	}
}

// trailingBlank is the blank lines that s ends with, behind the end of the last
// line that is not blank.
func trailingBlank(s string) string {
	n := len(s)
	for n > 0 {
		i := strings.LastIndexByte(s[:n-1], '\n') + 1
		if strings.TrimSpace(s[i:n]) != "" {
			break
		}
		n = i
	}
	return s[n:]
}

// space sets the blank lines between items as the side has them where two stand
// side by side, else one.
func (a *arrangement) space(items []item) layout {
	b, o, t := a.base.gaps(), a.ours.gaps(), a.theirs.gaps()
	between := func(from, to, otherwise string) string {
		fromBase, inB := b.get(from, to)
		fromOurs, inO := o.get(from, to)
		fromTheirs, inT := t.get(from, to)
		switch {
		case inO && inT && (fromOurs == fromTheirs || inB && fromTheirs == fromBase):
			return fromOurs
		case inO && inT && inB && fromOurs == fromBase:
			return fromTheirs
		case inO && inT:
			if a.prefer > 0 || a.prefer == 0 && fromTheirs > fromOurs {
				return fromTheirs
			}
			return fromOurs
		case inO:
			return fromOurs
		case inT:
			return fromTheirs
		case inB:
			return fromBase
		}
		return otherwise
	}
	out := layout{items: items, bom: pick(a.base.bom, a.ours.bom, a.theirs.bom, a.prefer > 0)}
	from := head
	for i := range items {
		to := items[i].key()
		if i == 0 {
			out.head = between(from, to, "")
		} else {
			items[i-1].after = between(from, to, a.newline)
		}
		from = to
	}
	if len(items) == 0 {
		out.head = between(head, end, "")
	} else {
		items[len(items)-1].after = between(from, end, "")
	}
	return out
}

// gaps holds the blank lines of a layout by what stands before them.
type gaps map[string]gap

type gap struct{ to, blank string }

func (g gaps) get(from, to string) (string, bool) {
	v, ok := g[from]
	return v.blank, ok && v.to == to
}

func (l layout) gaps() gaps {
	g := make(gaps, len(l.items)+1)
	from, blank := head, l.head
	for _, it := range l.items {
		to := it.key()
		g[from] = gap{to, blank}
		from, blank = to, it.after
	}
	g[from] = gap{end, blank}
	return g
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
