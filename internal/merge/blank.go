package merge

import "strings"

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
