package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	phraseGain    = 1.5  // factor on the score of an entry that has a quoted phrase
	phraseLooks   = 60   // of the best candidates that are read for phrases beside other words
	phraseFilters = 2000 // the same where the query is nothing but phrases
)

// phrased puts entries first that hold the query's quoted phrases. Where the
// query is nothing else, only they are left, if there are any: filtered.
func (s *searcher) phrased(list []candidate) (out []candidate, filtered bool, err error) {
	if len(s.parsed.phrases) == 0 {
		return list, false, nil
	}
	looks := phraseLooks
	if s.parsed.onlyPhrases {
		looks = phraseFilters
	}
	texts := map[uint32]string{}
	var with, without []candidate
	for i, c := range list {
		if looks == 0 {
			without = append(without, list[i:]...)
			break
		}
		text, ok := texts[c.entry]
		if !ok {
			looks--
			seg, n := s.place(c.entry)
			e, _, err := seg.entry(n)
			if err != nil {
				return nil, false, seg.damaged(err)
			}
			text = flat(strings.Join([]string{e.Title, e.Description, strings.Join(e.Tags, "\n"), e.Body}, "\n"))
			texts[c.entry] = text
		}
		n := 0
		for _, p := range s.parsed.phrases {
			if holds(text, p) {
				n++
			}
		}
		if n == 0 || s.parsed.onlyPhrases && n < len(s.parsed.phrases) {
			without = append(without, c)
			continue
		}
		c.score *= phraseGain
		with = append(with, c)
	}
	if s.parsed.onlyPhrases {
		if len(with) > 0 {
			return with, true, nil
		}
		return list, false, nil
	}
	return s.sorted(append(with, without...)), false, nil
}

// flat folds a text for comparing phrases: no case, no accents, single spaces.
func flat(s string) string {
	return strings.Join(strings.Fields(unaccent(lower(s))), " ")
}

// holds reports whether text has phrase in it as whole words.
func holds(text, phrase string) bool {
	if phrase == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], phrase)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		first, size := utf8.DecodeRuneInString(phrase)
		last, _ := utf8.DecodeLastRuneInString(phrase)
		after, _ := utf8.DecodeRuneInString(text[at+len(phrase):])
		if !joins(before, first) && !joins(last, after) {
			return true
		}
		at += size
	}
}

// joins reports whether two characters are within one word.
func joins(a, b rune) bool {
	letter := func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && classOf(r) != spaceless
	}
	return letter(a) && letter(b)
}
