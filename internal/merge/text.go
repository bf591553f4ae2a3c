package merge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text merges two texts that come from one, first line by line, then, where
// both sides changed the same lines, word by word. It reports false, and no
// text, where both changed the same words, added different ones in one place,
// or left no unchanged word between their changes. Swapping ours and theirs
// changes nothing; the same inputs always give the same answer, in bounded time.
func Text(base, ours, theirs string) (string, bool) {
	return diff3(base, ours, theirs, lines, func(b, o, t string) (string, bool) {
		return diff3(b, o, t, words, nil)
	})
}

// diff3 merges by the tokens that split makes, and asks finer, where given,
// about stretches that both sides changed.
func diff3(base, ours, theirs string, split func(string) []string, finer func(b, o, t string) (string, bool)) (string, bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	}
	b, o, t := split(base), split(ours), split(theirs)
	inO, inT := match(b, o), match(b, t)
	var out strings.Builder
	out.Grow(max(len(ours), len(theirs)))
	settle := func(b, o, t string) bool {
		switch {
		case o == t, t == b:
			out.WriteString(o)
		case o == b:
			out.WriteString(t)
		case finer == nil:
			return false
		default:
			s, ok := finer(b, o, t)
			if !ok {
				return false
			}
			out.WriteString(s)
		}
		return true
	}
	// From here on b[b0:], o[o0:] and t[t0:] are not written yet.
	b0, o0, t0 := 0, 0, 0
	for b1 := 0; b1 <= len(b); {
		n := stable(b[b1:], inO[b1:], inT[b1:])
		if n == 0 && b1 < len(b) {
			b1++
			continue
		}
		o1, t1 := len(o), len(t)
		if n > 0 {
			o1, t1 = inO[b1], inT[b1]
		}
		first, last := b1 == 0, b1+n == len(b)
		ends := first && o1 == 0 && t1 == 0 || last && o1+n == len(o) && t1+n == len(t)
		if finer == nil && n > 0 && !ends && !hasWord(b[b1:b1+n]) {
			b1 += n // too little between two changes to tell them apart
			continue
		}
		if !settle(strings.Join(b[b0:b1], ""), strings.Join(o[o0:o1], ""), strings.Join(t[t0:t1], "")) {
			return "", false
		}
		for _, s := range b[b1 : b1+n] {
			out.WriteString(s)
		}
		if n == 0 {
			break
		}
		b1 += n
		b0, o0, t0 = b1, o1+n, t1+n
	}
	return out.String(), true
}

// stable counts the leading tokens that stand unchanged, side by side, in both.
func stable(b []string, inO, inT []int) int {
	n := 0
	for n < len(b) && inO[n] >= 0 && inT[n] >= 0 &&
		(n == 0 || inO[n] == inO[n-1]+1 && inT[n] == inT[n-1]+1) {
		n++
	}
	return n
}

// lines cuts a text after each newline.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	list := strings.SplitAfter(s, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// words cuts a text into words, stretches of blanks, and single other
// characters. In scripts written without spaces each character is a word.
func words(s string) []string {
	var list []string
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		class := classify(r)
		if class == wordRune || class == blankRune {
			for n < len(s) {
				r, m := utf8.DecodeRuneInString(s[n:])
				if classify(r) != class {
					break
				}
				n += m
			}
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

const (
	otherRune = iota
	wordRune
	blankRune
	glyphRune
)

func classify(r rune) int {
	switch {
	case r == ' ' || r == '\t':
		return blankRune
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
			return wordRune
		}
		return otherRune
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return glyphRune
	case r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)):
		return wordRune
	}
	return otherRune
}

func hasWord(tokens []string) bool {
	for _, s := range tokens {
		if isWord(s) {
			return true
		}
	}
	return false
}

func isWord(token string) bool {
	r, _ := utf8.DecodeRuneInString(token)
	c := classify(r)
	return c == wordRune || c == glyphRune
}
