package recall

import "math"

// ranking holds the weights of the ranking. A body is judged twice, as a whole
// and by its best passage; a passage of a trace is helped by its neighbours
// and its session.
type ranking struct {
	k1                             float64             // how soon more of one word stops to count
	bodyNorm                       float64             // how far a whole body's length counts against it
	passageNorm                    float64             // the same for a passage
	field                          [fieldCount]float64 // weight of a word by field, for the whole entry
	context                        [fieldCount]float64 // weight of the entry's title, tags, description for each of its passages
	passage                        float64             // share of the best passage beside the whole
	before, before2, after, after2 float64             // what a passage of a trace gains from a word in the passages around it
	session                        float64             // share of the whole trace beside the passage
}

func defaultRanking() *ranking {
	return &ranking{
		k1: 0.9, bodyNorm: 0.4, passageNorm: 0.2,
		field:   [fieldCount]float64{bodyField: 1, titleField: 4, tagsField: 3, noteField: 2},
		context: [fieldCount]float64{titleField: 0.5, tagsField: 0.3, noteField: 0.3},
		passage: 1,
		before:  0.6, before2: 0.2, after: 0.3, after2: 0,
		session: 0.3,
	}
}

// corpus is the live entries of all segments, numbered through, and their
// averages.
type corpus struct {
	segments  []*segment
	unitBase  []uint32
	entryBase []uint32
	live      []bool   // by entry
	entryOf   []uint32 // by unit
	lengths   []uint16 // by unit
	entries   []*entryRecord
	langs     languageSet

	entryCount   float64
	passageCount float64
	meanBody     float64
	meanPassage  float64
}

func newCorpus(segments []*segment) *corpus {
	c := &corpus{segments: segments}
	units, entries := 0, 0
	for _, s := range segments {
		units += len(s.lengths)
		entries += len(s.entries)
	}
	c.live = make([]bool, 0, entries)
	c.entries = make([]*entryRecord, 0, entries)
	c.entryOf = make([]uint32, 0, units)
	c.lengths = make([]uint16, 0, units)
	words, bodies := uint64(0), 0
	for _, s := range segments {
		base := uint32(len(c.entries))
		c.unitBase = append(c.unitBase, uint32(len(c.lengths)))
		c.entryBase = append(c.entryBase, base)
		c.lengths = append(c.lengths, s.lengths...)
		for _, e := range s.unitOf {
			c.entryOf = append(c.entryOf, base+e)
		}
		e := 0
		for i, f := range s.files {
			for range f.entries {
				rec := &s.entries[e]
				c.entries = append(c.entries, rec)
				c.live = append(c.live, s.live[i])
				if s.live[i] {
					c.entryCount++
					c.passageCount += float64(max(rec.units-1, 1))
					words += uint64(rec.words)
					if rec.units > 1 {
						bodies++
					}
					c.langs |= rec.langs
				}
				e++
			}
		}
	}
	c.meanBody = float64(words) / max(c.entryCount, 1)
	c.meanPassage = float64(words) / max(c.passageCount, 1)
	c.meanBody, c.meanPassage = max(c.meanBody, 1), max(c.meanPassage, 1)
	return c
}

func (c *corpus) segmentOf(entry uint32) int {
	i := len(c.entryBase) - 1
	for i > 0 && c.entryBase[i] > entry {
		i--
	}
	return i
}

// place is where an entry is: its segment and its number there.
func (c *corpus) place(entry uint32) (*segment, int) {
	i := c.segmentOf(entry)
	return c.segments[i], int(entry - c.entryBase[i])
}

// firstUnit is the number of an entry's head among all units.
func (c *corpus) firstUnit(entry uint32) uint32 {
	return c.unitBase[c.segmentOf(entry)] + c.entries[entry].firstUnit
}

// scores collects what the words of a query give, word by word.
type scores struct {
	c *corpus
	r *ranking

	whole   []float32 // by entry
	passage []float32 // by unit
	matched []uint64  // by entry: which of the first 64 groups

	// of the word at hand
	body    []float32 // frequency by unit
	spread  []float32 // what neighbours lend, by unit
	head    [fieldCount][]float32
	total   []float32 // body frequency by entry
	units   []uint32  // with body
	lent    []uint32  // with spread only
	touched []uint32  // entries
}

func newScores(c *corpus, r *ranking) *scores {
	n, u := len(c.entries), len(c.lengths)
	s := &scores{c: c, r: r,
		whole: make([]float32, n), passage: make([]float32, u), matched: make([]uint64, n),
		body: make([]float32, u), spread: make([]float32, u), total: make([]float32, n),
	}
	for f := titleField; f < fieldCount; f++ {
		s.head[f] = make([]float32, n)
	}
	return s
}

// gather adds up the places of a group's forms.
func (s *scores) gather(g *group) error {
	for i, seg := range s.c.segments {
		for _, f := range g.forms {
			e, ok, err := seg.find(f.term)
			if err != nil {
				return seg.damaged(err)
			}
			if !ok {
				continue
			}
			list, err := seg.postings(e)
			if err != nil {
				return seg.damaged(err)
			}
			for _, p := range list {
				s.count(s.c.unitBase[i]+p.unit, p, f)
			}
		}
	}
	return nil
}

func (s *scores) count(u uint32, p posting, f form) {
	e := s.c.entryOf[u]
	if !s.c.live[e] || f.lang >= 0 && !s.c.entries[e].langs.has(f.lang) {
		return
	}
	if s.total[e] == 0 && s.head[titleField][e] == 0 && s.head[tagsField][e] == 0 && s.head[noteField][e] == 0 {
		s.touched = append(s.touched, e)
	}
	n := float32(f.weight) * float32(p.count)
	if p.field != bodyField {
		s.head[p.field][e] += n
		return
	}
	if s.body[u] == 0 {
		s.units = append(s.units, u)
	}
	s.body[u] += n
	s.total[e] += n
}

// lend gives the passages around each occurrence in a trace their share.
func (s *scores) lend() {
	for _, u := range s.units {
		e := s.c.entryOf[u]
		if !s.c.entries[e].isTrace() {
			continue
		}
		first := s.c.firstUnit(e) + 1
		end := first + s.c.entries[e].units - 1
		for _, l := range [...]struct {
			by     int
			weight float64
		}{{1, s.r.before}, {2, s.r.before2}, {-1, s.r.after}, {-2, s.r.after2}} {
			v := int(u) + l.by
			if l.weight == 0 || v < int(first) || v >= int(end) {
				continue
			}
			if s.spread[v] == 0 && s.body[v] == 0 {
				s.lent = append(s.lent, uint32(v))
			}
			s.spread[v] += float32(l.weight) * s.body[u]
		}
	}
}

// add turns the gathered frequencies into scores, and says how rare the word
// is. number is the group's.
func (s *scores) add(number int, weight float64) (rare float64) {
	c, r := s.c, s.r
	s.lend()
	passages := float64(len(s.units))
	for _, e := range s.touched {
		if s.total[e] == 0 {
			passages++
		}
	}
	rare = rarity(c.entryCount, float64(len(s.touched)))
	rareWhole := rare * weight
	rarePassage := rarity(c.passageCount, min(passages, c.passageCount)) * weight
	for _, e := range s.touched {
		rec := c.entries[e]
		if number < 64 {
			s.matched[e] |= 1 << number
		}
		norm := 1 - r.bodyNorm + r.bodyNorm*float64(rec.words)/c.meanBody
		tf := r.field[bodyField] * float64(s.total[e]) / norm
		for f := titleField; f < fieldCount; f++ {
			tf += r.field[f] * float64(s.head[f][e])
		}
		s.whole[e] += float32(rareWhole * tf / (tf + r.k1))
		s.fromHead(e, rarePassage)
	}
	for _, list := range [...][]uint32{s.units, s.lent} {
		for _, u := range list {
			s.addPassage(u, rarePassage)
		}
	}
	s.reset()
	return rare
}

// fromHead gives passages that lack the word what the entry's title, tags and
// description lend them; with the word that is part of their frequency.
func (s *scores) fromHead(e uint32, rare float64) {
	lent := s.headContext(e)
	if lent == 0 {
		return
	}
	first := s.c.firstUnit(e)
	rec := s.c.entries[e]
	if rec.units == 1 {
		tf := float64(s.head[titleField][e]) + lent
		s.passage[first] += float32(rare * tf / (tf + s.r.k1))
		return
	}
	for u := first + 1; u < first+rec.units; u++ {
		if s.body[u] == 0 && s.spread[u] == 0 {
			s.passage[u] += float32(rare * lent / (lent + s.r.k1))
		}
	}
}

func (s *scores) headContext(e uint32) float64 {
	lent := 0.0
	for f := titleField; f < fieldCount; f++ {
		lent += s.r.context[f] * float64(s.head[f][e])
	}
	return lent
}

func (s *scores) addPassage(u uint32, rare float64) {
	norm := 1 - s.r.passageNorm + s.r.passageNorm*float64(s.c.lengths[u])/s.c.meanPassage
	tf := float64(s.body[u]+s.spread[u])/norm + s.headContext(s.c.entryOf[u])
	s.passage[u] += float32(rare * tf / (tf + s.r.k1))
}

func (s *scores) reset() {
	for _, u := range s.units {
		s.body[u], s.spread[u] = 0, 0
	}
	for _, u := range s.lent {
		s.spread[u] = 0
	}
	for _, e := range s.touched {
		s.total[e] = 0
		for f := titleField; f < fieldCount; f++ {
			s.head[f][e] = 0
		}
	}
	s.units, s.lent, s.touched = s.units[:0], s.lent[:0], s.touched[:0]
}

// rarity weighs a word by how few of n places have it.
func rarity(n, have float64) float64 {
	return math.Log(1 + (n-have+0.5)/(have+0.5))
}
