package entryfile

import "strings"

// Identify gives every entry of saved its id, so that what a person moved,
// copied or edited by hand stays the entry it was at head. It is a pure
// function of the two sets; a nil head is an empty one. For each entry:
//
//   - An id that stands in one place is that entry's.
//   - An id that stands in several is that of the copy in head's place; the
//     others get derived ids.
//   - A copy that was given a derived id before gets the id of what it was
//     copied from once that is gone: the copy was one half of a move.
//   - An entry without an id that says the same as one that is missing, or has
//     its body or its title, has that one's id.
//   - Any other entry gets a derived id.
//
// Entries whose metadata cannot be read get none. Written is set where the id
// stands in the file as it should.
func Identify(head, saved *Set) {
	m := matcher{head: head, saved: saved, taken: map[string]place{}, missing: map[string]bool{}}
	if head == nil {
		m.head = &Set{}
	}
	m.writtenIDs()
	m.findMissing()
	m.moves()
	m.sameText()
	m.derive()
	saved.byID = m.taken
	for _, path := range saved.paths {
		saved.docs[path].index()
	}
}

type matcher struct {
	head, saved *Set
	taken       map[string]place // ids given in saved
	missing     map[string]bool  // ids of head that are nowhere in saved
	open        []place          // entries of saved without an id yet, in order
}

func (m *matcher) section(p place) *section { return &m.saved.docs[p.path].sections[p.index] }

func (m *matcher) give(p place, id string) {
	s := m.section(p)
	s.ID = id
	s.Written = s.rawID == id
	m.taken[id] = p
}

// writtenIDs gives each id that stands in a file to one of its places.
func (m *matcher) writtenIDs() {
	places := map[string][]place{}
	var order []place
	for _, path := range m.saved.paths {
		for i := range m.saved.docs[path].sections {
			s := &m.saved.docs[path].sections[i]
			s.ID, s.Written = "", false
			if s.Err != nil {
				continue
			}
			p := place{path, i}
			order = append(order, p)
			if s.rawID != "" {
				places[s.rawID] = append(places[s.rawID], p)
			}
		}
	}
	for _, p := range order {
		id := m.section(p).rawID
		if id == "" {
			continue
		}
		if _, done := m.taken[id]; !done {
			m.give(m.original(id, places[id]), id)
		}
	}
	for _, p := range order {
		if m.section(p).ID == "" {
			m.open = append(m.open, p)
		}
	}
}

// original picks the copy that is in head's place: in the same file, next to
// the same neighbours; the first of these.
func (m *matcher) original(id string, copies []place) place {
	best, bestScore := copies[0], -1
	was, known := m.head.byID[id]
	if !known || len(copies) == 1 {
		return best
	}
	before, after := neighbours(m.head, was, func(s *section) string { return s.ID })
	for _, p := range copies {
		score := 0
		if p.path == was.path {
			score = 1
			b, a := neighbours(m.saved, p, func(s *section) string { return s.rawID })
			if b == before {
				score += 2
			}
			if a == after {
				score += 2
			}
		}
		if score > bestScore {
			best, bestScore = p, score
		}
	}
	return best
}

func neighbours(s *Set, p place, id func(*section) string) (before, after string) {
	sections := s.docs[p.path].sections
	if p.index > 0 {
		before = id(&sections[p.index-1])
	}
	if p.index+1 < len(sections) {
		after = id(&sections[p.index+1])
	}
	return before, after
}

// findMissing finds the ids of head that saved has nowhere. One that stands in
// metadata which cannot be read is not missing.
func (m *matcher) findMissing() {
	for id := range m.head.byID {
		if _, there := m.taken[id]; !there {
			m.missing[id] = true
		}
	}
	if len(m.missing) == 0 {
		return
	}
	for _, path := range m.saved.paths {
		d := m.saved.docs[path]
		for i := range d.sections {
			s := &d.sections[i]
			if s.Err == nil {
				continue
			}
			if id := m.unreadable(path, s, string(d.data[s.meta.start:s.meta.end])); id != "" {
				delete(m.missing, id)
			}
		}
	}
}

// unreadable finds out which missing entry a section is whose metadata cannot
// be read.
func (m *matcher) unreadable(path string, s *section, meta string) string {
	if _, rest, ok := strings.Cut(meta, "id:"); ok {
		rest = strings.TrimLeft(rest, " \t\"'")
		if len(rest) >= IDLength && m.missing[rest[:IDLength]] {
			return rest[:IDLength]
		}
	}
	return m.match(place{path: path}, s)
}

// moves finds entries that were copied, the copy written down with a derived
// id, and the original taken out since.
func (m *matcher) moves() {
	for _, id := range m.missingInOrder() {
		was := m.head.at(id)
		text := was.Title + "\n" + was.Body
		for _, kind := range Kinds() {
			for n := range 4 {
				copyID := DerivedID(kind, text, n)
				p, there := m.taken[copyID]
				if !there || !m.missing[id] {
					continue
				}
				s := m.section(p)
				if _, known := m.head.byID[copyID]; known && sameText(&s.Entry, &was.Entry) && sameText(&m.head.at(copyID).Entry, &was.Entry) {
					delete(m.taken, copyID)
					delete(m.missing, id)
					m.give(p, id)
				}
			}
		}
	}
}

func sameText(a, b *Entry) bool { return a.Title == b.Title && a.Body == b.Body }

func (s *Set) at(id string) *section {
	p := s.byID[id]
	return &s.docs[p.path].sections[p.index]
}

// missingInOrder lists the missing ids in the order of head.
func (m *matcher) missingInOrder() []string {
	var ids []string
	for _, path := range m.head.paths {
		for i := range m.head.docs[path].sections {
			if id := m.head.docs[path].sections[i].ID; m.missing[id] {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// sameText gives missing ids to entries without one that say the same.
func (m *matcher) sameText() {
	for _, strict := range []bool{true, false} {
		var open []place
		for _, p := range m.open {
			s := m.section(p)
			id := ""
			if s.rawID == "" && len(m.missing) > 0 {
				if strict {
					id = m.exact(p, s)
				} else {
					id = m.match(p, s)
				}
			}
			if id == "" {
				open = append(open, p)
				continue
			}
			delete(m.missing, id)
			m.give(p, id)
		}
		m.open = open
	}
}

func (m *matcher) exact(p place, s *section) string {
	return m.find(p, s, func(was *section) bool { return sameText(&s.Entry, &was.Entry) })
}

// match finds the missing entry that a section without readable metadata most
// likely is.
func (m *matcher) match(p place, s *section) string {
	if id := m.exact(p, s); id != "" {
		return id
	}
	if s.Body != s.Title {
		if id := m.find(p, s, func(was *section) bool { return s.Body == was.Body }); id != "" {
			return id
		}
	}
	if id := m.find(p, s, func(was *section) bool { return s.Title == was.Title }); id != "" {
		return id
	}
	if !s.Kind.IsLedger() {
		return m.find(p, s, func(was *section) bool { return m.head.byID[was.ID].path == p.path })
	}
	return ""
}

// find returns the first missing entry for which same holds: of the same file
// first, then of the same kind, then any.
func (m *matcher) find(p place, s *section, same func(*section) bool) string {
	found, bestRank := "", 0
	for _, id := range m.missingInOrder() {
		was := m.head.at(id)
		rank := 1
		if was.Kind == s.Kind {
			rank++
		}
		if m.head.byID[id].path == p.path {
			rank++
		}
		if rank > bestRank && same(was) {
			found, bestRank = id, rank
		}
	}
	return found
}

// derive gives the rest ids made from what they say.
func (m *matcher) derive() {
	for _, p := range m.open {
		m.give(p, freeID(m.section(p).Entry, func(id string) bool {
			_, taken := m.taken[id]
			return taken || m.missing[id]
		}))
	}
}

// index makes the document find its sections by the ids they have now.
func (d *Document) index() {
	d.byID = make(map[string]int, len(d.sections))
	for i := range d.sections {
		if d.sections[i].Err == nil {
			d.byID[d.sections[i].ID] = i
		}
	}
}
