package merge

import (
	"bytes"
	"slices"
	"sort"

	"gitvault/internal/entryfile"
)

// A Change is what became of one entry between two versions of a scope.
type Change struct {
	Op   Op // Added, Edited, Removed or Moved; Edited where it moved, too
	ID   string
	Kind entryfile.Kind
	// Before and After are the versions of the entry, nil where it is not
	// there. They are not to be changed.
	Before, After         *entryfile.Entry
	BeforePath, AfterPath string
}

// Title is the entry's, the newer one where it has two.
func (c Change) Title() string {
	if c.After != nil {
		return c.After.Title
	}
	return c.Before.Title
}

// Diff tells how the entries of two versions of a scope differ, by kind and
// id. What is written differently but says the same is no change. Only files
// that differ need be given.
func Diff(before, after Files) []Change {
	var list []Change
	a, b := readDiffering(before, after)
	for id, v := range a.entries {
		if c, ok := compare(v, b.entries[id]); ok {
			list = append(list, c)
		}
	}
	for id, v := range b.entries {
		if a.entries[id] == nil {
			c, _ := compare(nil, v)
			list = append(list, c)
		}
	}
	sortChanges(list)
	return list
}

// compare tells how one version differs from the other; false if not at all.
func compare(a, b *version) (Change, bool) {
	switch {
	case a == nil:
		return Change{Op: Added, ID: b.id, Kind: b.entry.Kind, After: b.entry, AfterPath: b.path}, true
	case b == nil:
		return Change{Op: Removed, ID: a.id, Kind: a.entry.Kind, Before: a.entry, BeforePath: a.path}, true
	}
	c := Change{Op: Edited, ID: b.id, Kind: b.entry.Kind, Before: a.entry, After: b.entry, BeforePath: a.path, AfterPath: b.path}
	if same(a.entry, b.entry) {
		c.Op = Moved
		return c, a.path != b.path
	}
	return c, true
}

// readDiffering reads what differs between two versions: of ledgers only the
// stretch between their common ends, where that can be told.
func readDiffering(before, after Files) (*side, *side) {
	wholeA, wholeB, cutA, cutB := Files{}, Files{}, Files{}, Files{}
	for _, path := range allPaths(before, after) {
		a, inA := before[path]
		b, inB := after[path]
		kind, ok := entryfile.KindOf(path)
		if !ok || inA && inB && bytes.Equal(a, b) {
			continue
		}
		if inA {
			wholeA[path], cutA[path] = a, a
		}
		if inB {
			wholeB[path], cutB[path] = b, b
		}
		if inA && inB && kind.IsLedger() {
			cutA[path], cutB[path] = differing(a, b)
		}
	}
	a := readSide(cutA, nil)
	b := readSide(cutB, a)
	if !a.plain() || !b.plain() {
		a = readSide(wholeA, nil)
		b = readSide(wholeB, a)
	}
	return a, b
}

// plain reports whether all ids stand in the files, each once: then reading a
// part of a file gives the same ids as reading the whole.
func (s *side) plain() bool {
	for _, v := range s.entries {
		if !v.written {
			return false
		}
	}
	return true
}

// differing cuts common entries off both ends of two ledgers. It cuts only
// where an entry begins whatever stands before it.
func differing(a, b []byte) ([]byte, []byte) {
	n := commonPrefix(a, b)
	for from := n; ; {
		i := bytes.LastIndex(a[:from], entryStart)
		if i < 0 {
			break
		}
		if end := commentEnd(a[i+1:]); end >= 0 && i+1+end <= n {
			a, b = a[i+1:], b[i+1:]
			break
		}
		from = i
	}
	for at := len(a) - commonSuffix(a, b); ; {
		i := bytes.Index(a[at:], entryStart)
		if i < 0 {
			break
		}
		at += i + 1
		if commentEnd(a[at:]) >= 0 {
			return a[:at], b[:len(b)-(len(a)-at)]
		}
	}
	return a, b
}

// block is how much is compared at once while nothing differs.
const block = 1 << 10

func commonPrefix(a, b []byte) int {
	n := 0
	for n+block <= min(len(a), len(b)) && bytes.Equal(a[n:n+block], b[n:n+block]) {
		n += block
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n := 0
	for n+block <= min(len(a), len(b)) && bytes.Equal(a[len(a)-n-block:len(a)-n], b[len(b)-n-block:len(b)-n]) {
		n += block
	}
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

var (
	entryStart   = []byte("\n## ")
	commentStart = []byte("<!-- vault:")
)

// commentEnd is where the heading and the beginning of the comment after it
// end, -1 if no comment follows.
func commentEnd(data []byte) int {
	i := bytes.IndexByte(data, '\n') + 1
	if i == 0 || !bytes.HasPrefix(data[i:], commentStart) {
		return -1
	}
	return i + len(commentStart)
}

// changes tells how the outcome differs from ours.
func (t *tree) changes() []Change {
	var list []Change
	for id, p := range t.placed {
		o := t.ours.entries[id]
		if c, changed := compare(o, &version{id: id, path: p.path, entry: p.entry}); changed {
			list = append(list, c)
		}
	}
	for id, o := range t.ours.entries {
		if t.placed[id] == nil {
			c, _ := compare(o, nil)
			list = append(list, c)
		}
	}
	sortChanges(list)
	return list
}

func sortChanges(list []Change) {
	kinds := entryfile.Kinds()
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if ka, kb := slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind); ka != kb {
			return ka < kb
		}
		return a.ID < b.ID
	})
}
