package gitstore

import (
	"container/heap"
	"context"
	"iter"
	"sort"
)

// Commit reads one commit. ErrNotFound: there is no such object; ErrCorrupt:
// it is damaged or something else.
func (r *Repo) Commit(h Hash) (*Commit, error) {
	t, data, err := r.objects.lookup(h)
	if err != nil {
		return nil, err
	}
	if t != TypeCommit {
		return nil, fail(ErrNotFound, "%s is a %s, not a commit", h, t)
	}
	c, err := decodeCommit(h, data)
	if err == nil && r.objects.isCut(h) {
		c.Parents = nil
	}
	return c, err
}

// Blob reads the content of a file by its name in the object database.
func (r *Repo) Blob(h Hash) ([]byte, error) { return r.objects.blob(h) }

// Object reads any object.
func (r *Repo) Object(h Hash) (Type, []byte, error) { return r.objects.lookup(h) }

// Has reports whether an object is there, without reading it.
func (r *Repo) Has(h Hash) bool { return r.objects.has(h) }

// Tree lists all files of a commit, or of a tree, by path. Submodules are in
// it, folders are not.
func (r *Repo) Tree(h Hash) (map[string]TreeEntry, error) {
	tree, err := r.treeOf(h)
	if err != nil {
		return nil, err
	}
	files := map[string]TreeEntry{}
	err = r.walkTree("", tree, 0, func(path string, e TreeEntry) { files[path] = e })
	return files, err
}

// Entry finds one path in a commit or tree, a folder too. ErrNotFound: it is
// not there.
func (r *Repo) Entry(h Hash, path string) (TreeEntry, error) {
	tree, err := r.treeOf(h)
	if err != nil {
		return TreeEntry{}, err
	}
	e, err := r.entryAt(tree, path)
	if err == nil && e.Hash.IsZero() {
		err = fail(ErrNotFound, "no %s in %s", path, h)
	}
	return e, err
}

// treeOf gives the tree of a commit; a tree is its own.
func (r *Repo) treeOf(h Hash) (Hash, error) {
	if h.IsZero() || h == emptyTree {
		return emptyTree, nil
	}
	t, data, err := r.objects.lookup(h)
	if err != nil {
		return ZeroHash, err
	}
	switch t {
	case TypeTree:
		return h, nil
	case TypeCommit:
		c, err := decodeCommit(h, data)
		if err != nil {
			return ZeroHash, err
		}
		return c.Tree, nil
	}
	return ZeroHash, fail(ErrNotFound, "%s is a %s, which has no files", h, t)
}

// PathChange is one path that differs between two trees. A side with a zero
// Hash does not have it.
type PathChange struct {
	Path     string
	Old, New TreeEntry
}

// DiffTrees lists the paths that differ between two commits or trees, by path;
// ZeroHash stands for the empty tree. Folders that are the same are not read.
func (r *Repo) DiffTrees(a, b Hash) ([]PathChange, error) {
	ta, err := r.treeOf(a)
	if err != nil {
		return nil, err
	}
	tb, err := r.treeOf(b)
	if err != nil {
		return nil, err
	}
	var out []PathChange
	if err := r.diff("", ta, tb, 0, &out); err != nil {
		return nil, err
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

func (r *Repo) diff(dir string, a, b Hash, depth int, out *[]PathChange) error {
	if a == b {
		return nil
	}
	if depth > 200 {
		return fail(ErrCorrupt, "folder %s lies too deep", dir)
	}
	names := map[string][2]TreeEntry{}
	for side, h := range []Hash{a, b} {
		if h.IsZero() {
			continue
		}
		entries, err := r.objects.tree(h)
		if err != nil {
			return err
		}
		for _, e := range entries {
			pair := names[e.Name]
			pair[side] = e
			names[e.Name] = pair
		}
	}
	for name, pair := range names {
		if pair[0] == pair[1] {
			continue
		}
		path := join(dir, name)
		var sub [2]Hash
		var file [2]TreeEntry
		for side, e := range pair {
			if e.Mode == ModeDir {
				sub[side] = e.Hash
			} else {
				file[side] = e
			}
		}
		if err := r.diff(path, sub[0], sub[1], depth+1, out); err != nil {
			return err
		}
		if file[0] != file[1] {
			*out = append(*out, PathChange{Path: path, Old: file[0], New: file[1]})
		}
	}
	return nil
}

// byDate is a heap of commits, newest first.
type byDate []*Commit

func (q byDate) Len() int { return len(q) }
func (q byDate) Less(i, j int) bool {
	return q[i].Committer.When.After(q[j].Committer.When)
}
func (q byDate) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *byDate) Push(x any)   { *q = append(*q, x.(*Commit)) }
func (q *byDate) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}

// Log goes through the history from some commits backwards, newest first as
// git log does. An error ends it.
func (r *Repo) Log(ctx context.Context, from ...Hash) iter.Seq2[*Commit, error] {
	return func(yield func(*Commit, error) bool) {
		seen := map[Hash]bool{}
		var queue byDate
		add := func(h Hash) error {
			if seen[h] || h.IsZero() {
				return nil
			}
			seen[h] = true
			c, err := r.objects.commit(h)
			if err == nil {
				heap.Push(&queue, c)
			}
			return err
		}
		for _, h := range from {
			if err := add(h); err != nil {
				yield(nil, err)
				return
			}
		}
		for queue.Len() > 0 {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			c := heap.Pop(&queue).(*Commit)
			if !yield(c, nil) {
				return
			}
			for _, p := range c.Parents {
				if err := add(p); err != nil {
					yield(nil, err)
					return
				}
			}
		}
	}
}

const (
	fromA = 1 << iota
	fromB
	stale
	result
)

// paint marks what is reachable from a, and from b, and gives the commits in
// which the two meet first.
func (r *Repo) paint(ctx context.Context, a, b Hash) ([]*Commit, error) {
	flags := map[Hash]int{}
	loaded := map[Hash]*Commit{}
	var queue byDate

	add := func(h Hash, f int) error {
		old := flags[h]
		if old&f == f {
			return nil
		}
		c := loaded[h]
		if c == nil {
			var err error
			if c, err = r.objects.commit(h); err != nil {
				return err
			}
			loaded[h] = c
		}
		flags[h] = old | f
		heap.Push(&queue, c)

		return nil
	}
	if err := add(a, fromA); err != nil {
		return nil, err
	}
	if err := add(b, fromB); err != nil {
		return nil, err
	}
	var met []*Commit
	for queue.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !anyFresh(queue, flags) {
			break
		}
		c := heap.Pop(&queue).(*Commit)
		f := flags[c.Hash] & (fromA | fromB | stale)
		if f == fromA|fromB {
			if flags[c.Hash]&result == 0 {
				flags[c.Hash] |= result
				met = append(met, c)
			}
			f |= stale
		}
		for _, p := range c.Parents {
			if err := add(p, f); err != nil {
				return nil, err
			}
		}
	}
	var best []*Commit
	for _, c := range met {
		if flags[c.Hash]&stale == 0 {
			best = append(best, c)
		}
	}
	return best, nil
}

func anyFresh(queue byDate, flags map[Hash]int) bool {
	for _, c := range queue {
		if flags[c.Hash]&stale == 0 {
			return true
		}
	}
	return false
}

// MergeBases gives the best common ancestors of two commits, newest first;
// none, if their histories are unrelated.
func (r *Repo) MergeBases(ctx context.Context, a, b Hash) ([]Hash, error) {
	if a == b {
		return []Hash{a}, nil
	}
	met, err := r.paint(ctx, a, b)
	if err != nil {
		return nil, err
	}
	var bases []Hash
	for i, c := range met {
		redundant := false
		for j, d := range met {
			if i != j && !redundant && len(met) > 1 {
				if redundant, err = r.reaches(ctx, d.Hash, c.Hash); err != nil {
					return nil, err
				}
			}
		}
		if !redundant {
			bases = append(bases, c.Hash)
		}
	}
	return bases, nil
}

// MergeBase gives one best common ancestor of two commits; ZeroHash if their
// histories are unrelated.
func (r *Repo) MergeBase(ctx context.Context, a, b Hash) (Hash, error) {
	bases, err := r.MergeBases(ctx, a, b)
	if err != nil || len(bases) == 0 {
		return ZeroHash, err
	}
	return bases[0], nil
}

// IsAncestor reports whether commit a is b, or is reached from it.
func (r *Repo) IsAncestor(ctx context.Context, a, b Hash) (bool, error) {
	return r.reaches(ctx, b, a)
}

func (r *Repo) reaches(ctx context.Context, from, to Hash) (bool, error) {
	if from == to {
		return true, nil
	}
	met, err := r.paint(ctx, from, to)
	for _, c := range met {
		if c.Hash == to {
			return true, err
		}
	}
	return false, err
}

// Folder lists one folder of a tree, by its tree object.
func (r *Repo) Folder(tree Hash) ([]TreeEntry, error) { return r.objects.tree(tree) }
