package recall

import (
	"strings"

	"gitvault/internal/entryfile"
)

// A Fit says how well a hit fits a query, in terms that mean the same from one
// query and one scope to the next, which scores don't.
type Fit struct {
	Words   int     // of the query, without those that only hold a sentence together
	Has     int     // how many of them the hit has itself; guesses at misspelt ones are left out
	Name    float64 // what the rarest of those weighs that its title or its tags have, and
	Rare    float64 // what all of them weigh, and
	Score   float64 // what the hit scored, in units of what a word weighs that a single entry has
	Entries int     // how many were searched
}

// What Good asks for. Measured on questions about 349 long documents and about
// a handful of short entries, beside prompts that have nothing to do with
// either: almost all of the first pass, almost none of the others.
const (
	goodScore     = 0.85 // of several words
	goodRare      = 1.5  // of several words that are rare, however little they tell of a long entry
	goodName      = 0.5  // of a word that the entry is named by
	wordyPrompt   = 10   // past so many words, more is asked for
	wordyScore    = 0.02 // for each of those
	mostScore     = 2.5
	fewEntries    = 20 // among so few, rarity says nothing
	shortQuestion = 2  // words, of which one is enough if the entry is named by it
)

// Good reports a hit that is worth bringing up unasked. It rather misses one
// than bring up what has only a common word in common.
func (f Fit) Good() bool {
	few := f.Entries <= fewEntries
	if f.Words <= shortQuestion && f.Name > 0 && (few || f.Name >= goodName) {
		return true
	}
	wordy := wordyScore * float64(max(0, f.Words-wordyPrompt))
	need := max(2, min(3, (f.Words+2)/3))
	return f.Has >= need && (f.Score >= min(goodScore+wordy, mostScore) || f.Rare >= goodRare+wordy || few && f.Words <= wordyPrompt)
}

// fit measures a hit.
func (s *searcher) fit(c *candidate, e *entryfile.Entry, ps []passage) Fit {
	unit := rarity(max(s.entryCount, 1), 1)
	f := Fit{Entries: int(s.entryCount), Score: c.score / unit}
	own := map[int]bool{}
	note := func(text string) {
		for _, w := range s.sightings(text) {
			if w.how != guessed && w.how != halved && s.counts(w.group) {
				own[w.group] = true
			}
		}
	}
	for g := range s.parsed.groups {
		if s.counts(g) {
			f.Words++
		}
	}
	note(e.Title)
	note(labels(e))
	for g := range own {
		f.Name = max(f.Name, s.weights[g]/unit)
	}
	note(strings.Join([]string{e.Description, e.Evidence, e.Outcome}, "\n"))
	if at := int(c.unit-s.firstUnit(c.entry)) - 1; at >= 0 && at < len(ps) {
		note(e.Body[ps[at].start:ps[at].end])
	}
	f.Has = len(own)
	for g := range own {
		f.Rare += s.weights[g] / unit
	}
	return f
}

// counts reports whether a word of the query stands for itself, not for a part
// of another.
func (s *searcher) counts(group int) bool { return s.parsed.groups[group].weight > partWeight }
