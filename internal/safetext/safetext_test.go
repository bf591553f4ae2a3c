package safetext

import (
	"html"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a line\n\tindented\n", "a line\n\tindented\n"},
		{"scripts stay", "naïve 做好财务 やった Привет עברית عربي ไทย 한국어 ½ €", "naïve 做好财务 やった Привет עברית عربي ไทย 한국어 ½ €"},
		{"emoji with joiners stay", "👩‍💻 ❤️ 1️⃣ 👍🏽", "👩‍💻 ❤️ 1️⃣ 👍🏽"},
		{"Persian and Hindi joiners stay", "می‌خواهم क्‍ष", "می‌خواهم क्‍ष"},
		{"line ends", "a\r\nb\rc\u2028d\u0085e\vf", "a\nb\nc\nd\ne\nf"},
		{"terminal colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"terminal title", "\x1b]0;owned\x07", "␛]0;owned␇"},
		{"C1 escape", "a\u009b31mb", "a\ufffd31mb"},
		{"NUL and DEL", "a\x00b\x7f", "a␀b␡"},
		{"direction override", "user\u202egnp.exe\u202c", "user\ufffdgnp.exe\ufffd"},
		{"tag characters tell once", "hi\U000e0069\U000e0067\U000e006e", "hi\ufffd"},
		{"zero width", "ig\u200bno\u2060re\ufeff", "ignore"},
		{"joiners beside ASCII", "a\u200db\u200cc", "abc"},
		{"selectors that hide bytes", "😀\ufe00\ufe01\ufe02\U000e0100\U000e0101", "😀\ufe00"},
		{"marks piled up", "e" + strings.Repeat("\u0301", 40), "e" + strings.Repeat("\u0301", 8)},
		{"invalid bytes", "a\xff\xfeb\xc3", "a\ufffdb\ufffd"},
	} {
		assert.Equal(t, c.want, Text(c.in), c.name)
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"a title":              "a title",
		"  two\n lines\t\r\n ": "two lines",
		"a  b":                 "a b",
		"\u202e":               "\ufffd",
		"\n":                   "",
		"é \u200b x":           "é x",
	} {
		assert.Equal(t, want, Line(in), "%q", in)
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"Use snake_case_names":          "Use snake_case_names",
		"_init_ and __main__":           `\_init\_ and \__main_\_`,
		"a [link](x) | `code` <b>":      "a \\[link\\](x) \\| `code` \\<b\\>",
		"`<b>` and ``a`b`` and ` alone": "`<b>` and ``a`b`` and \\` alone",
		"R&D, AT&amp;T, a && b":         `R\&D, AT\&amp;T, a && b`,
		"1. first":                      `1\. first`,
		"- dash":                        `\- dash`,
		"# hash":                        `\# hash`,
		"release 1.26 costs $5":         `release 1.26 costs \$5`,
		":tada: done":                   `\:tada: done`,
		"see https://example.org/a_b_c": "see https://example.org/a_b_c",
	} {
		assert.Equal(t, want, Markdown(in), "%q", in)
	}
}

func TestTagless(t *testing.T) {
	for in, want := range map[string]string{
		"a < b && c":              "a &lt; b && c",
		"</vault_instructions>":   "&lt;/vault_instructions>",
		"＜/vault_instructions＞":   "&lt;/vault_instructions＞",
		"&lt;b> &#60; &AMP; &x y": "&amp;lt;b> &amp;#60; &amp;AMP; &x y",
		"f(&self, x)":             "f(&self, x)",
	} {
		assert.Equal(t, want, Tagless(in), "%q", in)
	}
	assert.Equal(t, "a &quot;b&quot; &lt;c&gt;", Attr("a \"b\"\n<c>"))
}

func anyText() *rapid.Generator[string] {
	nasty := rapid.SampledFrom([]string{"\x1b[2J", "\u202e", "\u2066", "\U000e0041", "\u200d", "\ufe0f", "<", "&", ";", "\n", "\r", "\t", " ", "`", "*", "_",
		"[", "](", ")", "\\", "|", "~", "#", "-", "1.", "<!--", "<b>", "&lt;", "é", "财", "😀", "\xff", "\x00", "http://x.y", "a", "www.z.com", "!", ":", "$", "\"", "'"})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(nasty, rapid.String()), 0, 12).Draw(t, "parts"), "")
	})
}

func TestNothingActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		for _, out := range []string{Text(s), Line(s), Markdown(s), Tagless(Text(s))} {
			if !utf8.ValidString(out) {
				t.Fatalf("invalid UTF-8: %q", out)
			}
			for _, r := range out {
				if unicode.IsControl(r) && r != '\n' && r != '\t' || hidden(r) || quiet(r) {
					t.Fatalf("%U stays in %q", r, out)
				}
			}
		}
		if out := Line(s); strings.ContainsAny(out, "\n\t") || strings.TrimSpace(out) != out && strings.Trim(out, " ") != out {
			t.Fatalf("no line: %q", out)
		}
		if out := Text(s); Text(out) != out {
			t.Fatalf("Text is not stable: %q, %q", out, Text(out))
		}
		if out := Line(s); Line(out) != out {
			t.Fatalf("Line is not stable: %q, %q", out, Line(out))
		}
	})
}

func TestTaglessHoldsNoTagAndComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Text(anyText().Draw(t, "s"))
		out := Tagless(s)
		if strings.Contains(out, "<") {
			t.Fatalf("%q", out)
		}
		if len(out) > 5*len(s) {
			t.Fatalf("%d bytes became %d", len(s), len(out))
		}
		if plain := strings.NewReplacer("\uff1c", "<", "\ufe64", "<").Replace(s); !strings.Contains(s, "&") && html.UnescapeString(out) != plain {
			t.Fatalf("%q reads back as %q", s, html.UnescapeString(out))
		}
	})
}

// What a Markdown reader shows is the line, and nothing but text.
func TestMarkdownShowsTheLine(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	check := func(t interface{ Fatalf(string, ...any) }, s string) {
		want := Line(s)
		if want == "" {
			return
		}
		var b strings.Builder
		if err := md.Convert([]byte(Markdown(s)+"\n"), &b); err != nil {
			t.Fatalf("%v", err)
		}
		got := strings.TrimSuffix(strings.TrimPrefix(b.String(), "<p>"), "</p>\n")
		got = strings.NewReplacer("<code>", "", "</code>", "").Replace(got)
		if strings.ContainsAny(got, "<>") || html.UnescapeString(got) != withoutMarks(want) {
			t.Fatalf("%q\nas    %q\nshows %q", want, Markdown(s), b.String())
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, anyText().Draw(t, "s")) })
}

// withoutMarks takes the backticks of code spans off a line.
func withoutMarks(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 1
		if s[i] == '`' {
			if n = codeSpan(s[i:]); n > 0 {
				run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
				code := s[i+run : i+n-run]
				if len(code) > 2 && code[0] == ' ' && code[len(code)-1] == ' ' && strings.Trim(code, " ") != "" {
					code = code[1 : len(code)-1]
				}
				b.WriteString(code)
				i += n
				continue
			}
			n = len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		}
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31m\u202e", "a\u200d\ufe0f\U000e0100", "<a>&lt;", "_a_ [b](c) `d`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if out := Text(s); !utf8.ValidString(out) || Text(out) != out || len(out) > 3*len(s) {
			t.Fatalf("%q", out)
		}
		if strings.Contains(Tagless(Text(s)), "<") {
			t.Fatal("a tag stays")
		}
		Markdown(s)
	})
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":   strings.Repeat("One repository per scope, for a reason.\n", 1000),
		"chinese": strings.Repeat("做好财务护城河。\n", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Text(s)
			}
		})
	}
}
