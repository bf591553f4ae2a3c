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
//     its body or its title, has that one's id. So has the entry in a file of
//     its own, where that file's entry is missing.
//   - Any other entry gets a derived id.
//
// Entries whose metadata cannot be read get none. Written is set where the id
// stands in the file as it should.
func Identify(head, saved *Set) {
	if head == nil {
		head = &Set{}
	}
	m := matcher{head: head, saved: saved, taken: make(map[string]place, len(head.byID))}
	m.writtenIDs()
	m.findMissing()
	m.recognise()
	m.moves()
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
	known       lookup           // missing entries by what they say
}

func (m *matcher) section(p place) *section { return m.saved.at(p) }

func (m *matcher) give(p place, id string) {
	s := m.section(p)
	s.ID = id
	s.Written = s.rawID == id
	m.taken[id] = p
}

// writtenIDs gives each id that stands in a file to one of its places.
func (m *matcher) writtenIDs() {
	var copies map[string][]place
	for _, path := range m.saved.paths {
		m.saved.docs[path].ownAll()
		for i := range m.saved.docs[path].sections {
			p := place{path, i}
			s := m.section(p)
			s.ID, s.Written = "", false
			if s.Err != nil || s.rawID == "" {
				continue
			}
			if first, twice := m.taken[s.rawID]; twice {
				if copies == nil {
					copies = map[string][]place{}
				}
				if copies[s.rawID] == nil {
					copies[s.rawID] = []place{first}
				}
				copies[s.rawID] = append(copies[s.rawID], p)
				continue
			}
			m.taken[s.rawID] = p
		}
	}
	for id, places := range copies {
		m.taken[id] = m.original(id, places)
	}
	for id, p := range m.taken {
		m.give(p, id)
	}
	for _, path := range m.saved.paths {
		for i := range m.saved.docs[path].sections {
			if s := m.section(place{path, i}); s.Err == nil && s.ID == "" {
				m.open = append(m.open, place{path, i})
			}
		}
	}
}

// original picks the copy that is in head's place: in the same file, next to
// the same neighbours, saying the same; the first of these.
func (m *matcher) original(id string, copies []place) place {
	was, known := m.head.byID[id]
	if !known {
		return copies[0]
	}
	original := m.head.at(was)
	before, after := neighbours(m.head, was, func(s *section) string { return s.ID })
	best, bestScore := copies[0], -1
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
			if sameText(m.section(p), original) {
				score++
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
		before = id(sections[p.index-1])
	}
	if p.index+1 < len(sections) {
		after = id(sections[p.index+1])
	}
	return before, after
}

// findMissing finds the ids of head that saved has nowhere. One whose metadata
// cannot be read any more is not missing.
func (m *matcher) findMissing() {
	m.missing = map[string]bool{}
	for id := range m.head.byID {
		if _, there := m.taken[id]; !there {
			m.missing[id] = true
		}
	}
	if len(m.missing) == 0 {
		return
	}
	before := map[string]bool{}
	for _, p := range m.head.unreadable() {
		before[m.head.source(p)] = true
	}
	for _, p := range m.saved.unreadable() {
		if !before[m.saved.source(p)] {
			delete(m.missing, m.behind(p))
		}
	}
}

// behind finds out which missing entry a section is whose metadata cannot be
// read: by the id if that much can be read, else by what it says.
func (m *matcher) behind(p place) string {
	s := m.section(p)
	meta := m.saved.docs[p.path].data[s.meta.start:s.meta.end]
	if _, rest, ok := strings.Cut(string(meta), "id:"); ok {
		rest = strings.TrimLeft(rest, " \t\"'")
		if len(rest) >= IDLength && m.missing[rest[:IDLength]] {
			return rest[:IDLength]
		}
	}
	for look := sayingTheSame; look <= sameFile; look++ {
		for near := range reach {
			if id := m.find(p, s, look, near); id != "" {
				return id
			}
		}
	}
	return ""
}

// moves finds entries that were copied, the copy written down with a derived
// id, and the original taken out since.
func (m *matcher) moves() {
	if len(m.missing) == 0 {
		return
	}
	byTitle := map[string][]string{}
	for _, id := range m.missingInOrder() {
		title := m.head.at(m.head.byID[id]).Title
		byTitle[title] = append(byTitle[title], id)
	}
	for _, path := range m.saved.paths {
		for i := range m.saved.docs[path].sections {
			p := place{path, i}
			s := m.section(p)
			was, known := m.head.byID[s.ID]
			if !known || s.Err != nil || !sameText(s, m.head.at(was)) {
				continue
			}
			for _, id := range byTitle[s.Title] {
				if m.missing[id] && sameText(s, m.head.at(m.head.byID[id])) && isDerived(s) {
					delete(m.taken, s.ID)
					delete(m.missing, id)
					m.give(p, id)
					break
				}
			}
		}
	}
}

func sameText(a, b *section) bool { return a.Title == b.Title && a.Body == b.Body }

// isDerived reports whether the id of a section was made from what it says.
func isDerived(s *section) bool {
	for n := range 4 {
		if DerivedID(s.Kind, derivedFrom(s.Entry), n) == s.ID {
			return true
		}
	}
	return false
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

// recognise gives missing ids to the entries without one, the surest first: a
// mere likeness takes no id away from an entry that says the same, nor one far
// off from one in its place.
func (m *matcher) recognise() {
	for look := sayingTheSame; look <= sameFile; look++ {
		for near := range reach {
			if len(m.missing) == 0 {
				return
			}
			m.recogniseBy(look, near)
		}
	}
}

func (m *matcher) recogniseBy(look likeness, near int) {
	var open []place
	for _, p := range m.open {
		id := ""
		if s := m.section(p); s.rawID == "" || look == sayingTheSame {
			id = m.find(p, s, look, near)
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

// find returns the first missing entry that the section is like.
func (m *matcher) find(p place, s *section, look likeness, near int) string {
	if m.known == nil {
		m.known = lookup{}
		for _, id := range m.missingInOrder() {
			m.known.add(id, m.head.byID[id].path, m.head.at(m.head.byID[id]))
		}
	}
	return m.known.find(m.missing, look, near, p.path, s)
}

// derive gives the rest ids made from what they say.
func (m *matcher) derive() {
	var s *section
	free := derivedIDs{taken: func(id string) bool {
		_, taken := m.taken[id]
		return taken || m.missing[id] && !sameText(s, m.head.at(m.head.byID[id]))
	}}
	for _, p := range m.open {
		s = m.section(p)
		m.give(p, free.next(s.Entry))
	}
}

// index makes the document find its sections by the ids they have now.
func (d *Document) index() {
	clear(d.byID)
	for i := range d.sections {
		if d.sections[i].Err == nil {
			d.byID[d.sections[i].ID] = i
		}
	}
}
