package entryfile

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Ledgers in these tests are written as lists of entries: "title id body",
// where - is no id and ! is a comment that cannot be read.
func ledger(entries ...string) []byte {
	var b strings.Builder
	for _, e := range entries {
		f := strings.SplitN(e, " ", 3)
		b.WriteString("## " + f[0] + "\n")
		if len(f) > 1 && strings.HasPrefix(f[1], "!") {
			b.WriteString("<!-- vault: {id: " + strings.TrimPrefix(f[1], "!") + ", [} -->\n")
		} else if len(f) > 1 && f[1] != "-" {
			b.WriteString("<!-- vault: {id: " + f[1] + "} -->\n")
		}
		if len(f) > 2 {
			b.WriteString("\n" + f[2] + "\n")
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// identified lists "path: title id, …" of all files.
func identified(s *Set) string {
	var out []string
	for _, path := range s.Paths() {
		var here []string
		for _, sec := range s.Document(path).Sections() {
			id := sec.ID
			for n := range 3 {
				if id == DerivedID(sec.Kind, sec.Title+"\n"+sec.Body, n) {
					id = fmt.Sprintf("derived%d", n)
				}
			}
			if sec.Err != nil {
				id = "unreadable"
			}
			if sec.Written {
				id += "*"
			}
			here = append(here, sec.Title+" "+id)
		}
		out = append(out, path+": "+strings.Join(here, ", "))
	}
	return strings.Join(out, "\n")
}

func TestIdentify(t *testing.T) {
	const x, y, z = "gxxxxxxx", "gyyyyyyy", "gzzzzzzz"
	copyOfA := DerivedID(Decision, "A\nA", 0)
	type files = map[string][]byte
	one := func(entries ...string) files { return files{"decisions.md": ledger(entries...)} }
	for name, c := range map[string]struct {
		head, saved files
		want        string
	}{
		"new entries get derived ids": {
			one(), one("A", "A", "B"),
			"decisions.md: A derived0, A derived1, B derived0",
		},
		"an id that moves to another file is a move": {
			one("A "+x, "B "+y), files{"decisions.md": ledger("B " + y), "conventions.md": ledger("A " + x)},
			"conventions.md: A " + x + "*\ndecisions.md: B " + y + "*",
		},
		"a copy at the end is another": {
			one("A "+x, "B "+y), one("A "+x, "B "+y, "A "+x),
			"decisions.md: A " + x + "*, B " + y + "*, A derived0",
		},
		"so is one before it": {
			one("A "+x, "B "+y), one("B "+x, "A "+x, "B "+y),
			"decisions.md: B derived0, A " + x + "*, B " + y + "*",
		},
		"and one in another file, whatever their order": {
			files{"decisions.md": ledger("A " + x), "conventions.md": ledger()},
			files{"decisions.md": ledger("A " + x), "conventions.md": ledger("A " + x)},
			"conventions.md: A derived0\ndecisions.md: A " + x + "*",
		},
		"without a head the first keeps it": {
			files{}, files{"decisions.md": ledger("A " + x), "conventions.md": ledger("A " + x)},
			"conventions.md: A " + x + "*\ndecisions.md: A derived0",
		},
		"pasted, committed, then cut: a move": {
			one("A "+x, "B "+y, "A "+copyOfA), one("B "+y, "A "+copyOfA),
			"decisions.md: B " + y + "*, A " + x,
		},
		"but two entries are two": {
			one("A "+x, "B "+y, "A "+z), one("B "+y, "A "+z),
			"decisions.md: B " + y + "*, A " + z + "*",
		},
		"a lost comment": {
			one("A "+x+" a", "B "+y+" b"), one("A - a", "B "+y+" b"),
			"decisions.md: A " + x + ", B " + y + "*",
		},
		"a lost comment and a new title": {
			one("A " + x + " a"), one("C - a"),
			"decisions.md: C " + x,
		},
		"a lost comment and a new body": {
			one("A " + x + " a"), one("A - c"),
			"decisions.md: A " + x,
		},
		"a lost comment, title and body": {
			one("A " + x + " a"), one("C - c"),
			"decisions.md: C derived0",
		},
		"the one that is the same all over goes first": {
			one("A "+x+" a", "A "+y+" b"), one("A - b", "A - c"),
			"decisions.md: A " + y + ", A " + x,
		},
		"a lost comment in another file": {
			files{"decisions.md": ledger("A "+x+" a", "B "+y+" b")}, files{"decisions.md": ledger("B " + y + " b"), "conventions.md": ledger("A - a")},
			"conventions.md: A " + x + "\ndecisions.md: B " + y + "*",
		},
		"an entry that stays gives its id to nobody": {
			one("A " + x + " a"), one("A - a", "A "+x+" a"),
			"decisions.md: A derived0, A " + x + "*",
		},
		"one that cannot be read is not missing": {
			one("A " + x + " a"), one("C !"+x+" c", "A - a"),
			"decisions.md: C unreadable, A derived0",
		},
		"even without its id": {
			one("A " + x + " a"), one("A ! a", "A - a"),
			"decisions.md: A unreadable, A derived0",
		},
		"a file that lost its front matter": {
			files{"preferences/a.md": []byte("---\nid: " + x + "\ntitle: A\n---\nold")}, files{"preferences/a.md": []byte("new")},
			"preferences/a.md: a " + x,
		},
		"a file that was renamed": {
			files{"preferences/a.md": []byte("---\nid: " + x + "\n---\nold")}, files{"preferences/b.md": []byte("---\nid: " + x + "\n---\nold")},
			"preferences/b.md: b " + x + "*",
		},
		"other files are left out": {
			files{}, files{"INDEX.md": ledger("A"), "notes.md": ledger("A"), "review/" + x + ".md": ledger("A")},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			head, saved := NewSet(c.head), NewSet(c.saved)
			Identify(head, saved)
			got := identified(saved)
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			Identify(head, saved)
			if again := identified(saved); again != got {
				t.Errorf("and then\n%s", again)
			}
		})
	}
}

func TestIdentifyHoldsForAnySets(t *testing.T) {
	entry := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "title") + " " +
			rapid.SampledFrom([]string{"-", "-", "!", "gxxxxxxx", "gyyyyyyy", "gzzzzzzz", DerivedID(Decision, "A\na", 0), DerivedID(Decision, "B\nb", 0)}).Draw(t, "id") + " " +
			rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "body")
	})
	files := rapid.Custom(func(t *rapid.T) map[string][]byte {
		return map[string][]byte{
			"decisions.md":      ledger(rapid.SliceOfN(entry, 0, 5).Draw(t, "decisions")...),
			"decisions/0001.md": ledger(rapid.SliceOfN(entry, 0, 3).Draw(t, "rolled")...),
			"conventions.md":    ledger(rapid.SliceOfN(entry, 0, 3).Draw(t, "conventions")...),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		head, saved := NewSet(files.Draw(t, "head")), NewSet(files.Draw(t, "saved"))
		Identify(head, saved)
		ids := map[string]bool{}
		for _, l := range saved.All() {
			if l.Err != nil {
				continue
			}
			if !ValidID(l.ID) || ids[l.ID] {
				t.Fatalf("%q is invalid or there twice", l.ID)
			}
			ids[l.ID] = true
			if got, ok := saved.Get(l.ID); !ok || got.Path != l.Path || got.Start != l.Start || got.Line != l.Line {
				t.Fatalf("Get(%q) = %+v, %v", l.ID, got, ok)
			}
			if d := saved.Document(l.Path); l.Written {
				if s, ok := d.Get(l.ID); !ok || s.Start != l.Start {
					t.Fatalf("the file has %q at %v, %v", l.ID, s.Start, ok)
				}
			}
		}
		// What is the same as at head is the same entry.
		again := NewSet(bytesOf(head))
		Identify(head, again)
		if identified(again) != identified(head) {
			t.Fatalf("unchanged\n%s\nbecame\n%s", identified(head), identified(again))
		}
		// Once written down, ids stay.
		for _, path := range saved.Paths() {
			if _, err := saved.Document(path).Adopt(Entry{}); err != nil {
				t.Fatal(err)
			}
		}
		written := NewSet(bytesOf(saved))
		before := identified(saved)
		Identify(saved, written)
		if got := identified(written); got != before {
			t.Fatalf("adopted\n%s\nbecame\n%s", before, got)
		}
	})
}

func bytesOf(s *Set) map[string][]byte {
	files := map[string][]byte{}
	for _, path := range s.Paths() {
		files[path] = s.Document(path).Bytes()
	}
	return files
}

func TestIdentifyIsLinear(t *testing.T) {
	const n = 20000
	var with, without []string
	for i := range n {
		with = append(with, "A "+DerivedID(Decision, "x", i)+" same")
		without = append(without, "A - same")
	}
	head := NewSet(map[string][]byte{"decisions.md": ledger(with...)})
	saved := NewSet(map[string][]byte{"decisions.md": ledger(without...), "conventions.md": ledger(without...)})
	Identify(head, saved)
	if len(saved.byID) != 2*n {
		t.Errorf("%d ids", len(saved.byID))
	}
	s, _ := head.Get(DerivedID(Decision, "x", 7))
	if got := saved.docs["decisions.md"].sections[7].ID; got != s.ID {
		t.Errorf("got %s, want %s", got, s.ID)
	}
}
