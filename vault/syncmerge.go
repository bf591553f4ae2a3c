package vault

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"

	"gitvault/gitstore"
	"gitvault/internal/merge"
)

// A line is history as package merge asks for it.
type line struct {
	ctx   context.Context
	repo  *gitstore.Repo
	paths map[string]bool // the paths in play; nil: all
}

// MergeBases implements merge.History.
func (l line) MergeBases(a, b gitstore.Hash) ([]gitstore.Hash, error) {
	list, err := l.repo.MergeBases(l.ctx, a, b)
	sort.Slice(list, func(i, j int) bool { return bytes.Compare(list[i][:], list[j][:]) < 0 })
	return list, err
}

// Files implements merge.History.
func (l line) Files(c gitstore.Hash) (merge.Files, error) {
	tree, err := l.repo.Tree(c)
	if err != nil {
		return nil, err
	}
	out := merge.Files{}
	for p, e := range tree {
		if e.Mode == gitstore.ModeSubmodule || p == indexFile || l.paths != nil && !l.paths[p] {
			continue
		}
		if out[p], err = l.repo.Blob(e.Hash); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// commonLine finds which paths differ among two commits and what they have in
// common.
func commonLine(ctx context.Context, r *gitstore.Repo, a, b gitstore.Hash) (line, []gitstore.Hash, error) {
	l := line{ctx: ctx, repo: r}
	bases, err := l.MergeBases(a, b)
	if err != nil || len(bases) != 1 {
		return l, bases, err
	}
	l.paths = map[string]bool{}
	for _, side := range []gitstore.Hash{a, b} {
		changes, err := r.DiffTrees(bases[0], side)
		if err != nil {
			return l, nil, err
		}
		for _, c := range changes {
			l.paths[c.Path] = true
		}
	}
	return l, bases, nil
}

// mergeCommits merges two commits by entry.
func (t *txn) mergeCommits(l line, ours, theirs gitstore.Hash) (before merge.Files, res merge.Result, err error) {
	base, err := merge.Base(l, ours, theirs)
	if err != nil {
		return nil, res, err
	}
	if before, err = l.Files(ours); err != nil {
		return nil, res, err
	}
	other, err := l.Files(theirs)
	if err != nil {
		return nil, res, err
	}
	purged, err := purgedIn(t.repo, ours, theirs)
	if err != nil {
		return nil, res, err
	}
	return before, merge.Trees(base, before, other, merge.Options{Known: func(id string) bool { return t.knows(id, l.paths) }, Purged: purged}), nil
}

// knows reports whether an id stands in a file outside the given paths.
func (t *txn) knows(id string, paths map[string]bool) bool {
	if paths == nil {
		return false
	}
	for p, f := range t.tree.files {
		if paths[p] || f.kind == "" {
			continue
		}
		if data, err := f.bytes(); err == nil && bytes.Contains(data, []byte(id)) {
			return true
		}
	}
	return false
}

// merged puts what a merge came to into the pending change.
func (t *txn) merged(before merge.Files, res merge.Result) error {
	paths := make(map[string]bool, len(before))
	for p := range before {
		paths[p] = true
	}
	for p := range res.Files {
		paths[p] = true
	}
	for p := range paths {
		now, stays := res.Files[p]
		was, there := before[p]
		if stays == there && bytes.Equal(now, was) || p == indexFile {
			continue
		}
		if why, ok := t.tree.blocked[p]; ok {
			return conflict("", "%s", why)
		}
		if stays {
			t.tree.files[p] = textFile(p, now)
		} else {
			delete(t.tree.files, p)
		}
		t.mark(p)
	}
	for _, c := range res.Changes {
		t.touch(c.Kind, c.ID)
	}
	return nil
}

// A mergeIn is what merging a commit did.
type mergeIn struct {
	head      gitstore.Hash
	changes   []merge.Change // of the scope's entries
	conflicts []merge.Conflict
}

// mergeIn brings the scope to a state that has another commit in it.
func (t *txn) mergeIn(theirs gitstore.Hash, from string) (mergeIn, error) {
	var out mergeIn
	ours, err := t.repo.Head()
	if err != nil {
		return out, err
	}
	has, err := t.repo.IsAncestor(t.ctx, theirs, ours)
	if err != nil || has {
		out.head = ours
		return out, err
	}
	ahead, err := t.repo.IsAncestor(t.ctx, ours, theirs)
	if err != nil {
		return out, err
	}
	if ahead {
		out.changes, err = t.scope.treeChanges(t.ctx, t.repo, ours, theirs, "")
		if err == nil {
			err = t.forward(ours, theirs)
		}
	} else {
		out.changes, out.conflicts, err = t.join(ours, theirs, from)
	}
	if err != nil {
		return out, err
	}
	out.head, err = t.repo.Head()
	return out, err
}

// forward moves the scope to a commit that has its own in its past. What plain
// git merged there is put right.
func (t *txn) forward(ours, theirs gitstore.Hash) error {
	paths, err := t.repo.DiffTrees(ours, theirs)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if why, ok := t.tree.blocked[p.Path]; ok {
			return conflict("", "%s", why)
		}
	}
	c := gitstore.Change{Expect: map[string][]byte{}, To: theirs}
	if t.strayIndex {
		c.Expect[indexFile] = t.foundIndex
	}
	if c.Committer, err = t.scope.signature(); err != nil {
		return err
	}
	done, err := t.tx.Commit(c)
	if err != nil {
		return err
	}
	t.saved = t.saved || len(done.Saved) > 0
	if err := t.reload(); err != nil {
		return err
	}
	if err := t.putRight(); err != nil {
		return err
	}
	_, err = t.commit(message{op: "merge", title: indexFile, source: sourceVault}, nil)
	return err
}

const sourceVault = "vault"

// reload looks at the scope anew, after the branch was moved.
func (t *txn) reload() error {
	v, err := t.tx.View()
	if err != nil {
		return err
	}
	tree, a, err := t.scope.treeOf(t.ctx, t.repo, v)
	if err != nil {
		return err
	}
	t.tree = tree
	t.strayIndex, t.foundIndex = a.index, a.found
	return nil
}

// join merges two lines of history in a commit of both.
func (t *txn) join(ours, theirs gitstore.Hash, from string) ([]merge.Change, []merge.Conflict, error) {
	l, _, err := commonLine(t.ctx, t.repo, ours, theirs)
	if err != nil {
		return nil, nil, err
	}
	before, res, err := t.mergeCommits(l, ours, theirs)
	if err != nil {
		return nil, nil, err
	}
	if err := t.merged(before, res); err != nil {
		return nil, nil, err
	}
	if t.modes, err = modesOf(t.repo, ours, theirs, res.Files); err != nil {
		return nil, nil, err
	}
	t.parents = []gitstore.Hash{theirs}
	title := from
	if n := len(res.Changes); n > 0 {
		title = fmt.Sprintf("%s from %s", countEntries(n), from)
	}
	_, err = t.commit(message{op: "merge", title: title, source: sourceVault}, nil)
	return res.Changes, res.Conflicts, err
}

// modesOf gives the files that only the other side has the mode they have
// there, whatever they are called.
func modesOf(r *gitstore.Repo, ours, theirs gitstore.Hash, files merge.Files) (map[string]gitstore.Mode, error) {
	mine, err := r.Tree(ours)
	if err != nil {
		return nil, err
	}
	other, err := r.Tree(theirs)
	if err != nil {
		return nil, err
	}
	out := map[string]gitstore.Mode{}
	for p, data := range files {
		e, ok := other[p]
		if _, here := mine[p]; !ok || here {
			continue
		}
		out[p] = gitstore.ModeFile
		if e.Mode == gitstore.ModeExec || e.Mode == gitstore.ModeSymlink && gitstore.BlobHash(data) == e.Hash {
			out[p] = e.Mode
		}
	}
	return out, nil
}

// maxPlain is how many commits back a merge by plain git is looked for.
const maxPlain = 100

// putRight makes of merges that plain git made, newest first in the history,
// what they should have been: its driver sees one file at a time.
func (t *txn) putRight() error {
	head, err := t.repo.Head()
	if err != nil || head.IsZero() {
		return err
	}
	var plain []*gitstore.Commit
	for at, n := head, 0; n < maxPlain && !at.IsZero(); n++ {
		c, err := t.repo.Commit(at)
		if err != nil {
			return err
		}
		if parseMessage(c.Message).op != "" {
			break
		}
		if len(c.Parents) == 2 {
			plain = append(plain, c)
		}
		at = gitstore.Hash{}
		if len(c.Parents) > 0 {
			at = c.Parents[0]
		}
	}
	for _, c := range slices.Backward(plain) {
		if err := t.putRightOne(c); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) putRightOne(c *gitstore.Commit) error {
	l, _, err := commonLine(t.ctx, t.repo, c.Parents[0], c.Parents[1])
	if err != nil {
		return err
	}
	head, err := t.repo.Head()
	if err != nil {
		return err
	}
	if l.paths != nil {
		for _, from := range []gitstore.Hash{c.Parents[0], head} {
			changes, err := t.repo.DiffTrees(from, c.Hash)
			if err != nil {
				return err
			}
			for _, p := range changes {
				l.paths[p.Path] = true
			}
		}
	}
	_, right, err := t.mergeCommits(l, c.Parents[0], c.Parents[1])
	if err != nil {
		return err
	}
	made, err := l.Files(c.Hash)
	if err != nil {
		return err
	}
	now, err := l.Files(head)
	if err != nil {
		return err
	}
	for p := range t.tree.blocked {
		if _, ok := now[p]; ok {
			return nil // that comes first, and is a person's to do
		}
	}
	res := merge.Trees(made, right.Files, now, merge.Options{Mode: merge.Adopt, Purged: t.tree.isPurged()})
	res.Changes = merge.Diff(now, res.Files)
	if err := t.merged(now, res); err != nil {
		return err
	}
	if len(t.edited) == 0 {
		t.reset()
		return nil
	}
	title := "what git merged, by entry"
	if n := len(res.Changes); n > 0 {
		title = countEntries(n) + " that git merged by file"
	}
	_, err = t.commit(message{op: "merge", title: title, source: sourceVault}, nil)
	return err
}
