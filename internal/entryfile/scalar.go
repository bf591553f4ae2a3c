package entryfile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Where a plain scalar stands decides which characters it may hold.
const (
	inFlow  = true  // between braces or brackets
	inBlock = false // after "key: " on a line of its own
)

// writeScalar writes text so that YAML reads it back as the same text: plain
// where that can be, else in double quotes.
func writeScalar(b *strings.Builder, text string, flow bool) {
	if isPlain(text, flow) {
		b.WriteString(text)
		return
	}
	writeQuoted(b, text)
}

// isPlain reports whether text can stand without quotes. It is a little
// stricter than YAML, so that any reader agrees.
func isPlain(text string, flow bool) bool {
	return text != "" && plainLength(text, flow) == len(text) && text[len(text)-1] != ' ' && !closesComment(text)
}

// plainLength is the length of the plain scalar at the start of s, spaces after
// it included: 0 if there is none, or one this reader leaves to YAML.
func plainLength(s string, flow bool) int {
	if s == "" || !startsPlain(s, flow) {
		return 0
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !isPrintable(r, size) {
				return i
			}
			i += size
			continue
		}
		switch {
		case c < ' ' || c == 0x7f:
			return i
		case c == ':':
			if i+1 == len(s) || s[i+1] == ' ' || flow && isFlowIndicator(s[i+1]) {
				return i
			}
		case c == '#':
			if s[i-1] == ' ' {
				return i
			}
		case flow && isFlowIndicator(c):
			return i
		}
		i++
	}
	return len(s)
}

// startsPlain reports whether the first character can begin a plain scalar.
func startsPlain(s string, flow bool) bool {
	switch c := s[0]; c {
	case ' ', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ',', '[', ']', '{', '}', '?', ':', '=', '<':
		return false
	case '-':
		return len(s) > 1 && (isLetter(s[1]) || isDigit(s[1]))
	case '.':
		return !strings.HasPrefix(s, "...")
	}
	return true
}

func isFlowIndicator(c byte) bool {
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '?'
}

// isPrintable reports whether YAML lets r stand as it is within a line.
func isPrintable(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1, r == 0x2028, r == 0x2029, r == 0xfeff:
		return false
	case r < utf8.RuneSelf:
		return r >= ' ' && r != 0x7f
	}
	return r >= 0xa0 && r <= 0xfffd || r >= 0x10000
}

// closesComment reports whether text would end an HTML comment.
func closesComment(text string) bool {
	return strings.Contains(text, "-->") || strings.Contains(text, "--!>")
}

// writeQuoted writes text in double quotes, on one line, unable to end an HTML
// comment.
func writeQuoted(b *strings.Builder, text string) {
	b.WriteByte('"')
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '>' && (strings.HasSuffix(text[:i], "--") || strings.HasSuffix(text[:i], "--!")):
			b.WriteString(`\u003e`)
		case isPrintable(r, size):
			b.WriteString(text[i : i+size])
		case r < 0x100:
			fmt.Fprintf(b, `\x%02x`, r)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
		i += size
	}
	b.WriteByte('"')
}
