package recall

import (
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/stretchr/testify/require"
)

// TestShortWays holds the quick foldings to the thorough ones, for every
// character they take.
func TestShortWays(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s := string(r)
		if kindOfText(s) == involved {
			continue
		}
		full := norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
		require.Equal(t, full, lower(s), "%U", r)
		require.Equal(t, stripMarks(full), unaccent(full), "%U", r)
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Größe", "grosse"}, {"ÉTÉ", "ete"}, {"e\u0301", "e"}, {"Йод", "йод"}, {"и\u0306", "й"}, {"Ёлка", "елка"},
		{"ﬁle", "file"}, {"ＡＢＣ", "abc"}, {"ｶﾞ", "ガ"}, {"か\u3099", "が"}, {"İstanbul", "istanbul"}, {"ŁÓDŹ", "lodz"},
		{"Ærø", "aero"}, {"ΣΊΣΥΦΟΣ", "σισυφοσ"}, {"한", "한"}, {"한", "한"}, {"soft\u00ADhyphen", "softhyphen"},
		{"שָׁלוֹם", "שלום"}, {"كَتَبَ", "كتب"},
	} {
		require.Equal(t, c.want, unaccent(lower(c.in)), "%q", c.in)
	}
}
