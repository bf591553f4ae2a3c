package recall

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func terms(text string) string {
	var list []string
	tokenize(text, func(t token) { list = append(list, t.term) })
	return strings.Join(list, " ")
}

func TestTokenize(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"The quick, brown fox.", "the quick brown fox"},
		{"**bold** _and_ `code`: 'quoted'", "bold and code quoted"},
		{"- item\n* item\n## head\n---\na * b", "item item head a * b"},
		{"C++ C# .env --no-verify", "c++ c c# c .env env --no-verify no-verify noverify no verify"},
		{"api/v2-handler", "api/v2-handler v2-handler v2handler api v2 handler"},
		{"fooBar HTTPServer URLs iPhones", "foobar foo bar httpserver http server urls url iphones i phones"},
		{"foo_bar", "foo_bar foobar foo bar"},
		{"Ann's don't l'entrée", "ann dont entree"},
		{"用Redis做队列", "用 redis 做队 队列 列"},
		{"좋다", "좋다 좋다 다"},
		{"Größe ﬁle ＡＢＣ", "grosse file abc"},
		{"й и\u0306 é e\u0301", "й й e e"},
		{"👍 ok", "👍 ok"},
		{strings.Repeat("x", 200), ""},
	} {
		require.Equal(t, c.want, terms(c.text), "%q", c.text)
	}
}

func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"C++ api/v2-handler", "用Redis做队列 ﾃﾞｰﾀ", "don’t l'é", "\xff\x00*__*", "'''::", "ﬀHTTPs", "้กก"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := 0
		tokenize(text, func(k token) {
			tokens++
			if k.term == "" || k.start < 0 || k.end > len(text) || k.start >= k.end {
				t.Fatalf("%+v in %q", k, text)
			}
			if utf8.ValidString(text) && !utf8.ValidString(k.term) {
				t.Fatalf("%q is not valid in %q", k.term, text)
			}
		})
		if tokens > 6*len(text)+6 {
			t.Fatalf("%d tokens of %d bytes", tokens, len(text))
		}
	})
}
