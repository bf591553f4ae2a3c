package recall

import (
	"encoding/binary"
	"io"
	"sort"

	"gitvault/internal/entryfile"
)

// A segment is an open one: its tables in memory, the rest read as needed.
type segment struct {
	tables
	name   string // of its file, "" in memory
	r      io.ReaderAt
	close  func() error
	blocks []blockRef
	live   []bool   // by file: whether the caller has this version of it
	unitOf []uint32 // entry by unit
}

type blockRef struct {
	first string
	off   int64 // of the long postings; the block follows them
	posts int
	size  int
}

// openSegment reads the tables of a segment.
func openSegment(r io.ReaderAt, size int64) (*segment, error) {
	if size < int64(len(segmentMagic)+footerSize) {
		return nil, errDamaged
	}
	footer := make([]byte, footerSize)
	if _, err := r.ReadAt(footer, size-int64(footerSize)); err != nil {
		return nil, errDamaged
	}
	n := tableCount * 16
	if string(footer[n+4:]) != segmentMagic || binary.LittleEndian.Uint32(footer[n:]) != checksum(footer[:n]) {
		return nil, errDamaged
	}
	var parts [tableCount][]byte
	for i := range parts {
		off, length := binary.LittleEndian.Uint64(footer[i*16:]), binary.LittleEndian.Uint64(footer[i*16+8:])
		if off > uint64(size) || length > uint64(size)-off {
			return nil, errDamaged
		}
		part, err := readChecked(r, int64(off), int(length))
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	s := &segment{r: r}
	if err := s.readTables(parts); err != nil {
		return nil, err
	}
	return s, nil
}

func readChecked(r io.ReaderAt, off int64, size int) ([]byte, error) {
	b := make([]byte, size+4)
	if _, err := r.ReadAt(b, off); err != nil {
		return nil, errDamaged
	}
	if binary.LittleEndian.Uint32(b[size:]) != checksum(b[:size]) {
		return nil, errDamaged
	}
	return b[:size:size], nil
}

func (s *segment) readTables(parts [tableCount][]byte) error {
	le := binary.LittleEndian
	r := reader{b: parts[0]}
	s.files = make([]fileRecord, r.count(4))
	entries, units := 0, 0
	for i := range s.files {
		s.files[i] = fileRecord{r.string(), r.string(), int(uint32(r.uvarint())), int(uint32(r.uvarint()))}
		entries += s.files[i].entries
		units += s.files[i].units
	}
	if r.failed || entries*entrySize != len(parts[1]) || units*2 != len(parts[2]) {
		return errDamaged
	}
	s.entries = make([]entryRecord, entries)
	s.unitOf = make([]uint32, units)
	next := uint32(0)
	for i, b := 0, parts[1]; i < entries; i, b = i+1, b[entrySize:] {
		e := &s.entries[i]
		e.firstUnit, e.units, e.words = le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])
		copy(e.head[:], b[12:])
		c := b[12+fieldCount:]
		e.kind, e.flags, e.langs = c[0], c[1], languageSet(c[2])
		c = c[3:]
		e.id, e.changed, e.expires, e.offset = le.Uint64(c), int64(le.Uint64(c[8:])), int64(le.Uint64(c[16:])), le.Uint64(c[24:])
		e.size = le.Uint32(c[32:])
		if e.firstUnit != next || e.units == 0 || uint64(next)+uint64(e.units) > uint64(units) {
			return errDamaged
		}
		next += e.units
		for u := e.firstUnit; u < next; u++ {
			s.unitOf[u] = uint32(i)
		}
	}
	if int(next) != units {
		return errDamaged
	}
	s.lengths = make([]uint16, units)
	for i := range s.lengths {
		s.lengths[i] = le.Uint16(parts[2][i*2:])
	}
	return s.readRest(parts)
}

func (s *segment) readRest(parts [tableCount][]byte) error {
	r := reader{b: parts[3]}
	s.links = make([]link, r.count(9))
	for i := range s.links {
		s.links[i].entry = uint32(r.uvarint())
		if len(r.b) < 8 || int(s.links[i].entry) >= len(s.entries) {
			return errDamaged
		}
		s.links[i].superseded = binary.LittleEndian.Uint64(r.b)
		r.b = r.b[8:]
	}
	if r.failed {
		return errDamaged
	}
	r = reader{b: parts[4]}
	s.blocks = make([]blockRef, r.count(4))
	for i := range s.blocks {
		s.blocks[i] = blockRef{r.string(), int64(r.uvarint()), int(r.uvarint()), int(r.uvarint())}
		if b := s.blocks[i]; b.off < 0 || b.posts < 0 || b.size < 0 || b.posts > 1<<31 || b.size > 1<<31 {
			return errDamaged
		}
	}
	if r.failed {
		return errDamaged
	}
	return nil
}

// A dictEntry is a word of the dictionary and where its value is.
type dictEntry struct {
	key    string
	n      uint32
	inline []byte // the value, where it is short
	off    int64
	size   int
}

// scan calls fn for the dictionary's keys from the first one that is not
// before from, in order, until fn returns false.
func (s *segment) scan(from string, fn func(dictEntry) bool) error {
	i := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].first > from })
	for i = max(i-1, 0); i < len(s.blocks); i++ {
		b := s.blocks[i]
		raw, err := readChecked(s.r, b.off+int64(b.posts), b.size)
		if err != nil {
			return err
		}
		r := reader{b: raw}
		key, off := "", b.off
		for len(r.b) > 0 {
			shared := r.uvarint()
			if shared > uint64(len(key)) {
				return errDamaged
			}
			key = key[:shared] + string(r.bytes())
			e := dictEntry{key: key, n: uint32(r.uvarint())}
			size := r.uvarint()
			if size > inlineBytes {
				e.off, e.size = off, int(size)
				off += int64(size) + 4
			} else if size <= uint64(len(r.b)) {
				e.inline, r.b = r.b[:size], r.b[size:]
			} else {
				r.failed = true
			}
			if r.failed || off > b.off+int64(b.posts) {
				return errDamaged
			}
			if key >= from && !fn(e) {
				return nil
			}
		}
	}
	return nil
}

// find looks one key up.
func (s *segment) find(key string) (e dictEntry, ok bool, err error) {
	err = s.scan(key, func(d dictEntry) bool {
		e, ok = d, d.key == key
		return false
	})
	return e, ok, err
}

func (s *segment) value(e dictEntry) ([]byte, error) {
	if e.size == 0 {
		return e.inline, nil
	}
	return readChecked(s.r, e.off, e.size)
}

// A posting is a place of a word.
type posting struct {
	unit  uint32
	field field
	count uint8
}

// postings decodes the places of a word.
func (s *segment) postings(e dictEntry) ([]posting, error) {
	b, err := s.value(e)
	if err != nil {
		return nil, err
	}
	if int(e.n) > len(b)/2 {
		return nil, errDamaged
	}
	r := reader{b: b}
	list := make([]posting, e.n)
	unit := uint64(0)
	for i := range list {
		unit += r.uvarint()
		c := r.byte()
		if unit >= uint64(len(s.lengths)) {
			return nil, errDamaged
		}
		list[i] = posting{uint32(unit), field(c >> 6), c & maxFrequency}
	}
	if r.failed || len(r.b) > 0 {
		return nil, errDamaged
	}
	return list, nil
}

// forms lists the words of a stem's dictionary entry.
func (s *segment) forms(e dictEntry) ([]string, error) {
	b, err := s.value(e)
	if err != nil {
		return nil, err
	}
	r := reader{b: b}
	list := r.strings()
	if r.failed {
		return nil, errDamaged
	}
	return list, nil
}

func (s *segment) entry(i int) (entryfile.Entry, []passage, error) {
	e := s.entries[i]
	if e.size > 64<<20 {
		return entryfile.Entry{}, nil, errDamaged
	}
	b, err := readChecked(s.r, int64(e.offset), int(e.size))
	if err != nil {
		return entryfile.Entry{}, nil, err
	}
	return readEntry(b)
}
