package gitstore

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"path/filepath"
	"sort"
)

// newestWhole finds the commit to bring the branch back to, and says how it is
// known: the last one of those that are whole and not a remote's alone. Of
// several lines of commits that is the one the index knows, else the one that
// the reflog ends with, else the youngest. nil: no commit is whole.
func (x *examination) newestWhole(ctx context.Context) (*Commit, string, error) {
	all, err := x.commits()
	if err != nil {
		return nil, "", err
	}
	tips, err := x.wholeTips(ctx, x.local(all))
	if err != nil {
		return nil, "", err
	}
	if len(tips) == 0 { // all that is whole has been pushed, or fetched
		if tips, err = x.wholeTips(ctx, all); err != nil || len(tips) == 0 {
			return nil, "", err
		}
	}
	if tree := x.indexTree(); !tree.IsZero() {
		for _, c := range tips {
			if c.Tree == tree {
				return c, "which git's index is of", nil
			}
		}
	}
	for _, h := range x.formerly() {
		for _, c := range tips {
			if ok, err := x.repo.reaches(ctx, c.Hash, h); err == nil && ok {
				if c.Hash == h {
					return c, "the last whole one the branch was at", nil
				}
				return c, "the last whole one after those the branch was at", nil
			}
		}
	}
	return tips[0], "the newest whole one", nil
}

// commits finds every commit that can be read, referred to or not.
func (x *examination) commits() (map[Hash]*Commit, error) {
	s := x.repo.objects
	found := map[Hash]*Commit{}
	add := func(h Hash) {
		if found[h] == nil {
			if c, err := s.commit(h); err == nil {
				found[h] = c
			}
		}
	}
	loose, err := s.looseNames()
	if err != nil && !isNotExist(err) {
		return nil, err
	}
	for _, h := range loose {
		if t, _, err := s.readLoose(s.root, h); err == nil {
			if t == TypeCommit {
				add(h)
			} else {
				x.fine[h] = t
			}
		}
	}
	packs, err := s.list(true)
	if err != nil && !isNotExist(err) {
		return nil, err
	}
	for _, p := range packs {
		if p.open() != nil {
			continue
		}
		for i := range p.n {
			at, err := p.offset(i)
			if err != nil {
				continue
			}
			o, err := p.header(at)
			if err != nil || o.kind != byte(TypeCommit) && o.kind != ofsDelta && o.kind != refDelta {
				continue
			}
			h, err := p.name(i)
			if err != nil {
				continue
			}
			if o.kind != byte(TypeCommit) {
				if t, _, err := s.lookup(h); err != nil || t != TypeCommit {
					continue
				}
			}
			add(h)
		}
	}
	return found, nil
}

// local leaves out what other refs lead to: a remote's commits are not here
// before they are merged, and another branch is a person's.
func (x *examination) local(all map[Hash]*Commit) map[Hash]*Commit {
	r := x.repo
	refs, err := r.refs.list("refs/")
	if err != nil {
		return all
	}
	var todo []Hash
	for name, h := range refs {
		if name != r.branch {
			todo = append(todo, h)
		}
	}
	others := map[Hash]bool{}
	for len(todo) > 0 {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c := all[h]; c != nil && !others[h] {
			others[h] = true
			todo = append(todo, c.Parents...)
		}
	}
	out := map[Hash]*Commit{}
	for h, c := range all {
		if !others[h] {
			out[h] = c
		}
	}
	return out
}

// wholeTips lists the whole commits that no other whole one of them comes
// after, the youngest first.
func (x *examination) wholeTips(ctx context.Context, among map[Hash]*Commit) ([]*Commit, error) {
	children := map[Hash]int{}
	for _, c := range among {
		for _, p := range c.Parents {
			children[p]++
		}
	}
	var queue byDate
	for h, c := range among {
		if children[h] == 0 {
			queue = append(queue, c)
		}
	}
	// Of the same second, whichever: but always the same one.
	sort.Slice(queue, func(i, j int) bool { return bytes.Compare(queue[i].Hash[:], queue[j].Hash[:]) < 0 })
	heap.Init(&queue)
	below := map[Hash]bool{} // a whole one comes after it
	var tips []*Commit
	for queue.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := heap.Pop(&queue).(*Commit)
		whole := below[c.Hash] || x.flaw(c.Hash, 0) == nil
		if whole && !below[c.Hash] {
			tips = append(tips, c)
		}
		for _, p := range c.Parents {
			below[p] = below[p] || whole
			if children[p]--; children[p] == 0 && among[p] != nil {
				heap.Push(&queue, among[p])
			}
		}
	}
	sort.SliceStable(tips, func(i, j int) bool { return tips[i].Committer.When.After(tips[j].Committer.When) })
	return tips, nil
}

// indexTree is the tree that git's index was last known to be.
func (x *examination) indexTree() Hash {
	i, _, err := x.repo.readIndex()
	if err != nil || i == nil || i.tree == nil || i.tree.entries < 0 {
		return ZeroHash
	}
	return i.tree.hash
}

// formerly lists what the branch is known to have been at, the newest first.
func (x *examination) formerly() []Hash {
	r := x.repo
	var out []Hash
	for _, name := range []string{r.branch, "HEAD"} {
		data, err := r.fs.ReadFile(filepath.Join(r.git, "logs", filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		for i := len(lines) - 1; i >= 0; i-- {
			if old, new, ok := reflogLine(lines[i]); ok {
				out = append(out, new, old)
			}
		}
	}
	for _, name := range []string{"ORIG_HEAD", r.branch} {
		var h Hash
		if h, _ = r.refs.packed(name); name == "ORIG_HEAD" {
			h, _, _ = r.refs.loose(name)
		}
		out = append(out, h)
	}
	whole := out[:0]
	for _, h := range out {
		if !h.IsZero() && x.flaw(h, 0) == nil {
			whole = append(whole, h)
		}
	}
	return whole
}

// flaw gives the first thing that is wrong with a commit, tree or blob and
// what it holds; nil: it is whole. A commit's parents are not looked at, and
// what can be written again counts as there.
func (x *examination) flaw(h Hash, depth int) error {
	if err, ok := x.flaws[h]; ok {
		return err
	}
	err := x.findFlaw(h, depth)
	x.flaws[h] = err
	return err
}

func (x *examination) findFlaw(h Hash, depth int) error {
	if depth > 200 {
		return fail(ErrCorrupt, "tree %s lies too deep", h)
	}
	kind, data, _, err := x.load(h)
	if err != nil {
		return err
	}
	switch kind {
	case TypeCommit:
		if depth > 0 {
			return fail(ErrCorrupt, "object %s is a commit where a file must be", h)
		}
		c, err := decodeCommit(h, data)
		if err != nil {
			return err
		}
		return x.flaw(c.Tree, depth+1)
	case TypeTree:
		entries, err := decodeTree(h, data)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Mode == ModeSubmodule {
				continue
			}
			if err := x.flaw(e.Hash, depth+1); err != nil {
				return err
			}
		}
	case TypeTag:
		return errors.New("a tag")
	}
	return nil
}

// load reads an object, once; from says where it can be written again from,
// if it is not where it should be. The content of a file that was read before
// is not read again.
func (x *examination) load(h Hash) (kind Type, data []byte, from string, err error) {
	if h == emptyTree {
		return TypeTree, nil, "", nil
	}
	if kind, ok := x.fine[h]; ok && kind == TypeBlob {
		return kind, nil, "", nil
	}
	kind, data, err = x.repo.objects.read(h)
	if err == nil {
		x.fine[h] = kind
		return kind, data, "", nil
	}
	if s, ok := x.source(h); ok {
		return s.kind, s.data, s.from, nil
	}
	return 0, nil, "", err
}
