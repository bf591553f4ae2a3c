package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gitvault/internal/entryfile"

	"pgregory.net/rapid"
)

// wild makes ledgers as nobody should write them.
type wild struct {
	t     *rapid.T
	words int
}

func (w *wild) piece() string {
	w.words++
	n := rapid.IntRange(0, 17).Draw(w.t, "piece")
	id := "gggggg0" + string("abcd"[rapid.IntRange(0, 3).Draw(w.t, "id")])
	word := fmt.Sprintf("w%dw", w.words)
	switch n {
	case 0, 1, 2:
		return "## Title " + word + "\n<!-- vault: {id: " + id + "} -->\n"
	case 3:
		return "## Title " + word + "\n"
	case 4:
		return "## Broken " + word + "\n<!-- vault: {id: " + id + ", tags: [ -->\n"
	case 5:
		return "# Part " + word + "\n"
	case 6:
		return "```\n"
	case 7:
		return "> ## Quoted " + word + "\n"
	case 8:
		return "Setext " + word + "\n---\n"
	case 9:
		return "<div>" + word + "\n"
	case 10:
		return "- item " + word + "\n"
	case 11:
		return "    code " + word + "\n"
	case 12:
		return "\r\n"
	case 13, 14:
		return "\n"
	}
	return "Some text, " + word + ".\n"
}

func (w *wild) base() []string {
	var list []string
	for range rapid.IntRange(0, 14).Draw(w.t, "pieces") {
		list = append(list, w.piece())
	}
	return list
}

func (w *wild) change(list []string) []string {
	list = slices.Clone(list)
	for range rapid.IntRange(0, 4).Draw(w.t, "changes") {
		i := rapid.IntRange(0, len(list)).Draw(w.t, "at")
		switch rapid.IntRange(0, 2).Draw(w.t, "change") {
		case 0:
			list = slices.Insert(list, i, w.piece())
		case 1:
			if i < len(list) {
				list = slices.Delete(list, i, i+1)
			}
		case 2:
			if i < len(list) {
				list[i] = w.piece()
			}
		}
	}
	return list
}

func (w *wild) bytes(list []string) []byte {
	s := strings.Join(list, "")
	switch rapid.IntRange(0, 9).Draw(w.t, "form") {
	case 0:
		s = strings.TrimSuffix(s, "\n")
	case 1:
		s = "\ufeff" + s
	case 2:
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return []byte(s)
}

// Whatever the bytes, no word that one side has, and the other did not take
// out, is lost; both ways give the same; and it ends.
func TestWildLedgers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &wild{t: t}
		list := w.base()
		base := Files{decisions: w.bytes(list)}
		ours, theirs := Files{decisions: w.bytes(w.change(list))}, Files{decisions: w.bytes(w.change(list))}
		// Each side may have put entries where the other does not look.
		if rapid.Bool().Draw(t, "rolled") {
			theirs["decisions/0001.md"] = w.bytes(w.change(list))
		}
		r := Trees(base, ours, theirs, Options{})
		if d := filesDiffer(r.Files, Trees(base, theirs, ours, Options{}).Files); d != "" {
			t.Fatalf("not commutative: %s", d)
		}
		checkWild(t, base, ours, theirs, r)
		checkWild(t, base, ours, theirs, adopt(base, ours, theirs))
		for _, side := range []Files{base, ours, theirs} {
			if !readSide(side, nil).plain() {
				continue
			}
			for _, o := range []Options{{}, {Mode: Adopt}} {
				if d := filesDiffer(side, Trees(side, side, side, o).Files); d != "" {
					t.Fatalf("merging what is the same: %s", d)
				}
			}
			for _, one := range []Result{Trees(base, base, side, Options{}), adopt(base, base, side)} {
				if d := filesDiffer(side, one.Files); d != "" {
					t.Fatalf("one side changed: %s", d)
				}
			}
		}
	})
}

func checkWild(t *rapid.T, base, ours, theirs Files, r Result) {
	inBase, inOurs, inTheirs, merged := wordsOf(base), wordsOf(ours), wordsOf(theirs), wordsOf(r.Files)
	all := maps.Clone(inOurs)
	maps.Copy(all, inTheirs)
	for word := range all {
		if !merged[word] && (!inBase[word] || inOurs[word] && inTheirs[word]) {
			t.Fatalf("%s is lost\nbase:%s\nours:%s\ntheirs:%s\nmerged:%s", word, show(base), show(ours), show(theirs), show(r.Files))
		}
	}
	for id, n := range copies(r.Files) {
		if n > 1 {
			t.Fatalf("%s is there %d times: %s", id, n, show(r.Files))
		}
	}
}

// copies counts how often each id is written down.
func copies(files Files) map[string]int {
	out := map[string]int{}
	for _, l := range entryfile.NewSet(files).All() {
		if l.Err == nil && l.Written {
			out[l.ID]++
		}
	}
	return out
}
