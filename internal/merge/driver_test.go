package merge

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// byFile merges as git does that has vault as its merge driver: each path on
// its own, and one that is deleted on one side stays as the other has it.
func byFile(base, ours, theirs Files) Files {
	out := Files{}
	for _, path := range allPaths(base, ours, theirs) {
		b, o, h := file(base, path), file(ours, path), file(theirs, path)
		switch {
		case equalFile(o, h), equalFile(h, b), h == nil:
			if o != nil {
				out[path] = o
			}
		case equalFile(o, b), o == nil:
			out[path] = h
		default:
			one := Files{}
			if b != nil {
				one[path] = b
			}
			if merged, ok := Trees(one, Files{path: o}, Files{path: h}, Options{}).Files[path]; ok {
				out[path] = merged
			}
		}
	}
	return out
}

// What plain git made of a merge is put right from its parents, and what a
// person has typed since stays: the merge git made is the base, the one it
// should have made is ours.
func TestPutRightAfterPlainGit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, 2)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			w.act(w.pick(2, "replica"))
		}
		base := w.commits[0].files
		if bases, _ := w.MergeBases(w.heads[0], w.heads[1]); len(bases) == 1 {
			base = w.commits[bases[0]].files
		}
		ours, theirs := w.commits[w.heads[0]].files, w.commits[w.heads[1]].files
		plain := byFile(base, ours, theirs)
		right := Trees(base, ours, theirs, Options{}).Files
		if d := filesDiffer(Trees(plain, right, plain, Options{Mode: Adopt}).Files, right); d != "" {
			t.Fatalf("not put right: %s", d)
		}
		saved := maps.Clone(plain)
		saved[decisions] = []byte(w.typeInto(string(plain[decisions])))
		r := adopt(plain, right, saved)
		merged, had := wordsOf(r.Files), wordsOf(Files{decisions: plain[decisions]})
		for word := range wordsOf(Files{decisions: saved[decisions]}) {
			if !merged[word] && !had[word] {
				t.Fatalf("%s was typed and is lost\nplain:%s\nright:%s\nsaved:\n%s\nmerged:%s", word, show(plain), show(right), saved[decisions], show(r.Files))
			}
		}
		for id, n := range copies(r.Files) {
			if n > 1 {
				t.Fatalf("%s is there %d times", id, n)
			}
		}
	})
}
