package entryfile

import (
	"bytes"
	"testing"

	"github.com/yuin/goldmark"
	meta "github.com/yuin/goldmark-meta"
	"github.com/yuin/goldmark/parser"
	"pgregory.net/rapid"
)

// readAsOthers reads front matter with goldmark-meta, as a site generator or
// viewer of Markdown would. It is no reader to build on here: any line of
// dashes, a single one too, opens and closes its front matter, a file that
// begins with a rule is front matter to it, it turns 012 and dates into
// numbers and times, and it says nothing of where a key stands.
func readAsOthers(t *rapid.T, file []byte) (keys []string, values map[string]any) {
	md := goldmark.New(goldmark.WithExtensions(meta.Meta))
	ctx := parser.NewContext()
	var out bytes.Buffer
	if err := md.Convert(file, &out, parser.WithContext(ctx)); err != nil {
		t.Fatal(err)
	}
	items, err := meta.TryGetItems(ctx)
	if err != nil {
		t.Fatalf("%s\n%v", file, err)
	}
	for _, item := range items {
		keys = append(keys, item.Key.(string))
	}
	values, err = meta.TryGet(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return keys, values
}

func TestOthersReadOurFrontMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEntry(Preference).Draw(t, "entry")
		out, err := Print(e)
		if err != nil {
			t.Fatal(err)
		}
		keys, values := readAsOthers(t, out)
		var want []string
		e = normal(e)
		writePairs(&e, true, plain, inBlock, func(key, _ string) { want = append(want, key) })
		if len(keys) != len(want) {
			t.Fatalf("%s\ngot %q, want %q", out, keys, want)
		}
		for i, key := range keys {
			if key != want[i] {
				t.Fatalf("%s\ngot %q, want %q", out, keys, want)
			}
		}
		for key, want := range map[string]string{"id": e.ID, "title": e.Title, "description": e.Description} {
			if got, ok := values[key].(string); ok && got != want {
				t.Fatalf("%s\n%s is %q, want %q", out, key, got, want)
			}
		}
		if tags, ok := values["tags"].([]any); ok != (len(e.Tags) > 0) || len(tags) != len(e.Tags) {
			t.Fatalf("%s\ntags are %v, want %v", out, values["tags"], e.Tags)
		}
	})
}
