package recall

// Words returns what a text is about, each word once: folded and stemmed, so
// that the forms of a word are one, and without those that only hold sentences
// together, unless there are no others.
func Words(text string) []string {
	groups := queryGroups(text)
	lang, known := mainLanguage(text)
	seen := make(map[string]bool, len(groups))
	out := make([]string, 0, len(groups))
	for _, g := range groups {
		if g.kind == partToken || g.kind == symbolToken {
			continue
		}
		word := g.term
		if known && stemmable(g.plain) {
			word = lang.stem(g.plain)
		}
		if !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}

// mainLanguage guesses the one language that a text is written in.
func mainLanguage(text string) (language, bool) {
	var guess languageGuess
	tokenize(text, guess.add)
	set := guess.set()
	best, most := -1, -1
	for i := range languages {
		if set.has(i) && guess.stops[i] > most {
			best, most = i, guess.stops[i]
		}
	}
	if best < 0 {
		return englishLanguage, false
	}
	return languages[best], true
}
