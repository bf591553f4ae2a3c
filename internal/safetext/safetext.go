// Package safetext makes text that somebody else wrote harmless to show: on a
// terminal, in Markdown, between the tags of a context block. What could act
// (escape sequences, direction overrides, characters nobody can see, markup)
// becomes something that can only be read. HTML pages use html/template.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s as harmless lines: valid UTF-8, only \n and \t as control
// characters (\r\n and the other line ends become \n, the rest their visible
// pictures: ESC is ␛), no direction overrides, no hidden characters. Ordinary
// text in any script comes back as it is.
func Text(s string) string {
	if plainText(s) {
		return s
	}
	return clean(s, false)
}

// Line returns s as one harmless line: as Text does, with every run of white
// space made one space and none at the ends.
func Line(s string) string {
	if plainLine(s) {
		return s
	}
	return clean(s, true)
}

// plainText reports whether s is printable ASCII, tabs and newlines only.
func plainText(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c > '~' {
			return false
		}
	}
	return true
}

// plainLine reports whether s is printable ASCII with single spaces inside. It
// may end in "…", as what was shortened to fit does.
func plainLine(s string) bool {
	n := len(strings.TrimSuffix(s, "…"))
	space := true
	for i := 0; i < n; i++ {
		switch c := s[i]; {
		case c > ' ' && c <= '~':
			space = false
		case c == ' ' && !space:
			space = true
		default:
			return false
		}
	}
	return !space || n < len(s) || s == ""
}

// maxMarks is how many combining marks may stand on one character: no script
// needs as many, and stacks of them paint over the lines around.
const maxMarks = 8

func clean(s string, oneLine bool) string {
	var b strings.Builder
	b.Grow(len(s))
	var (
		prev  rune // last rune written
		marks int  // combining marks written since the last other rune
		space bool // oneLine: a space is owed before the next visible rune
	)
	put := func(r rune) {
		if space {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
		}
		b.WriteRune(r)
		prev = r
	}
	for i := 0; i < len(s); {
		if n := plainRun(s[i:]); n > 0 {
			put(rune(s[i]))
			b.WriteString(s[i+1 : i+n])
			prev, marks = rune(s[i+n-1]), 0
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == utf8.RuneError && n <= 1:
			if prev != utf8.RuneError {
				put(utf8.RuneError)
			}
			continue
		case r == '\r' && strings.HasPrefix(s[i:], "\n"):
			continue
		case isSpace(r):
			switch {
			case oneLine:
				space = true
			case r == '\t' || r == ' ':
				put(r)
			default:
				put('\n')
			}
			prev = r
			marks = 0
			continue
		case r < ' ':
			r += 0x2400
		case r == 0x7f:
			r = 0x2421
		case hidden(r):
			if prev != utf8.RuneError {
				put(utf8.RuneError)
			}
			continue
		case quiet(r) || !joins(r, prev, s[i:], marks):
			continue
		case joiner(r):
			put(r)
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > maxMarks {
				continue
			}
			put(r)
			continue
		}
		put(r)
		marks = 0
	}
	return b.String()
}

// plainRun is how many printable ASCII characters other than blanks s begins with.
func plainRun(s string) int {
	n := 0
	for n < len(s) && s[n] > ' ' && s[n] <= '~' {
		n++
	}
	return n
}

// isSpace reports white space that ends a line or is a plain blank. The other
// blanks of Unicode (no-break space, ideographic space) are ordinary text.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// IsHidden reports whether a character acts, or is seen by nobody, wherever it
// stands in a text.
func IsHidden(r rune) bool { return hidden(r) || quiet(r) || r == 0x7f }

// hidden reports characters that change what a reader sees, or carry text no
// reader sees: one replacement character tells that something stood here.
func hidden(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r <= 0x9f, // C1 controls
		r >= 0x202a && r <= 0x202e,   // direction embeddings and overrides
		r >= 0x2066 && r <= 0x2069,   // direction isolates
		r >= 0x206a && r <= 0x206f,   // deprecated format characters
		r >= 0xfff0 && r <= 0xfffb,   // interlinear annotation and its neighbours
		r >= 0xe0000 && r <= 0xe00ff, // tag characters
		r >= 0xe01f0 && r <= 0xe0fff,
		r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe: // noncharacters
		return true
	}
	return false
}

// quiet reports invisible characters that ordinary text does contain (in
// copied web pages, in scripts with line-break hints): they go without a word.
func quiet(r rune) bool {
	switch r {
	case 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x200b, 0x200e, 0x200f,
		0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2065, 0x3164, 0xfeff, 0xffa0:
		return true
	}
	return false
}

// joins reports whether r, if it is a joiner or a variation selector, has a
// character to work on; a run of them is a way to hide text.
func joins(r, prev rune, rest string, marks int) bool {
	switch {
	case joiner(r):
		next, _ := utf8.DecodeRuneInString(rest)
		return (shaped(prev) || selector(prev)) && shaped(next) && (marks < maxMarks || !unicode.In(next, unicode.Mn, unicode.Me))
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0x180b && r <= 0x180d:
		return prev > 0x7f && !selector(prev) && !isSpace(prev) || prev >= '0' && prev <= '9' || prev == '#' || prev == '*'
	case r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Han, prev)
	}
	return true
}

// shaped reports whether a joiner beside r can mean something: r is a visible
// character of a script that shapes its letters, or a pictograph.
func shaped(r rune) bool {
	return r >= 0x0590 && r != utf8.RuneError && !quiet(r) && !selector(r) &&
		unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk)
}

func joiner(r rune) bool { return r == 0x200c || r == 0x200d }

func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0x180b && r <= 0x180d || r >= 0xe0100 && r <= 0xe01ef
}
