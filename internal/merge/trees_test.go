package merge

import (
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

const decisions = "decisions.md"

func TestBothSidesAdditionsAreThere(t *testing.T) {
	a, b := entry("a"), entry("b")
	x, y := entry("x", created(2)), entry("y", created(1))
	r := sync(t,
		Files{decisions: ledger("# Decisions\n", a, b)},
		Files{decisions: ledger("# Decisions\n", a, b, x)},
		Files{decisions: ledger("# Decisions\n", a, b, y)})
	wantFiles(t, r.Files, Files{decisions: ledger("# Decisions\n", a, b, y, x)})
	if len(r.Changes) != 1 || r.Changes[0].Op != Added || r.Changes[0].ID != y.ID || len(r.Conflicts) != 0 {
		t.Errorf("changes %+v, conflicts %+v", r.Changes, r.Conflicts)
	}
}

func TestEditedAndEdited(t *testing.T) {
	base := entry("a", body("One paragraph here.\n\nAnother there."), tags("git", "old"), status("open"))
	ours := entry("a", body("One changed paragraph here.\n\nAnother there."), tags("git", "old", "wire"), status("open"), updated(1), title("Entry a, renamed"))
	theirs := entry("a", body("One paragraph here.\n\nAnother over there."), tags("git", "disk"), status("resolved"), updated(2), description("In short"))
	r := sync(t, Files{decisions: ledger(base)}, Files{decisions: ledger(ours)}, Files{decisions: ledger(theirs)})
	want := entry("a", body("One changed paragraph here.\n\nAnother over there."), tags("git", "disk", "wire"), status("resolved"), updated(2),
		title("Entry a, renamed"), description("In short"))
	wantFiles(t, r.Files, Files{decisions: ledger(want)})
	if len(r.Conflicts) != 0 {
		t.Errorf("conflicts %+v", r.Conflicts)
	}
}

func TestTrueConflictKeepsASibling(t *testing.T) {
	a, b := entry("a", body("Use Postgres.")), entry("b")
	earlier := entry("a", body("Use MySQL."), updated(1), tags("mysql"))
	later := entry("a", body("Use SQLite."), updated(2), tags("sqlite"))
	r := sync(t, Files{decisions: ledger(a, b)}, Files{decisions: ledger(earlier, b)}, Files{decisions: ledger(later, b)})
	all := entriesOf(r.Files)
	if e := all[a.ID]; e.Body != "Use SQLite." || strings.Join(e.Tags, " ") != "mysql sqlite" || len(all) != 3 {
		t.Errorf("stands: %+v of %d", e, len(all))
	}
	s := siblingsOf(r.Files)
	if len(s) != 1 || s[0].Body != "Use MySQL." || s[0].Conflict != a.ID {
		t.Fatalf("siblings %+v", s)
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].Kept != s[0].ID || strings.Join(r.Conflicts[0].Fields, " ") != "body" {
		t.Errorf("conflicts %+v", r.Conflicts)
	}
	if got := titles(decisions, r.Files[decisions]); got != "a a b" {
		t.Errorf("order: %s", got)
	}
}

func TestEditedAndForgotten(t *testing.T) {
	a, b := entry("a", body("Old.")), entry("b")
	edited := entry("a", body("New."), updated(1))
	base := Files{decisions: ledger(a, b)}
	r := sync(t, base, Files{decisions: ledger(edited, b)}, Files{decisions: ledger(b)})
	if string(r.Files[decisions]) != string(ledger(edited, b)) {
		t.Errorf("%s", r.Files[decisions])
	}
	cards := cardsOf(t, r.Files)
	if len(cards) != 1 || cards[0].Op != entryfile.OpForget || cards[0].EntryID != a.ID || cards[0].Base != entryfile.Hash(a) || cards[0].Entry.Body != "Old." {
		t.Fatalf("cards %+v", cards)
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].Kept != cards[0].ID {
		t.Errorf("conflicts %+v", r.Conflicts)
	}
	// Whatever else was edited meanwhile, the card is the same one.
	again := sync(t, base, Files{decisions: ledger(entry("a", body("Newer."), updated(2)), b)}, Files{decisions: ledger(b)})
	if got := cardsOf(t, again.Files); got[0].ID != cards[0].ID {
		t.Errorf("another card: %+v", got)
	}
}

func TestForgotten(t *testing.T) {
	a, b := entry("a"), entry("b")
	for name, theirs := range map[string][]byte{"too": ledger(b), "untouched": ledger(a, b)} {
		r := sync(t, Files{decisions: ledger(a, b)}, Files{decisions: ledger(b)}, Files{decisions: theirs})
		wantFiles(t, r.Files, Files{decisions: ledger(b)})
		if len(r.Conflicts) != 0 {
			t.Errorf("%s: %+v", name, r.Conflicts)
		}
	}
}

func TestSameIDWithoutCommonBase(t *testing.T) {
	t.Run("same creation", func(t *testing.T) {
		r := sync(t, nil, Files{decisions: ledger(entry("a", body("Text."), tags("x")))}, Files{decisions: ledger(entry("a", body("Text."), tags("y"), updated(1)))})
		wantFiles(t, r.Files, Files{decisions: ledger(entry("a", body("Text."), tags("x", "y"), updated(1)))})
	})
	t.Run("other creation", func(t *testing.T) {
		first, second := entry("a", body("First.")), entry("a", body("Second."), created(5))
		base := Files{}
		r := sync(t, base, Files{decisions: ledger(first)}, Files{decisions: ledger(second)})
		all := entriesOf(r.Files)
		if len(all) != 2 || all[first.ID].Body != "First." || len(r.Conflicts) != 0 {
			t.Fatalf("%+v", all)
		}
		// Who had the later one goes on with it, under its new id.
		edited := entry("a", body("Second, edited."), created(5), updated(6))
		r2 := sync(t, Files{decisions: ledger(second)}, r.Files, Files{decisions: ledger(edited)})
		all = entriesOf(r2.Files)
		if len(all) != 2 || all[first.ID].Body != "First." || len(r2.Conflicts) != 0 {
			t.Fatalf("%+v %+v", all, r2.Conflicts)
		}
		for id, e := range all {
			if id != first.ID && e.Body != "Second, edited." {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestMovedToARolledFile(t *testing.T) {
	a, b := entry("a", body("Old.")), entry("b")
	edited := entry("a", body("New."), updated(1))
	base := Files{decisions: ledger(a, b)}
	t.Run("and edited", func(t *testing.T) {
		r := sync(t, base, Files{decisions: ledger(b), "decisions/0001.md": ledger(a)}, Files{decisions: ledger(edited, b)})
		wantFiles(t, r.Files, Files{decisions: ledger(b), "decisions/0001.md": ledger(edited)})
	})
	t.Run("both ways", func(t *testing.T) {
		r := sync(t, base, Files{decisions: ledger(b), "decisions/0002.md": ledger(a)}, Files{decisions: ledger(b), "decisions/0001.md": ledger(a)})
		wantFiles(t, r.Files, Files{decisions: ledger(b), "decisions/0001.md": ledger(a)})
	})
	t.Run("and forgotten", func(t *testing.T) {
		r := sync(t, base, Files{decisions: ledger(b), "decisions/0001.md": ledger(a)}, Files{decisions: ledger(b)})
		wantFiles(t, r.Files, Files{decisions: ledger(b)})
		if len(r.Conflicts) != 0 {
			t.Errorf("%+v", r.Conflicts)
		}
	})
	t.Run("to another kind, and edited", func(t *testing.T) {
		r := sync(t, base, Files{decisions: ledger(b), "conventions.md": ledger(a)}, Files{decisions: ledger(edited, b)})
		wantFiles(t, r.Files, Files{decisions: ledger(b), "conventions.md": ledger(edited)})
	})
}

func TestCards(t *testing.T) {
	proposed := entry("a", body("Proposed."))
	add := entryfile.Card{ID: proposed.ID, Op: entryfile.OpAdd, EntryID: proposed.ID, Kind: entryfile.Decision, Source: "claude-code", Created: stamp(1), Entry: proposed}
	print := func(c entryfile.Card) []byte {
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	changed := add
	changed.Entry = entry("a", body("Proposed otherwise."), updated(2))
	path := add.Path()
	b := entry("b")

	t.Run("kept and changed", func(t *testing.T) {
		r := sync(t, Files{path: print(add)}, Files{decisions: ledger(proposed)}, Files{path: print(changed)})
		cards := cardsOf(t, r.Files)
		if len(cards) != 1 || cards[0].Op != entryfile.OpEdit || cards[0].Base != entryfile.Hash(proposed) || cards[0].Entry.Body != "Proposed otherwise." {
			t.Errorf("%+v", cards)
		}
		if string(r.Files[decisions]) != string(ledger(proposed)) {
			t.Errorf("%s", r.Files[decisions])
		}
	})
	t.Run("restored and changed", func(t *testing.T) {
		r := sync(t, Files{path: print(add)}, Files{}, Files{path: print(changed)})
		wantFiles(t, r.Files, Files{path: print(changed)})
	})
	t.Run("kept and restored", func(t *testing.T) {
		r := sync(t, Files{path: print(add)}, Files{decisions: ledger(proposed)}, Files{})
		wantFiles(t, r.Files, Files{decisions: ledger(proposed)})
	})
	t.Run("kept and restored after it was applied", func(t *testing.T) {
		applied := add
		applied.Entry = entryfile.Entry{}
		r := sync(t, Files{path: print(applied), decisions: ledger(proposed, b)}, Files{decisions: ledger(proposed, b)}, Files{decisions: ledger(b)})
		wantFiles(t, r.Files, Files{decisions: ledger(proposed, b)})

		edit := entryfile.Card{ID: "hhhhhhhh", Op: entryfile.OpEdit, EntryID: b.ID, Kind: entryfile.Decision, Base: entryfile.Hash(b), Source: "claude-code", Created: stamp(1), Entry: b}
		after := entry("b", body("Edited by an agent."), updated(1))
		r = sync(t, Files{edit.Path(): print(edit), decisions: ledger(after)}, Files{decisions: ledger(after)}, Files{decisions: ledger(entry("b", updated(3)))})
		wantFiles(t, r.Files, Files{decisions: ledger(after)})
	})
	t.Run("changed on both sides", func(t *testing.T) {
		other := add
		other.Entry = entry("a", body("Something else."), updated(3))
		r := sync(t, Files{path: print(add)}, Files{path: print(changed)}, Files{path: print(other)})
		cards := cardsOf(t, r.Files)
		if len(cards) != 2 {
			t.Fatalf("%+v", cards)
		}
		for _, c := range cards {
			if want := map[bool]string{true: "Something else.", false: "Proposed otherwise."}[c.ID == add.ID]; c.Entry.Body != want {
				t.Errorf("%+v", c)
			}
		}
	})
}

func TestOrder(t *testing.T) {
	a, b, c := entry("a", created(3)), entry("b", created(2)), entry("c", created(1))
	x, y, z := entry("x", created(9)), entry("y", created(8)), entry("z", created(7))
	for _, k := range []struct {
		name               string
		base, ours, theirs []any
		want               string
	}{
		{"the base's", []any{a, b, c}, []any{a, b, c, x}, []any{a, b, c, y}, "a b c y x"},
		{"that of the side that changed it", []any{a, b, c}, []any{c, a, b, x}, []any{a, b, c, y}, "c a b y x"},
		{"sorted where both did", []any{a, b, c}, []any{b, a, c}, []any{a, c, b}, "c b a"},
		{"new ones stay where they were put", []any{a, b, c}, []any{a, x, b, c}, []any{a, b, c, y}, "a x b c y"},
		{"sorted where both put some", []any{a, b, c}, []any{a, x, b, c}, []any{a, y, z, b, c}, "a z y x b c"},
		{"behind one that is forgotten", []any{a, b, c}, []any{a, b, x, c}, []any{a, c}, "a x c"},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := sync(t, Files{decisions: ledger(k.base...)}, Files{decisions: ledger(k.ours...)}, Files{decisions: ledger(k.theirs...)})
			if got := titles(decisions, r.Files[decisions]); got != k.want {
				t.Errorf("%s, want %s", got, k.want)
			}
		})
	}
}

func TestTextBetweenEntries(t *testing.T) {
	a, b, x, y := entry("a"), entry("b"), entry("x", created(2)), entry("y", created(1))
	head, storage, wire := "# Decisions\n\nWhat we chose.\n", "# Storage\n", "# Wire\n"
	t.Run("merges where it stands", func(t *testing.T) {
		r := sync(t,
			Files{decisions: ledger(head, storage, a, wire, b)},
			Files{decisions: ledger("# Decisions\n\nWhat we chose, and why.\n", storage, a, x, wire, b)},
			Files{decisions: ledger(head, storage, a, "# The wire\n", b, y)})
		wantFiles(t, r.Files, Files{decisions: ledger("# Decisions\n\nWhat we chose, and why.\n", storage, a, x, "# The wire\n", b, y)})
	})
	t.Run("stays when its entry goes", func(t *testing.T) {
		r := sync(t,
			Files{decisions: ledger(head, a, wire, b)},
			Files{decisions: ledger(head, wire, b)},
			Files{decisions: ledger(head, a, wire, b, y)})
		wantFiles(t, r.Files, Files{decisions: ledger(head, wire, b, y)})
	})
	t.Run("conflicts are kept beside the file", func(t *testing.T) {
		r := sync(t,
			Files{decisions: ledger("# Decisions\n", a)},
			Files{decisions: ledger("# Our decisions\n", a)},
			Files{decisions: ledger("# Choices\n", a)})
		ours, theirs := []byte("# Our decisions\n"), []byte("# Choices\n")
		stands, lost := ours, theirs
		if blobHash(theirs) > blobHash(ours) {
			stands, lost = theirs, ours
		}
		wantFiles(t, r.Files, Files{decisions: ledger(string(stands), a), conflictPath(decisions, lost): lost})
	})
	t.Run("a section that cannot be read survives", func(t *testing.T) {
		broken := "## Broken\n<!-- vault: {id: gggggggb, tags: [ -->\n\nText.\n"
		r := sync(t,
			Files{decisions: ledger(head, a, b)},
			Files{decisions: ledger(head, a, broken)},
			Files{decisions: ledger(head, a, b, y)})
		wantFiles(t, r.Files, Files{decisions: ledger(head, a, broken, y)})
		if len(cardsOf(t, r.Files)) != 0 {
			t.Error("its absence was taken for a forgetting")
		}
	})
}

func TestEntryFiles(t *testing.T) {
	pref := func(says ...say) entryfile.Entry {
		return entry("p", append([]say{kind(entryfile.Preference), body("Keep it short.")}, says...)...)
	}
	const path, renamed = "preferences/entry-p-gggggggp.md", "preferences/brevity.md"
	t.Run("edited on both sides", func(t *testing.T) {
		r := sync(t, Files{path: entryFile(pref())}, Files{path: entryFile(pref(tags("style"), updated(1)))}, Files{path: entryFile(pref(pinned(), updated(2)))})
		wantFiles(t, r.Files, Files{path: entryFile(pref(tags("style"), pinned(), updated(2)))})
	})
	t.Run("renamed and edited", func(t *testing.T) {
		r := sync(t, Files{path: entryFile(pref())}, Files{renamed: entryFile(pref())}, Files{path: entryFile(pref(pinned(), updated(2)))})
		wantFiles(t, r.Files, Files{renamed: entryFile(pref(pinned(), updated(2)))})
	})
	t.Run("conflict", func(t *testing.T) {
		r := sync(t, Files{path: entryFile(pref())}, Files{path: entryFile(pref(body("Keep it long."), updated(1)))}, Files{path: entryFile(pref(body("Keep it funny."), updated(2)))})
		s := siblingsOf(r.Files)
		if len(s) != 1 || s[0].Body != "Keep it long." || r.Files["preferences/"+entryfile.FileName(s[0])] == nil || len(r.Files) != 2 {
			t.Errorf("%s: %+v", pathsOf(r.Files), s)
		}
	})
	t.Run("two at one path", func(t *testing.T) {
		q := entry("q", kind(entryfile.Preference), body("Another."), created(1))
		r := sync(t, Files{}, Files{renamed: entryFile(pref())}, Files{renamed: entryFile(q)})
		wantFiles(t, r.Files, Files{renamed: entryFile(pref()), "preferences/" + entryfile.FileName(q): entryFile(q)})
	})
	t.Run("broken on one side", func(t *testing.T) {
		broken := []byte("---\nid: gggggggp\ntags: [\n---\n\nKeep it short.\n")
		r := sync(t, Files{path: entryFile(pref())}, Files{path: broken}, Files{path: entryFile(pref())})
		wantFiles(t, r.Files, Files{path: broken})
		edited := entryFile(pref(body("Edited."), updated(1)))
		r = sync(t, Files{path: entryFile(pref())}, Files{path: broken}, Files{path: edited})
		all := ""
		for _, data := range r.Files {
			all += string(data)
		}
		if !strings.Contains(all, "tags: [") || !strings.Contains(all, "Edited.") {
			t.Errorf("lost: %s", all)
		}
	})
}

func TestOtherFiles(t *testing.T) {
	t.Run("text", func(t *testing.T) {
		r := sync(t, Files{"notes.txt": []byte("a\nb\nc\n")}, Files{"notes.txt": []byte("A\nb\nc\n")}, Files{"notes.txt": []byte("a\nb\nC\n")})
		wantFiles(t, r.Files, Files{"notes.txt": []byte("A\nb\nC\n")})
	})
	t.Run("binary", func(t *testing.T) {
		x, y := []byte{0, 1}, []byte{0, 2}
		r := sync(t, Files{"x.bin": {0}}, Files{"x.bin": x}, Files{"x.bin": y})
		if blobHash(y) > blobHash(x) {
			x, y = y, x
		}
		wantFiles(t, r.Files, Files{"x.bin": x, conflictPath("x.bin", y): y})
	})
	t.Run("deleted and edited", func(t *testing.T) {
		r := sync(t, Files{"a": []byte("1"), "b": []byte("1"), "c": []byte("1")}, Files{"b": []byte("2")}, Files{"a": []byte("1"), "b": []byte("1"), "c": []byte("3")})
		wantFiles(t, r.Files, Files{"b": []byte("2"), "c": []byte("3")})
	})
	t.Run("a file where the other has a folder", func(t *testing.T) {
		r := sync(t, Files{}, Files{"a": []byte("1")}, Files{"a/b": []byte("2")})
		wantFiles(t, r.Files, Files{conflictPath("a", []byte("1")): []byte("1"), "a/b": []byte("2")})
	})
	t.Run("the index is left out", func(t *testing.T) {
		r := sync(t, Files{"INDEX.md": []byte("1")}, Files{"INDEX.md": []byte("2")}, Files{"INDEX.md": []byte("3")})
		wantFiles(t, r.Files, Files{})
	})
	t.Run("empty files", func(t *testing.T) {
		r := sync(t, Files{}, Files{"a": {}, decisions: {}}, Files{"b": nil})
		wantFiles(t, r.Files, Files{"a": {}, "b": {}, decisions: {}})
	})
}

func TestSettings(t *testing.T) {
	const path = "vault.yaml"
	r := sync(t,
		Files{path: []byte("format: 1\nname: user\nidentities:\n  - a@x\nreview:\n  policy: apply\n")},
		Files{path: []byte("format: 2\nname: user\nidentities:\n  - a@x\n  - b@x\nreview:\n  policy: hold\n")},
		Files{path: []byte("format: 3\nname: user\nidentities:\n  - a@x\n  - c@x\nreview:\n  policy: off\nbudget: 9500\n")})
	want := "format: 3\nname: user\nidentities:\n  - a@x\n  - b@x\n  - c@x\nreview:\n  policy: hold\nbudget: 9500\n"
	if got := string(r.Files[path]); got != want {
		t.Errorf("%s", got)
	}
	// What lines alone would make of it has a key twice.
	r = sync(t,
		Files{path: []byte("format: 1\nname: user\nbudget: 1\n")},
		Files{path: []byte("format: 1\nreview: hold\nname: user\nbudget: 1\n")},
		Files{path: []byte("format: 1\nname: user\nbudget: 1 # enough\nreview: apply\n")})
	if got := string(r.Files[path]); strings.Count(got, "review:") != 1 || !strings.Contains(got, "hold") || len(r.Files) != 1 {
		t.Errorf("%s", got)
	}
	// A person's own way of writing stays where it can.
	r = sync(t,
		Files{path: []byte("# ours\nformat: 1\n\nname:   user\n")},
		Files{path: []byte("# ours\nformat: 2\n\nname:   user\n")},
		Files{path: []byte("# ours\nformat: 1\n\nname:   user\nbudget: 7\n")})
	if got := string(r.Files[path]); got != "# ours\nformat: 2\n\nname:   user\nbudget: 7\n" {
		t.Errorf("%s", got)
	}
	broken := sync(t, Files{path: []byte("a: 1\n")}, Files{path: []byte("a: [\n")}, Files{path: []byte("a: 2\n")})
	if len(broken.Files) != 2 {
		t.Errorf("%s", pathsOf(broken.Files))
	}
}

func TestUnrelatedHistories(t *testing.T) {
	a, x, y := entry("a"), entry("x", created(2)), entry("y", created(1))
	r := sync(t, nil, Files{decisions: ledger("# Decisions\n", a, x)}, Files{decisions: ledger("# Decisions\n", a, y)})
	wantFiles(t, r.Files, Files{decisions: ledger("# Decisions\n", a, y, x)})
}

func TestPurgedEntriesStayAway(t *testing.T) {
	a, b := entry("a"), entry("b")
	other := entry("c", conflict(a.ID))
	r := Trees(Files{decisions: ledger(b)}, Files{decisions: ledger(b)}, Files{decisions: ledger(a, b, other)},
		Options{Purged: func(id string) bool { return id == a.ID }})
	wantFiles(t, r.Files, Files{decisions: ledger(b)})
}

func TestLineEndsAndMissingNewlines(t *testing.T) {
	crlf := func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "\n", "\r\n")) }
	a, x, y := entry("a"), entry("x", created(2)), entry("y", created(1))
	r := sync(t, Files{decisions: crlf(ledger("# D\n", a))}, Files{decisions: crlf(ledger("# D\n", a, x))}, Files{decisions: crlf(ledger("# D\n", a, y))})
	wantFiles(t, r.Files, Files{decisions: crlf(ledger("# D\n", a, y, x))})

	cut := func(b []byte) []byte { return b[:len(b)-1] }
	r = sync(t, Files{decisions: cut(ledger(a))}, Files{decisions: cut(ledger(a, x))}, Files{decisions: cut(ledger(a, y))})
	if got := titles(decisions, r.Files[decisions]); got != "a y x" {
		t.Errorf("%s", r.Files[decisions])
	}
}
