package entryfile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultTitleLength is the most characters a default title has, the … at its
// end included.
const DefaultTitleLength = 100

// DefaultTitle makes a title of a text: its first line or sentence, without
// the Markdown that marks a heading or list item, shortened at a word. It is
// "" only for a text that shows nothing: blanks and control characters.
func DefaultTitle(text string) string {
	return Shorten(visible(titleOf(text)), DefaultTitleLength)
}

// visible is a line without control characters, which no title may hold.
func visible(line string) string {
	if strings.IndexFunc(line, unicode.IsControl) < 0 {
		return line
	}
	return oneLine(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, line))
}

func showsNothing(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func titleOf(text string) string {
	var second string
	for p := range passages(text) {
		if !hasWords(p.text) {
			continue
		}
		sentence := firstSentence(p.text)
		if p.kind == prose || p.kind == titleLine {
			return sentence
		}
		if second == "" {
			second = sentence
		}
	}
	if second == "" {
		text = strings.TrimLeftFunc(text, showsNothing)
		second = oneLine(strings.ToValidUTF8(text[:min(len(text), 8*DefaultTitleLength)], ""))
	}
	return second
}

// Line is what the index says of an entry beside its title: the description,
// or the first sentence of the body that is not the title again. It is one
// line of at most MaxDescription characters, "" where there is no more to say.
func (e Entry) Line() string {
	if e.Description != "" {
		return Shorten(oneLine(e.Description), MaxDescription)
	}
	if e.Body == e.Title {
		return ""
	}
	// The sentence is nearly always in the first few lines. Where it ends within
	// them, what follows can't change it.
	if len(e.Body) > firstLook {
		if line, ok := sayingLine(e.Body[:firstLook], e.Title, true); ok {
			return Shorten(line, MaxDescription)
		}
	}
	line, _ := sayingLine(e.Body, e.Title, false)
	return Shorten(line, MaxDescription)
}

// firstLook is how much of a body is looked at first, in bytes.
const firstLook = 400

// sayingLine is the first sentence of prose that is not the title again, and
// true; without one the first sentence of anything else. Of a text that was
// cut, a sentence counts only where more follows it.
func sayingLine(text, title string, cut bool) (line string, ok bool) {
	for p := range passages(text) {
		for rest := p.text; rest != ""; {
			sentence := firstSentence(rest)
			rest = strings.TrimSpace(rest[len(sentence):])
			if cut && rest == "" && !longEnough(sentence, title) {
				return "", false
			}
			if !hasWords(sentence) || withoutStop(sentence) == withoutStop(title) {
				continue
			}
			if p.kind == prose {
				return sentence, true
			}
			if line == "" {
				line = sentence
			}
		}
	}
	return line, false
}

// longEnough reports whether the beginning of a sentence is all that will be
// shown of it, whatever follows.
func longEnough(sentence, title string) bool {
	return len(sentence) > len(title)+len("。") && sentence[0] != '[' && utf8.RuneCountInString(sentence) > MaxDescription
}

func withoutStop(sentence string) string { return strings.TrimRight(sentence, ".。") }

// hasWords reports whether text holds anything but punctuation.
func hasWords(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r)
	}) >= 0
}

// abbreviations end with a full stop that seldom ends a sentence.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "cf": true, "vs": true, "approx": true, "fig": true, "mr": true, "mrs": true, "ms": true,
	"dr": true, "prof": true, "resp": true, "incl": true, "z.b": true, "d.h": true, "bzw": true, "ca": true, "p.ex": true,
}

// firstSentence is the first sentence of a line, its full stop included. A
// stop within a code span, a number, a name or an abbreviation ends none.
func firstSentence(line string) string {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		switch r {
		case '`':
			n := runLength(line[i:], '`')
			i += n
			if end := closingTicks(line[i:], n); end >= 0 {
				i += end + n
			}
			continue
		case '。', '！', '？', '｡', '．':
			return line[:i+size+closers(line[i+size:])]
		case '.', '!', '?', '…':
			end := i + size + closers(line[i+size:])
			if next := line[end:]; next == "" || next[0] == ' ' && endsSentence(r, line[:i], next) {
				return line[:end]
			}
			i = end
			continue
		}
		i += size
	}
	return line
}

// endsSentence reports whether a stop between before and next ends a sentence.
func endsSentence(stop rune, before, next string) bool {
	word := before[strings.LastIndexAny(before, " (\"'*_[")+1:]
	if !hasWords(before) {
		return false // "... and so on", ".. directive"
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, " "))
	if stop != '.' {
		return !unicode.IsLower(first)
	}
	if abbreviations[strings.ToLower(word)] || unicode.IsLower(first) {
		return false
	}
	r, size := utf8.DecodeRuneInString(word)
	return size != len(word) || !unicode.IsUpper(r) // not an initial
}

// closingTicks finds a run of exactly n backticks in s.
func closingTicks(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := runLength(s[i:], '`')
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// closers is the length of the closing quotes, brackets, emphasis and further
// stops that s begins with.
func closers(s string) int {
	return len(s) - len(strings.TrimLeft(s, ".!?\"')]*_”’»」』）】。！？"))
}

// Shorten cuts text at a word so that it has at most limit characters, a … at
// the end included.
func Shorten(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut, space, n := 0, -1, 0
	for i, r := range text {
		if r == ' ' {
			space = i
		}
		if n == limit-1 {
			cut = i
			break
		}
		n++
	}
	if space > cut/2 {
		cut = space
	}
	return strings.TrimRight(text[:cut], " ,;:–—-") + "…"
}
