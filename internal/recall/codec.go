package recall

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sync"

	"gitvault/internal/entryfile"
)

// errDamaged says that bytes of the index are not what was written. The index
// is rebuilt where that happens; callers of the package never see it.
var errDamaged = errors.New("the recall index is damaged")

// castagnoli is made when it is first needed: it costs a quarter of a
// millisecond, which a command that recalls nothing need not pay.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli()) }

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

// A reader takes values off a byte slice. After a failure it returns zeros and
// failed stays true, so that a record is checked once, at its end.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.failed = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.failed, r.b = true, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) string() string { return string(r.bytes()) }

func (r *reader) strings() []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.string()
	}
	return list
}

// count reads how many records follow, each of at least size bytes.
func (r *reader) count(size int) int {
	n := r.uvarint()
	if n > uint64(len(r.b)/size) {
		r.failed, r.b = true, nil
		return 0
	}
	return int(n)
}

// appendEntry writes an entry with its passages as the index keeps it.
func appendEntry(b []byte, e *entryfile.Entry, ps []passage) []byte {
	for _, s := range entryStrings(e) {
		b = appendString(b, *s)
	}
	for _, l := range entryLists(e) {
		b = appendStrings(b, *l)
	}
	pinned := byte(0)
	if e.Pinned {
		pinned = 1
	}
	b = append(b, pinned)
	b = binary.AppendUvarint(b, uint64(len(e.Extra)))
	for _, f := range e.Extra {
		b = appendString(appendString(b, f.Key), f.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(ps)))
	last := 0
	for _, p := range ps {
		b = binary.AppendUvarint(b, uint64(p.start-last))
		b = binary.AppendUvarint(b, uint64(p.end-p.start))
		last = p.end
	}
	return b
}

func readEntry(b []byte) (entryfile.Entry, []passage, error) {
	r := reader{b: b}
	var e entryfile.Entry
	for _, s := range entryStrings(&e) {
		*s = r.string()
	}
	for _, l := range entryLists(&e) {
		*l = r.strings()
	}
	e.Pinned = r.byte() == 1
	for range r.count(2) {
		e.Extra = append(e.Extra, entryfile.Field{Key: r.string(), Value: r.string()})
	}
	var ps []passage
	last := uint64(0)
	for range r.count(2) {
		start := last + r.uvarint()
		end := start + r.uvarint()
		if r.failed || start > end || end > uint64(len(e.Body)) {
			return e, nil, errDamaged
		}
		ps = append(ps, passage{int(start), int(end)})
		last = end
	}
	if r.failed || len(r.b) > 0 {
		return e, nil, errDamaged
	}
	return e, ps, nil
}

func entryStrings(e *entryfile.Entry) []*string {
	return []*string{&e.ID, (*string)(&e.Kind), &e.Title, &e.Description, &e.Body, &e.Created, &e.Updated,
		&e.Source, &e.Evidence, &e.Code, &e.Session, &e.Status, &e.Outcome, &e.Expires, &e.Conflict}
}

func entryLists(e *entryfile.Entry) []*[]string {
	return []*[]string{&e.Tags, &e.Paths, &e.Supersedes, &e.DerivedFrom}
}
