package merge

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

// A say changes what an entry says.
type say func(*entryfile.Entry)

func body(s string) say         { return func(e *entryfile.Entry) { e.Body = s } }
func title(s string) say        { return func(e *entryfile.Entry) { e.Title = s } }
func description(s string) say  { return func(e *entryfile.Entry) { e.Description = s } }
func tags(list ...string) say   { return func(e *entryfile.Entry) { e.Tags = list } }
func paths(list ...string) say  { return func(e *entryfile.Entry) { e.Paths = list } }
func status(s string) say       { return func(e *entryfile.Entry) { e.Status = s } }
func pinned() say               { return func(e *entryfile.Entry) { e.Pinned = true } }
func created(minute int) say    { return func(e *entryfile.Entry) { e.Created = stamp(minute) } }
func updated(minute int) say    { return func(e *entryfile.Entry) { e.Updated = stamp(minute) } }
func kind(k entryfile.Kind) say { return func(e *entryfile.Entry) { e.Kind = k } }
func conflict(id string) say    { return func(e *entryfile.Entry) { e.Conflict = id } }

func stamp(minute int) string { return fmt.Sprintf("2026-11-30T%02d:%02d:00Z", minute/60, minute%60) }

// entry is a decision with an id made of the name; it was created at midnight.
func entry(name string, says ...say) entryfile.Entry {
	id := strings.Repeat("g", 8-len(name)) + name
	e := entryfile.Entry{ID: id, Kind: entryfile.Decision, Title: "Entry " + name, Created: stamp(0), Source: "person"}
	for _, s := range says {
		s(&e)
	}
	if e.Body == "" {
		e.Body = e.Title
	}
	return e
}

// ledger prints entries, with text of a person's own among them.
func ledger(parts ...any) []byte {
	var out []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p)
		case entryfile.Entry:
			raw, err := entryfile.Print(p)
			if err != nil {
				panic(err)
			}
			out = append(out, string(raw))
		}
	}
	return []byte(strings.Join(out, "\n"))
}

func entryFile(e entryfile.Entry) []byte {
	raw, err := entryfile.Print(e)
	if err != nil {
		panic(err)
	}
	return raw
}

// sync merges both ways and checks that it makes no difference.
func sync(t testing.TB, base, ours, theirs Files) Result {
	t.Helper()
	r := Trees(base, ours, theirs, Options{})
	swapped := Trees(base, theirs, ours, Options{})
	if d := filesDiffer(r.Files, swapped.Files); d != "" {
		t.Fatalf("swapping ours and theirs makes a difference: %s", d)
	}
	return r
}

func filesDiffer(a, b Files) string {
	for _, path := range allPaths(a, b) {
		x, inA := a[path]
		y, inB := b[path]
		if inA != inB || string(x) != string(y) {
			return fmt.Sprintf("%s: %v %v\n--- one\n%s\n--- other\n%s", path, inA, inB, x, y)
		}
	}
	return ""
}

func wantFiles(t testing.TB, got, want Files) {
	t.Helper()
	if d := filesDiffer(got, want); d != "" {
		t.Fatalf("not what was expected (one: got, other: want): %s", d)
	}
}

// entriesOf lists all entries of a tree by id.
func entriesOf(f Files) map[string]entryfile.Entry {
	out := map[string]entryfile.Entry{}
	for _, l := range entryfile.NewSet(f).All() {
		if l.Err == nil {
			out[l.ID] = l.Entry
		}
	}
	return out
}

// titles lists the titles in a ledger, in order.
func titles(path string, data []byte) string {
	kind, _ := entryfile.KindOf(path)
	var out []string
	for _, s := range entryfile.Parse(kind, path, data).Sections() {
		out = append(out, strings.TrimPrefix(s.Title, "Entry "))
	}
	return strings.Join(out, " ")
}

func pathsOf(f Files) string {
	var out []string
	for p := range f {
		out = append(out, p)
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

func cardsOf(t testing.TB, f Files) []entryfile.Card {
	t.Helper()
	var out []entryfile.Card
	for _, path := range allPaths(f) {
		if entryfile.IsCard(path) {
			c, err := entryfile.ParseCard(f[path])
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			out = append(out, c)
		}
	}
	return out
}

func siblingsOf(f Files) []entryfile.Entry {
	var out []entryfile.Entry
	for _, e := range entriesOf(f) {
		if e.Conflict != "" {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b entryfile.Entry) int { return strings.Compare(a.ID, b.ID) })
	return out
}
