package merge

import (
	"fmt"
	"strings"
	"testing"

	"gitvault/internal/entryfile"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	a, b, c, x := entry("a"), entry("b", body("Old.")), entry("c"), entry("x")
	edited := entry("b", body("New."), updated(1))
	list := Diff(
		Files{decisions: ledger("# D\n", a, b, c), "INDEX.md": []byte("1")},
		Files{decisions: ledger("# Other\n", edited, x), "decisions/0001.md": ledger(a), "notes.txt": []byte("2")})
	var got []string
	for _, ch := range list {
		got = append(got, fmt.Sprintf("%c %s %s -> %s", ch.Op, ch.Title(), ch.BeforePath, ch.AfterPath))
	}
	want := `> Entry a decisions.md -> decisions/0001.md
~ Entry b decisions.md -> decisions.md
- Entry c decisions.md -> 
+ Entry x  -> decisions.md`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("%s", s)
	}
	if list[1].Before.Body != "Old." || list[1].After.Body != "New." {
		t.Errorf("%+v", list[1])
	}
}

func TestDiffOfWhatSaysTheSame(t *testing.T) {
	a := entry("a", body("Text."))
	loose := strings.NewReplacer("## Entry", "##   Entry", "-->\n\n", "-->\n").Replace(string(ledger(a)))
	if list := Diff(Files{decisions: ledger(a)}, Files{decisions: []byte("\n\n" + loose)}); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// Reading only the stretch that differs finds what reading all does.
func TestDiffOfAStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, 1)
		for range w.pick(8, "before") {
			w.act(0)
		}
		before := w.commits[w.heads[0]].files
		for range w.pick(4, "between") {
			w.act(0)
		}
		after := w.commits[w.heads[0]].files
		all := map[string]entryfile.Entry{}
		for id, e := range entriesOf(before) {
			all[id] = e
		}
		for _, c := range Diff(before, after) {
			if (c.Before != nil) != (c.BeforePath != "") || (c.After != nil) != (c.AfterPath != "") {
				t.Fatalf("%+v", c)
			}
			if was, there := all[c.ID]; there != (c.Before != nil) || there && !same(&was, c.Before) {
				t.Fatalf("%c %s was %+v", c.Op, c.ID, was)
			}
			if delete(all, c.ID); c.After != nil {
				all[c.ID] = *c.After
			}
		}
		want := entriesOf(after)
		for id, e := range all {
			if now, ok := want[id]; !ok || !same(&now, &e) {
				t.Fatalf("%s: %+v, not %+v", id, e, now)
			}
		}
		if len(all) != len(want) {
			t.Fatalf("%d entries, not %d", len(all), len(want))
		}
	})
}
