package marked

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func apply(data string, at int, was, is string) string {
	return data[:at] + is + data[at+len(was):]
}

func TestASectionStandsAtTheEnd(t *testing.T) {
	for doc, want := range map[string]string{
		"":              "<B>\nx\n<E>\n",
		"# Mine":        "# Mine\n\n<B>\nx\n<E>\n",
		"# Mine\n":      "# Mine\n\n<B>\nx\n<E>\n",
		"# Mine\n\n":    "# Mine\n\n<B>\nx\n<E>\n",
		"# Mine\r\n":    "# Mine\r\n\r\n<B>\r\nx\r\n<E>\r\n",
		"<B>\nold\n<E>": "<B>\nx\n<E>",
	} {
		marks := strings.NewReplacer("<B>", Index.begin(), "<E>", Index.end())
		doc, want = marks.Replace(doc), marks.Replace(want)
		at, was, is, err := Index.Set([]byte(doc), "x")
		require.NoError(t, err)
		require.Equal(t, want, apply(doc, at, was, is))
	}
}

func TestDamagedMarksAreRefusedByLine(t *testing.T) {
	for doc, problem := range map[string]string{
		"\n" + Index.begin():                 "line 2: a vault section has no end: add the line <!-- /vault-index -->, or take its first line out",
		Index.end():                          "line 1: a vault section ends that did not start: take the line out",
		Index.begin() + "\n" + Index.begin(): "line 2: a vault section starts inside another: put its mark <!-- /vault-… on line 1 right, or take it out",
		strings.Repeat(Index.begin()+"\n"+Index.end()+"\n", 2): "line 3: the vault section index is there twice: take one out",
	} {
		_, _, _, err := Index.Set([]byte(doc), "x")
		require.EqualError(t, err, problem)
	}
}

func TestStripKeepsLineNumbers(t *testing.T) {
	text := "a\n" + Instructions.begin() + "\nb\n" + Instructions.end() + "\nc\n" + Index.begin() + "\nd"
	require.Equal(t, "a\n\n\n\nc\n\n", Strip(text))
	require.Equal(t, "plain", Strip("plain"))
}

func TestMarksInACodeBlockAreAnExample(t *testing.T) {
	example := "# How it looks\n\n```md\n" + Instructions.begin() + "\nold\n" + Instructions.end() + "\n```\n"
	require.False(t, Instructions.Has([]byte(example)))
	require.Equal(t, example, Strip(example))
	at, was, is, err := Instructions.Set([]byte(example), "x")
	require.NoError(t, err)
	require.Equal(t, example+"\n"+Instructions.begin()+"\nx\n"+Instructions.end()+"\n", apply(example, at, was, is))
	open := "```\n" + Instructions.begin() + "\nx\n" + Instructions.end() + "\n"
	require.True(t, Instructions.Has([]byte(open)), "a fence that does not end is no code block for long")
}

func TestWhatOthersTypedInASectionStays(t *testing.T) {
	doc := "a\n" + Instructions.begin() + "\nmine above\nUse vault.\n\nmine below\n" + Instructions.end() + "\nb\n"
	at, was, rest, err := Instructions.Cut([]byte(doc), "Use vault.")
	require.NoError(t, err)
	require.Equal(t, "a\nmine above\n\nmine below\nb\n", apply(doc, at, was, rest))
}

// Whatever the file and the text: a section that went in comes out again, two
// sections do not disturb each other, and nothing of a section is read back.
func TestAnyFile(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "\n", "\r\n", " ", "# b", Index.begin(), Instructions.end(), "-->", "\ufeff", "é"})
	text := rapid.Map(rapid.SliceOfN(words, 0, 12), func(list []string) string { return strings.Join(list, "") })
	rapid.Check(t, func(t *rapid.T) {
		doc := guard(text.Draw(t, "file"))
		first, second := text.Draw(t, "first"), text.Draw(t, "second")
		at, was, is, err := Index.Set([]byte(doc), first)
		require.NoError(t, err)
		one := apply(doc, at, was, is)
		at, was, is, err = Instructions.Set([]byte(one), second)
		require.NoError(t, err)
		two := apply(one, at, was, is)
		_, was, is, err = Index.Set([]byte(two), first)
		require.NoError(t, err)
		require.Equal(t, was, is)
		require.Equal(t, strings.TrimSpace(doc), strings.TrimSpace(Strip(two)))
		for _, s := range []Section{Index, Instructions} {
			require.True(t, s.Has([]byte(two)))
			at, was, rest, err := s.Cut([]byte(two))
			require.NoError(t, err)
			require.Empty(t, rest)
			two = apply(two, at, was, "")
		}
		require.Equal(t, strings.TrimRight(doc, "\r\n"), strings.TrimRight(two, "\r\n"))
	})
}
