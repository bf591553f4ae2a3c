package merge

import (
	"strings"
	"testing"

	"gitvault/internal/entryfile"

	"pgregory.net/rapid"
)

func TestEntriesByKey(t *testing.T) {
	base := entry("a", tags("x", "y"), paths("go.mod@1111111", "a/b.go"), status("open"))
	merge := func(ours, theirs entryfile.Entry) entryfile.Entry {
		t.Helper()
		m, swapped := Entries(&base, &ours, &theirs, Sync), Entries(&base, &theirs, &ours, Sync)
		if m.Entry == nil || len(m.Fields) > 0 || !same(m.Entry, swapped.Entry) {
			t.Fatalf("%+v %+v", m, swapped)
		}
		return *m.Entry
	}
	ours, theirs := base.Clone(), base.Clone()
	ours.Updated, theirs.Updated = stamp(5), stamp(3)

	t.Run("lists are sets", func(t *testing.T) {
		o, h := ours.Clone(), theirs.Clone()
		o.Tags, h.Tags = []string{"y", "b"}, []string{"x", "y", "c", "a"}
		o.Supersedes, h.Supersedes = []string{"gggggggx"}, []string{"gggggggy"}
		e := merge(o, h)
		if got := strings.Join(e.Tags, " ") + " " + strings.Join(e.Supersedes, " "); got != "y a b c gggggggx gggggggy" {
			t.Errorf("%s", got)
		}
	})
	t.Run("paths are known by their names", func(t *testing.T) {
		o, h := ours.Clone(), theirs.Clone()
		o.Paths, h.Paths = []string{"go.mod@2222222", "a/b.go"}, []string{"go.mod@3333333", "a/b.go", "new@v2/x.go"}
		if got := strings.Join(merge(o, h).Paths, " "); got != "go.mod@2222222 a/b.go new@v2/x.go" {
			t.Errorf("%s", got)
		}
	})
	t.Run("the later scalar stands", func(t *testing.T) {
		o, h := ours.Clone(), theirs.Clone()
		o.Evidence, h.Evidence, h.Expires = "ours", "theirs", "2027-01-01"
		if e := merge(o, h); e.Evidence != "ours" || e.Expires != "2027-01-01" || e.Updated != stamp(5) {
			t.Errorf("%+v", e)
		}
	})
	t.Run("keys nobody knows", func(t *testing.T) {
		o, h := ours.Clone(), theirs.Clone()
		o.Extra = []entryfile.Field{{Key: "rank", Value: "1"}, {Key: "mine", Value: "[a]"}}
		h.Extra = []entryfile.Field{{Key: "rank", Value: "2"}}
		e := merge(o, h)
		if len(e.Extra) != 2 || e.Extra[0] != o.Extra[1] || e.Extra[1] != o.Extra[0] {
			t.Errorf("%+v", e.Extra)
		}
	})
	t.Run("a new title meets a new body", func(t *testing.T) {
		o, h := ours.Clone(), theirs.Clone()
		o.Title, o.Body = "Another title", "Another title"
		h.Body = "Now with a body."
		if e := merge(o, h); e.Title != "Another title" || e.Body != "Now with a body." {
			t.Errorf("%+v", e)
		}
	})
	t.Run("ties go by the text", func(t *testing.T) {
		o, h := ours.Clone(), theirs.Clone()
		o.Updated, h.Updated = stamp(4), stamp(4)
		o.Evidence, h.Evidence = "ours", "theirs"
		merge(o, h)
	})
	t.Run("what is no time is before every time", func(t *testing.T) {
		o, h := ours.Clone(), theirs.Clone()
		o.Updated, h.Updated = "yesterday", stamp(0)
		o.Evidence, h.Evidence = "ours", "theirs"
		if e := merge(o, h); e.Evidence != "theirs" {
			t.Errorf("%+v", e)
		}
	})
}

func TestEntriesKeepsToTheLimits(t *testing.T) {
	line := strings.Repeat("A line of some length. ", 40) + "\n"
	base := entry("a", body("Start\n\nmiddle\n\nend"))
	ours := entry("a", body(strings.Repeat(line, 40)+"\nStart\n\nmiddle\n\nend"), updated(1))
	theirs := entry("a", body("Start\n\nmiddle\n\nend\n\n"+strings.TrimSpace(strings.Repeat(line, 40))), updated(2))
	m := Entries(&base, &ours, &theirs, Sync)
	if strings.Join(m.Fields, " ") != "body" || m.Entry.Body != theirs.Body || m.Other.Body != ours.Body {
		t.Errorf("%v, %d bytes", m.Fields, len(m.Entry.Body))
	}
}

func TestEntriesProperties(t *testing.T) {
	word := rapid.SampledFrom([]string{"", "a", "b", "c"})
	list := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"p", "q", "r@1111111", "r@2222222"}), 0, 3, func(s string) string { return cutPath(s) })
	some := rapid.Custom(func(t *rapid.T) *entryfile.Entry {
		if rapid.IntRange(0, 5).Draw(t, "there") == 0 {
			return nil
		}
		e := entry("a", title("T "+word.Draw(t, "title")), body("First "+word.Draw(t, "body")+"\n\nlast "+word.Draw(t, "body")), description(word.Draw(t, "description")),
			tags(list.Draw(t, "tags")...), paths(list.Draw(t, "paths")...), updated(rapid.IntRange(0, 3).Draw(t, "updated")))
		e.Evidence, e.Status, e.Pinned = word.Draw(t, "evidence"), word.Draw(t, "status"), rapid.Bool().Draw(t, "pinned")
		return &e
	})
	rapid.Check(t, func(t *rapid.T) {
		b, o, h := some.Draw(t, "base"), some.Draw(t, "ours"), some.Draw(t, "theirs")
		m, swapped := Entries(b, o, h, Sync), Entries(b, h, o, Sync)
		if !same(m.Entry, swapped.Entry) || !same(m.Other, swapped.Other) || m.Forgotten != swapped.Forgotten {
			t.Fatalf("%+v, swapped %+v", m, swapped)
		}
		for _, mode := range []Mode{Sync, Adopt, Revert} {
			if m := Entries(b, o, b, mode); len(m.Fields) > 0 || mode != Revert && !same(m.Entry, o) {
				t.Fatalf("only ours changed: %+v", m)
			}
			if m := Entries(b, b, h, mode); len(m.Fields) > 0 || mode != Revert && !same(m.Entry, h) {
				t.Fatalf("only theirs changed: %+v", m)
			}
			if m := Entries(b, o, o, mode); len(m.Fields) > 0 || !same(m.Entry, o) {
				t.Fatalf("both the same: %+v", m)
			}
		}
		if (m.Other == nil) != (len(m.Fields) == 0) {
			t.Fatalf("%+v", m)
		}
	})
}
