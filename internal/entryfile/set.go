package entryfile

import (
	"bytes"
	"maps"
	"slices"
)

// A Set is the entries of several files of one scope.
type Set struct {
	docs  map[string]*Document
	paths []string // sorted
	byID  map[string]place
}

type place struct {
	path  string
	index int
}

// Located is a section and the file it stands in.
type Located struct {
	Path string
	Section
}

// NewSet parses the files that hold entries and leaves the others out. An id
// that stands in several files stays with the first of them, by path; Identify
// knows better where it is given the version before.
func NewSet(files map[string][]byte) *Set {
	s := &Set{docs: map[string]*Document{}}
	for path, data := range files {
		if kind, ok := KindOf(path); ok {
			s.docs[path] = Parse(kind, path, data)
		}
	}
	s.paths = slices.Sorted(maps.Keys(s.docs))
	Identify(nil, s)
	return s
}

// Paths lists the files, sorted.
func (s *Set) Paths() []string { return s.paths }

// Document is the file at path, nil where there is none. After a change to it
// the Set finds entries where they were: make a new Set of the bytes.
func (s *Set) Document(path string) *Document { return s.docs[path] }

// All lists every section, by path and place, those with an Err among them.
func (s *Set) All() []Located {
	var all []Located
	for _, path := range s.paths {
		for _, section := range s.docs[path].Sections() {
			all = append(all, Located{path, section})
		}
	}
	return all
}

// Get finds an entry by its whole id.
func (s *Set) Get(id string) (Located, bool) {
	p, ok := s.byID[id]
	if !ok {
		return Located{}, false
	}
	section := s.at(p).Section
	section.Line = 1 + bytes.Count(s.docs[p.path].data[:section.Start], newline)
	return Located{p.path, section}, true
}

func (s *Set) at(p place) *section { return s.docs[p.path].sections[p.index] }

// unreadable lists the sections whose metadata cannot be read.
func (s *Set) unreadable() []place {
	var found []place
	for _, path := range s.paths {
		for i := range s.docs[path].sections {
			if s.docs[path].sections[i].Err != nil {
				found = append(found, place{path, i})
			}
		}
	}
	return found
}

func (s *Set) source(p place) string {
	return string(s.docs[p.path].Source(s.at(p).Section))
}
