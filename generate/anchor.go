package generate

import (
	"strconv"
	"strings"
	"unicode"

	"gitvault/internal/entryfile"
)

// Anchors returns the anchors that a git host gives the headings of a Markdown
// file, by the 1-based line of the heading. A heading whose text has no letter
// has none.
//
// They are GitHub's: lower case, only letters, digits, marks, _ and -, blanks
// as -, and a number behind those that are taken. GitLab's differ where
// punctuation stands between blanks; there the link opens the file.
func Anchors(markdown []byte) map[int]string {
	headings := entryfile.Headings(markdown)
	anchors := make(map[int]string, len(headings))
	taken := make(map[string]int, len(headings))
	for _, h := range headings {
		slug := slugOf(h.Text)
		if _, ok := taken[slug]; ok {
			base := slug
			for ok {
				taken[base]++
				slug = base + "-" + strconv.Itoa(taken[base])
				_, ok = taken[slug]
			}
		}
		taken[slug] = 0
		if slug != "" {
			anchors[h.Line] = slug
		}
	}
	return anchors
}

// slugOf is the anchor of a heading whose Markdown is text, where no other has it.
func slugOf(text string) string {
	text = inlineText(text)
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			b.WriteByte(byte(r))
		case r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r) + 'a' - 'A')
		case r == ' ':
			b.WriteByte('-')
		case r == 0x130: // the one letter whose small form is two characters
			b.WriteString("i\u0307")
		case r > 0x7f && unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
