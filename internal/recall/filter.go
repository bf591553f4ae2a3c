package recall

import (
	"slices"
	"strings"

	"gitvault/internal/entryfile"
)

func (e *entryRecord) isTrace() bool {
	return int(e.kind) < len(kinds) && kinds[e.kind] == entryfile.SessionTrace
}

func (e *entryRecord) isFailedPath() bool {
	return int(e.kind) < len(kinds) && kinds[e.kind] == entryfile.FailedPath
}

var kinds = entryfile.Kinds()

// A filter decides which entries may be offered.
type filter struct {
	kinds        uint32 // bits by kind number; 0 for all
	only         map[uint32]bool
	since, until int64
	now          int64
	status       string
	all          bool
	superseded   map[uint32][]uint32 // by which entries
}

func (s *searcher) newFilter(q *Query) (*filter, error) {
	f := &filter{status: q.Status, all: q.All, superseded: s.superseded()}
	for _, k := range q.Kinds {
		f.kinds |= 1 << kindNumber(k)
	}
	if !q.Since.IsZero() {
		f.since = q.Since.Unix()
	}
	if !q.Until.IsZero() {
		f.until = q.Until.Unix()
	}
	if !q.Now.IsZero() {
		f.now = q.Now.Unix()
	}
	for _, tag := range q.Tags {
		if err := s.restrict(f, keyOfTag(tag), false); err != nil {
			return nil, err
		}
	}
	if q.Path != "" {
		if err := s.restrict(f, keyOfPath(q.Path), true); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// superseded finds the entries that others of their scope name as replaced,
// those that replace each other in a circle left out.
func (s *searcher) superseded() map[uint32][]uint32 {
	type scoped struct {
		scope string
		id    uint64
	}
	by := map[scoped][]uint32{}
	for i, seg := range s.segments {
		for _, l := range seg.links {
			if e := s.entryBase[i] + l.entry; s.live[e] {
				k := scoped{s.scopes[i], l.superseded}
				by[k] = append(by[k], e)
			}
		}
	}
	if len(by) == 0 {
		return nil
	}
	out := map[uint32][]uint32{}
	for i, seg := range s.segments {
		for j := range seg.entries {
			if list := by[scoped{s.scopes[i], seg.entries[j].id}]; list != nil {
				out[s.entryBase[i]+uint32(j)] = list
			}
		}
	}
	entryfile.WithoutCircles(out)
	return out
}

// idsOf reads the ids of entries, in order.
func (s *searcher) idsOf(entries []uint32) ([]string, error) {
	var ids []string
	for _, n := range entries {
		seg, i := s.place(n)
		e, _, err := seg.entry(i)
		if err != nil {
			return nil, seg.damaged(err)
		}
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return ids, nil
}

// restrict keeps only entries found under a key; under, too, those found under
// what lies below it or above it as a path.
func (s *searcher) restrict(f *filter, key string, under bool) error {
	found := map[uint32]bool{}
	for i, seg := range s.segments {
		err := seg.scan(key, func(e dictEntry) bool {
			if !strings.HasPrefix(e.key, key) {
				return false
			}
			if e.key == key || under && (key == pathKey || e.key[len(key)] == '/') {
				s.collect(found, i, e)
			}
			return true
		})
		if err != nil {
			return seg.damaged(err)
		}
		for k := key; under && strings.Contains(k, "/"); {
			k = k[:strings.LastIndexByte(k, '/')]
			e, ok, err := seg.find(k)
			if err != nil {
				return seg.damaged(err)
			}
			if ok {
				s.collect(found, i, e)
			}
		}
	}
	if f.only == nil {
		f.only = found
		return nil
	}
	for e := range f.only {
		if !found[e] {
			delete(f.only, e)
		}
	}
	return nil
}

func (s *searcher) collect(found map[uint32]bool, segment int, e dictEntry) {
	list, _ := s.segments[segment].postings(e)
	for _, p := range list {
		found[s.entryOf[s.unitBase[segment]+p.unit]] = true
	}
}

// accepts reports whether an entry may be offered.
func (f *filter) accepts(n uint32, e *entryRecord) bool {
	switch {
	case f.kinds != 0 && f.kinds&(1<<e.kind) == 0,
		f.only != nil && !f.only[n],
		f.since != 0 && e.changed < f.since,
		f.until != 0 && e.changed >= f.until:
		return false
	}
	if f.status != "" {
		return f.statusOf(n, e) == f.status
	}
	return f.all || f.superseded[n] == nil && !f.expired(e) && e.flags&(flagResolved|flagConflict) == 0
}

// statusOf is an entry's status as of now; "" of one that is simply there.
func (f *filter) statusOf(n uint32, e *entryRecord) string {
	switch {
	case f.superseded[n] != nil:
		return StatusSuperseded
	case e.flags&flagResolved != 0:
		return entryfile.StatusResolved
	case f.expired(e):
		return StatusExpired
	case int(e.kind) < len(kinds) && kinds[e.kind] == entryfile.OpenThread:
		return entryfile.StatusOpen
	}
	return ""
}

func (f *filter) expired(e *entryRecord) bool {
	return e.expires != 0 && f.now != 0 && e.expires <= f.now
}
