package entryfile

import "bytes"

// ParseAgain gives what Parse gives for data, in less time where data begins as
// the ledger that prev was parsed from: what stands before the first difference
// is taken from there. prev stays as it is; one that was changed since it was
// parsed is of no use, nor is nil.
func ParseAgain(prev *Document, kind Kind, path string, data []byte) *Document {
	i := 0
	if prev != nil && prev.kind == kind && prev.path == path && kind.IsLedger() && !prev.Edited() {
		i = prev.lastStart(commonPrefix(prev.data, data))
	}
	if i == 0 {
		return Parse(kind, path, data)
	}
	d := &Document{kind: kind, path: path, data: data[:len(data):len(data)], eol: lineEnd(data)}
	start := prev.sections[i].Start
	rest := Document{kind: kind, path: path, data: data[start:]}
	rest.parseLedger()
	d.sections = append(make([]*section, 0, i+len(rest.sections)), prev.sections[:i]...)
	for _, s := range rest.sections {
		s.move(start)
		d.sections = append(d.sections, s)
	}
	d.assignIDs(i)
	d.parsed = d.data
	return d
}

// lastStart is the last section that begins, whatever stands before it, with a
// heading and a comment within the first n bytes; 0 without one.
func (d *Document) lastStart(n int) int {
	for i := len(d.sections) - 1; i > 0; i-- {
		s := d.sections[i]
		if s.meta.end <= n && s.meta.start == s.heading.end && startsEntry(d.data[s.heading.start:s.heading.end], d.data[s.heading.end:]) {
			return i
		}
	}
	return 0
}

func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// commonPrefix is the number of bytes that a and b both begin with.
func commonPrefix(a, b []byte) int {
	const step = 4096
	n := min(len(a), len(b))
	at := 0
	for at+step <= n && bytes.Equal(a[at:at+step], b[at:at+step]) {
		at += step
	}
	for at < n && a[at] == b[at] {
		at++
	}
	return at
}
