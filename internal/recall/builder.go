package recall

import (
	"encoding/binary"
	"hash/fnv"
	"sort"
	"strings"
	"time"

	"gitvault/internal/entryfile"
)

// field says where in an entry a word stands.
type field uint8

const (
	bodyField field = iota
	titleField
	tagsField // tags, paths, and when a session was
	noteField // description, evidence, outcome
	fieldCount
)

const (
	maxFrequency = 63  // a word's count in one passage is kept up to here
	guessBytes   = 512 // of each text that an entry's language is told by
)

// A builder analyses files and collects what a segment holds. An entry is a
// head unit for its title, tags and description, and a unit a passage.
type builder struct {
	files   []fileRecord
	entries []entryRecord
	lengths []uint16 // words by unit; a head's is 0
	links   []link
	stored  [][]byte
	terms   map[string]*postings
	stems   map[string][]string
	texts   int // bytes of text taken in
}

type fileRecord struct {
	path, hash     string
	entries, units int
}

// An entryRecord is what filters and ranking need of an entry without reading
// its text.
type entryRecord struct {
	firstUnit uint32
	units     uint32
	words     uint32 // of the body
	head      [fieldCount]uint8
	kind      uint8 // index into entryfile.Kinds(), or unknownKind
	flags     uint8
	langs     languageSet
	id        uint64 // hash of the id
	changed   int64  // Unix seconds, 0 where unreadable
	expires   int64  // Unix seconds, 0 for never
	offset    uint64 // of the stored record
	size      uint32
}

const unknownKind = 255

const (
	flagPinned = 1 << iota
	flagOpen
	flagResolved
	flagConflict
)

// A link says that an entry supersedes another, by the hash of its id.
type link struct {
	entry      uint32
	superseded uint64
}

// postings are the places of one word, being collected: for each unit and
// field the number of times it occurs.
type postings struct {
	data  []byte
	n     uint32
	last  uint32 // unit of the last posting in data
	unit  uint32
	field field
	count uint32
	langs languageSet // languages its stem is known in
}

func (p *postings) add(unit uint32, f field) {
	if p.count > 0 && p.unit == unit && p.field == f {
		p.count++
		return
	}
	p.flush()
	p.unit, p.field, p.count = unit, f, 1
}

func (p *postings) flush() {
	if p.count == 0 {
		return
	}
	p.data = appendPosting(p.data, p.unit-p.last, p.field, min(p.count, maxFrequency))
	p.last = p.unit
	p.n++
	p.count = 0
}

func appendPosting(b []byte, delta uint32, f field, count uint32) []byte {
	b = binary.AppendUvarint(b, uint64(delta))
	return append(b, byte(f)<<6|byte(count))
}

func newBuilder() *builder {
	return &builder{terms: map[string]*postings{}, stems: map[string][]string{}}
}

// addFile takes in the entries of one file.
func (b *builder) addFile(path, hash string, entries []entryfile.Entry) {
	units := len(b.lengths)
	for i := range entries {
		b.addEntry(&entries[i])
	}
	b.files = append(b.files, fileRecord{path, hash, len(entries), len(b.lengths) - units})
}

func (b *builder) addEntry(e *entryfile.Entry) {
	rec := entryRecord{
		firstUnit: uint32(len(b.lengths)),
		kind:      kindNumber(e.Kind),
		id:        hashID(e.ID),
		changed:   unixTime(e.Changed()),
		expires:   expiry(e.Expires),
		langs:     languagesOf(e),
	}
	if e.Pinned {
		rec.flags |= flagPinned
	}
	switch e.Status {
	case entryfile.StatusOpen:
		rec.flags |= flagOpen
	case entryfile.StatusResolved:
		rec.flags |= flagResolved
	}
	if e.Conflict != "" {
		rec.flags |= flagConflict
	}
	for _, id := range e.Supersedes {
		b.links = append(b.links, link{uint32(len(b.entries)), hashID(id)})
	}
	rec.head[titleField] = uint8(min(255, b.addText(titleField, rec.langs, e.Title)))
	rec.head[tagsField] = uint8(min(255, b.addText(tagsField, rec.langs, labels(e))))
	rec.head[noteField] = uint8(min(255, b.addText(noteField, rec.langs, e.Description, e.Evidence, e.Outcome)))
	for _, tag := range e.Tags {
		b.occur(keyOfTag(tag), tagsField)
	}
	for _, p := range e.Paths {
		b.occur(keyOfPath(p), tagsField)
	}
	b.lengths = append(b.lengths, 0)

	ps := passages(e.Body, e.Kind == entryfile.SessionTrace)
	if e.Body == e.Title {
		ps = nil // the heading says it all
	}
	for _, p := range ps {
		n := b.addText(bodyField, rec.langs, e.Body[p.start:p.end])
		b.lengths = append(b.lengths, uint16(min(n, 1<<16-1)))
		rec.words += uint32(n)
	}
	rec.units = uint32(len(b.lengths)) - rec.firstUnit
	record := appendEntry(nil, e, ps)
	b.stored = append(b.stored, record)
	b.texts += len(record)
	b.entries = append(b.entries, rec)
}

// addText takes in text of the unit being built and returns its words.
func (b *builder) addText(f field, langs languageSet, texts ...string) int {
	words := 0
	for _, text := range texts {
		tokenize(text, func(t token) {
			p := b.occur(t.term, f)
			if missing := langs &^ p.langs; missing != 0 && t.plain != "" {
				b.addStems(p, t, missing)
			}
			if t.kind != partToken && t.kind != wholeToken {
				words++
			}
		})
	}
	return words
}

func (b *builder) occur(term string, f field) *postings {
	p := b.terms[term]
	if p == nil {
		p = &postings{}
		b.terms[strings.Clone(term)] = p
	}
	p.add(uint32(len(b.lengths)), f)
	return p
}

// addStems notes which other forms a word may be found by.
func (b *builder) addStems(p *postings, t token, langs languageSet) {
	p.langs |= langs
	if !stemmable(t.plain) {
		return
	}
	for i, l := range languages {
		if langs.has(i) {
			key := keyOfStem(l, l.stem(t.plain))
			b.stems[key] = append(b.stems[key], strings.Clone(t.term))
		}
	}
}

// labels is what a person would file an entry under: tags, the files it is
// about, and for a session when it was.
func labels(e *entryfile.Entry) string {
	var s strings.Builder
	for _, tag := range e.Tags {
		s.WriteString(tag + "\n")
	}
	for _, p := range e.Paths {
		s.WriteString(strings.TrimPrefix(keyOfPath(p), pathKey) + "\n")
	}
	if e.Kind == entryfile.SessionTrace {
		if t, ok := parseTime(e.Created); ok {
			s.WriteString(t.Format("2006-01-02 2 January 2006\n"))
		}
	}
	return s.String()
}

func languagesOf(e *entryfile.Entry) languageSet {
	var g languageGuess
	for _, text := range []string{e.Title, e.Description, e.Body} {
		tokenize(text[:min(len(text), guessBytes)], g.add)
	}
	return g.set()
}

func kindNumber(k entryfile.Kind) uint8 {
	for i, known := range entryfile.Kinds() {
		if k == known {
			return uint8(i)
		}
	}
	return unknownKind
}

func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}

func parseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func unixTime(s string) int64 {
	if t, ok := parseTime(s); ok {
		return t.Unix()
	}
	return 0
}

// expiry is when an entry is no longer offered: a bare date lasts to its end.
func expiry(s string) int64 {
	t, ok := parseTime(s)
	if !ok {
		return 0
	}
	if len(s) == len(time.DateOnly) {
		t = t.AddDate(0, 0, 1)
	}
	return t.Unix()
}

// sortedTerms closes all postings and lists the dictionary's keys in order.
func (b *builder) sortedTerms() []string {
	keys := make([]string, 0, len(b.terms)+len(b.stems))
	for k, p := range b.terms {
		p.flush()
		keys = append(keys, k)
	}
	for k, words := range b.stems {
		if stem := k[2:]; len(words) == 1 && words[0] == stem && language(k[1]).isOwnStem(stem) {
			continue
		}
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
