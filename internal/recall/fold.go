package recall

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// lower gives the form of a word that stemmers read: one width, one
// composition, no case, accents kept.
func lower(s string) string {
	switch kindOfText(s) {
	case caseless:
		return s
	case simple:
		return strings.ToLower(s)
	}
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
}

// unaccent gives the form under which a lowered word is indexed.
func unaccent(s string) string {
	if isASCII(s) {
		return s
	}
	switch kindOfText(s) {
	case caseless:
		return s
	case simple:
		return unaccentSimple(s)
	}
	return stripMarks(s)
}

func stripMarks(s string) string {
	var b strings.Builder
	base := rune(0)
	for _, r := range norm.NFD.String(s) {
		if isAccent(r, base) {
			continue
		}
		base = r
		if to, ok := plainLetter(r); ok {
			b.WriteString(to)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// unaccentSimple is stripMarks, letter by letter, for texts without marks of
// their own.
func unaccentSimple(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf || r >= 0x0430 && r <= 0x044F || r > 0x0600:
			b.WriteRune(r)
		case r == 'ё':
			b.WriteRune('е')
		default:
			b.WriteString(stripMarks(string(r)))
		}
	}
	return b.String()
}

// textKind says how much there is to fold in a text.
type textKind uint8

const (
	caseless textKind = iota // nothing: Chinese, Japanese and Korean as usually written
	simple                   // only case: each character stands for itself
	involved                 // compositions, compatibility forms, special foldings
)

func kindOfText(s string) textKind {
	kind := caseless
	for _, r := range s {
		switch {
		case isCJK(r):
		case r < utf8.RuneSelf, r >= 0x0400 && r <= 0x045F, // Cyrillic
			r >= 0x00C0 && r <= 0x017E && r != 'ß' && r != 'İ' && r != 'Ŀ' && r != 'ŀ' && r != 'ŉ' && r != 'Ĳ' && r != 'ĳ':
			kind = simple
		default:
			return involved
		}
	}
	return kind
}

// isCJK reports characters that have one form only.
func isCJK(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r == 'ー' ||
		r >= 0xAC00 && r <= 0xD7A3 || r >= 0x3400 && r <= 0x4DBF
}

// isAccent reports whether a mark may go. Marks that make another letter
// (й, Japanese voicing, Indic vowels) stay.
func isAccent(r, base rune) bool {
	switch {
	case r == 0x0306 && base == 'и':
		return false
	case r >= 0x0300 && r <= 0x036F: // Latin, Greek, Cyrillic
		return true
	case r >= 0x0591 && r <= 0x05C7: // Hebrew points
		return true
	case r >= 0x064B && r <= 0x0652, r == 0x0640: // Arabic vowel marks, tatweel
		return true
	case r == 0x00AD, r >= 0x200C && r <= 0x200F, r == 0xFE0E, r == 0xFE0F: // soft hyphen, joiners, variation selectors
		return true
	}
	return false
}

// plainLetter spells letters that have no decomposition.
func plainLetter(r rune) (string, bool) {
	switch r {
	case 'ø':
		return "o", true
	case 'ł':
		return "l", true
	case 'đ', 'ð':
		return "d", true
	case 'ħ':
		return "h", true
	case 'ı':
		return "i", true
	case 'æ':
		return "ae", true
	case 'œ':
		return "oe", true
	case 'þ':
		return "th", true
	case 'ς':
		return "σ", true
	}
	return "", false
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
