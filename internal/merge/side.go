package merge

import (
	"bytes"
	"maps"
	"slices"

	"gitvault/internal/entryfile"
)

// Files are files of a scope at one time, by slash-separated path. Only the
// paths that differ between the versions at hand need be in it. A missing path
// is a file that is not there; the bytes are never changed.
type Files map[string][]byte

// A version is an entry as one side has it.
type version struct {
	id      string
	path    string
	raw     []byte           // the section, or the whole of an entry file
	entry   *entryfile.Entry // what raw says
	written bool             // raw holds the id
	stale   bool             // raw does not say what entry says
}

// A side is one version of the files, read.
type side struct {
	files   Files
	set     *entryfile.Set
	entries map[string]*version
	layouts map[string]layout
	broken  map[string]bool     // entry files that cannot be read
	opaque  [][]byte            // sections that cannot be read
	created map[string][]string // ids by creation, once that was asked for
}

// readSide reads the authored files of one version. Ids are told apart as they
// were in the version before, if there is one.
func readSide(files Files, before *side) *side {
	s := &side{
		files: files, set: entryfile.NewSet(files),
		entries: map[string]*version{}, layouts: map[string]layout{}, broken: map[string]bool{},
	}
	if before != nil {
		entryfile.Identify(before.set, s.set)
	}
	for _, path := range s.set.Paths() {
		doc := s.set.Document(path)
		if doc.Kind().IsLedger() {
			s.readLedger(path, files[path], doc.Sections())
		} else {
			s.readFile(path, files[path], doc.Sections())
		}
	}
	return s
}

var byteOrderMark = []byte("\ufeff")

func (s *side) readLedger(path string, data []byte, sections []entryfile.Section) {
	l := layout{items: make([]item, 0, len(sections)), bom: bytes.HasPrefix(data, byteOrderMark)}
	versions := make([]version, len(sections))
	at := 0
	if l.bom {
		at = len(byteOrderMark)
	}
	for i := range sections {
		sec := &sections[i]
		if sec.Err != nil {
			s.opaque = append(s.opaque, data[sec.Start:sec.End])
			continue // as text of the person's own
		}
		l.add(data[at:sec.Start])
		v := &versions[i]
		*v = version{id: sec.ID, path: path, raw: data[sec.Start:sec.End], entry: &sec.Entry, written: sec.Written}
		l.items = append(l.items, item{id: v.id})
		s.entries[v.id] = v
		at = sec.End
	}
	l.add(data[at:])
	s.layouts[path] = l
}

// add appends the text that follows the last item.
func (l *layout) add(gap []byte) {
	if len(gap) == 0 {
		return
	}
	text := string(gap)
	blank := leadingBlank(text)
	if n := len(l.items); n > 0 {
		l.items[n-1].after += blank
	} else {
		l.head += blank
	}
	if text = text[len(blank):]; text != "" {
		after := trailingBlank(text)
		l.items = append(l.items, item{text: text[:len(text)-len(after)], after: after})
	}
}

func (s *side) readFile(path string, data []byte, sections []entryfile.Section) {
	if len(sections) != 1 || sections[0].Err != nil {
		s.broken[path] = true
		return
	}
	sec := &sections[0]
	s.entries[sec.ID] = &version{id: sec.ID, path: path, raw: data, entry: &sec.Entry, written: sec.Written}
	s.layouts[path] = layout{items: []item{{id: sec.ID}}}
}

// ids lists the entries in a fixed order.
func (s *side) ids() []string { return slices.Sorted(maps.Keys(s.entries)) }

// leave takes the entries of a file out of the side.
func (s *side) leave(path string) {
	maps.DeleteFunc(s.entries, func(_ string, v *version) bool { return v.path == path })
	delete(s.layouts, path)
}

// drop takes an entry out of the side, with the blank lines after it, or before
// it where it is the last.
func (s *side) drop(v *version) {
	l := s.layouts[v.path]
	i := slices.IndexFunc(l.items, func(it item) bool { return it.id == v.id })
	if i == len(l.items)-1 && i > 0 {
		l.items[i-1].after = l.items[i].after
	}
	l.items = slices.Delete(l.items, i, i+1)
	s.layouts[v.path] = l
	delete(s.entries, v.id)
}

// rename gives an entry another id.
func (s *side) rename(v *version, id string) {
	l := s.layouts[v.path]
	for i := range l.items {
		if l.items[i].id == v.id {
			l.items[i].id = id
		}
	}
	delete(s.entries, v.id)
	e := v.entry.Clone()
	e.ID = id
	v.id, v.entry, v.stale = id, &e, true
	s.entries[id] = v
}

// hides reports whether a section that cannot be read may be the entry: then
// its absence is no forgetting.
func (s *side) hides(v *version) bool {
	for _, raw := range s.opaque {
		if bytes.Contains(raw, []byte(v.id)) || bytes.Contains(raw, []byte(v.entry.Title)) {
			return true
		}
	}
	return false
}
