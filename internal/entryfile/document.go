package entryfile

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"strings"
)

// A Document is an authored file: the entries in it, and every byte around
// them. It is not safe for use by several goroutines while one changes it.
type Document struct {
	kind     Kind
	path     string
	data     []byte
	eol      string     // what ends the lines that are written
	sections []*section // shared with copies and with what was read before: see own
	byID     map[string]int
	parsed   []byte // what Parse read: data, until an edit puts other bytes there
}

// A Section is an entry where it stands in its file.
type Section struct {
	Entry
	Line       int   // of the heading or the front matter, from 1
	Start, End int   // the bytes of the entry, without blank lines around it
	Written    bool  // the id stands in the file, and is this entry's alone
	Err        error // why the comment or front matter cannot be read: then this is no entry to offer
}

// section is a Section with the places of its parts.
type section struct {
	Section
	heading span // the heading line
	meta    span // the comment's line, or the front matter with its fences; empty without one
	body    span // the body as it is written, without its last line end
	form    bodyForm
	next    int // where what follows begins: a heading, or the end of the file
	rawID   string
	front   []line // the lines of front matter, where they can be changed one by one
}

// Parse reads a file of entries of one kind. It takes any bytes and keeps
// them: Bytes returns data. The path names the file in errors and gives a file
// without any title its title. Data must not change while the Document lives.
func Parse(kind Kind, path string, data []byte) *Document {
	d := &Document{kind: kind, path: path, data: data[:len(data):len(data)], eol: lineEnd(data)}
	if kind.IsLedger() {
		d.parseLedger()
	} else {
		d.parseFile()
	}
	d.assignIDs(0)
	d.parsed = d.data
	return d
}

// Edited reports whether the file has changed since it was parsed.
func (d *Document) Edited() bool { return !same(d.data, d.parsed) }

// own makes section i this document's alone, to be changed in place.
func (d *Document) own(i int) *section {
	s := *d.sections[i]
	d.sections[i] = &s
	return &s
}

// ownAll is own for all sections.
func (d *Document) ownAll() {
	slab := make([]section, len(d.sections))
	for i, s := range d.sections {
		slab[i] = *s
		d.sections[i] = &slab[i]
	}
}

// Clone is a copy that can be changed on its own.
func (d *Document) Clone() *Document {
	out := *d
	out.sections = slices.Clone(d.sections)
	out.byID = maps.Clone(d.byID)
	return &out
}

// lineEnd is the line end of a file, by its first line.
func lineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Bytes is the file as it stands, with the changes made.
func (d *Document) Bytes() []byte { return d.data[:len(d.data):len(d.data)] }

// Kind is the kind of all entries in the file.
func (d *Document) Kind() Kind { return d.kind }

// Path is the file's path within its scope.
func (d *Document) Path() string { return d.path }

// Len is the number of sections.
func (d *Document) Len() int { return len(d.sections) }

// Sections lists the entries in file order. Those with an Err are among them.
func (d *Document) Sections() []Section {
	return slices.AppendSeq(make([]Section, 0, len(d.sections)), d.All())
}

// All gives the entries as Sections lists them, one after another; the document
// must not change meanwhile.
func (d *Document) All() iter.Seq[Section] {
	return func(yield func(Section) bool) {
		line, at := 1, 0
		for i := range d.sections {
			s := d.sections[i].Section
			line += bytes.Count(d.data[at:s.Start], newline)
			at = s.Start
			s.Line = line
			if !yield(s) {
				return
			}
		}
	}
}

// WrittenIDs lists the ids that stand in the file as they stand there, each with
// the line of its entry; the same one may come more than once.
func (d *Document) WrittenIDs() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		line, at := 1, 0
		for i := range d.sections {
			s := d.sections[i]
			line += bytes.Count(d.data[at:s.Start], newline)
			at = s.Start
			if s.Err == nil && s.rawID != "" && !yield(s.rawID, line) {
				return
			}
		}
	}
}

// Says reports whether two documents have the same entries in the same order,
// however they are written. Of entries that can't be read only their place
// counts.
func (d *Document) Says(other *Document) bool {
	return slices.EqualFunc(d.sections, other.sections, func(a, b *section) bool {
		return a == b || a.Err != nil && b.Err != nil || a.Equal(b.Entry)
	})
}

// Get finds an entry by its whole id.
func (d *Document) Get(id string) (Section, bool) {
	i, ok := d.byID[id]
	if !ok {
		return Section{}, false
	}
	s := d.sections[i].Section
	s.Line = 1 + bytes.Count(d.data[:s.Start], newline)
	return s, true
}

// Source is the text of a section as it stands in the file.
func (d *Document) Source(s Section) []byte { return d.data[s.Start:s.End] }

var newline = []byte("\n")

func (d *Document) parseLedger() {
	data, skipped := trimBOM(d.data)
	heads := topHeadings(data)
	text := string(d.data)
	n := 0
	for _, h := range heads {
		if h.level == 2 {
			n++
		}
	}
	slab := make([]section, 0, n) // never grows
	d.sections = make([]*section, 0, n)
	for i := 0; i < len(heads); i++ {
		h := heads[i]
		if h.level != 2 {
			continue
		}
		next := len(data)
		for j := i + 1; j < len(heads); j++ {
			if heads[j].level <= 2 {
				next = heads[j].start
				break
			}
			i = j
		}
		slab = append(slab, section{heading: span{h.start + skipped, h.end + skipped}, next: next + skipped})
		s := &slab[len(slab)-1]
		d.parseSection(s, text)
		d.sections = append(d.sections, s)
	}
}

// parseSection reads the entry under the heading of s.
func (d *Document) parseSection(s *section, text string) {
	heading, next := s.heading, s.next
	s.meta = span{heading.end, heading.end}
	s.Kind = d.kind
	s.Start = heading.start
	s.Title = readTitle(headingText(d.data[heading.start:heading.end]))
	at := heading.end
	for at < next {
		end := lineAfter(d.data, at, next)
		if isBlank(d.data[at:end]) {
			at = end
			continue
		}
		if isVaultComment(d.data[at:end]) {
			s.meta = span{at, end}
		}
		break
	}
	if s.meta.end > s.meta.start {
		title := s.Title
		s.Title = ""
		s.form, s.Err = readComment(&s.Entry, text[s.meta.start:s.meta.end])
		if strings.Trim(s.Title, " \t\r\n") != title {
			s.Title = title
		}
		s.rawID = s.ID
	}
	s.body = trimSpan(d.data, span{s.meta.end, next})
	s.End = max(s.heading.end, s.meta.end)
	if s.body.end > s.body.start {
		s.End = lineAfter(d.data, s.body.end, next)
		s.Body = text[s.body.start:s.body.end]
		if s.form != plain {
			s.Body = TrimBody(decodeBody(s.Body, s.form))
		}
	}
	s.complete(d.path)
}

// complete fills in what an entry leaves out.
func (s *section) complete(path string) {
	if s.Title == "" {
		s.Title = DefaultTitle(s.Body)
	}
	if s.Title == "" {
		s.Title = titleOfPath(path)
	}
	if s.Body == "" {
		s.Body = s.Title
	}
}

// titleOfPath makes a title of a file's name.
func titleOfPath(path string) string {
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
	if i := strings.LastIndexByte(name, '-'); i > 0 && ValidID(name[i+1:]) {
		name = name[:i]
	}
	if name = oneLine(strings.NewReplacer("-", " ", "_", " ").Replace(name)); name != "" {
		return name
	}
	return "Untitled"
}

// lineAfter is where the line that holds at ends, its line end included.
func lineAfter(data []byte, at, limit int) int {
	if i := bytes.IndexByte(data[at:limit], '\n'); i >= 0 {
		return at + i + 1
	}
	return limit
}

// trimSpan is TrimBody for a part of data. Where nothing is left, the span is
// empty and at the start.
func trimSpan(data []byte, s span) span {
	empty := span{s.start, s.start}
	for s.start < s.end {
		end := lineAfter(data, s.start, s.end)
		if !isBlank(data[s.start:end]) {
			break
		}
		s.start = end
	}
	if s.start == s.end {
		return empty
	}
	end := s.end
	for end > s.start && isSpace(data[end-1]) {
		end--
		if data[end] == '\n' {
			s.end = end
		}
	}
	for s.end > s.start && data[s.end-1] == '\r' {
		s.end--
	}
	return s
}

// assignIDs gives an id to each section that has none of its own. The first so
// many sections are shared.
func (d *Document) assignIDs(shared int) {
	d.byID = make(map[string]int, len(d.sections))
	for i, s := range d.sections {
		written := false
		if s.Err == nil && s.rawID != "" {
			if _, taken := d.byID[s.rawID]; !taken {
				d.byID[s.rawID] = i
				written = true
			}
		}
		if s.Written == written && (!written || s.ID == s.rawID) {
			continue
		}
		if i < shared {
			s = d.own(i)
		}
		s.Written = written
		if written {
			s.ID = s.rawID
		}
	}
	free := derivedIDs{taken: func(id string) bool { _, taken := d.byID[id]; return taken }}
	for i, s := range d.sections {
		if s.Written {
			continue
		}
		id := s.rawID
		if s.Err == nil {
			id = free.next(s.Entry)
			d.byID[id] = i
		}
		if s.ID == id {
			continue
		}
		if i < shared {
			s = d.own(i)
		}
		s.ID = id
	}
}

// derivedFrom is the text that a derived id of e is made from.
func derivedFrom(e Entry) string { return e.Title + "\n" + e.Body }

// derivedIDs gives out derived ids that are not taken.
type derivedIDs struct {
	taken func(id string) bool
	used  map[string]int // how many occurrences of a text had one
}

func (d *derivedIDs) next(e Entry) string {
	if d.used == nil {
		d.used = map[string]int{}
	}
	text := derivedFrom(e)
	key := string(e.Kind) + " " + text
	for {
		id := DerivedID(e.Kind, text, d.used[key])
		d.used[key]++
		if !d.taken(id) {
			return id
		}
	}
}
