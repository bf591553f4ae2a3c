package templates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func TestBuiltinFilesAreGood(t *testing.T) {
	for _, name := range []string{Index, Context, MCP, Hooks, Clients} {
		data, err := builtin.ReadFile(name)
		require.NoError(t, err)
		parts, err := parse(string(data), nil)
		require.NoError(t, err, name)
		for part, tmpl := range parts {
			used := map[int]bool{}
			for _, k := range tmpl.at {
				used[k] = true
			}
			assert.Len(t, used, len(tmpl.keys), "%s: part %s does not use all of its keys", name, part)
			assert.NotEmpty(t, tmpl.Text(), "%s: part %s is empty", name, part)
		}
	}
}

func TestSkeletons(t *testing.T) {
	for name, title := range map[string]string{"decisions.md": "Decisions", "conventions.md": "Conventions", "failed_paths.md": "Failed paths", "open_threads.md": "Open threads"} {
		text := string(Skeleton(name))
		assert.True(t, strings.HasPrefix(text, "# "+title+"\n\n"), name)
		assert.Equal(t, 3, strings.Count(text, "\n"), name)
		assert.True(t, strings.HasSuffix(text, ".\n"), name)
	}
	assert.Nil(t, Skeleton("preferences"))
	assert.Nil(t, Skeleton("../index.md"))
}

func TestAPartTakesItsValuesInTheOrderOfItsKeys(t *testing.T) {
	parts, err := parse("a word to the reader {{\n\n{{part line id title}}\n\n{{title}} ({{id}}) {{ title }}\n\n{{comment}}\nnot {{text}}\n{{part none}}\nplain\n", nil)
	require.NoError(t, err)
	require.Len(t, parts, 2)
	assert.Equal(t, "T (x) T", parts["line"].Text("x", "T"))
	assert.Equal(t, " (x) ", parts["line"].Text("x"))
	assert.Equal(t, "plain", parts["none"].Text("x"))
	assert.Equal(t, "A {{id}} (x) A {{id}}", parts["line"].Text("x", "A {{id}}"), "values are not templates")
}

func TestLoad(t *testing.T) {
	s, err := Load("")
	require.NoError(t, err)
	assert.Same(t, Default(), s)

	s, err = Load(filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	assert.Same(t, Default(), s)

	dir := t.TempDir()
	write(t, dir, "context.md", "\ufeffMine.\r\n{{part read}}\r\nFetch with get.\r\n{{part text}}\r\n — {{text}}\r\n")
	write(t, dir, "context.md~", "an editor's copy")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "old"), 0o700))
	s, err = Load(dir)
	require.NoError(t, err)
	own := s.File(Context)
	assert.Equal(t, "Fetch with get.", own.Part("read").Text())
	assert.Equal(t, " — gist", own.Part("text").Text("gist"))
	assert.Equal(t, "Decisions:", own.Part("group.decision").Text(), "a part that is not overridden")
	assert.Empty(t, own.Part("nonsense").Text("x"))
	assert.Equal(t, "No more of it", Default().File(Index).Part("nonsense").Text()+"No more of it")
}

func TestABadOverrideIsNamedAndLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		"no parts at all":                    "it has no {{part NAME}} line",
		"{{part reed}}\nx\n":                 "line 1: there is no part reed",
		"{{part read}}\nx\n{{part read}}\ny": "line 3: part read is there twice",
		"{{part read}}\n{{id}}\n":            "line 1: part read: {{id}} means nothing here: it has no keys",
		"\n{{part text}}\n{{tekst}}\n":       "line 2: part text: {{tekst}} means nothing here: its keys are text",
		"{{part text}}\n{{text\n":            "part text: a {{ has no }}",
		"{{part read\nx\n":                   "does not start a part",
		"{{part read}}\n\xff\n":              "it is not UTF-8 text",
		strings.Repeat("long ", 20000):       "is over 64 KiB",
	} {
		dir := t.TempDir()
		write(t, dir, "context.md", text)
		s, err := Load(dir)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, filepath.Join(dir, "context.md"))
		assert.NotContains(t, err.Error(), "\n")
		assert.Equal(t, Default().File(Context).Part("read").Text(), s.File(Context).Part("read").Text(), "falls back")
	}
}

// Tracked files are the same on every machine, so their wording is not a
// person's to change here.
func TestFilesThatCannotBeOverridden(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "index.md", "{{part entry}}\nEintrag\n")
	write(t, dir, "notes.txt", "hello")
	s, err := Load(dir)
	require.ErrorContains(t, err, "index.md is not used: files that may be here are context.md")
	require.ErrorContains(t, err, "notes.txt is not used")
	assert.Equal(t, "entry", s.File(Index).Part("entry").Text())
}

func TestAFolderThatCannotBeRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "templates")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	s, err := Load(file)
	require.Error(t, err)
	assert.Same(t, Default(), s)
}

func FuzzParse(f *testing.F) {
	f.Add("{{part a b}}\n{{b}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := parse(text, nil)
		if err == nil && len(parts) == 0 {
			t.Fatal("neither parts nor an error")
		}
		for _, p := range parts {
			p.Text("x", "y")
		}
	})
}

func BenchmarkFirstUse(b *testing.B) {
	data, err := builtin.ReadFile(Context)
	require.NoError(b, err)
	for b.Loop() {
		if _, err := parse(string(data), nil); err != nil {
			b.Fatal(err)
		}
	}
}
