package entryfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxSlug is the most bytes of a file name that come from the title.
const MaxSlug = 60

// FileName is the name of the file for an entry that is a file of its own:
// its title in lower-case ASCII letters, digits and hyphens, and its id. It
// works on every file system; a title without such letters gives the kind.
func FileName(e Entry) string {
	slug := slugOf(e.Title)
	if slug == "" {
		slug = strings.ReplaceAll(string(e.Kind), "_", "-")
	}
	return slug + "-" + e.ID + ".md"
}

// slugOf keeps what is readable in ASCII. Accents go; the id keeps names apart
// that then are the same.
func slugOf(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(title) {
		letter, ok := spelled[r]
		switch {
		case ok:
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
			continue
		case r < 0x80 && (isLetter(byte(r)) || isDigit(byte(r))):
			letter = string(unicode.ToLower(r))
		default:
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteString(letter)
	}
	slug := b.String()
	if len(slug) > MaxSlug {
		slug = slug[:MaxSlug]
		if i := strings.LastIndexByte(slug, '-'); i > MaxSlug/2 {
			slug = slug[:i]
		}
	}
	return strings.TrimRight(slug, "-")
}

// spelled are letters that have no decomposition.
var spelled = map[rune]string{
	'ß': "ss", 'æ': "ae", 'Æ': "ae", 'ø': "o", 'Ø': "o", 'œ': "oe", 'Œ': "oe", 'ł': "l", 'Ł': "l", 'đ': "d", 'Đ': "d", 'ð': "d", 'þ': "th", 'ı': "i",
}
