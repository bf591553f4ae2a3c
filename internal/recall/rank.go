package recall

import "math"

// ranking holds the weights of the ranking. An entry is judged as a whole, by
// its best passages, by its beginning and by its title; a passage of a trace is
// a hit of its own. Any passage is helped by what stands around it.
type ranking struct {
	// A word's second occurrence adds less than its first, and so on: how many
	// occurrences are worth half of endlessly many.
	wholeHalf, passageHalf, turnHalf, titleHalf float64

	// How far length counts against a text: 0 not at all, 1 in proportion.
	wholeNorm, passageNorm float64

	field   [fieldCount]float64 // weight of a word by field, for the whole entry
	context [fieldCount]float64 // what each passage has of the entry's title, tags, description

	// What a passage has of the words of the passages around it, by distance.
	// In a trace what comes before counts more: an answer follows its question.
	before, after, around []float64

	// Shares in an entry's score. The first four are averaged.
	whole, best, second, session float64
	title, lead                  float64
}

func defaultRanking() *ranking {
	return &ranking{
		wholeHalf: 5, passageHalf: 3, turnHalf: 0.5, titleHalf: 0.5,
		wholeNorm: 0.4, passageNorm: 0.5,
		field:   [fieldCount]float64{bodyField: 1, titleField: 4, tagsField: 3, noteField: 2},
		context: [fieldCount]float64{titleField: 0.5, tagsField: 0.3, noteField: 0.3},
		before:  []float64{0.6, 0.3}, after: []float64{0.3, 0.15}, around: []float64{0.5, 0.25, 0.125},
		whole: 1, best: 1, second: 0.5, session: 0.2,
		title: 0.4, lead: 0.3,
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
	meanBody     float64 // words of a body
	meanPassage  float64 // words of a passage of prose
	meanTurn     float64 // words of a passage of a trace
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
	var prose, turns mean
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
					c.langs |= rec.langs
					if rec.isTrace() {
						turns.add(rec.words, rec.units-1)
					} else {
						prose.add(rec.words, rec.units-1)
					}
					c.passageCount += float64(max(rec.units-1, 1))
				}
				e++
			}
		}
	}
	c.meanBody = max(float64(prose.words+turns.words)/max(c.entryCount, 1), 1)
	c.meanPassage, c.meanTurn = prose.value(), turns.value()
	return c
}

// mean is a mean length, being counted.
type mean struct{ words, texts uint64 }

func (m *mean) add(words, texts uint32) {
	m.words += uint64(words)
	m.texts += uint64(texts)
}

func (m *mean) value() float64 {
	return max(float64(m.words)/float64(max(m.texts, 1)), 1)
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
	title   []float32 // by entry
	passage []float32 // by unit
	matched []uint64  // by entry: which of the first 64 words

	// Of the word at hand: how often it occurs, in body texts weighed by length.
	body     []float32 // by unit
	around   []float32 // by unit, what its neighbours lend
	total    []float32 // by entry, in the body, not weighed
	head     [fieldCount][]float32
	units    []uint32 // that have it
	borrowed []uint32 // that only borrow it
	touched  []uint32 // entries that have it
}

func newScores(c *corpus, r *ranking) *scores {
	n, u := len(c.entries), len(c.lengths)
	s := &scores{c: c, r: r,
		whole: make([]float32, n), title: make([]float32, n), passage: make([]float32, u), matched: make([]uint64, n),
		body: make([]float32, u), around: make([]float32, u), total: make([]float32, n),
	}
	for f := titleField; f < fieldCount; f++ {
		s.head[f] = make([]float32, n)
	}
	return s
}

// gather adds up the places of a word's forms.
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
	s.body[u] += n / s.passageLength(u, e)
	s.total[e] += n
}

// passageLength is the length of a passage against the mean of its sort, as
// far as it counts.
func (s *scores) passageLength(u, e uint32) float32 {
	mean := s.c.meanPassage
	if s.c.entries[e].isTrace() {
		mean = s.c.meanTurn
	}
	return float32(1 - s.r.passageNorm + s.r.passageNorm*float64(s.c.lengths[u])/mean)
}

// lend gives the passages around each occurrence their share of it.
func (s *scores) lend() {
	for _, u := range s.units {
		e := s.c.entryOf[u]
		rec := s.c.entries[e]
		if rec.units <= 2 {
			continue
		}
		// What stands before a passage lends to it: the lender's next ones.
		forth, back := s.r.around, s.r.around
		if rec.isTrace() {
			forth, back = s.r.before, s.r.after
		}
		first := s.c.firstUnit(e) + 1
		end := first + rec.units - 1
		for i, w := range forth {
			if v := u + uint32(i) + 1; v < end {
				s.borrow(v, u, w)
			}
		}
		for i, w := range back {
			if v := int64(u) - int64(i) - 1; v >= int64(first) {
				s.borrow(uint32(v), u, w)
			}
		}
	}
}

func (s *scores) borrow(u, from uint32, share float64) {
	if s.around[u] == 0 && s.body[u] == 0 {
		s.borrowed = append(s.borrowed, u)
	}
	s.around[u] += float32(share) * s.body[from]
}

// add turns the gathered frequencies of the word with that number into scores,
// and says how rare the word is.
func (s *scores) add(number int, weight float64) (rare float64) {
	c, r := s.c, s.r
	s.lend()
	passages := float64(len(s.units))
	for _, e := range s.touched {
		if s.total[e] == 0 {
			passages++ // its head
		}
	}
	rare = rarity(c.entryCount, float64(len(s.touched)))
	rareEntry := rare * weight
	rarePassage := rarity(c.passageCount, min(passages, c.passageCount)) * weight
	for _, e := range s.touched {
		rec := c.entries[e]
		if number < 64 {
			s.matched[e] |= 1 << number
		}
		tf := r.field[bodyField] * float64(s.total[e]) / (1 - r.wholeNorm + r.wholeNorm*float64(rec.words)/c.meanBody)
		for f := titleField; f < fieldCount; f++ {
			tf += r.field[f] * float64(s.head[f][e])
		}
		s.whole[e] += float32(rareEntry * saturate(tf, r.wholeHalf))
		s.title[e] += float32(rareEntry * saturate(float64(s.head[titleField][e]), r.titleHalf))
		s.addHead(e, rarePassage)
	}
	for _, list := range [...][]uint32{s.units, s.borrowed} {
		for _, u := range list {
			e := c.entryOf[u]
			s.addPassage(u, e, float64(s.body[u]+s.around[u])+s.fromHead(e), rarePassage)
		}
	}
	s.reset()
	return rare
}

// addHead scores the passages that have a word from the title, the tags or the
// description only, or the head itself where there is no body.
func (s *scores) addHead(e uint32, rare float64) {
	lent := s.fromHead(e)
	if lent == 0 {
		return
	}
	first, rec := s.c.firstUnit(e), s.c.entries[e]
	if rec.units == 1 {
		s.addPassage(first, e, float64(s.head[titleField][e])+lent, rare)
		return
	}
	for u := first + 1; u < first+rec.units; u++ {
		if s.body[u] == 0 && s.around[u] == 0 {
			s.addPassage(u, e, lent, rare)
		}
	}
}

// fromHead is what each passage of an entry has of the word in its title, tags
// and description.
func (s *scores) fromHead(e uint32) float64 {
	lent := 0.0
	for f := titleField; f < fieldCount; f++ {
		lent += s.r.context[f] * float64(s.head[f][e])
	}
	return lent
}

func (s *scores) addPassage(u, e uint32, tf, rare float64) {
	half := s.r.passageHalf
	if s.c.entries[e].isTrace() {
		half = s.r.turnHalf
	}
	s.passage[u] += float32(rare * saturate(tf, half))
}

func (s *scores) reset() {
	for _, u := range s.units {
		s.body[u], s.around[u] = 0, 0
	}
	for _, u := range s.borrowed {
		s.around[u] = 0
	}
	for _, e := range s.touched {
		s.total[e] = 0
		for f := titleField; f < fieldCount; f++ {
			s.head[f][e] = 0
		}
	}
	s.units, s.borrowed, s.touched = s.units[:0], s.borrowed[:0], s.touched[:0]
}

func saturate(tf, half float64) float64 { return tf / (tf + half) }

// rarity weighs a word by how few of n places have it.
func rarity(n, have float64) float64 {
	return math.Log(1 + (n-have+0.5)/(have+0.5))
}
