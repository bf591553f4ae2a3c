package recall

import (
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	stemWeight   = 0.8  // of a form that shares only the stem
	typoWeight   = 0.6  // of a likely misspelling
	halfWeight   = 0.5  // of half a compound
	mostForms    = 24   // forms of one word
	mostGuesses  = 6    // words found nowhere that are guessed at
	mostPrefixed = 2000 // terms that one character may stand for
)

// How a guess stands for a word that was found nowhere.
const (
	halved  = "half of it"
	guessed = "like it"
)

// expand finds the forms of each group in the dictionaries.
func (s *searcher) expand(groups []group) error {
	for i := range groups {
		g := &groups[i]
		g.forms = append(g.forms, form{g.term, 1, -1, ""})
		if g.prefix {
			if err := s.addPrefixed(g); err != nil {
				return err
			}
			continue
		}
		if g.plain != "" && stemmable(g.plain) {
			if err := s.addStemmed(g); err != nil {
				return err
			}
		}
		if err := s.addJoined(g); err != nil {
			return err
		}
	}
	return nil
}

// addJoined adds what a word and the one after it are when written as one:
// "lock file" is also looked for as "lockfile".
func (s *searcher) addJoined(g *group) error {
	if g.joined == "" {
		return nil
	}
	alive, err := s.alive(g.joined)
	if alive {
		g.forms = append(g.forms, form{g.joined, 1, -1, "one word"})
	}
	return err
}

func (s *searcher) addPrefixed(g *group) error {
	seen := map[string]bool{g.term: true}
	for _, seg := range s.segments {
		n := 0
		err := seg.scan(g.term, func(e dictEntry) bool {
			if !strings.HasPrefix(e.key, g.term) {
				return false
			}
			if !seen[e.key] && utf8.RuneCountInString(e.key) == 2 {
				seen[e.key] = true
				g.forms = append(g.forms, form{e.key, 1, -1, "beginning"})
			}
			n++
			return n < mostPrefixed
		})
		if err != nil {
			return seg.damaged(err)
		}
	}
	return nil
}

// addStemmed adds the words that share the stem in any language the entries
// may be in.
func (s *searcher) addStemmed(g *group) error {
	for i, l := range languages {
		if !s.langs.has(i) {
			continue
		}
		stem := l.stem(g.plain)
		words := map[string]bool{}
		if l.isOwnStem(stem) {
			words[stem] = true
		}
		for _, seg := range s.segments {
			e, ok, err := seg.find(keyOfStem(l, stem))
			if err != nil {
				return seg.damaged(err)
			}
			if !ok {
				continue
			}
			list, err := seg.forms(e)
			if err != nil {
				return seg.damaged(err)
			}
			for _, w := range list {
				words[w] = true
			}
		}
		delete(words, g.term)
		for _, w := range sortedKeys(words, mostForms) {
			g.forms = append(g.forms, form{w, stemWeight, i, "same stem"})
		}
	}
	return nil
}

func sortedKeys(m map[string]bool, most int) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list[:min(len(list), most)]
}

// addHalves adds the two words that one found nowhere is made of: "lockfile"
// is also looked for as "lock" and "file".
func (s *searcher) addHalves(g *group) (found bool, err error) {
	if g.plain == "" || !stemmable(g.term) || !isASCII(g.term) {
		return false, nil
	}
	for _, at := range middleOut(len(g.term), 3) {
		first, second := g.term[:at], g.term[at:]
		for _, half := range []string{first, second} {
			if found, err = s.alive(half); err != nil || !found {
				break
			}
		}
		if err != nil {
			return false, err
		}
		if found {
			g.forms = append(g.forms, form{first, halfWeight, -1, halved}, form{second, halfWeight, -1, halved})
			return true, nil
		}
	}
	return false, nil
}

// middleOut lists the places to cut a word of n letters in two of at least
// least, the most even one first.
func middleOut(n, least int) []int {
	var at []int
	for i := range n/2 + 1 {
		for _, p := range []int{n/2 - i, (n+1)/2 + i} {
			if p >= least && n-p >= least && (len(at) == 0 || at[len(at)-1] != p) {
				at = append(at, p)
			}
		}
	}
	return at
}

// addTypos adds the words of the dictionaries that are nearest to one that was
// found nowhere.
func (s *searcher) addTypos(g *group) error {
	runes := []rune(g.term)
	limit := 1
	switch {
	case len(runes) < 4 || g.kind == gramToken || g.kind == symbolToken:
		return nil
	case len(runes) >= 8:
		limit = 2
	}
	near := make([]map[string]bool, limit+1) // by distance
	for i := range near {
		near[i] = map[string]bool{}
	}
	for _, seg := range s.segments {
		first := string(runes[0])
		err := seg.scan(first, func(e dictEntry) bool {
			if !strings.HasPrefix(e.key, first) {
				return false
			}
			if n := len(e.key) - len(g.term); n <= 2*limit && n >= -2*limit {
				if d := distance(runes, []rune(e.key), limit); d <= limit {
					near[d][e.key] = true
				}
			}
			return true
		})
		if err != nil {
			return seg.damaged(err)
		}
	}
	for _, words := range near {
		found := false
		for _, w := range sortedKeys(words, len(words)) {
			alive, err := s.alive(w)
			if err != nil {
				return err
			}
			if alive && len(g.forms) < mostForms {
				g.forms = append(g.forms, form{w, typoWeight, -1, guessed})
				found = true
			}
		}
		if found {
			return nil
		}
	}
	return nil
}

// alive reports whether any entry still has a word of the dictionaries.
func (s *searcher) alive(word string) (bool, error) {
	for i, seg := range s.segments {
		e, ok, err := seg.find(word)
		if err != nil {
			return false, seg.damaged(err)
		}
		if !ok {
			continue
		}
		list, err := seg.postings(e)
		if err != nil {
			return false, seg.damaged(err)
		}
		for _, p := range list {
			if s.live[s.entryOf[s.unitBase[i]+p.unit]] {
				return true, nil
			}
		}
	}
	return false, nil
}

// distance counts the letters put in, left out, changed or swapped between two
// words, up to limit; more are limit+1.
func distance(a, b []rune, limit int) int {
	if n := len(a) - len(b); n > limit || n < -limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
