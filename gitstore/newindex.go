package gitstore

import (
	"context"
	"errors"
	"sort"

	"gitvault/internal/fsys"
)

// newIndex makes the index that goes with the new commit: the one that is
// there, with the commit's files. What a person staged stays staged.
func (w *writing) newIndex() (*index, error) {
	r := w.repo
	base, matched := w.view.index, w.view.indexOK
	if id, _ := r.indexID(); id != w.view.indexID {
		// git add, or the refresh that git status does, came between.
		now, _, err := r.readIndex()
		if err != nil {
			return nil, err
		}
		matched = matched && now != nil && base != nil && sameContent(now, base)
		base = now
	}
	x := &index{}
	if base != nil {
		x.entries = append(x.entries, base.entries...)
	}
	edit := map[string]*planned{}
	for _, p := range w.plan {
		edit[p.path] = p
	}
	for _, path := range w.view.stale {
		if i, ok := x.find(path); ok && edit[path] == nil {
			if st, ok := r.freshStat(path, x.entries[i].hash, x.entries[i].mode, w.index.born); ok {
				x.entries[i].stat = st
			}
		}
	}
	for _, p := range w.plan {
		e := indexEntry{path: p.path, mode: p.mode, hash: p.hash, stat: p.stat}
		if !p.statOK && !p.work && !p.hash.IsZero() {
			e.stat, _ = r.freshStat(p.path, p.hash, p.mode, w.index.born)
		}
		x.set(e)
	}
	if !matched {
		list := map[string]TreeEntry{}
		if err := w.builder.list("", w.tree, 0, list); err != nil {
			return nil, err
		}
		if !x.holds(list) {
			return x, nil
		}
	}
	var before *cacheTree
	if base != nil {
		before = base.tree
	}
	tree, err := w.builder.cacheTree("", w.tree, before, 0)
	if err != nil {
		return nil, err
	}
	if tree.entries == len(x.entries) {
		x.tree = tree
	}
	return x, nil
}

func sameContent(a, b *index) bool {
	if len(a.entries) != len(b.entries) {
		return false
	}
	for i := range a.entries {
		p, q := &a.entries[i], &b.entries[i]
		if p.path != q.path || p.mode != q.mode || p.hash != q.hash || p.stage != q.stage || p.intentToAdd != q.intentToAdd {
			return false
		}
	}
	return true
}

// holds reports whether the index has just these files.
func (x *index) holds(list map[string]TreeEntry) bool {
	for i := range x.entries {
		e := &x.entries[i]
		t, ok := list[e.path]
		if !ok || e.stage != 0 || e.intentToAdd || e.mode != t.Mode || e.hash != t.Hash {
			return false
		}
	}
	return len(list) == len(x.entries)
}

// set puts an entry in, or takes it out if its hash is zero.
func (x *index) set(e indexEntry) {
	i, ok := x.find(e.path)
	switch {
	case ok && e.hash.IsZero():
		x.entries = append(x.entries[:i], x.entries[i+1:]...)
	case ok:
		e.skipWorktree = x.entries[i].skipWorktree
		x.entries[i] = e
	case !e.hash.IsZero():
		x.entries = append(x.entries, indexEntry{})
		copy(x.entries[i+1:], x.entries[i:])
		x.entries[i] = e
	}
}

// freshStat gives the stat data of a file that holds this content, if a later
// change is sure to alter it: the file was read after its time had passed.
func (r *Repo) freshStat(path string, hash Hash, mode Mode, now fsys.ID) (statData, bool) {
	fi, err := r.fs.Lstat(r.workPath(path))
	if err != nil || r.modeOf(fi.Mode(), mode) != mode {
		return statData{}, false
	}
	id := fsys.Identify(fi)
	if id.MTime >= now.MTime {
		return statData{}, false
	}
	if mode == ModeSymlink {
		to, err := r.fs.Readlink(r.workPath(path))
		return statOf(id), err == nil && BlobHash([]byte(to)) == hash
	}
	data, after, err := r.readWork(path)
	if err != nil || after != id || BlobHash(data) != hash {
		return statData{}, false
	}
	return statOf(id), true
}

// healIndex makes the index know what is committed, where it does not: after
// a crash, or where it is missing or unreadable. What a person staged and has
// in the worktree stays staged.
func (r *Repo) healIndex(ctx context.Context, v *View) (err error) {
	lock, err := r.prepareIndex()
	if err != nil {
		return err
	}
	defer func() {
		lock.release()
		err = errors.Join(err, r.clearTemps())
	}()
	if err := r.syncDirs(map[string]bool{r.tmpDir(): true}); err != nil {
		return writeError("the index", err)
	}
	if err := lock.take(ctx); err != nil {
		return err
	}
	if id, _ := r.indexID(); id != v.indexID {
		return nil // git just wrote it: the next look judges anew
	}
	x := &index{}
	if v.index != nil {
		for _, e := range v.index.entries {
			if _, ok := v.File(e.path); ok || e.mode == ModeSubmodule || !gitAllows(e.path) {
				x.entries = append(x.entries, e)
			}
		}
	}
	matched := 0
	for _, t := range v.tracked {
		i, ok := x.find(t.path)
		if ok && x.entries[i].hash == t.hash && x.entries[i].mode == t.mode && !x.entries[i].intentToAdd {
			matched++
			continue
		}
		f, known := v.File(t.path)
		clean := known && !f.Dirty && !f.Missing
		if clean || v.index == nil {
			e := indexEntry{path: t.path, mode: t.mode, hash: t.hash}
			if clean {
				e.stat, _ = r.freshStat(t.path, t.hash, t.mode, lock.born)
			}
			x.set(e)
			matched++
		}
	}
	if matched == len(v.tracked) && len(x.entries) == matched && !v.Head.IsZero() {
		c, err := r.objects.commit(v.Head)
		if err != nil {
			return err
		}
		b := &treeBuilder{objects: r.objects}
		if x.tree, err = b.cacheTree("", c.Tree, nil, 0); err != nil {
			return err
		}
	}
	if v.index != nil && sameContent(x, v.index) && (x.tree == nil) == (v.index.tree == nil) {
		return nil
	}
	sort.SliceStable(x.entries, func(i, j int) bool { return x.entries[i].before(&x.entries[j]) })
	if err := lock.fill(x.encode()); err != nil {
		return writeError("the index", err)
	}
	if err := lock.commit(); err != nil {
		return writeError("the index", err)
	}
	if err := r.syncAll(map[string]bool{r.git: true}, r.indexPath()); err != nil {
		return writeError("the index", err)
	}
	return nil
}
