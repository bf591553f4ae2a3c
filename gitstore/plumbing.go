package gitstore

import (
	"path/filepath"
	"sort"
)

// Object is an object to be written as it is.
type Object struct {
	Type Type
	Data []byte
}

// CommitObject gives the object that a commit is; its Hash is not used.
func CommitObject(c *Commit) Object { return Object{TypeCommit, encodeCommit(c)} }

// TreeObject gives the object that a folder is; it puts the entries in order.
func TreeObject(entries []TreeEntry) Object {
	entries = append([]TreeEntry(nil), entries...)
	sortTree(entries)
	return Object{TypeTree, encodeTree(entries)}
}

// Write puts objects into the object database, durably. Nothing refers to
// them yet; a ref should before git's two weeks for such objects are over.
func (tx *Tx) Write(objects []Object) error {
	if tx.release == nil {
		return errEnded
	}
	seen := map[Hash]bool{}
	var list []newObject
	for _, o := range objects {
		n := newObject{HashOf(o.Type, o.Data), o.Type, o.Data}
		if !seen[n.hash] {
			seen[n.hash] = true
			list = append(list, n)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].hash.String() < list[j].hash.String() })
	w := &writing{tx: tx, repo: tx.repo}
	if len(list) > packInstead {
		return w.writeAsPack(list)
	}
	b := &batch{repo: tx.repo}
	defer b.close()
	if err := w.addLoose(b, list); err != nil {
		return err
	}
	if err := b.sync(); err != nil {
		return writeError("objects", err)
	}
	dirs := map[string]bool{}
	if err := w.placeLoose(list, dirs); err != nil {
		return err
	}
	if err := tx.repo.syncDirs(dirs); err != nil {
		return writeError("objects", err)
	}
	tx.repo.noteLoose(len(list))
	return nil
}

// UpdateRef moves a ref from one value to another, durably and by git's
// locking; ZeroHash stands for no ref. ErrChanged: it is not at old. The
// served branch is moved by Commit only, which takes the worktree along.
func (tx *Tx) UpdateRef(name string, old, new Hash) error {
	r := tx.repo
	switch {
	case tx.release == nil:
		return errEnded
	case !validRef(name) || name == "HEAD":
		return fail(ErrPath, "%q is no name for a ref", name)
	case name == r.branch:
		return fail(ErrPath, "%s is moved by a commit only", name)
	}
	temp := tx.tmp(refTemp(name))
	if err := r.writeDurably(temp, []byte(new.String()+"\n"), 0o666); err != nil {
		return writeError(name, err)
	}
	moved := false
	if err := r.swapRef(tx.ctx, name, temp, old, new, &moved); err != nil {
		return err
	}
	if err := r.syncDirs(map[string]bool{filepath.Dir(filepath.Join(r.git, filepath.FromSlash(name))): true}); err != nil {
		return writeError(name, err)
	}
	_ = r.fs.Remove(temp)
	return nil
}
