package entryfile

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCard(t *testing.T) {
	c := Card{
		ID: "gk2m9xqd", Op: OpEdit, EntryID: "hhhhhhhh", Kind: Preference, Base: "9f86d081884c7d65", Source: "claude-code", Session: "2026-11-30-a1b2",
		Created: stamp, Code: "3f9c2d1 (main)", Extra: []Field{{"why", "\"said: so\""}},
		Entry: Entry{ID: "hhhhhhhh", Kind: Preference, Title: "Be brief", Body: "# Be\n\n## brief", Tags: []string{"style"}},
	}
	want := lines(
		"---", "id: gk2m9xqd", "op: edit", "entry: hhhhhhhh", "kind: preference", "base: 9f86d081884c7d65", "source: claude-code", "session: 2026-11-30-a1b2",
		"created: 2026-11-30T19:27:00Z", "code: 3f9c2d1 (main)", `why: "said: so"`, "---", "",
		"## Be brief", "<!-- vault: {id: hhhhhhhh, tags: [style], body: shift 2} -->", "", "### Be", "", "#### brief")
	out, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if got, err := ParseCard(out); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, c)
	}
	if c.Path() != "review/gk2m9xqd.md" || !IsCard(c.Path()) {
		t.Errorf("its path is %q", c.Path())
	}
	add := Card{ID: "gk2m9xqd", Op: OpAdd, EntryID: "gk2m9xqd", Kind: Decision}
	if out, err := add.Bytes(); err != nil || string(out) != "---\nid: gk2m9xqd\nop: add\nentry: gk2m9xqd\nkind: decision\n---\n" {
		t.Errorf("an add that is applied: %q, %v", out, err)
	}
}

func TestCardsThatCannotBeRead(t *testing.T) {
	front := "---\nid: gk2m9xqd\nop: edit\nentry: hhhhhhhh\nkind: decision\n---\n"
	for text, want := range map[string]string{
		"":                       "no front matter",
		"## T\n":                 "no front matter",
		"---\nid: [\n---\n":      "is not YAML",
		front:                    "holds no entry",
		front + "## A\n\n## B\n": "more than one entry",
		front + "## A\n<!-- vault: {id: 1} -->\n":                   `"1" is not an id`,
		strings.Replace(front, "edit", "change", 1) + "## A\n":      `op is "change"`,
		strings.Replace(front, "hhhhhhhh", "[a]", 1) + "## A\n":     "entry must be one text",
		strings.Replace(front, "hhhhhhhh", "12", 1) + "## A\n":      `entry: "12" is not an id`,
		strings.Replace(front, "gk2m9xqd", "../../x", 1) + "## A\n": "is not an id",
		strings.Replace(front, "decision", "joke", 1) + "## A\n":    `"joke" is no kind`,
		strings.Replace(front, "kind", "id", 1) + "## A\n":          `"id" is there twice`,
	} {
		if _, err := ParseCard([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestCardsHoldAnyEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		c := Card{ID: "gk2m9xqd", Op: OpForget, EntryID: "hhhhhhhh", Kind: kind, Source: rapid.SampledFrom([]string{"", "a: b", "-\n-"}).Draw(t, "source")}
		c.Entry = anyEntry(kind).Draw(t, "entry")
		out, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseCard(out)
		if err != nil || !sameEntry(got.Entry, normal(c.Entry)) || Hash(got.Entry) != Hash(c.Entry) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, c)
		}
	})
}

func FuzzCard(f *testing.F) {
	f.Add([]byte("---\nid: gk2m9xqd\nop: edit\nentry: hhhhhhhh\nkind: decision\nx: [a]\n---\n\n## T\n<!-- vault: {tags: [a], y: {b: c}} -->\n\n> q\n"))
	f.Add([]byte("---\r\nid: gk2m9xqd\r\nop: add\r\nentry: hhhhhhhh\r\nkind: preference\r\n---\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCard(data)
		if err != nil {
			return
		}
		out, err := c.Bytes()
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q has several lines", err)
			}
			t.Skip(err) // a hand-made card may hold what is not written by us
		}
		again, err := ParseCard(out)
		if err != nil || !sameEntry(again.Entry, c.Entry) || !sameCard(again, c) {
			t.Errorf("%q is written as %q: %v", data, out, err)
		}
	})
}
