package merge

import (
	"maps"
	"slices"
	"strings"

	"gitvault/internal/entryfile"
)

// where is the file of an entry that stands.
func where(b, o, th *version, mode Mode) string {
	switch {
	case o == nil:
		return th.path
	case th == nil, o.path == th.path:
		return o.path
	case b != nil && o.path == b.path:
		return th.path
	case b != nil && th.path == b.path, mode == Revert:
		return o.path
	case mode == Adopt || rank(th.path, o.path) < 0:
		return th.path
	}
	return o.path
}

// choosePaths gives each entry that is a file one of its own, and each entry
// the kind of its file.
func (t *tree) choosePaths() {
	owner := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(t.placed)) {
		p := t.placed[id]
		kind, _ := entryfile.KindOf(p.path)
		if p.entry.Kind != kind {
			e := p.entry.Clone()
			e.Kind = kind
			p.entry = &e
		}
		if kind.IsLedger() {
			continue
		}
		other, taken := owner[p.path]
		switch {
		case p.near != "" || t.isBroken(p.path):
			p.path = t.ownPath(p)
		case !taken:
			owner[p.path] = id
		case t.owns(id, other, p.path):
			owner[p.path] = id
			t.placed[other].path = t.ownPath(t.placed[other])
		default:
			p.path = t.ownPath(p)
		}
	}
}

// owns reports whether the entry a has more right to a path than b.
func (t *tree) owns(a, b, path string) bool {
	for _, s := range []*side{t.base, t.theirs} {
		if s == t.theirs && t.Mode != Adopt {
			break
		}
		va, vb := s.entries[a], s.entries[b]
		if hasA, hasB := va != nil && va.path == path, vb != nil && vb.path == path; hasA != hasB {
			return hasA
		}
	}
	return t.before(a, b)
}

// ownPath is the path an entry gets that cannot have the one it would be at.
func (t *tree) ownPath(p *placed) string {
	return p.path[:strings.LastIndexByte(p.path, '/')+1] + entryfile.FileName(*p.entry)
}

// before orders new entries: by creation, siblings behind what they belong to.
func (t *tree) before(a, b string) bool {
	ea, eb := t.placed[a].entry, t.placed[b].entry
	if c := laterTime(ea.Created, eb.Created); c != 0 {
		return c < 0
	}
	if ra, rb := root(ea), root(eb); ra != rb {
		return ra < rb
	}
	if (ea.Conflict == "") != (eb.Conflict == "") {
		return ea.Conflict == ""
	}
	return a < b
}

func root(e *entryfile.Entry) string {
	if e.Conflict != "" {
		return e.Conflict
	}
	return e.ID
}

// rank orders the places an entry may have moved to: rolled files first, by
// number, then by path.
func rank(a, b string) int {
	if ra, rb := rolled(a), rolled(b); ra != rb {
		if ra {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

func rolled(path string) bool {
	kind, _ := entryfile.KindOf(path)
	rest, inDir := strings.CutPrefix(path, kind.Dir()+"/")
	return inDir && (kind.IsLedger() || strings.Contains(rest, "/"))
}
