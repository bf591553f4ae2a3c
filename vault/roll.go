package vault

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gitvault/internal/entryfile"
)

// Bounds of what is current. What is older has rolled away.
const (
	maxEntryFiles = 256                    // entry files of a kind that are not in a numbered folder
	keepFiles     = maxEntryFiles / 2      // of those, how many stay when they roll
	keepBytes     = entryfile.RollSize / 2 // how much of a ledger stays when it rolls
)

// roll moves the oldest entries out of ledgers and folders that have grown
// past their bound, in a commit of its own. It looks at no clock, so that two
// clones with the same files roll the same way.
func (t *txn) roll() error {
	moved := 0
	for _, k := range Kinds() {
		n, err := t.rollKind(k)
		if err != nil {
			return err
		}
		moved += n
	}
	if moved == 0 {
		return nil
	}
	_, err := t.commit(message{op: "roll", title: countEntries(moved), source: "vault"}, nil)
	return err
}

func (t *txn) rollKind(k Kind) (int, error) {
	if k.IsLedger() {
		return t.rollLedger(k)
	}
	return t.rollFiles(k)
}

func (t *txn) rollLedger(k Kind) (int, error) {
	f, ok := t.tree.files[k.Ledger()]
	if !ok || t.tree.blocked[f.path] != "" {
		return 0, nil
	}
	data, err := f.bytes()
	if err != nil || len(data) <= entryfile.RollSize {
		return 0, err
	}
	doc, err := f.document()
	if err != nil {
		return 0, err
	}
	going, err := t.oldest(doc, len(data)-keepBytes)
	if err != nil || len(going) == 0 {
		return 0, err
	}
	next := t.nextNumber(k)
	var into *entryfile.Document
	for _, s := range going {
		if into == nil || len(into.Bytes())+s.End-s.Start > entryfile.RollSize {
			into, err = t.document(rolledPath(k, next), k)
			if err != nil {
				return 0, err
			}
			next++
		}
		if err := into.Append(s.Entry); err != nil {
			return 0, t.scope.fail(err)
		}
		t.touch(k, s.ID)
	}
	t.mark(f.path)
	ids := make([]string, len(going))
	for i, s := range going {
		ids[i] = s.ID
	}
	return len(going), t.scope.fail(doc.RemoveAll(ids))
}

// oldest chooses the entries of a ledger that go first until so many bytes are
// gone: closed ones, then by age. They come back in the ledger's order.
func (t *txn) oldest(doc *entryfile.Document, size int) ([]entryfile.Section, error) {
	s, err := t.tree.survey(t.scope.cacheDir())
	if err != nil {
		return nil, err
	}
	closed := func(e entryfile.Section) int {
		if e.Status == entryfile.StatusResolved || s.successors[e.ID] != "" {
			return 0
		}
		return 1
	}
	var list []entryfile.Section
	for _, e := range doc.Sections() {
		if e.Err == nil && e.Written {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b entryfile.Section) int {
		return cmp.Or(cmp.Compare(closed(a), closed(b)), cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	n := 0
	for n < len(list) && size > 0 {
		size -= list[n].End - list[n].Start
		n++
	}
	going := list[:n]
	sort.Slice(going, func(i, j int) bool { return going[i].Start < going[j].Start })
	return going, nil
}

func rolledPath(k Kind, n int) string { return fmt.Sprintf("%s/%04d.md", k.Dir(), n) }

// nextNumber is one more than the highest number a rolled file or folder of
// the kind has.
func (t *txn) nextNumber(k Kind) int {
	highest := 0
	for p, f := range t.tree.files {
		if f.kind != k || !f.rolled() {
			continue
		}
		part, _, _ := strings.Cut(strings.TrimPrefix(p, k.Dir()+"/"), "/")
		if n, err := strconv.Atoi(strings.TrimSuffix(part, ".md")); err == nil {
			highest = max(highest, n)
		}
	}
	return highest + 1
}

func (t *txn) rollFiles(k Kind) (int, error) {
	type old struct {
		created string
		file    *file
	}
	var list []old
	for _, p := range t.tree.paths(k) {
		if f := t.tree.files[p]; !f.rolled() && t.tree.blocked[p] == "" {
			list = append(list, old{file: f})
		}
	}
	if len(list) <= maxEntryFiles {
		return 0, nil
	}
	for i, o := range list {
		doc, err := o.file.document()
		if err != nil {
			return 0, err
		}
		for _, s := range doc.Sections() {
			list[i].created = s.Created
		}
	}
	slices.SortStableFunc(list, func(a, b old) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.file.path, b.file.path))
	})
	list = list[:len(list)-keepFiles]
	n := t.nextNumber(k)
	for i, o := range list {
		if i > 0 && i%maxEntryFiles == 0 {
			n++
		}
		data, err := o.file.bytes()
		if err != nil {
			return 0, err
		}
		to := fmt.Sprintf("%s/%04d/%s", k.Dir(), n, path.Base(o.file.path))
		delete(t.tree.files, o.file.path)
		t.mark(o.file.path)
		t.tree.files[to] = textFile(to, data)
		t.mark(to)
		for _, s := range entryfile.Parse(k, to, data).Sections() {
			t.touch(k, s.ID)
		}
	}
	return len(list), nil
}
