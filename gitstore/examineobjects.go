package gitstore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// remains is what an object that is lost can be written again from.
type remains struct {
	kind Type
	data []byte
	from string
}

// largestSource is the size of the largest file that is kept to write an
// object again from.
const largestSource = 16 << 20

// source looks whether the worktree or the index holds what a lost object did.
func (x *examination) source(h Hash) (remains, bool) {
	if x.copies == nil {
		x.copies = map[Hash]remains{}
		x.filesBelow(x.repo.dir, 0)
		x.indexTrees()
	}
	s, ok := x.copies[h]
	return s, ok
}

func (x *examination) filesBelow(dir string, depth int) {
	r := x.repo
	list, err := r.fs.ReadDir(dir)
	if err != nil || depth > 50 {
		return
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if e.Name() != ".git" {
				x.filesBelow(path, depth+1)
			}
			continue
		}
		if fi, err := e.Info(); err != nil || !fi.Mode().IsRegular() || fi.Size() > largestSource {
			continue
		}
		if data, _, err := readWhole(r.fs, path); err == nil {
			x.copies[BlobHash(data)] = remains{TypeBlob, data, x.rel(path)}
		}
	}
}

// indexTrees makes the trees that git's index lists the files of.
func (x *examination) indexTrees() {
	i, _, err := x.repo.readIndex()
	if err != nil || i == nil || i.unmerged() != "" {
		return
	}
	list := slices.DeleteFunc(slices.Clone(i.entries), func(e indexEntry) bool { return e.intentToAdd })
	x.treeFrom("", list)
}

// treeFrom makes the tree of a folder, whose name ends in a slash, and those
// below it.
func (x *examination) treeFrom(dir string, list []indexEntry) Hash {
	var entries []TreeEntry
	for len(list) > 0 {
		name, _, deeper := strings.Cut(list[0].path[len(dir):], "/")
		n, e := 1, TreeEntry{Name: name, Mode: list[0].mode, Hash: list[0].hash}
		if deeper {
			for n < len(list) && strings.HasPrefix(list[n].path, dir+name+"/") {
				n++
			}
			e.Mode, e.Hash = ModeDir, x.treeFrom(dir+name+"/", list[:n])
		}
		entries, list = append(entries, e), list[n:]
	}
	sortTree(entries)
	data := encodeTree(entries)
	h := HashOf(TypeTree, data)
	x.copies[h] = remains{TypeTree, data, "git's index"}
	return h
}

// objects reads every object once, and what it leads to; then those that
// nothing leads to, which git looks at too.
func (x *examination) objects(ctx context.Context) error {
	if x.look.Quick {
		return nil
	}
	known, err := x.repo.refs.list("refs/")
	if err != nil && !refused(err) {
		return err
	}
	w := &objectWalk{examination: x, seen: map[Hash]bool{}}
	for _, h := range known {
		w.want(h)
	}
	for len(w.todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.object(h)
	}
	if more := w.lost - maxDamage; more > 0 {
		x.add(DamagedObject, ".git/objects", "%d more objects are not there or damaged: %s brings them back from a remote that has them", more, x.repo.refetch())
	}
	return w.unreferred(ctx)
}

type objectWalk struct {
	*examination
	todo []Hash
	seen map[Hash]bool
	lost int
}

func (w *objectWalk) want(h Hash) {
	if !h.IsZero() && !w.seen[h] {
		w.seen[h] = true
		w.todo = append(w.todo, h)
	}
}

func (w *objectWalk) object(h Hash) {
	r := w.repo
	kind, data, from, err := w.load(h)
	switch {
	case refused(err):
		return
	case err != nil:
		w.tellLost(h, err)
		return
	case from != "":
		w.mendable(DamagedObject, w.rel(loosePath(r.objects.root, h)), what(r.objects.problem(h)), "write it again from "+from,
			func(ctx context.Context) (string, error) {
				return r.replaceFile(ctx, loosePath(r.objects.root, h), encodeLoose(kind, data))
			})
	}
	switch kind {
	case TypeCommit:
		c, err := decodeCommit(h, data)
		if err != nil {
			w.tellLost(h, err)
			return
		}
		w.want(c.Tree)
		if !r.objects.isCut(h) {
			for _, p := range c.Parents {
				w.want(p)
			}
		}
	case TypeTree:
		entries, err := decodeTree(h, data)
		if err != nil {
			w.tellLost(h, err)
			return
		}
		for _, e := range entries {
			if e.Mode != ModeSubmodule {
				w.want(e.Hash)
			}
		}
	}
}

// tellLost tells of an object that can't be read. Git fetches it only when
// what is left of it is out of the way.
func (w *objectWalk) tellLost(h Hash, err error) {
	if w.lost++; w.lost > maxDamage {
		return
	}
	r := w.repo
	path := loosePath(r.objects.root, h)
	text := what(err) + ": " + r.refetch() + " brings it back from a remote that has it"
	if _, err := r.fs.Lstat(path); err != nil {
		w.add(DamagedObject, w.rel(path), "%s", text)
		return
	}
	w.tell(Damage{Kind: DamagedObject, Path: w.rel(path), Text: text, Left: true, Fix: "move what is left of it aside, so that it can be fetched",
		mend: func(ctx context.Context) (string, error) { return r.aside(path) }})
}

// problem says why an object can't be read.
func (s *objects) problem(h Hash) error {
	if _, _, err := s.read(h); err != nil {
		return err
	}
	return fail(ErrCorrupt, "object %s was damaged", h)
}

// unreferred looks at the loose objects that no ref leads to, and at those of
// which there is a sound one besides.
func (w *objectWalk) unreferred(ctx context.Context) error {
	r := w.repo
	names, err := r.objects.looseNames()
	if err != nil {
		if isNotExist(err) || refused(err) {
			return nil
		}
		return err
	}
	told := 0
	for _, h := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := loosePath(r.objects.root, h)
		_, sound := w.fine[h]
		if w.seen[h] && !sound {
			continue // it has been told of
		}
		if _, _, err := r.objects.readLoose(r.objects.root, h); err == nil || isNotExist(err) || refused(err) {
			continue
		}
		if told++; told > maxDamage {
			continue
		}
		text := "object " + h.String() + " is damaged, and nothing leads to it"
		if w.seen[h] {
			text = "object " + h.String() + " is damaged here; a pack holds a sound one"
		}
		w.mendable(DamagedObject, w.rel(path), text, "move it aside", func(context.Context) (string, error) { return r.aside(path) })
	}
	if told > maxDamage {
		w.add(DamagedObject, ".git/objects", "%d more are damaged that nothing leads to: 'vault doctor --fix' once more moves them aside", told-maxDamage)
	}
	return nil
}

// borders looks at the files that say where the history ends and where else
// objects are.
func (x *examination) borders(context.Context) error {
	r := x.repo
	path := filepath.Join(r.git, "shallow")
	if data, err := r.fs.ReadFile(path); err == nil {
		var kept []string
		bad := len(data) == 0
		for line := range strings.Lines(string(data)) {
			if h, ok := ParseHash(strings.TrimSpace(line)); ok {
				kept = append(kept, h.String()+"\n")
			} else {
				bad = true
			}
		}
		if bad {
			x.mendable(DamagedRef, x.rel(path), "where the fetched history ends can't be read: git reads none of it", "keep the lines that can be read", func(ctx context.Context) (string, error) {
				defer r.objects.forgetCut()
				if len(kept) == 0 {
					return r.aside(path)
				}
				return r.replaceFile(ctx, path, []byte(strings.Join(kept, "")))
			})
		}
	}
	for _, dir := range r.objects.alternates() {
		if fi, err := r.fs.Stat(dir); err != nil || !fi.IsDir() {
			x.tell(Damage{Kind: DamagedObject, Path: x.rel(filepath.Join(r.objects.root, "info", "alternates")), Minor: true,
				Text: fmt.Sprintf("it names %s for more objects, where no folder is: bring that back, or take the line out in an editor if nothing below is missing", dir)})
		}
	}
	return nil
}
