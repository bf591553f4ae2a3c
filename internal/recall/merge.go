package recall

import (
	"io"
	"slices"
)

// merge writes the live files of several segments as one, without analysing
// them again.
func merge(w io.Writer, from []*segment) error {
	s := newSegmentWriter(w)
	var t tables
	units := make([][]uint32, len(from)) // new number of each old unit
	for i, seg := range from {
		m, err := s.takeEntries(&t, seg)
		if err != nil {
			return err
		}
		units[i] = m
	}
	if err := mergeTerms(s, from, units); err != nil {
		return err
	}
	return s.finish(&t)
}

const dropped = ^uint32(0)

// takeEntries copies the live entries of a segment and numbers them anew.
func (s *segmentWriter) takeEntries(t *tables, seg *segment) ([]uint32, error) {
	units := make([]uint32, len(seg.lengths))
	newEntry := make([]uint32, len(seg.entries))
	e := 0
	for i, f := range seg.files {
		if seg.live[i] {
			t.files = append(t.files, f)
		}
		for range f.entries {
			rec := seg.entries[e]
			newEntry[e] = dropped
			for u := rec.firstUnit; u < rec.firstUnit+rec.units; u++ {
				units[u] = dropped
			}
			if seg.live[i] {
				b, err := readChecked(seg.r, int64(rec.offset), int(rec.size))
				if err != nil {
					return nil, err
				}
				newEntry[e] = uint32(len(t.entries))
				for u := rec.firstUnit; u < rec.firstUnit+rec.units; u++ {
					units[u] = uint32(len(t.lengths))
					t.lengths = append(t.lengths, seg.lengths[u])
				}
				rec.firstUnit = units[rec.firstUnit]
				rec.offset, rec.size = s.checked(b)
				t.entries = append(t.entries, rec)
			}
			e++
		}
	}
	for _, l := range seg.links {
		if n := newEntry[l.entry]; n != dropped {
			t.links = append(t.links, link{n, l.superseded})
		}
	}
	return units, s.err
}

// mergeTerms writes the union of the dictionaries. Words without a place left
// are dropped; a stem may still list them.
func mergeTerms(s *segmentWriter, from []*segment, units [][]uint32) error {
	cursors := make([]*cursor, len(from))
	for i, seg := range from {
		cursors[i] = &cursor{seg: seg}
		if err := cursors[i].next(); err != nil {
			return err
		}
	}
	for {
		key, found := "", false
		for _, c := range cursors {
			if c.ok && (!found || c.entry().key < key) {
				key, found = c.entry().key, true
			}
		}
		if !found {
			return nil
		}
		all := &postings{}
		var words []string
		isStem := key[:1] == stemKey
		for i, c := range cursors {
			if !c.ok || c.entry().key != key {
				continue
			}
			if isStem {
				list, err := c.seg.forms(c.entry())
				if err != nil {
					return err
				}
				words = append(words, list...)
			} else if err := all.take(c.seg, c.entry(), units[i]); err != nil {
				return err
			}
			if err := c.next(); err != nil {
				return err
			}
		}
		switch {
		case isStem:
			slices.Sort(words)
			s.term(key, 0, appendStrings(nil, slices.Compact(words)))
		case all.n > 0:
			s.term(key, all.n, all.data)
		}
	}
}

// take adds another segment's postings under their new unit numbers.
func (p *postings) take(seg *segment, e dictEntry, units []uint32) error {
	list, err := seg.postings(e)
	if err != nil {
		return err
	}
	for _, x := range list {
		if u := units[x.unit]; u != dropped {
			p.data = appendPosting(p.data, u-p.last, x.field, uint32(x.count))
			p.last = u
			p.n++
		}
	}
	return nil
}

// A cursor walks a dictionary in order, a block at a time.
type cursor struct {
	seg   *segment
	batch []dictEntry
	at    int
	from  string
	ok    bool
}

func (c *cursor) entry() dictEntry { return c.batch[c.at] }

func (c *cursor) next() error {
	if c.at++; c.at < len(c.batch) {
		return nil
	}
	c.batch, c.at = c.batch[:0], 0
	err := c.seg.scan(c.from, func(e dictEntry) bool {
		c.batch = append(c.batch, e)
		return len(c.batch) < 4*blockTerms
	})
	c.ok = len(c.batch) > 0
	if c.ok {
		c.from = c.batch[len(c.batch)-1].key + "\x00"
	}
	return err
}
