package merge

import (
	"maps"
	"slices"

	"gitvault/internal/entryfile"
)

// Options of a merge. The zero value joins two lines of history.
type Options struct {
	Mode Mode
	// Force makes a Revert go back even where that loses a later change.
	Force bool
	// Known reports whether an entry stands in files that are the same on all
	// sides and therefore not given.
	Known func(id string) bool
	// Purged reports whether an entry was purged and must not come back.
	Purged func(id string) bool
	// Adopted fills in what an entry typed by hand does not say, such as when
	// it was created and by whom.
	Adopted func(e *entryfile.Entry)

	virtual bool // the outcome is a base: nothing is kept beside what stands
}

// A Result is the outcome of a merge.
type Result struct {
	// Files are all given paths as they shall be, save INDEX.md, which the
	// caller generates, and paths that are to be deleted; new ones among them.
	Files Files
	// Changes is how the entries differ from ours.
	Changes []Change
	// Conflicts tells what could not be merged. In a Revert without Force,
	// any of them leaves Files as ours are.
	Conflicts []Conflict
}

// A Conflict is a change that could not be merged with the other side's.
type Conflict struct {
	ID     string         // of the entry; "" for other text
	Kind   entryfile.Kind // of the entry
	Path   string         // the file it is in
	Fields []string       // what was changed both ways; "entry" for edited and forgotten
	Kept   string         // what keeps the other version: an entry's id, a card's id, or a path
	// The versions; nil where the entry is not there. They are not to be changed.
	Base, Ours, Theirs *entryfile.Entry
}

// Trees merges three versions of the files of a scope. Unrelated histories
// have an empty base; of several merge bases the base is what Trees makes of
// them. In a Sync, swapping ours and theirs gives the same files.
//
// For an Adopt, base is the version Nearest chose, and all authored files that
// differ between it, the head and the saved ones must be given, so that an
// entry the head has moved is not taken for one that was forgotten.
func Trees(base, ours, theirs Files, o Options) Result {
	paths := allPaths(base, ours, theirs)
	t := &tree{Options: o, base: readSide(base, nil), placed: map[string]*placed{}, files: Files{}}
	t.ours, t.theirs = readSide(ours, t.base), readSide(theirs, t.base)
	t.setBrokenAside()
	t.dropPurged()
	t.identify()
	t.keepKept()
	for _, id := range t.ids() {
		t.mergeEntry(id)
	}
	t.addSiblings()
	t.choosePaths()
	t.render()
	t.mergeCards(paths)
	t.arrange(paths)
	t.mergeOthers(paths)
	t.untangle()
	if o.Mode == Revert && !o.Force && len(t.conflicts) > 0 {
		files := maps.Clone(ours)
		delete(files, indexFile)
		return Result{Files: files, Conflicts: t.conflicts}
	}
	return Result{Files: t.files, Changes: t.changes(), Conflicts: t.conflicts}
}

const (
	indexFile    = "INDEX.md"
	settingsFile = "vault.yaml"
)

// A tree is a merge under way.
type tree struct {
	Options
	base, ours, theirs *side
	placed             map[string]*placed
	siblings           []*placed
	newCards           []entryfile.Card
	conflicts          []Conflict
	files              Files
}

// A placed entry is one of the outcome.
type placed struct {
	entry *entryfile.Entry
	path  string
	from  *version // whose bytes it is written with
	near  string   // the entry it belongs behind, where it is new
	raw   []byte   // what is written
}

func allPaths(sides ...Files) []string {
	all := map[string]bool{}
	for _, files := range sides {
		for path := range files {
			if path != indexFile {
				all[path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (t *tree) sides() [3]*side { return [3]*side{t.base, t.ours, t.theirs} }

// prefer is which side stands in a conflict that times do not decide.
func (t *tree) prefer() int {
	switch t.Mode {
	case Adopt:
		return 1
	case Revert:
		return -1
	}
	return 0
}

// setBrokenAside leaves entry files that some side cannot read to merging as
// plain text.
func (t *tree) setBrokenAside() {
	for _, s := range t.sides() {
		for path := range s.broken {
			for _, other := range t.sides() {
				other.leave(path)
			}
		}
	}
}

func (t *tree) isBroken(path string) bool {
	return t.base.broken[path] || t.ours.broken[path] || t.theirs.broken[path]
}

func (t *tree) dropPurged() {
	if t.Purged == nil {
		return
	}
	for _, s := range t.sides() {
		for _, v := range s.entries {
			if t.Purged(v.id) || v.entry.Conflict != "" && t.Purged(v.entry.Conflict) {
				s.drop(v)
			}
		}
	}
}

func (t *tree) ids() []string {
	all := map[string]bool{}
	for _, s := range t.sides() {
		for id := range s.entries {
			all[id] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (v *version) said() *entryfile.Entry {
	if v == nil {
		return nil
	}
	return v.entry
}

// mergeEntry merges one entry, and says where it goes.
func (t *tree) mergeEntry(id string) {
	b, o, th := t.base.entries[id], t.ours.entries[id], t.theirs.entries[id]
	m := Entries(b.said(), o.said(), th.said(), t.Mode)
	c := Conflict{ID: id, Fields: m.Fields, Base: b.said(), Ours: o.said(), Theirs: th.said()}
	if m.Entry == nil {
		if len(m.Fields) > 0 {
			c.Kind, c.Path = o.entry.Kind, o.path
			t.conflicts = append(t.conflicts, c)
		}
		return
	}
	p := &placed{entry: m.Entry, path: where(b, o, th, t.Mode)}
	p.from = t.wording(m.Entry, b, o, th)
	t.placed[id] = p
	c.Kind, c.Path = m.Entry.Kind, p.path
	switch {
	case m.Forgotten:
		gone := t.ours
		if o != nil {
			gone = t.theirs
		}
		if gone.hides(b) {
			return
		}
		c.Fields, c.Kept = []string{"entry"}, t.proposeForget(b.entry)
	case len(m.Fields) == 0:
		return
	case t.Mode != Revert:
		s := sibling(m.Other, id)
		t.siblings = append(t.siblings, &placed{entry: &s, path: p.path, from: t.versionOf(m.Other, o, th), near: id})
		c.Kept = s.ID
	}
	t.conflicts = append(t.conflicts, c)
}

func (t *tree) versionOf(e *entryfile.Entry, o, th *version) *version {
	if th != nil && th.entry == e {
		return th
	}
	return o
}

// wording chooses the version whose bytes e is written with: one that says
// just that, where there is one.
func (t *tree) wording(e *entryfile.Entry, b, o, th *version) *version {
	inO, inT := o != nil && same(e, o.entry), th != nil && same(e, th.entry)
	if !inO && !inT { // neither: the one that says most of it
		inO, inT = o != nil, th != nil
		if o != nil && th != nil {
			inT = t.Mode != Sync || later(th.entry, o.entry)
			inO = !inT
		}
	}
	switch {
	case !inT:
		return o
	case !inO:
		return th
	case b != nil && string(o.raw) == string(b.raw):
		return th
	case b != nil && string(th.raw) == string(b.raw), t.Mode == Revert:
		return o
	case t.Mode == Adopt || string(th.raw) > string(o.raw):
		return th
	}
	return o
}

// sibling keeps a version of an entry that does not stand. Its id comes from
// its text alone, so that all replicas that keep it agree, wherever it stands.
func sibling(e *entryfile.Entry, id string) entryfile.Entry {
	s := e.Clone()
	if e.Conflict != "" {
		id = e.Conflict
	}
	s.Conflict = id
	s.ID = entryfile.DerivedID("", "conflict "+id+"\n"+textHash(e), 0)
	return s
}

// addSiblings keeps the versions that do not stand, once each.
func (t *tree) addSiblings() {
	if t.virtual {
		return
	}
	for _, p := range t.siblings {
		if t.placed[p.entry.ID] == nil && (t.Known == nil || !t.Known(p.entry.ID)) {
			t.placed[p.entry.ID] = p
		}
	}
}
