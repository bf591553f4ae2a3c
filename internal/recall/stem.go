package recall

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// language is one that words can be stemmed in, by the letter that marks its
// stems in the index.
type language byte

const (
	englishLanguage   language = 'e'
	frenchLanguage    language = 'f'
	hungarianLanguage language = 'h'
	norwegianLanguage language = 'n'
	russianLanguage   language = 'r'
	spanishLanguage   language = 's'
	swedishLanguage   language = 'w'
)

// languages are all of them, in the order in which ties are broken.
var languages = [...]language{
	englishLanguage, frenchLanguage, spanishLanguage, swedishLanguage,
	norwegianLanguage, hungarianLanguage, russianLanguage,
}

// languageSet is a set of indexes into languages.
type languageSet uint8

func (s languageSet) has(i int) bool { return s&(1<<i) != 0 }

func (l language) isStopWord(word string) bool {
	switch l {
	case englishLanguage:
		return english.IsStopWord(word) || isEnglishFiller(word)
	case frenchLanguage:
		return french.IsStopWord(word)
	case spanishLanguage:
		return spanish.IsStopWord(word)
	case swedishLanguage:
		return swedish.IsStopWord(word)
	case norwegianLanguage:
		return norwegian.IsStopWord(word)
	case hungarianLanguage:
		return hungarian.IsStopWord(word)
	case russianLanguage:
		return russian.IsStopWord(word)
	}
	return false
}

// isEnglishFiller knows the question and helper words that the library's list
// leaves out, and what is left of contractions.
func isEnglishFiller(word string) bool {
	switch word {
	case "could", "would", "should", "shall", "may", "might", "must", "can", "cannot", "ought",
		"im", "ive", "youre", "youve", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent",
		"cant", "couldnt", "wouldnt", "shouldnt", "wont", "hasnt", "havent", "hadnt", "theyre", "weve",
		"ll", "ve", "re", "m", "d", "s", "t", "also", "upon", "us":
		return true
	}
	return false
}

// stem gives the index's key for all forms of a lowered word in l, without its
// accents.
func (l language) stem(word string) string {
	var s string
	switch l {
	case englishLanguage:
		s = english.Stem(americanSpelling(regularForm(word)), true)
	case frenchLanguage:
		s = french.Stem(word, true)
	case spanishLanguage:
		s = spanish.Stem(word, true)
	case swedishLanguage:
		s = swedish.Stem(word, true)
	case norwegianLanguage:
		s = norwegian.Stem(word, true)
	case hungarianLanguage:
		s = hungarian.Stem(word, true)
	case russianLanguage:
		s = russian.Stem(strings.ReplaceAll(word, "ё", "е"), true)
	}
	return unaccent(s)
}

// isOwnStem reports whether a stem is a word with that stem: the index does not
// list it.
func (l language) isOwnStem(stem string) bool { return l.stem(stem) == stem }

// stemmable reports whether a word is one that inflects at all: letters only,
// long enough to have an ending.
func stemmable(word string) bool {
	n := 0
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
		n++
	}
	return n >= 3
}

// americanSpelling turns the British spelling of an English word into the
// American one, as far as endings tell.
func americanSpelling(w string) string {
	if len(w) < 6 {
		return w
	}
	for _, e := range [...][2]string{
		{"isation", "ization"}, {"isations", "izations"}, {"ising", "izing"}, {"ised", "ized"}, {"iser", "izer"},
		{"isers", "izers"}, {"ises", "izes"}, {"ise", "ize"}, {"ysing", "yzing"}, {"ysed", "yzed"}, {"yse", "yze"}, {"yser", "yzer"},
		{"our", "or"}, {"ours", "ors"}, {"oured", "ored"}, {"ouring", "oring"}, {"oural", "oral"}, {"ourite", "orite"}, {"ourites", "orites"}, {"ourful", "orful"},
		{"lled", "led"}, {"lling", "ling"}, {"ller", "ler"}, {"llers", "lers"},
		{"ogue", "og"}, {"ogues", "ogs"}, {"ence", "ense"}, {"ences", "enses"}, {"tre", "ter"}, {"tres", "ters"},
	} {
		if strings.HasSuffix(w, e[0]) {
			return w[:len(w)-len(e[0])] + e[1]
		}
	}
	return w
}

// regularForm gives the base of the commonest irregular English forms.
func regularForm(w string) string {
	switch w {
	case "went", "gone", "goes":
		return "go"
	case "bought":
		return "buy"
	case "brought":
		return "bring"
	case "built":
		return "build"
	case "broke", "broken":
		return "break"
	case "began", "begun":
		return "begin"
	case "came":
		return "come"
	case "caught":
		return "catch"
	case "chose", "chosen":
		return "choose"
	case "drew", "drawn":
		return "draw"
	case "drove", "driven":
		return "drive"
	case "ate", "eaten":
		return "eat"
	case "fell", "fallen":
		return "fall"
	case "felt":
		return "feel"
	case "found":
		return "find"
	case "fought":
		return "fight"
	case "flew", "flown":
		return "fly"
	case "forgot", "forgotten":
		return "forget"
	case "froze", "frozen":
		return "freeze"
	case "gave", "given":
		return "give"
	case "got", "gotten":
		return "get"
	case "grew", "grown":
		return "grow"
	case "held":
		return "hold"
	case "hid", "hidden":
		return "hide"
	case "kept":
		return "keep"
	case "knew", "known":
		return "know"
	case "laid":
		return "lay"
	case "led":
		return "lead"
	case "left":
		return "leave"
	case "lost":
		return "lose"
	case "made":
		return "make"
	case "meant":
		return "mean"
	case "met":
		return "meet"
	case "paid":
		return "pay"
	case "ran":
		return "run"
	case "rode", "ridden":
		return "ride"
	case "rose", "risen":
		return "rise"
	case "said":
		return "say"
	case "sang", "sung":
		return "sing"
	case "sat":
		return "sit"
	case "saw", "seen":
		return "see"
	case "sent":
		return "send"
	case "shook", "shaken":
		return "shake"
	case "slept":
		return "sleep"
	case "sold":
		return "sell"
	case "spent":
		return "spend"
	case "spoke", "spoken":
		return "speak"
	case "stood":
		return "stand"
	case "stole", "stolen":
		return "steal"
	case "swam", "swum":
		return "swim"
	case "taught":
		return "teach"
	case "threw", "thrown":
		return "throw"
	case "thought":
		return "think"
	case "told":
		return "tell"
	case "took", "taken":
		return "take"
	case "understood":
		return "understand"
	case "woke", "woken":
		return "wake"
	case "won":
		return "win"
	case "wore", "worn":
		return "wear"
	case "wrote", "written":
		return "write"
	case "children":
		return "child"
	case "men":
		return "man"
	case "women":
		return "woman"
	case "people":
		return "person"
	case "feet":
		return "foot"
	case "teeth":
		return "tooth"
	case "mice":
		return "mouse"
	case "indices":
		return "index"
	case "vertices":
		return "vertex"
	case "matrices":
		return "matrix"
	case "criteria":
		return "criterion"
	case "schemata":
		return "schema"
	}
	return w
}

// A languageGuess counts what speaks for each language in a text.
type languageGuess struct {
	stops    [len(languages)]int
	cyrillic int
	latin    int
}

func (g *languageGuess) add(t token) {
	if t.kind != wordToken || t.plain == "" {
		return
	}
	switch c := t.plain[0]; {
	case c < 0x80 || c >= 0xc3 && c <= 0xc9:
		g.latin++
	case c == 0xd0 || c == 0xd1:
		g.cyrillic++
	}
	if len(t.plain) > 12 {
		return
	}
	for i, l := range languages {
		if l.isStopWord(t.plain) {
			g.stops[i]++
		}
	}
}

// set is the languages the text may be in: English for whatever is in Latin
// letters, since names and terms are, and the likeliest other one.
func (g *languageGuess) set() languageSet {
	var s languageSet
	best, most := -1, 0
	for i, l := range languages {
		switch l {
		case englishLanguage:
			if g.latin > 0 {
				s |= 1 << i
			}
			if g.stops[i] >= most {
				best, most = i, g.stops[i]
			}
		case russianLanguage:
			if g.cyrillic > 0 {
				s |= 1 << i
			}
		default:
			if g.stops[i] > most {
				best, most = i, g.stops[i]
			}
		}
	}
	if best >= 0 {
		s |= 1 << best
	}
	return s
}
