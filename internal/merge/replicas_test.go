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

// A world is replicas of one scope and all commits any of them made.
type world struct {
	t       *rapid.T
	commits []commit
	heads   []int // by replica
	clock   int
	words   int
}

type commit struct {
	files   Files
	parents []int
}

func newWorld(t *rapid.T, replicas int) *world {
	w := &world{t: t, heads: make([]int, replicas)}
	first := Files{
		decisions:         ledger("# Decisions\n\nWhat we chose.\n"),
		"open_threads.md": ledger("# Open threads\n"),
		"vault.yaml":      []byte("format: 1\nidentities:\n  - a@example.org\n"),
		"notes.txt":       []byte("one\ntwo\nthree\n"),
	}
	w.commits = []commit{{files: first}}
	for range rapid.IntRange(0, 4).Draw(t, "entries at first") {
		w.act(0)
	}
	for r := range w.heads {
		w.heads[r] = len(w.commits) - 1
	}
	return w
}

func (w *world) commit(files Files, parents ...int) int {
	w.commits = append(w.commits, commit{files, parents})
	return len(w.commits) - 1
}

func (w *world) pick(n int, what string) int { return rapid.IntRange(0, n-1).Draw(w.t, what) }

// now is a clock so coarse that changes often have the same time.
func (w *world) now() string { w.clock++; return stamp(w.clock / 3) }

// word makes a word that is nowhere yet.
func (w *world) word() string { w.words++; return fmt.Sprintf("w%dw", w.words) }

func (w *world) newID() string {
	w.words++
	return entryfile.DerivedID(entryfile.Decision, "new", w.words)
}

// act changes something on a replica, as a person or a command would.
func (w *world) act(r int) {
	files := maps.Clone(w.commits[w.heads[r]].files)
	acts := []func(Files){
		w.add, w.add, w.add, w.insert, w.edit, w.edit, w.edit, w.edit, w.relabel, w.forget, w.roll, w.move,
		w.reorder, w.writeBetween, w.editOther, w.rename, w.card, w.card,
	}
	acts[w.pick(len(acts), "act")](files)
	w.heads[r] = w.commit(w.adopt(w.commits[w.heads[r]].files, files), w.heads[r])
}

// adopt takes in what was done, which was all done to the head.
func (w *world) adopt(head, saved Files) Files {
	r := Trees(head, head, saved, Options{Mode: Adopt, Adopted: func(e *entryfile.Entry) { e.Created, e.Source = w.now(), "person" }})
	written := true
	for _, l := range entryfile.NewSet(saved).All() {
		written = written && l.Written
	}
	if d := filesDiffer(r.Files, saved); written && d != "" {
		w.t.Fatalf("adopting changed what was saved: %s", d)
	}
	if len(r.Conflicts) > 0 {
		w.t.Fatalf("adopting a change of the head made conflicts: %+v", r.Conflicts)
	}
	return r.Files
}

func (w *world) ledgerPath() string {
	return rapid.SampledFrom([]string{decisions, decisions, "open_threads.md", "conventions.md"}).Draw(w.t, "ledger")
}

func (w *world) newEntry() entryfile.Entry {
	e := entryfile.Entry{ID: w.newID(), Title: "About " + w.word(), Created: w.now(), Source: "person", Tags: []string{"all"}}
	for range w.pick(4, "lines") {
		e.Body += "Line with " + w.word() + " in it.\n"
	}
	if e.Body = strings.TrimSpace(e.Body); e.Body == "" {
		e.Body = e.Title
	}
	return e
}

func (w *world) document(files Files, path string) *entryfile.Document {
	kind, _ := entryfile.KindOf(path)
	return entryfile.Parse(kind, path, files[path])
}

func (w *world) must(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) add(files Files) {
	if w.pick(4, "where") == 0 {
		e := w.newEntry()
		e.Kind = entryfile.Preference
		files["preferences/"+entryfile.FileName(e)] = entryFile(e)
		return
	}
	path := w.ledgerPath()
	d := w.document(files, path)
	w.must(d.Append(w.newEntry()))
	files[path] = d.Bytes()
}

// insert puts a section somewhere into a ledger by hand.
func (w *world) insert(files Files) {
	path := w.ledgerPath()
	kind, _ := entryfile.KindOf(path)
	d := w.document(files, path)
	e := w.newEntry()
	e.Kind = kind
	data := string(d.Bytes())
	at := len(data)
	if all := d.Sections(); len(all) > 0 {
		at = all[w.pick(len(all), "before")].Start
	}
	if at > 0 && data[at-1] != '\n' {
		data, at = data+"\n", at+1
	}
	files[path] = []byte(data[:at] + string(entryFile(e)) + "\n" + data[at:])
}

// any chooses an entry.
func (w *world) any(files Files) (entryfile.Located, bool) {
	all := entryfile.NewSet(files).All()
	all = slices.DeleteFunc(all, func(l entryfile.Located) bool { return l.Err != nil })
	if len(all) == 0 {
		return entryfile.Located{}, false
	}
	return all[w.pick(len(all), "entry")], true
}

func (w *world) change(files Files, change func(e *entryfile.Entry)) {
	l, ok := w.any(files)
	if !ok {
		return
	}
	d := w.document(files, l.Path)
	e := l.Entry.Clone()
	change(&e)
	e.Updated = w.now()
	w.must(d.Set(e))
	files[l.Path] = d.Bytes()
}

func (w *world) edit(files Files) {
	w.change(files, func(e *entryfile.Entry) {
		if w.pick(5, "title too") == 0 {
			e.Title += " " + w.word()
		}
		list := strings.Split(e.Body, "\n")
		switch i := w.pick(len(list), "line"); w.pick(4, "how") {
		case 0:
			list[i] += " " + w.word()
		case 1:
			list[i] = "Rewritten as " + w.word() + "."
		case 2:
			list = slices.Insert(list, i, "Inserted "+w.word()+".")
		case 3:
			list = append(list, "Appended "+w.word()+".")
		}
		e.Body = strings.Join(list, "\n")
	})
}

func (w *world) relabel(files Files) {
	w.change(files, func(e *entryfile.Entry) {
		switch w.pick(5, "key") {
		case 0:
			e.Tags = append(e.Tags, w.word())
		case 1:
			e.Tags = nil
		case 2:
			e.Pinned = !e.Pinned
		case 3:
			e.Evidence = rapid.SampledFrom([]string{"", "a link", "a quote"}).Draw(w.t, "evidence") // the later one stands
		case 4:
			e.Description = strings.TrimSpace(e.Description + " " + w.word())
		}
	})
}

func (w *world) forget(files Files) {
	if l, ok := w.any(files); ok {
		w.takeOut(files, l)
	}
}

func (w *world) takeOut(files Files, l entryfile.Located) {
	d := w.document(files, l.Path)
	w.must(d.Remove(l.ID))
	if files[l.Path] = d.Bytes(); !l.Kind.IsLedger() {
		delete(files, l.Path)
	}
}

// roll moves the oldest decisions to a new rolled file.
func (w *world) roll(files Files) {
	all := w.document(files, decisions).Sections()
	if len(all) == 0 {
		return
	}
	n := 1
	for files[fmt.Sprintf("decisions/%04d.md", n)] != nil {
		n++
	}
	path := fmt.Sprintf("decisions/%04d.md", n)
	rolled := w.document(files, path)
	for _, s := range all[:1+w.pick(len(all), "rolled")] {
		w.must(rolled.Append(s.Entry))
		w.takeOut(files, entryfile.Located{Path: decisions, Section: s})
	}
	files[path] = rolled.Bytes()
}

// move cuts an entry and pastes it into a ledger.
func (w *world) move(files Files) {
	l, ok := w.any(files)
	path := w.ledgerPath()
	if !ok || l.Path == path {
		return
	}
	w.takeOut(files, l)
	d := w.document(files, path)
	w.must(d.Append(l.Entry))
	files[path] = d.Bytes()
}

func (w *world) reorder(files Files) {
	path := w.ledgerPath()
	d := w.document(files, path)
	all := d.Sections()
	if len(all) < 2 {
		return
	}
	s := all[w.pick(len(all), "section")]
	if w.document(files, path).Remove(s.ID) != nil {
		return
	}
	w.must(d.Remove(s.ID))
	to := d.Sections()[w.pick(len(all)-1, "to")].Start
	data := string(d.Bytes())
	files[path] = []byte(data[:to] + string(files[path][s.Start:s.End]) + "\n" + data[to:])
}

// writeBetween changes the text between entries.
func (w *world) writeBetween(files Files) {
	path := w.ledgerPath()
	data := string(files[path])
	switch w.pick(3, "how") {
	case 0:
		data = strings.Replace(data, "# ", "# "+w.word()+" ", 1)
	case 1:
		if data != "" && !strings.HasSuffix(data, "\n") {
			data += "\n"
		}
		data += "\n# Part " + w.word() + "\n"
	case 2:
		data = strings.Replace(data, "\n", "\nSays "+w.word()+".\n", 1)
	}
	files[path] = []byte(data)
}

func (w *world) editOther(files Files) {
	switch w.pick(4, "file") {
	case 0:
		files["notes.txt"] = append(slices.Clone(files["notes.txt"]), (w.word() + "\n")...)
	case 1:
		list := strings.SplitAfter(string(files["notes.txt"]), "\n")
		i := w.pick(len(list), "line")
		list[i] = w.word() + "\n"
		files["notes.txt"] = []byte(strings.Join(list, ""))
	case 2:
		files["vault.yaml"] = append(slices.Clone(files["vault.yaml"]), ("  - " + w.word() + "@example.org\n")...)
	case 3:
		files["new.bin"] = []byte("\x00" + w.word())
	}
}

func (w *world) rename(files Files) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(path, "preferences/") && w.pick(2, "rename") == 0 {
			data := files[path]
			delete(files, path)
			files["preferences/"+w.word()+".md"] = data
			return
		}
	}
}

// card holds a change, or decides on one.
func (w *world) card(files Files) {
	var open []string
	for path := range files {
		if entryfile.IsCard(path) {
			open = append(open, path)
		}
	}
	slices.Sort(open)
	if len(open) == 0 || w.pick(3, "card") == 0 {
		e := w.newEntry()
		e.Kind = entryfile.Decision
		c := entryfile.Card{ID: e.ID, Op: entryfile.OpAdd, EntryID: e.ID, Kind: e.Kind, Source: "claude-code", Created: e.Created, Entry: e}
		data, err := c.Bytes()
		w.must(err)
		files[c.Path()] = data
		return
	}
	path := open[w.pick(len(open), "which")]
	c, err := entryfile.ParseCard(files[path])
	w.must(err)
	switch w.pick(3, "what") {
	case 0:
		c.Entry.Body += "\nChanged " + w.word() + "."
		c.Entry.Updated = w.now()
		data, err := c.Bytes()
		w.must(err)
		files[path] = data
	case 1:
		delete(files, path)
		d := w.document(files, decisions)
		if _, there := d.Get(c.EntryID); !there && c.Op == entryfile.OpAdd {
			w.must(d.Append(c.Entry))
			files[decisions] = d.Bytes()
		}
	case 2:
		delete(files, path)
	}
}

// ancestors are all commits a commit comes from, itself among them.
func (w *world) ancestors(c int) map[int]bool {
	all := map[int]bool{}
	todo := []int{c}
	for len(todo) > 0 {
		c, todo = todo[0], todo[1:]
		if !all[c] {
			all[c] = true
			todo = append(todo, w.commits[c].parents...)
		}
	}
	return all
}

// MergeBases are the best common ancestors of two commits.
func (w *world) MergeBases(a, b int) ([]int, error) {
	inA, inB := w.ancestors(a), w.ancestors(b)
	var best []int
	for c := range inA {
		if inB[c] {
			best = append(best, c)
		}
	}
	slices.Sort(best)
	return slices.DeleteFunc(slices.Clone(best), func(c int) bool {
		return slices.ContainsFunc(best, func(d int) bool { return d != c && w.ancestors(d)[c] })
	}), nil
}

// Files are those of a commit.
func (w *world) Files(c int) (Files, error) { return w.commits[c].files, nil }

// join merges the head of one replica into another's.
func (w *world) join(into, from int) {
	a, b := w.heads[into], w.heads[from]
	switch {
	case w.ancestors(a)[b]:
	case w.ancestors(b)[a]:
		w.heads[into] = b
	default:
		base, err := Base(w, a, b)
		w.must(err)
		merged := w.check(base, w.commits[a].files, w.commits[b].files)
		w.heads[into] = w.commit(merged, a, b)
	}
}

// check merges, and tries all that must hold of any merge.
func (w *world) check(base, ours, theirs Files) Files {
	r := Trees(base, ours, theirs, Options{})
	if d := filesDiffer(r.Files, Trees(base, theirs, ours, Options{}).Files); d != "" {
		w.t.Fatalf("not commutative: %s", d)
	}
	for _, side := range []Files{ours, theirs} {
		if d := filesDiffer(r.Files, Trees(side, r.Files, side, Options{}).Files); d != "" {
			w.t.Fatalf("merging again changes something: %s", d)
		}
	}
	if d := filesDiffer(ours, Trees(ours, ours, ours, Options{}).Files); d != "" {
		w.t.Fatalf("merging what is the same changes something: %s", d)
	}
	w.checkPartial(base, ours, theirs, r.Files)
	w.checkChanges(ours, r)
	w.checkTexts(base, ours, theirs, r.Files)
	seen := map[string]string{}
	for _, l := range entryfile.NewSet(r.Files).All() {
		if other := seen[l.ID]; other != "" || l.Err != nil || !l.Written {
			w.t.Fatalf("%s in %s: also in %q, written %v, %v\n%s", l.ID, l.Path, other, l.Written, l.Err, r.Files[l.Path])
		}
		seen[l.ID] = l.Path
	}
	for path, data := range r.Files {
		if HasMarkers(data) || strings.Contains(string(data), "<<<<") {
			w.t.Fatalf("%s has conflict markers: %s", path, data)
		}
	}
	return r.Files
}

// checkPartial merges only the files that differ.
func (w *world) checkPartial(base, ours, theirs, merged Files) {
	b, o, th, want := maps.Clone(base), maps.Clone(ours), maps.Clone(theirs), maps.Clone(merged)
	rest := Files{}
	for path, data := range base {
		x, inO := ours[path]
		y, inT := theirs[path]
		if inO && inT && string(x) == string(data) && string(y) == string(data) {
			rest[path] = data
			for _, f := range []Files{b, o, th, want} {
				delete(f, path)
			}
		}
	}
	known := entriesOf(rest)
	r := Trees(b, o, th, Options{Known: func(id string) bool { _, ok := known[id]; return ok }})
	if d := filesDiffer(r.Files, want); d != "" {
		w.t.Fatalf("without the files that are the same: %s", d)
	}
}

// checkChanges checks that the changes lead from ours to the outcome.
func (w *world) checkChanges(ours Files, r Result) {
	all := entriesOf(ours)
	for _, c := range r.Changes {
		if delete(all, c.ID); c.After != nil {
			all[c.ID] = *c.After
		}
	}
	want := entriesOf(r.Files)
	if len(all) != len(want) {
		w.t.Fatalf("%d entries by the changes, %d in the files", len(all), len(want))
	}
	for id, e := range want {
		if got := all[id]; !same(&got, &e) {
			w.t.Fatalf("%s is %+v by the changes, %+v in the files", id, got, e)
		}
	}
	if a, b := len(r.Changes), len(Diff(ours, r.Files)); a != b {
		w.t.Fatalf("%d changes, %d by Diff", a, b)
	}
}

// checkTexts checks that no word is gone that no side took out.
func (w *world) checkTexts(base, ours, theirs, merged Files) {
	inBase, inMerged := wordsOf(base), wordsOf(merged)
	inOurs, inTheirs := wordsOf(ours), wordsOf(theirs)
	for _, side := range []struct{ has, other map[string]bool }{{inOurs, inTheirs}, {inTheirs, inOurs}} {
		for word := range side.has {
			if !inMerged[word] && (!inBase[word] || side.other[word]) {
				w.t.Fatalf("%s is lost\nbase:%s\nours:%s\ntheirs:%s\nmerged:%s", word, show(base), show(ours), show(theirs), show(merged))
			}
		}
	}
}

func show(files Files) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "\n=== %s\n%s", path, files[path])
	}
	return b.String()
}

func wordsOf(files Files) map[string]bool {
	out := map[string]bool{}
	for _, data := range files {
		for _, s := range strings.FieldsFunc(string(data), func(r rune) bool { return !(r == 'w' || '0' <= r && r <= '9') }) {
			if len(s) > 2 && s[0] == 'w' && s[len(s)-1] == 'w' {
				out[s] = true
			}
		}
	}
	return out
}

func TestReplicasConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "replicas")
		w := newWorld(t, n)
		for range rapid.IntRange(1, 14).Draw(t, "steps") {
			r := w.pick(n, "replica")
			if w.pick(4, "join") == 0 {
				w.join(r, w.pick(n, "from"))
			} else {
				w.act(r)
			}
		}
		// Each gets what the others have, in an order of its own, at once: all
		// merges are made before any is seen.
		before := slices.Clone(w.heads)
		var after []int
		for r := range n {
			copy(w.heads, before)
			for _, from := range rapid.Permutation(seq(n)).Draw(t, "order") {
				w.join(r, from)
			}
			after = append(after, w.heads[r])
		}
		copy(w.heads, after)
		// Then they exchange the merges through one of them.
		for range 2 {
			for _, r := range rapid.Permutation(seq(n)).Draw(t, "last order") {
				w.join(0, r)
				w.join(r, 0)
			}
		}
		for r := range n {
			if d := filesDiffer(w.commits[w.heads[0]].files, w.commits[w.heads[r]].files); d != "" {
				t.Fatalf("replicas 0 and %d differ: %s", r, d)
			}
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
