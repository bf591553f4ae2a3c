package recall

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrNoWords is returned for a query that has nothing to look for.
var ErrNoWords = errors.New("the query has no words: say in a few words what the task is about")

// A group is one word of a query with the forms it may be found by.
type group struct {
	term   string
	shown  string  // as written in the query
	plain  string  // for stemmers
	weight float64 // how much it matters, before rarity
	kind   tokenKind
	prefix bool   // finds all terms that begin with it
	joined string // with the next word, written as one; "" for none
	forms  []form
}

// A form is a word of the index that stands for a word of the query.
type form struct {
	term   string
	weight float64
	lang   int // index into languages of a stem's form, which counts in entries of that language; -1 for all
	how    string
}

// A parsedQuery is a query's text, understood.
type parsedQuery struct {
	groups  []group
	phrases []string // in quotes, folded
	// onlyPhrases says that all of the text is in quotes: who writes so wants
	// those words in that order.
	onlyPhrases bool
}

const (
	partWeight = 0.5  // of a word that is only part of what was asked for
	mostWords  = 4096 // distinct words of a query that are looked at
)

// parseQuery reads a query. Nothing in it is an operator: quotes mark phrases,
// all else are words.
func parseQuery(text string) parsedQuery {
	text = cutQuery(text)
	var q parsedQuery
	quoted, rest := quotedParts(text)
	for _, part := range quoted {
		if p := flat(part); p != "" {
			q.phrases = append(q.phrases, p)
		}
	}
	q.onlyPhrases = len(q.phrases) > 0 && strings.TrimSpace(rest) == ""
	q.groups = queryGroups(text)
	return q
}

func cutQuery(text string) string {
	if len(text) <= MaxQuery {
		return text
	}
	n := MaxQuery
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// quotedParts finds what stands between double quotes, and what does not.
func quotedParts(text string) (quoted []string, rest string) {
	closing := map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '「': '」'}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := decode(text, i)
		if c, ok := closing[r]; ok {
			if j := strings.IndexRune(text[i+n:], c); j >= 0 {
				quoted = append(quoted, text[i+n:i+n+j])
				i += n + j + utf8.RuneLen(c)
				continue
			}
		}
		b.WriteString(text[i : i+n])
		i += n
	}
	return quoted, b.String()
}

func queryGroups(text string) []group {
	var guess languageGuess
	tokenize(text, guess.add)
	langs := guess.set()
	var groups []group
	at := map[string]int{}
	var prev, word token
	last := -2 // where the last word ended
	allCaps := strings.ToUpper(text) == text
	tokenize(text, func(t token) {
		g := group{term: t.term, shown: text[t.start:t.end], plain: t.plain, kind: t.kind, weight: 1}
		switch t.kind {
		case partToken:
			g.weight = partWeight
			if isStop(t, g.shown, langs, allCaps) {
				g.weight = 0
			}
		case gramToken:
			if utf8.RuneCountInString(t.term) == 1 {
				if prev.kind == gramToken && prev.end == t.end {
					return // the end of a longer run
				}
				g.prefix = true
			}
			if t.start >= word.start && t.end <= word.end {
				g.weight = partWeight // of a word that is there as a whole
			}
		case wordToken:
			if isStop(t, g.shown, langs, allCaps) {
				g.weight = 0
			}
		}
		if prev = t; t.kind != gramToken {
			word = t
		}
		if t.kind == wordToken {
			if n := len(groups); n > 0 && groups[n-1].kind == wordToken && last == t.start-1 && joinable(groups[n-1].term) && joinable(t.term) {
				groups[n-1].joined = groups[n-1].term + t.term
				g.joined = groups[n-1].joined
			}
			last = t.end
		}
		if i, ok := at[g.term]; ok {
			groups[i].weight = max(groups[i].weight, g.weight)
			return
		}
		if len(groups) < mostWords {
			at[g.term] = len(groups)
			groups = append(groups, g)
		}
	})
	return soften(groups)
}

// joinable reports a word that may be half of a compound.
func joinable(term string) bool { return len(term) >= 3 && stemmable(term) }

// isStop reports whether a word of a query only holds the sentence together.
// A word in capitals among others is a name: "IT", "US".
func isStop(t token, shown string, langs languageSet, allCaps bool) bool {
	if !allCaps && len(shown) > 1 && strings.ToUpper(shown) == shown && unicode.IsLetter(rune(shown[0])) {
		switch shown {
		case "AND", "OR", "NOT":
		default:
			return false
		}
	}
	for i, l := range languages {
		if langs.has(i) && l.isStopWord(t.plain) {
			return true
		}
	}
	return false
}

// soften leaves stop words out, unless there is nothing else.
func soften(groups []group) []group {
	var kept []group
	for _, g := range groups {
		if g.weight > 0 {
			kept = append(kept, g)
		}
	}
	if len(kept) > 0 {
		return kept
	}
	for i := range groups {
		groups[i].weight = 1
	}
	return groups
}
