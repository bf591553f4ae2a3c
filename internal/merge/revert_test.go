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

func revert(commit, head, parent Files, force bool) Result {
	return Trees(commit, head, parent, Options{Mode: Revert, Force: force})
}

func TestRevert(t *testing.T) {
	a, b, x := entry("a", body("Old.")), entry("b"), entry("x", created(1))
	edited := entry("a", body("New."), updated(1))
	before, after := Files{decisions: ledger("# D\n", a, b)}, Files{decisions: ledger("# D\n", edited, b)}
	t.Run("an edit, with later changes to others", func(t *testing.T) {
		r := revert(after, Files{decisions: ledger("# Decisions\n", edited, x)}, before, false)
		wantFiles(t, r.Files, Files{decisions: ledger("# Decisions\n", a, x)})
	})
	t.Run("an edit of an entry edited since, elsewhere in it", func(t *testing.T) {
		r := revert(after, Files{decisions: ledger(entry("a", body("New."), updated(2), tags("git")), b)}, before, false)
		wantFiles(t, r.Files, Files{decisions: ledger(entry("a", body("Old."), updated(2), tags("git")), b)})
	})
	later := entry("a", body("Newer."), updated(2))
	t.Run("an edit that a later one builds on", func(t *testing.T) {
		head := Files{decisions: ledger("# D\n", later, b, x)}
		r := revert(after, head, before, false)
		wantFiles(t, r.Files, head)
		if len(r.Conflicts) != 1 || r.Conflicts[0].Ours.Body != "Newer." || r.Conflicts[0].Theirs.Body != "Old." || len(r.Changes) != 0 {
			t.Errorf("%+v", r.Conflicts)
		}
		r = revert(after, head, before, true)
		if e := entriesOf(r.Files)[a.ID]; e.Body != "Old." || len(entriesOf(r.Files)) != 3 {
			t.Errorf("%+v", e)
		}
	})
	t.Run("a forgetting", func(t *testing.T) {
		r := revert(Files{decisions: ledger("# D\n", b)}, Files{decisions: ledger("# D\n", b, x)}, before, false)
		wantFiles(t, r.Files, Files{decisions: ledger("# D\n", a, b, x)})
	})
	t.Run("an addition", func(t *testing.T) {
		r := revert(before, Files{decisions: ledger("# D\n", a, b, x)}, Files{decisions: ledger("# D\n", b)}, false)
		wantFiles(t, r.Files, Files{decisions: ledger("# D\n", b, x)})
	})
	t.Run("an addition edited since", func(t *testing.T) {
		r := revert(before, after, Files{decisions: ledger("# D\n", b)}, false)
		if len(r.Conflicts) != 1 || strings.Join(r.Conflicts[0].Fields, "") != "entry" {
			t.Errorf("%+v", r.Conflicts)
		}
		r = revert(before, after, Files{decisions: ledger("# D\n", b)}, true)
		wantFiles(t, r.Files, Files{decisions: ledger("# D\n", b)})
	})
	t.Run("an addition rolled since", func(t *testing.T) {
		r := revert(before, Files{decisions: ledger("# D\n", b), "decisions/0001.md": ledger("# D\n", a, x)}, Files{decisions: ledger("# D\n", b)}, false)
		wantFiles(t, r.Files, Files{decisions: ledger("# D\n", b), "decisions/0001.md": ledger("# D\n", x)})
	})
	t.Run("an edit of an entry forgotten since", func(t *testing.T) {
		head := Files{decisions: ledger("# D\n", b)}
		r := revert(after, head, before, false)
		wantFiles(t, r.Files, head)
		if len(r.Conflicts) != 1 {
			t.Errorf("%+v", r.Conflicts)
		}
	})
	t.Run("nothing but entries", func(t *testing.T) {
		commit := Files{decisions: ledger("# New head\n", edited), "notes.txt": []byte("new\n"), "vault.yaml": []byte("a: 1\n")}
		parent := Files{decisions: ledger("# Old head\n", a), "notes.txt": []byte("old\n")}
		r := revert(commit, commit, parent, false)
		wantFiles(t, r.Files, Files{decisions: ledger("# New head\n", a), "notes.txt": []byte("new\n"), "vault.yaml": []byte("a: 1\n")})
	})
	t.Run("a card", func(t *testing.T) {
		c := entryfile.Card{ID: a.ID, Op: entryfile.OpAdd, EntryID: a.ID, Kind: a.Kind, Created: stamp(0), Entry: a}
		data, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		r := revert(Files{c.Path(): data}, Files{c.Path(): data}, Files{}, false)
		wantFiles(t, r.Files, Files{})
	})
}

// Changes to a few entries are taken back one by one, in any order, with others
// in between: each restore takes back its own change, or says what it would
// lose. The model knows nothing of texts: an entry is the set of changes that
// are in it.
func TestRestoreInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
		type change struct {
			parent, commit Files
			entry          int
			op             Op
			line           int
			had            map[int]bool // what a forgotten entry held
		}
		const entries, slots = 3, 4
		state := make([]map[int]bool, entries) // nil: not there
		bodyOf := func(n int, in map[int]bool) string {
			var list []string
			for i := range slots {
				list = append(list, fmt.Sprintf("Paragraph %d of entry %d stands.", i, n))
				if in[i] {
					list = append(list, fmt.Sprintf("Change %d of entry %d.", i, n))
				}
			}
			return strings.Join(append(list, "The end."), "\n\n")
		}
		head := Files{decisions: ledger("# Decisions\n", entry("y"), entry("z"))}
		minute := 0
		var changes []change
		for range 10 {
			n := pick(entries, "entry")
			d := entryfile.Parse(entryfile.Decision, decisions, slices.Clone(head[decisions]))
			c := change{parent: head, entry: n}
			minute++
			e := entry(fmt.Sprint("e", n), updated(minute))
			var err error
			switch {
			case state[n] == nil:
				state[n], c.op = map[int]bool{}, Added
				e.Body = bodyOf(n, nil)
				err = d.Append(e)
			case pick(5, "forget") == 0:
				c.op, c.had, state[n] = Removed, state[n], nil
				err = d.Remove(e.ID)
			default:
				c.line = pick(slots, "line")
				if state[n][c.line] {
					continue
				}
				c.op = Edited
				state[n] = maps.Clone(state[n])
				state[n][c.line] = true
				e.Body = bodyOf(n, state[n])
				err = d.Set(e)
			}
			if err != nil {
				t.Fatal(err)
			}
			head = Files{decisions: d.Bytes()}
			c.commit = head
			changes = append(changes, c)
		}
		for _, i := range rapid.Permutation(seq(len(changes))).Draw(t, "order") {
			c := changes[i]
			refuses, in := false, state[c.entry]
			switch c.op {
			case Added:
				refuses = len(in) > 0
				if in != nil && !refuses {
					state[c.entry] = nil
				}
			case Edited:
				switch {
				case in == nil:
					refuses = true
				case in[c.line]:
					state[c.entry] = maps.Clone(in)
					delete(state[c.entry], c.line)
				}
			case Removed:
				if in == nil {
					state[c.entry] = c.had
				} else {
					refuses = !maps.Equal(in, c.had)
				}
			}
			r := revert(c.commit, head, c.parent, false)
			if refuses != (len(r.Conflicts) > 0) {
				t.Fatalf("restoring %c%d of %d: %+v, want a refusal: %v", c.op, c.line, c.entry, r.Conflicts, refuses)
			}
			if !refuses {
				head = r.Files
			}
			all := entriesOf(head)
			for n, in := range state {
				e, there := all[entry(fmt.Sprint("e", n)).ID]
				if there != (in != nil) || there && e.Body != bodyOf(n, in) {
					t.Fatalf("after restoring %c%d of %d, entry %d is %v:\n%s", c.op, c.line, c.entry, n, there, e.Body)
				}
			}
			if len(all) < 2 {
				t.Fatal("an entry is gone that nothing changed")
			}
		}
	})
}
