package recall

import (
	"math"
	"sort"
	"strings"

	"gitvault/internal/entryfile"
)

// explain says how a hit earned its place, in one line and in full.
func (s *searcher) explain(c *candidate, e *entryfile.Entry, ps []passage) (string, *Explanation) {
	by := map[string]*TermScore{} // by the word as it was written
	note := func(where, text string) {
		for _, w := range s.sightings(text) {
			shown := s.parsed.groups[w.group].shown
			t := by[shown]
			if t == nil {
				t = &TermScore{Term: shown}
				by[shown] = t
			}
			t.Weight = max(t.Weight, s.weights[w.group])
			t.Fields = addOnce(t.Fields, where)
			if w.how != "" {
				t.Found = addOnce(t.Found, strings.ToLower(oneLine(text[w.start:w.end])))
			}
		}
	}
	note("title", e.Title)
	note("tags", labels(e))
	note("description", strings.Join([]string{e.Description, e.Evidence, e.Outcome}, "\n"))
	if at := int(c.unit-s.firstUnit(c.entry)) - 1; at >= 0 && at < len(ps) {
		note("body", e.Body[ps[at].start:ps[at].end])
		for i := max(at-2, 0); i <= min(at+2, len(ps)-1); i++ {
			if i != at {
				note("around it", e.Body[ps[i].start:ps[i].end])
			}
		}
	}
	if s.q.Explain && e.Kind != entryfile.SessionTrace {
		note("elsewhere in the body", e.Body)
	}
	x := &Explanation{}
	for _, t := range by {
		if len(t.Fields) > 1 {
			t.Fields = drop(drop(t.Fields, "around it"), "elsewhere in the body")
		}
		t.Weight = rounded(t.Weight)
		x.Terms = append(x.Terms, *t)
	}
	sort.Slice(x.Terms, func(i, j int) bool {
		if x.Terms[i].Weight != x.Terms[j].Weight {
			return x.Terms[i].Weight > x.Terms[j].Weight
		}
		return x.Terms[i].Term < x.Terms[j].Term
	})
	for _, p := range []Part{{"title", c.title}, {"best passage", c.passage}, {"second passage", c.second}, {"beginning", c.lead}, {"whole entry", c.whole}} {
		if p.Score > 0 {
			p.Score = rounded(p.Score)
			x.Parts = append(x.Parts, p)
		}
	}
	return x.line(), x
}

// rounded is a score as people read one: more digits only take room.
func rounded(score float64) float64 { return math.Round(score*1e4) / 1e4 }

// line says in one line which words were found where.
func (x *Explanation) line() string {
	var parts []string
	for i, t := range x.Terms {
		if i == 6 {
			parts = append(parts, "…")
			break
		}
		word := t.Term
		if len(t.Found) > 0 {
			word += " as " + strings.Join(t.Found[:min(len(t.Found), 3)], ", ")
		}
		parts = append(parts, word+" ("+strings.Join(t.Fields, ", ")+")")
	}
	return strings.Join(parts, "; ")
}

func addOnce(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

func drop(list []string, s string) []string {
	var out []string
	for _, x := range list {
		if x != s {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}
