package merge

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"gitvault/internal/entryfile"

	"pgregory.net/rapid"
)

func adopt(base, head, saved Files) Result {
	return Trees(base, head, saved, Options{Mode: Adopt, Adopted: func(e *entryfile.Entry) { e.Created, e.Source = stamp(99), "person" }})
}

func TestAdoptAHandEdit(t *testing.T) {
	a, b := entry("a", body("Old.")), entry("b")
	head := Files{decisions: ledger("# Decisions\n", a, b)}
	t.Run("the text stands byte for byte", func(t *testing.T) {
		saved := "# Decisions\n\n\n\n##   Entry a   ##\n<!-- vault: {created: 2026-11-30T00:00:00Z,   id: ggggggga, source: person} -->\nNew,\n\tin *any* format.  \n\n\n\n" + string(ledger(b)) + "\n\n"
		r := adopt(head, head, Files{decisions: []byte(saved)})
		if got := string(r.Files[decisions]); got != saved {
			t.Errorf("%q", got)
		}
		if len(r.Changes) != 1 || r.Changes[0].Op != Edited || r.Changes[0].After.Body != "New,\n\tin *any* format.  " {
			t.Errorf("%+v", r.Changes)
		}
	})
	t.Run("a new section gets an id", func(t *testing.T) {
		saved := string(head[decisions]) + "\n## Typed by hand\n\nSome text.\n"
		r := adopt(head, head, Files{decisions: []byte(saved)})
		got := string(r.Files[decisions])
		id := entryfile.DerivedID(entryfile.Decision, "Typed by hand\nSome text.", 0)
		want := strings.Replace(saved, "by hand\n", "by hand\n<!-- vault: {id: "+id+", created: "+stamp(99)+", source: person} -->\n", 1)
		if got != want {
			t.Errorf("%s", got)
		}
	})
	t.Run("deleting is forgetting", func(t *testing.T) {
		r := adopt(head, head, Files{decisions: ledger("# Decisions\n", b)})
		wantFiles(t, r.Files, Files{decisions: ledger("# Decisions\n", b)})
		if len(r.Changes) != 1 || r.Changes[0].Op != Removed {
			t.Errorf("%+v", r.Changes)
		}
	})
	t.Run("without its comment it is the same entry", func(t *testing.T) {
		saved := strings.Replace(string(head[decisions]), "<!-- vault: {id: ggggggga, created: 2026-11-30T00:00:00Z, source: person} -->\n", "", 1)
		r := adopt(head, head, Files{decisions: []byte(strings.Replace(saved, "Old.", "New.", 1))})
		wantFiles(t, r.Files, Files{decisions: ledger("# Decisions\n", entry("a", body("New.")), b)})
	})
}

func TestAdoptAnOldBuffer(t *testing.T) {
	a, b, x := entry("a", body("One thing here.\n\nAnother there.")), entry("b"), entry("x", created(1))
	old := Files{decisions: ledger("# Decisions\n", a, b)}
	edited := entry("a", body("One thing here.\n\nAnother there, as typed."))
	saved := Files{decisions: ledger("# Decisions\n", edited, b)}
	for _, c := range []struct {
		name string
		head []any
		want []any
	}{
		{"what the head gained is there", []any{a, b, x}, []any{edited, b, x}},
		{"what it forgot is gone", []any{a, x}, []any{edited, x}},
		{"what it edited is edited", []any{a, entry("b", body("Better."), updated(2))}, []any{edited, entry("b", body("Better."), updated(2))}},
		{"edits of one entry meet", []any{entry("a", body("One thing, decided.\n\nAnother there."), updated(2)), b},
			[]any{entry("a", body("One thing, decided.\n\nAnother there, as typed."), updated(2)), b}},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := Files{decisions: ledger(append([]any{"# Decisions\n"}, c.head...)...)}
			versions := [][]byte{head[decisions], old[decisions]}
			if n := Nearest(saved[decisions], versions); n != 1 {
				t.Fatalf("base is version %d", n)
			}
			wantFiles(t, adopt(old, head, saved).Files, Files{decisions: ledger(append([]any{"# Decisions\n"}, c.want...)...)})
		})
	}
	t.Run("what was saved stands in a conflict", func(t *testing.T) {
		head := Files{decisions: ledger("# Decisions\n", entry("a", body("One thing here.\n\nAnother elsewhere."), updated(2)), b)}
		r := adopt(old, head, saved)
		if e := entriesOf(r.Files)[a.ID]; e.Body != edited.Body {
			t.Errorf("%+v", e)
		}
		if s := siblingsOf(r.Files); len(s) != 1 || s[0].Body != "One thing here.\n\nAnother elsewhere." {
			t.Errorf("%+v", s)
		}
	})
	t.Run("what was edited and has been forgotten stands, with a card", func(t *testing.T) {
		r := adopt(old, Files{decisions: ledger("# Decisions\n", b)}, saved)
		if e := entriesOf(r.Files)[a.ID]; e.Body != edited.Body || len(cardsOf(t, r.Files)) != 1 {
			t.Errorf("%s", show(r.Files))
		}
	})
	rolled := Files{decisions: ledger("# Decisions\n", b), "decisions/0001.md": ledger(a)}
	t.Run("what was rolled stays rolled", func(t *testing.T) {
		for name, base := range map[string]Files{
			"one base":         old,
			"a base each file": {decisions: old[decisions], "decisions/0001.md": rolled["decisions/0001.md"]},
		} {
			both := maps.Clone(saved)
			both["decisions/0001.md"] = rolled["decisions/0001.md"]
			r := adopt(base, rolled, both)
			t.Log(name)
			wantFiles(t, r.Files, Files{decisions: ledger("# Decisions\n", b), "decisions/0001.md": ledger(edited)})
		}
	})
}

func TestAdoptEntryFiles(t *testing.T) {
	p := entry("p", kind(entryfile.Preference), body("Keep it short."))
	const path = "preferences/entry-p-gggggggp.md"
	head := Files{path: entryFile(p)}
	t.Run("typed without front matter", func(t *testing.T) {
		r := adopt(Files{}, Files{}, Files{"preferences/tabs.md": []byte("Use tabs.\n")})
		got := string(r.Files["preferences/tabs.md"])
		if !strings.HasSuffix(got, "---\n\nUse tabs.\n") || !strings.Contains(got, "created: "+stamp(99)) {
			t.Errorf("%s", got)
		}
	})
	t.Run("front matter taken out", func(t *testing.T) {
		r := adopt(head, head, Files{path: []byte("Keep it short, please.\n")})
		if e := entriesOf(r.Files)[p.ID]; e.Body != "Keep it short, please." || e.Created != p.Created {
			t.Errorf("%s", show(r.Files))
		}
	})
	t.Run("renamed and edited", func(t *testing.T) {
		saved := Files{"preferences/brevity.md": []byte(strings.Replace(string(head[path]), "short", "brief", 1))}
		wantFiles(t, adopt(head, head, saved).Files, saved)
	})
}

func TestNearest(t *testing.T) {
	a, b, c := entry("a"), entry("b"), entry("c", body("Something long enough to count."))
	v1, v2 := ledger(a, b), ledger(a, b, c)
	for _, k := range []struct {
		name  string
		saved []byte
		want  int
	}{
		{"the newest itself", v2, 0},
		{"an old buffer with something typed", ledger(a, entry("b", body("Typed."))), 1},
		{"the newest entry taken out by hand", v1, 0},
		{"the newest entry taken out by hand, a blank line left", append(v1[:len(v1):len(v1)], '\n'), 0},
		{"the newest with something typed", ledger(a, entry("b", body("Typed.")), c), 0},
	} {
		if got := Nearest(k.saved, [][]byte{v2, v1}); got != k.want {
			t.Errorf("%s: version %d, want %d", k.name, got, k.want)
		}
	}
	if Nearest(v1, nil) != -1 {
		t.Error("a base out of nothing")
	}
}

// Commands change the head while a person types into a buffer that some
// version was loaded into, and saves it at any time: what was typed is there,
// and so is what the commands wrote.
func TestAdoptionLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, 1)
		for range w.pick(4, "before") {
			w.act(0)
		}
		loaded := w.commits[w.heads[0]].files
		versions := [][]byte{loaded[decisions]}
		command := []func(Files){w.add, w.add, w.edit, w.edit, w.relabel, w.forget, w.roll}
		step := func() {
			files := maps.Clone(w.commits[w.heads[0]].files)
			command[w.pick(len(command), "command")](files)
			w.heads[0] = w.commit(files, w.heads[0])
			versions = append([][]byte{files[decisions]}, versions...)
		}
		for range w.pick(4, "meanwhile") {
			step()
		}
		head := w.commits[w.heads[0]].files
		buffer := w.typeInto(string(loaded[decisions]))
		saved := maps.Clone(head)
		saved[decisions] = []byte(buffer)
		base := maps.Clone(loaded)
		base[decisions] = versions[Nearest(saved[decisions], versions)]
		r := adopt(base, head, saved)
		merged := wordsOf(r.Files)
		for word := range wordsOf(Files{decisions: saved[decisions]}) {
			if !merged[word] && !(wordsOf(loaded)[word] && !wordsOf(head)[word]) {
				t.Fatalf("%s was saved and is lost\nloaded:%s\nhead:%s\nsaved:\n%s\nmerged:%s", word, show(loaded), show(head), buffer, show(r.Files))
			}
		}
		for word := range wordsOf(head) {
			if !merged[word] && !wordsOf(loaded)[word] {
				t.Fatalf("%s was remembered and is lost\nloaded:%s\nhead:%s\nsaved:\n%s\nmerged:%s", word, show(loaded), show(head), buffer, show(r.Files))
			}
		}
		again := adopt(r.Files, r.Files, r.Files)
		if d := filesDiffer(r.Files, again.Files); d != "" || len(again.Changes) > 0 {
			t.Fatalf("adopting again changes something: %s", d)
		}
	})
}

// typeInto changes a buffer as a person may.
func (w *world) typeInto(buffer string) string {
	for range 1 + w.pick(3, "typed") {
		list := strings.SplitAfter(buffer, "\n")
		i := w.pick(len(list), "at line")
		switch w.pick(4, "typing") {
		case 0:
			list = append(list[:i:i], append([]string{fmt.Sprintf("\n## Typed %s\n\nText %s.\n\n", w.word(), w.word())}, list[i:]...)...)
		case 1:
			list[i] = "Typed " + w.word() + ".\n" + list[i]
		case 2:
			list[i] = strings.TrimSuffix(list[i], "\n") + " " + w.word() + "\n"
		case 3:
			list = append(list, "\nAt the end "+w.word()+".\n")
		}
		buffer = strings.Join(list, "")
	}
	return buffer
}
