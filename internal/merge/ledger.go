package merge

import (
	"maps"
	"slices"
	"strings"

	"gitvault/internal/entryfile"
)

// arrange writes the authored files.
func (t *tree) arrange(paths []string) {
	byPath := map[string]map[string]bool{}
	for id, p := range t.placed {
		if byPath[p.path] == nil {
			byPath[p.path] = map[string]bool{}
		}
		byPath[p.path][id] = true
	}
	for _, path := range paths {
		if _, ok := entryfile.KindOf(path); ok && byPath[path] == nil && !t.isBroken(path) {
			byPath[path] = map[string]bool{}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		kind, _ := entryfile.KindOf(path)
		want := byPath[path]
		if kind.IsLedger() {
			t.writeLedger(path, want)
			continue
		}
		for id := range want {
			t.files[path] = t.placed[id].raw
		}
	}
}

// writeLedger merges the layouts of a ledger file and writes it.
func (t *tree) writeLedger(path string, want map[string]bool) {
	a := arrangement{
		base: t.base.layouts[path], ours: t.ours.layouts[path], theirs: t.theirs.layouts[path],
		want: want, near: map[string]string{}, less: t.before, prefer: t.prefer(), newline: t.newline(path),
		text: func(b, o, th string) string { return t.mergeText(path, b, o, th) },
	}
	for id := range want {
		if near := t.placed[id].entry.Conflict; near != "" {
			a.near[id] = near
		}
	}
	if t.Mode == Revert {
		if !a.base.sameText(a.theirs) {
			a.base, a.theirs = a.base.withoutText(), a.theirs.withoutText()
		}
		a.text = func(_, o, _ string) string { return o }
	}
	l := a.merge()
	if len(l.items) == 0 && !l.bom && !t.exists(path) {
		return
	}
	out := make([]byte, 0, t.sizeOf(path))
	if l.bom {
		out = append(out, byteOrderMark...)
	}
	out = append(out, l.head...)
	for i, it := range l.items {
		if it.id == "" {
			out = append(out, it.text...)
		} else {
			out = append(out, t.placed[it.id].raw...)
		}
		if i+1 < len(l.items) && out[len(out)-1] != '\n' && (it.after == "" || it.after[0] != '\n' && it.after[0] != '\r') {
			out = append(out, a.newline...)
		}
		out = append(out, it.after...)
	}
	t.files[path] = out
}

// sizeOf is about how large a merged file is.
func (t *tree) sizeOf(path string) int {
	n := 512
	for _, s := range t.sides() {
		n = max(n, len(s.files[path])*9/8)
	}
	return n
}

// exists merges whether a file without entries and text is there. A rolled file
// that merging emptied goes.
func (t *tree) exists(path string) bool {
	_, b := t.base.files[path]
	_, o := t.ours.files[path]
	_, th := t.theirs.files[path]
	if rolled(path) && len(t.ours.layouts[path].items) > 0 == o && len(t.theirs.layouts[path].items) > 0 == th {
		return false
	}
	if o == b {
		return th
	}
	return o
}

// newline is how lines end in a file, by all that is known of it.
func (t *tree) newline(path string) string {
	for _, s := range t.sides() {
		first, _, found := strings.Cut(string(s.files[path]), "\n")
		if found && !strings.HasSuffix(first, "\r") {
			return "\n"
		}
	}
	for _, s := range t.sides() {
		if strings.Contains(string(s.files[path]), "\r\n") {
			return "\r\n"
		}
	}
	return "\n"
}

// mergeText merges what a person wrote between entries. Where both sides
// changed it, one stands and the other becomes a file beside this one.
func (t *tree) mergeText(path, base, ours, theirs string) string {
	if s, ok := Text(base, ours, theirs); ok {
		return s
	}
	if strings.TrimSpace(ours) == "" {
		return theirs
	}
	if strings.TrimSpace(theirs) == "" {
		return ours
	}
	merged, lost := ours, theirs
	if t.Mode == Adopt || t.Mode == Sync && blobHash([]byte(theirs)) > blobHash([]byte(ours)) {
		merged, lost = theirs, ours
	}
	t.keepBeside(path, []byte(lost))
	return merged
}
