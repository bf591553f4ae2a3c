package gitstore

import (
	"strings"
)

// newObject is an object that is to be written.
type newObject struct {
	hash Hash
	kind Type
	data []byte
}

// treeBuilder makes the trees of a new commit out of those of the old one,
// reading and writing only the folders in which something changes.
type treeBuilder struct {
	objects *objects
	made    map[Hash]newObject
	trees   map[Hash][]TreeEntry // the made ones, decoded
}

type treeChange struct {
	path string // below the folder in question
	mode Mode
	hash Hash // zero: removed
}

func (b *treeBuilder) update(tree Hash, dir string, changes []treeChange) (Hash, error) {
	var old []TreeEntry
	var err error
	if !tree.IsZero() {
		if old, err = b.objects.tree(tree); err != nil {
			return ZeroHash, err
		}
	}
	at := make(map[string]int, len(old))
	entries := append([]TreeEntry(nil), old...)
	for i, e := range entries {
		at[e.Name] = i
	}
	set := func(e TreeEntry) {
		if i, ok := at[e.Name]; ok {
			entries[i] = e
		} else {
			at[e.Name] = len(entries)
			entries = append(entries, e)
		}
	}
	below := map[string][]treeChange{}
	var dirs []string
	for _, c := range changes {
		name, rest, nested := strings.Cut(c.path, "/")
		if !nested {
			set(TreeEntry{Name: name, Mode: c.mode, Hash: c.hash})
			continue
		}
		if below[name] == nil {
			dirs = append(dirs, name)
		}
		below[name] = append(below[name], treeChange{rest, c.mode, c.hash})
	}
	for _, name := range dirs {
		var sub Hash
		if i, ok := at[name]; ok && !entries[i].Hash.IsZero() {
			if entries[i].Mode != ModeDir {
				if allRemoved(below[name]) {
					continue // a file took the folder's place
				}
				return ZeroHash, fail(ErrPath, "%s is a file and a folder at once", join(dir, name))
			}
			sub = entries[i].Hash
		}
		h, err := b.update(sub, join(dir, name), below[name])
		if err != nil {
			return ZeroHash, err
		}
		set(TreeEntry{Name: name, Mode: ModeDir, Hash: h})
	}
	kept := entries[:0]
	for _, e := range entries {
		if !e.Hash.IsZero() {
			kept = append(kept, e)
		}
	}
	if len(kept) == 0 && dir != "" {
		return ZeroHash, nil // git keeps no empty folders
	}
	sortTree(kept)
	data := encodeTree(kept)
	h := HashOf(TypeTree, data)
	if h != tree {
		b.made[h] = newObject{h, TypeTree, data}
		b.trees[h] = kept
	}
	return h, nil
}

func allRemoved(changes []treeChange) bool {
	for _, c := range changes {
		if !c.hash.IsZero() {
			return false
		}
	}
	return true
}

func (b *treeBuilder) entries(tree Hash) ([]TreeEntry, error) {
	if entries, ok := b.trees[tree]; ok {
		return entries, nil
	}
	return b.objects.tree(tree)
}

// list gathers all files below a tree.
func (b *treeBuilder) list(dir string, tree Hash, depth int, out map[string]TreeEntry) error {
	entries, err := b.entries(tree)
	if err != nil {
		return err
	}
	if depth > 200 {
		return fail(ErrCorrupt, "folder %s lies too deep", dir)
	}
	for _, e := range entries {
		path := join(dir, e.Name)
		if e.Mode != ModeDir {
			out[path] = e
		} else if err := b.list(path, e.Hash, depth+1, out); err != nil {
			return err
		}
	}
	return nil
}

// cacheTree gives the index's memory of a tree, using the one before it for
// what did not change.
func (b *treeBuilder) cacheTree(name string, tree Hash, old *cacheTree, depth int) (*cacheTree, error) {
	if old != nil && old.entries >= 0 && old.hash == tree {
		c := old.clone()
		c.name = name
		return c, nil
	}
	entries, err := b.entries(tree)
	if err != nil {
		return nil, err
	}
	if depth > 200 {
		return nil, fail(ErrCorrupt, "tree %s lies too deep", tree)
	}
	t := &cacheTree{name: name, hash: tree}
	for _, e := range entries {
		if e.Mode != ModeDir {
			t.entries++
			continue
		}
		var before *cacheTree
		if old != nil {
			for _, s := range old.subs {
				if s.name == e.Name {
					before = s
				}
			}
		}
		sub, err := b.cacheTree(e.Name, e.Hash, before, depth+1)
		if err != nil {
			return nil, err
		}
		t.subs = append(t.subs, sub)
		t.entries += sub.entries
	}
	return t, nil
}
