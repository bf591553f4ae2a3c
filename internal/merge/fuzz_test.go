package merge

import (
	"bytes"
	"testing"
)

func FuzzText(f *testing.F) {
	f.Add("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
	f.Add("", "a", "b")
	f.Add("one two three", "ONE two three", "one two THREE")
	f.Fuzz(func(t *testing.T, b, o, h string) {
		m, ok := Text(b, o, h)
		if m2, ok2 := Text(b, h, o); m2 != m || ok2 != ok {
			t.Fatalf("swapped: %q %v, not %q %v", m2, ok2, m, ok)
		}
		if m, ok := Text(b, o, b); !ok || m != o {
			t.Fatalf("one side changed: %q %v", m, ok)
		}
		WordDiff(o, h)
	})
}

func FuzzTrees(f *testing.F) {
	a, b, x := entry("a", body("Some text.\n\n```\nopen")), entry("b"), entry("x")
	f.Add(ledger("# D\n", a, b), ledger("# D\n", a, x, b), ledger("# D 2\n", b))
	f.Add([]byte("\ufeff## A\r\n\r\nText\r\n"), []byte("## A\n<!-- vault: {id: [ -->\n"), []byte("## A\n## A\n# B\n```\n## C"))
	f.Add([]byte("A\n=\n"), []byte("## A\n<!-- vault: {id: ggggggga} -->\n## B\n<!-- vault: {id: ggggggga} -->"), []byte("## A\n<!-- vault: {id: ggggggga} -->\n\n> quote"))
	f.Fuzz(func(t *testing.T, b, o, h []byte) {
		for _, path := range []string{decisions, "preferences/a.md", "vault.yaml", "review/gggggggg.md"} {
			base, ours, theirs := Files{path: b}, Files{path: o}, Files{path: h}
			r := sync(t, base, ours, theirs)
			again := Trees(r.Files, r.Files, r.Files, Options{})
			if namedAll(r.Files) && filesDiffer(r.Files, again.Files) != "" {
				t.Fatalf("merging what is the same: %s", filesDiffer(r.Files, again.Files))
			}
			if one := Trees(base, base, theirs, Options{}); namedAll(theirs) && !bytes.Equal(one.Files[path], h) {
				t.Fatalf("one side changed: %q, not %q", one.Files[path], h)
			}
			if one := adopt(base, base, theirs); namedAll(theirs) && !bytes.Equal(one.Files[path], h) {
				t.Fatalf("adopting: %q, not %q", one.Files[path], h)
			}
			Trees(base, ours, theirs, Options{Mode: Revert})
			Trees(base, ours, theirs, Options{Mode: Revert, Force: true})
			for _, c := range Diff(ours, theirs) {
				_ = c.Title()
			}
		}
	})
}

// namedAll reports whether all entries have their ids in the files.
func namedAll(f Files) bool {
	return readSide(f, nil).plain()
}

func FuzzHasMarkers(f *testing.F) {
	f.Add([]byte("<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n"))
	f.Add([]byte("```\n<<<<<<< a\n=======\n>>>>>>> d\n```\n"))
	f.Fuzz(func(_ *testing.T, data []byte) { HasMarkers(data) })
}
