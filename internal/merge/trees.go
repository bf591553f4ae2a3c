package merge

import (
	"maps"
	"slices"
	"sort"
	"strings"

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

// keepBeside keeps a version of text that does not stand.
func (t *tree) keepBeside(path string, lost []byte) {
	if t.virtual {
		return
	}
	kept := conflictPath(path, lost)
	t.files[kept] = lost
	t.conflicts = append(t.conflicts, Conflict{Path: path, Kept: kept})
}

// mergeOthers merges the files that hold no entries.
func (t *tree) mergeOthers(paths []string) {
	for _, path := range paths {
		if _, ok := entryfile.KindOf(path); ok && !t.isBroken(path) || t.isReadableCard(path) {
			continue
		}
		b, o, th := file(t.base.files, path), file(t.ours.files, path), file(t.theirs.files, path)
		if t.Mode == Revert {
			th = b // takes back changes of entries, and nothing else
		}
		merged, lost := mergeForeign(b, o, th, t.prefer())
		if path == settingsFile {
			if m, ok := mergeSettings(b, o, th, merged); ok {
				merged, lost = m, nil
			}
		}
		if lost != nil {
			t.keepBeside(path, lost)
		}
		if merged != nil {
			t.files[path] = merged
		}
	}
}

// file is the content of a path, nil only if it is not there.
func file(files Files, path string) []byte {
	data, ok := files[path]
	if ok && data == nil {
		return []byte{}
	}
	return data
}

// untangle moves a file out of the way of a folder of the same name.
func (t *tree) untangle() {
	for _, path := range slices.Sorted(maps.Keys(t.files)) {
		for i, c := range path {
			if c != '/' {
				continue
			}
			if data, ok := t.files[path[:i]]; ok {
				delete(t.files, path[:i])
				t.keepBeside(path[:i], data)
			}
		}
	}
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
