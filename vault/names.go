package vault

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// reserved are the sources that are not agents; what import: begins is one, too.
var reserved = [...]string{sourcePerson, "vault", "merge"}

// isReserved reports whether a source of that name is not an agent, or would be
// taken for one that is not.
func isReserved(s string) bool {
	s = skeleton(s)
	for _, name := range reserved {
		if s == skeleton(name) {
			return true
		}
	}
	return strings.HasPrefix(s, skeleton("import:"))
}

// LooksLike reports whether a reader would take one name for another: an agent's
// for the person's own, say.
func LooksLike(a, b string) bool {
	a = skeleton(a)
	return a != "" && a == skeleton(b)
}

// lookalikes are what can stand for a letter of the reserved names, after
// compatibility forms, accents and capitals have gone.
var lookalikes = [...]struct {
	letter rune
	others string
}{
	{'p', "рρϱⲣ"}, {'e', "3еҽєεɛ"}, {'r', "гʀᴦⲅ"}, {'s', "5$ѕꜱʂ"}, {'o', "0оοօσⲟᴏ"}, {'n', "пոηɴո"}, {'v', "νѵʋᴠ"},
	{'a', "4@аαɑ"}, {'u', "υսʊᴜ"}, {'l', "1|!iіιıӏɪʟ"}, {'t', "7тτᴛ"}, {'m', "мμᴍ"}, {'g', "9ɡցԍ"}, {':', "∶꞉ː׃։"},
}

// skeleton is what is left of a name for the eye: letters without case, accents
// and script, and nothing that stands between them.
func skeleton(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if r == 'Ν' { // whose small letter looks like another one
			r = 'n'
		}
		r = unicode.ToLower(r)
		for _, l := range lookalikes {
			if strings.ContainsRune(l.others, r) {
				r = l.letter
				break
			}
		}
		if r == ':' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "rn", "m")
}
