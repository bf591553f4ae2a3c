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
// "" where the text has no words.
func DefaultTitle(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		line = oneLine(stripMarks(strings.TrimSpace(line)))
		if strings.IndexFunc(line, isWordRune) < 0 {
			continue
		}
		return Shorten(firstSentence(line), DefaultTitleLength)
	}
	return Shorten(oneLine(text), DefaultTitleLength)
}

// Line is what the index says of an entry beside its title: the description,
// or the first sentence of the body that is not the title again.
func (e Entry) Line() string {
	if e.Description != "" {
		return oneLine(e.Description)
	}
	if e.Body == e.Title {
		return ""
	}
	for line := range strings.SplitSeq(e.Body, "\n") {
		line = oneLine(stripMarks(strings.TrimSpace(line)))
		for line != "" {
			sentence := firstSentence(line)
			if strings.IndexFunc(sentence, isWordRune) >= 0 && sentence != e.Title {
				return Shorten(sentence, MaxDescription)
			}
			line = strings.TrimSpace(line[len(sentence):])
		}
	}
	return ""
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) }

// stripMarks takes the marks of headings, quotes and list items off a line.
func stripMarks(line string) string {
	for {
		rest := strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(rest, "#"):
			text := strings.TrimLeft(rest, "#")
			if text != "" && text[0] != ' ' && text[0] != '\t' || len(rest)-len(text) > 6 {
				return rest
			}
			line = readTitle(headingText([]byte(rest)))
			continue
		case strings.HasPrefix(rest, "> "):
			line = rest[2:]
			continue
		}
		m, ok := itemMarker([]byte(rest))
		if !ok || m.end == len(rest) {
			return rest
		}
		line = rest[m.end:]
		for _, box := range []string{" [ ] ", " [x] ", " [X] "} {
			line = strings.TrimPrefix(line, box)
		}
	}
}

// abbreviations end with a full stop that seldom ends a sentence.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "etc": true, "cf": true, "vs": true, "approx": true, "no": true, "fig": true,
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "resp": true, "incl": true,
	"z.b": true, "d.h": true, "bzw": true, "ca": true, "usw": true, "p.ex": true, "al": true, "eq": true,
}

// firstSentence is the first sentence of a line, its full stop included. A
// stop within a code span, a number, a name or an abbreviation ends none.
func firstSentence(line string) string {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		after := line[i+size:]
		switch r {
		case '`':
			n := runLength([]byte(line[i:]), '`')
			i += n
			if close := closingTicks(line[i:], n); close >= 0 {
				i += close + n
			}
			continue
		case '。', '！', '？', '｡', '．':
			return line[:i+size+closers(after)]
		case '.', '!', '?', '…':
			n := closers(after)
			end := i + size + n
			next := line[end:]
			if next == "" {
				return line
			}
			if next[0] == ' ' && !(r == '.' && isAbbreviated(line[:i], next)) {
				return line[:end]
			}
		}
		i += size
	}
	return line
}

// closingTicks finds a run of exactly n backticks in s.
func closingTicks(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := runLength([]byte(s[i:min(len(s), i+n+1)]), '`')
		if run == n {
			return i
		}
		for i < len(s) && s[i] == '`' {
			i++
		}
	}
	return -1
}

// closers is the length of the closing quotes, brackets, emphasis and further
// stops that s begins with.
func closers(s string) int {
	return len(s) - len(strings.TrimLeft(s, ".!?\"')]*_”’»」』）】。！？"))
}

// isAbbreviated reports whether a full stop after before, with next after it,
// belongs to an abbreviation.
func isAbbreviated(before, next string) bool {
	word := before[strings.LastIndexAny(before, " (\"'*_[")+1:]
	if abbreviations[strings.ToLower(word)] {
		return true
	}
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) // an initial
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, " "))
	return unicode.IsLower(first)
}

// Shorten cuts text at a word so that it has at most limit characters, a … at
// the end included.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut, n := 0, 0
	space := -1
	for i, r := range text {
		if n == limit-1 {
			cut = i
			if r == ' ' {
				space = i
			}
			break
		}
		if r == ' ' {
			space = i
		}
		n++
	}
	if space > cut/2 {
		cut = space
	}
	return strings.TrimRight(text[:cut], " ,;:–—-") + "…"
}
