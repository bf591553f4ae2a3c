package recall

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Search answers a query from the indexes of one or several scopes, ranked as
// one. The order of the answer depends on nothing but the entries, the query
// and the names of the scopes.
func Search(ctx context.Context, q Query, indexes ...*Index) (Result, error) {
	return searchWith(ctx, defaultRanking(), q, indexes)
}

func searchWith(ctx context.Context, r *ranking, q Query, indexes []*Index) (Result, error) {
	parsed := parseQuery(q.Text)
	if len(parsed.groups) == 0 {
		return Result{}, ErrNoWords
	}
	for attempt := 0; ; attempt++ {
		res, err := searchOnce(ctx, r, &q, parsed, indexes)
		var d *damage
		if !errors.As(err, &d) || attempt == 3 {
			return res, err
		}
		for _, ix := range indexes {
			if err := ix.repair(ctx, d.segment); err != nil {
				return Result{}, err
			}
		}
	}
}

// damage is an error met while reading a segment.
type damage struct {
	segment *segment
	err     error
}

func (d *damage) Error() string { return fmt.Sprintf("%s: %v", d.segment.name, d.err) }
func (d *damage) Unwrap() error { return d.err }

func (s *segment) damaged(err error) error { return &damage{s, err} }

// A searcher answers one query.
type searcher struct {
	*corpus
	q      *Query
	parsed parsedQuery
	rank   *ranking
	scopes []string // by segment
	filter *filter
	scores *scores

	known    map[string]knownForm // the words of the index that stand for the query's
	weights  []float64            // by group
	foundAny []bool               // by group: whether any entry has it
}

type knownForm struct {
	group int
	how   string // "" as written
}

// A candidate is an entry, or a passage of a trace, with its score.
type candidate struct {
	entry uint32
	unit  uint32 // the best passage
	score float64
	// what the score is made of
	whole, passage, second, title, lead float64
}

func searchOnce(ctx context.Context, r *ranking, q *Query, parsed parsedQuery, indexes []*Index) (Result, error) {
	s := &searcher{q: q, parsed: parsed, rank: r}
	var segments []*segment
	for _, ix := range indexes {
		ix.mu.Lock()
		for _, seg := range ix.segments {
			segments = append(segments, seg)
			s.scopes = append(s.scopes, ix.scope)
		}
		ix.mu.Unlock()
	}
	s.corpus = newCorpus(segments)
	s.parsed.groups = append([]group(nil), parsed.groups...)
	if err := s.score(ctx); err != nil {
		return Result{}, err
	}
	f, err := s.newFilter(q)
	if err != nil {
		return Result{}, err
	}
	s.filter = f
	return s.answer()
}

func (s *searcher) score(ctx context.Context) error {
	groups := s.parsed.groups
	if len(groups) > maxTerms {
		var err error
		if groups, err = s.rarest(groups); err != nil {
			return err
		}
	}
	if err := s.expand(groups); err != nil {
		return err
	}
	s.scores = newScores(s.corpus, s.rank)
	s.known = map[string]knownForm{}
	guesses := 0
	for i := range groups {
		if err := ctx.Err(); err != nil {
			return err
		}
		g := &groups[i]
		if err := s.scores.gather(g); err != nil {
			return err
		}
		if len(s.scores.touched) == 0 && guesses < mostGuesses {
			guesses++
			if err := s.guess(g); err != nil {
				return err
			}
		}
		s.foundAny = append(s.foundAny, len(s.scores.touched) > 0)
		s.weights = append(s.weights, g.weight*s.scores.add(i, g.weight))
		for j := len(g.forms) - 1; j >= 0; j-- {
			s.known[g.forms[j].term] = knownForm{i, g.forms[j].how}
		}
	}
	s.parsed.groups = groups
	return nil
}

// guess looks for a word that was found nowhere as what it may stand for.
func (s *searcher) guess(g *group) error {
	found, err := s.addHalves(g)
	if err != nil {
		return err
	}
	if !found {
		if err := s.addTypos(g); err != nil {
			return err
		}
	}
	return s.scores.gather(g)
}

// rarest keeps the words of a long query that tell most.
func (s *searcher) rarest(groups []group) ([]group, error) {
	type weighed struct {
		g      group
		weight float64
		at     int
	}
	list := make([]weighed, 0, len(groups))
	for i, g := range groups {
		n := 0.0
		for _, seg := range s.segments {
			e, ok, err := seg.find(g.term)
			if err != nil {
				return nil, seg.damaged(err)
			}
			if ok {
				n += float64(e.n)
			}
		}
		w := 0.0
		if n > 0 {
			w = g.weight * rarity(max(s.passageCount, n), n)
		}
		list = append(list, weighed{g, w, i})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].weight > list[j].weight })
	list = list[:maxTerms]
	sort.Slice(list, func(i, j int) bool { return list[i].at < list[j].at })
	out := make([]group, len(list))
	for i, w := range list {
		out[i] = w.g
	}
	return out, nil
}

// candidates are the best of all entries, and passages of traces, that match
// and may be offered, in order, and how many there are in all.
func (s *searcher) candidates() (list []candidate, all int) {
	most := 2*MaxLimit + phraseLooks
	if s.parsed.onlyPhrases {
		most = phraseFilters
	}
	top := newTop(most, s.before)
	for i, rec := range s.entries {
		e := uint32(i)
		if !s.live[e] || s.scores.whole[e] == 0 || !s.filter.accepts(e, rec) {
			continue
		}
		if rec.isTrace() && rec.units > 1 {
			s.addTurns(top, e, rec)
			continue
		}
		top.add(s.wholeEntry(e, rec))
	}
	return s.sorted(top.list), top.seen
}

// addTurns adds the passages of a trace that match.
func (s *searcher) addTurns(top *top, e uint32, rec *entryRecord) {
	first, whole := s.firstUnit(e), float64(s.scores.whole[e])
	for u := first + 1; u < first+rec.units; u++ {
		if p := float64(s.scores.passage[u]); p > 0 {
			score := (p + s.rank.session*whole) / (1 + s.rank.session)
			top.add(candidate{entry: e, unit: u, score: score, whole: whole, passage: p})
		}
	}
}

// wholeEntry is an entry with its best passage.
func (s *searcher) wholeEntry(e uint32, rec *entryRecord) candidate {
	r, first := s.rank, s.firstUnit(e)
	c := candidate{entry: e, unit: first, whole: float64(s.scores.whole[e]), title: float64(s.scores.title[e])}
	if rec.units == 1 {
		c.passage = float64(s.scores.passage[first])
	}
	for u := first + 1; u < first+rec.units; u++ {
		p := float64(s.scores.passage[u])
		if p > c.passage {
			c.second = c.passage
			c.passage, c.unit = p, u
		} else if p > c.second {
			c.second = p
		}
	}
	if rec.units > 1 {
		c.lead = float64(s.scores.passage[first+1])
	}
	c.score = (r.whole*c.whole+r.best*c.passage+r.second*c.second)/(r.whole+r.best+r.second) + r.title*c.title + r.lead*c.lead
	return c
}

func (s *searcher) sorted(list []candidate) []candidate {
	sort.Slice(list, func(i, j int) bool { return s.before(&list[i], &list[j]) })
	return list
}

// before orders candidates: by score, then the one changed later, then by what
// never changes.
func (s *searcher) before(a, b *candidate) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	x, y := s.entries[a.entry], s.entries[b.entry]
	if x.changed != y.changed {
		return x.changed > y.changed
	}
	if x.id != y.id {
		return x.id < y.id
	}
	if p, q := s.scopes[s.segmentOf(a.entry)], s.scopes[s.segmentOf(b.entry)]; p != q {
		return p < q
	}
	if a.entry == b.entry {
		return a.unit < b.unit
	}
	p, n := s.origin(a.entry)
	q, m := s.origin(b.entry)
	return p < q || p == q && n < m
}

// origin is the file of an entry and its number there.
func (s *searcher) origin(entry uint32) (path string, number int) {
	seg, n := s.place(entry)
	return seg.origin(n)
}

// answer turns the best candidates into hits, within the limit and the budget.
// A hit that is too large for what is left of the budget is passed over.
func (s *searcher) answer() (Result, error) {
	list, all := s.candidates()
	limit := s.q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	list, filtered, err := s.phrased(list)
	if err != nil {
		return Result{}, err
	}
	if filtered {
		all = len(list)
	}
	list = s.failedFirst(list, limit)
	var res Result
	for i := range list {
		if len(res.Hits) == limit || i == MaxLimit {
			break
		}
		h, err := s.hit(&list[i])
		if err != nil {
			return Result{}, err
		}
		if s.q.Tokens != nil {
			cost := s.q.Tokens(&h)
			if s.q.Budget > 0 && res.Tokens+cost > s.q.Budget {
				res.Pass(cost)
				continue
			}
			res.Tokens += cost
		}
		res.Hits = append(res.Hits, h)
	}
	res.Omitted = all - len(res.Hits)
	return res, nil
}

func (s *searcher) hit(c *candidate) (Hit, error) {
	seg, n := s.place(c.entry)
	e, ps, err := seg.entry(n)
	if err != nil {
		return Hit{}, seg.damaged(err)
	}
	replacedBy, err := s.idsOf(s.filter.superseded[c.entry])
	if err != nil {
		return Hit{}, err
	}
	rec := s.entries[c.entry]
	file, _ := seg.origin(n)
	h := Hit{Scope: s.scopes[s.segmentOf(c.entry)], File: file, Entry: e, Score: c.score,
		SupersededBy: replacedBy, Expired: s.filter.expired(rec)}
	text := e.Description
	if i := int(c.unit-s.firstUnit(c.entry)) - 1; i >= 0 && i < len(ps) {
		p := ps[i]
		text = e.Body[p.start:p.end]
		h.Passage = Passage{p.start, p.end, 1 + strings.Count(e.Body[:p.start], "\n")}
		if e.Description != "" && len(s.sightings(text)) == 0 && len(s.sightings(e.Description)) > 0 {
			text = e.Description
		}
	}
	h.Snippet = s.snippet(text)
	var x *Explanation
	h.Why, x = s.explain(c, &e, ps)
	if s.q.Explain {
		h.Explain = x
	}
	if s.q.Fit {
		h.Fit = s.fit(c, &e, ps)
	}
	if rec.isFailedPath() && s.resembles(c.entry) {
		h.Caution = whyFailed(&e)
	}
	return h, nil
}

func (s *segment) origin(entry int) (path string, number int) {
	for _, f := range s.files {
		if entry < f.entries {
			return f.path, entry
		}
		entry -= f.entries
	}
	return "", entry
}
