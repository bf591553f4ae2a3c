package recall

import (
	"encoding/binary"
	"io"
)

// A segment is an immutable file of the index:
//
//	magic
//	stored entries, each followed by its checksum
//	blocks of the dictionary: the long postings of some words, then the words
//	files, entries, lengths, links and block index, each followed by its checksum
//	footer: where those five are, its checksum, magic
//
// Everything read back is checksummed, so that damage is noticed where it is met.
const (
	segmentMagic = "vaultrecall\x00v2\n\x00"
	blockTerms   = 32 // words of a dictionary block
	inlineBytes  = 24 // postings up to this size stand in the block itself
	tableCount   = 5
	footerSize   = tableCount*16 + 4 + len(segmentMagic)
)

// A segmentWriter writes a segment from front to back: stored entries first,
// then words in order, then the tables.
type segmentWriter struct {
	w     io.Writer
	off   uint64
	err   error
	block []byte // entries of the dictionary block being filled
	posts []byte // its long postings
	n     int
	first string // first word of the block
	prev  string
	index []byte // of all blocks
	count uint64 // of blocks
}

func newSegmentWriter(w io.Writer) *segmentWriter {
	s := &segmentWriter{w: w}
	s.write([]byte(segmentMagic))
	return s
}

func (s *segmentWriter) write(b []byte) {
	if s.err != nil {
		return
	}
	_, s.err = s.w.Write(b)
	s.off += uint64(len(b))
}

// checked writes bytes with their checksum and returns where they are.
func (s *segmentWriter) checked(b []byte) (offset uint64, size uint32) {
	offset = s.off
	s.write(binary.LittleEndian.AppendUint32(b, checksum(b)))
	return offset, uint32(len(b))
}

// term adds a word of the dictionary. value holds n postings, or a stem's words.
func (s *segmentWriter) term(key string, n uint32, value []byte) {
	if s.n == 0 {
		s.first, s.prev = key, ""
	}
	shared := sharedPrefix(s.prev, key)
	s.block = binary.AppendUvarint(s.block, uint64(shared))
	s.block = appendString(s.block, key[shared:])
	s.block = binary.AppendUvarint(s.block, uint64(n))
	s.block = binary.AppendUvarint(s.block, uint64(len(value)))
	if len(value) <= inlineBytes {
		s.block = append(s.block, value...)
	} else {
		s.posts = append(s.posts, value...)
		s.posts = binary.LittleEndian.AppendUint32(s.posts, checksum(value))
	}
	s.prev = key
	if s.n++; s.n == blockTerms {
		s.endBlock()
	}
}

func (s *segmentWriter) endBlock() {
	if s.n == 0 {
		return
	}
	posts := s.off
	s.write(s.posts)
	_, size := s.checked(s.block)
	s.index = appendString(s.index, s.first)
	s.index = binary.AppendUvarint(s.index, posts)
	s.index = binary.AppendUvarint(s.index, uint64(len(s.posts)))
	s.index = binary.AppendUvarint(s.index, uint64(size))
	s.count++
	s.block, s.posts, s.n = s.block[:0], s.posts[:0], 0
}

func (s *segmentWriter) finish(t *tables) error {
	s.endBlock()
	blocks := append(binary.AppendUvarint(nil, s.count), s.index...)
	var footer []byte
	for _, table := range [tableCount][]byte{appendFiles(t.files), appendEntries(t.entries), appendLengths(t.lengths), appendLinks(t.links), blocks} {
		off, size := s.checked(table)
		footer = binary.LittleEndian.AppendUint64(footer, off)
		footer = binary.LittleEndian.AppendUint64(footer, uint64(size))
	}
	s.checked(footer)
	s.write([]byte(segmentMagic))
	return s.err
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// tables are the parts of a segment that are held in memory while it is open.
type tables struct {
	files   []fileRecord
	entries []entryRecord
	lengths []uint16
	links   []link
}

func appendFiles(files []fileRecord) []byte {
	b := binary.AppendUvarint(nil, uint64(len(files)))
	for _, f := range files {
		b = appendString(appendString(b, f.path), f.hash)
		b = binary.AppendUvarint(b, uint64(f.entries))
		b = binary.AppendUvarint(b, uint64(f.units))
	}
	return b
}

const entrySize = 4*3 + int(fieldCount) + 3 + 8*4 + 4

func appendEntries(entries []entryRecord) []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, len(entries)*entrySize+4)
	for _, e := range entries {
		b = le.AppendUint32(b, e.firstUnit)
		b = le.AppendUint32(b, e.units)
		b = le.AppendUint32(b, e.words)
		b = append(b, e.head[:]...)
		b = append(b, e.kind, e.flags, byte(e.langs))
		b = le.AppendUint64(b, e.id)
		b = le.AppendUint64(b, uint64(e.changed))
		b = le.AppendUint64(b, uint64(e.expires))
		b = le.AppendUint64(b, e.offset)
		b = le.AppendUint32(b, e.size)
	}
	return b
}

func appendLengths(lengths []uint16) []byte {
	b := make([]byte, 0, len(lengths)*2+4)
	for _, n := range lengths {
		b = binary.LittleEndian.AppendUint16(b, n)
	}
	return b
}

func appendLinks(links []link) []byte {
	b := binary.AppendUvarint(nil, uint64(len(links)))
	for _, l := range links {
		b = binary.AppendUvarint(b, uint64(l.entry))
		b = binary.LittleEndian.AppendUint64(b, l.superseded)
	}
	return b
}

// write puts what was collected into a segment.
func (b *builder) write(w io.Writer) error {
	s := newSegmentWriter(w)
	for i, record := range b.stored {
		b.entries[i].offset, b.entries[i].size = s.checked(record)
	}
	for _, key := range b.sortedTerms() {
		if p := b.terms[key]; p != nil {
			s.term(key, p.n, p.data)
			continue
		}
		s.term(key, 0, appendStrings(nil, b.stems[key]))
	}
	return s.finish(&tables{b.files, b.entries, b.lengths, b.links})
}
