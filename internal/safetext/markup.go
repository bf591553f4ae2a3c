package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown returns s as one line of Markdown that shows the text of Line(s): no
// link, no emphasis, no HTML, and no block when it starts a line. Code between
// backticks stays code, which shows its text as it is. Characters that mean
// nothing where they stand (the _ in snake_case) are not escaped, so that the
// source stays readable.
func Markdown(s string) string {
	s = Line(s)
	n := 0
	for n < len(s) && !special(s[n]) {
		n++
	}
	if n == len(s) {
		return s
	}
	b := make([]byte, n, len(s)+len(s)/8+4)
	copy(b, s)
	for i := n; i < len(s); {
		if s[i] == '`' {
			n := codeSpan(s[i:])
			if n == 0 {
				for n < len(s)-i && s[i+n] == '`' {
					b = append(b, "\\`"...)
					n++
				}
			} else {
				b = append(b, s[i:i+n]...)
			}
			i += n
			continue
		}
		if special(s[i]) && escapes(s, i) {
			b = append(b, '\\')
		}
		b = append(b, s[i])
		i++
	}
	return string(b)
}

// codeSpan returns the length of the code span that s, which starts with
// backticks, begins with; 0 if they are not closed.
func codeSpan(s string) int {
	run := 0
	for run < len(s) && s[run] == '`' {
		run++
	}
	for i := run; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := 0
		for i < len(s) && s[i] == '`' {
			n++
			i++
		}
		if n == run {
			return i
		}
	}
	return 0
}

// special reports whether c is one of the bytes escapes looks at, as fast as
// it can: most bytes of most texts are not.
func special(c byte) bool {
	const (
		low  = 1<<'!' | 1<<'#' | 1<<'$' | 1<<'&' | 1<<')' | 1<<'*' | 1<<'+' | 1<<'-' | 1<<'.' | 1<<':' | 1<<'<' | 1<<'=' | 1<<'>'
		high = 1<<('['-64) | 1<<('\\'-64) | 1<<(']'-64) | 1<<('_'-64) | 1<<('`'-64) | 1<<('|'-64) | 1<<('~'-64)
	)
	if c < 64 {
		return low>>c&1 != 0
	}
	return c < 128 && uint64(high)>>(c-64)&1 != 0
}

// escapes reports whether Markdown could take the byte s[i] for markup.
func escapes(s string, i int) bool {
	switch s[i] {
	case '\\', '*', '[', ']', '<', '>', '|', '~', '$':
		return true
	case '_':
		return !wordBefore(s, i) || !wordAfter(s, i)
	case '&':
		return i+1 < len(s) && (s[i+1] == '#' || isLetter(s[i+1]))
	case '!':
		return i+1 < len(s) && s[i+1] == '['
	case ':':
		return i+1 < len(s) && (isLetter(s[i+1]) || isDigit(s[i+1]) || s[i+1] == '+' || s[i+1] == '-') && strings.IndexByte(s[i+1:], ':') >= 0
	case '#', '+', '-', '=':
		return i == 0
	case '.', ')':
		return i > 0 && i < 10 && (i+1 == len(s) || s[i+1] == ' ') && allDigits(s[:i])
	}
	return false
}

func wordBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func wordAfter(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i+1:])
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// Tagless returns s, which Text or Line has been through, so that it holds no
// tag: every < is written &lt;, and so are the two characters that Unicode
// folds to it. An & is written &amp; where it would be read as a character
// reference; a && b stays as it is.
func Tagless(s string) string {
	if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '&') < 0 && strings.IndexByte(s, 0xef) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8 + 8)
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '<':
			b.WriteString("&lt;")
		case s[i] == '&' && reference(s[i+1:]):
			b.WriteString("&amp;")
		case s[i] == 0xef && (strings.HasPrefix(s[i:], "\uff1c") || strings.HasPrefix(s[i:], "\ufe64")):
			b.WriteString("&lt;")
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// reference reports whether s, which follows an &, makes it a character
// reference: "#…" or "name;".
func reference(s string) bool {
	if strings.HasPrefix(s, "#") {
		return true
	}
	i := 0
	for i < len(s) && (isLetter(s[i]) || i > 0 && isDigit(s[i])) {
		i++
	}
	return i > 0 && i < len(s) && s[i] == ';'
}

// Attr returns s as the inside of a double-quoted attribute: one tagless line
// that ends neither the attribute nor, for a careless reader, the tag.
func Attr(s string) string {
	s = Tagless(Line(s))
	if strings.ContainsAny(s, "\">") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, `"`, "&quot;"), ">", "&gt;")
	}
	return s
}
