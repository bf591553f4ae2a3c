package vault

import (
	"bytes"
	"context"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// Bounds on how far back adoption looks for the version that an editor's
// buffer was loaded from.
const (
	nearestVersions = 1000
	nearestBytes    = 256 << 20
)

// adoption is what the person's hand edits come to, before it is committed.
type adoption struct {
	files   map[string][]byte // files that differ from HEAD; nil: deleted
	saved   map[string][]byte // what was read from disk, by path; nil: missing
	changes []merge.Change
	index   bool // INDEX.md differs on disk: it is generated anew
}

func (a adoption) empty() bool { return len(a.files) == 0 }

// treeOf builds the tree a view shows, hand edits included, and what adopting
// those edits comes to.
func (s *Scope) treeOf(ctx context.Context, r *gitstore.Repo, v *gitstore.View) (*tree, adoption, error) {
	t := &tree{head: v.Head, files: make(map[string]*file), blocked: make(map[string]string)}
	a := adoption{files: make(map[string][]byte), saved: make(map[string][]byte)}
	var dirty []gitstore.File
	for _, f := range v.Files() {
		if f.Path == indexFile {
			a.index = f.Dirty || f.Missing || f.Untracked
			continue
		}
		if f.Dirty || f.Missing || f.Untracked {
			dirty = append(dirty, f)
		}
		if !f.Untracked {
			path := f.Path
			t.files[path] = newFile(path, f.Hash, func() ([]byte, error) { return v.Read(path) })
		}
	}
	if m, ok := t.files[manifestFile]; ok {
		data, err := m.bytes()
		if err != nil {
			return nil, a, s.fail(err)
		}
		if _, err := parseManifest(data); err != nil {
			return nil, a, s.fail(err)
		}
	}
	if len(dirty) == 0 {
		return t, a, nil
	}

	base, ours, theirs := merge.Files{}, merge.Files{}, merge.Files{}
	for _, f := range dirty {
		var head, saved []byte
		var err error
		if !f.Untracked {
			if head, err = v.ReadHead(f.Path); err != nil {
				return nil, a, s.fail(err)
			}
			ours[f.Path] = head
		}
		if !f.Missing && f.Err == nil {
			if saved, err = v.Read(f.Path); err != nil {
				return nil, a, s.fail(err)
			}
		}
		if why := unadoptable(f, head, saved); why != "" {
			t.blocked[f.Path] = why
			delete(ours, f.Path)
			if !f.Untracked {
				t.files[f.Path] = newFile(f.Path, f.Hash, func() ([]byte, error) { return head, nil })
			}
			continue
		}
		a.saved[f.Path] = saved
		if !f.Missing {
			theirs[f.Path] = saved
		}
		if f.Untracked {
			continue
		}
		base[f.Path] = head
		if !f.Missing {
			if base[f.Path], err = s.nearest(ctx, r, v.Head, f.Path, head, saved); err != nil {
				return nil, a, err
			}
		}
	}
	now := s.home.now()
	res := merge.Trees(base, ours, theirs, merge.Options{Mode: merge.Adopt, Adopted: func(e *entryfile.Entry) {
		e.Created, e.Source, e.Code = now, "person", s.codeCommit()
	}})
	a.changes = res.Changes
	for p := range ours {
		if _, ok := res.Files[p]; !ok {
			a.files[p] = nil
			delete(t.files, p)
		}
	}
	for p, data := range res.Files {
		if head, ok := ours[p]; ok && bytes.Equal(head, data) {
			continue
		}
		a.files[p] = data
		t.files[p] = textFile(p, data)
	}
	return t, a, nil
}

// unadoptable says why a file on disk can't be taken for a person's edit: a
// ledger that has vanished or is empty is an accident of some tool more often
// than a wish to forget everything.
func unadoptable(f gitstore.File, head, saved []byte) string {
	kind, authored := entryfile.KindOf(f.Path)
	ledger := authored && kind.IsLedger()
	switch {
	case f.Err != nil:
		return f.Path + " can't be read: " + oneLine(f.Err.Error())
	case f.Unstable:
		return f.Path + " is being written right now: try again"
	case !f.Missing && f.Work.IsZero():
		return f.Path + " is no file: move what stands there away"
	case f.Missing && (ledger || f.Path == manifestFile):
		return f.Path + " is missing: bring it back with 'git checkout -- " + f.Path + "' in the scope"
	case ledger && len(bytes.TrimSpace(saved)) == 0 && len(bytes.TrimSpace(head)) > 0:
		return f.Path + " is empty: bring it back with 'git checkout -- " + f.Path + "' in the scope"
	case !f.Missing && merge.HasMarkers(saved):
		return f.Path + " holds conflict markers: settle them in an editor"
	}
	return ""
}

// nearest finds the committed version that a saved file was made from. Nearly
// always that is HEAD's; an editor that held an old buffer lacks what has been
// written since, and then the versions before are looked at.
func (s *Scope) nearest(ctx context.Context, r *gitstore.Repo, head gitstore.Hash, path string, current, saved []byte) ([]byte, error) {
	versions := [][]byte{current}
	if merge.Nearest(saved, versions) == 0 && !lacks(path, saved, current) {
		return current, nil
	}
	seen, size := gitstore.BlobHash(current), 0
	for c, err := range r.Log(ctx, head) {
		if err != nil || len(versions) == nearestVersions || size > nearestBytes {
			break
		}
		h, err := fileAt(r, c.Hash, path)
		if err != nil || h.IsZero() {
			break
		}
		if h == seen {
			continue
		}
		data, err := r.Blob(h)
		if err != nil {
			break
		}
		seen, size = h, size+len(data)
		versions = append(versions, data)
	}
	return versions[merge.Nearest(saved, versions)], ctx.Err()
}

// lacks reports whether a saved file is without an entry that the current
// version has: then it may come from an older one.
func lacks(path string, saved, current []byte) bool {
	kind, ok := entryfile.KindOf(path)
	if !ok || !kind.IsLedger() {
		return !bytes.Contains(saved, current)
	}
	doc := entryfile.Parse(kind, path, saved)
	for _, s := range entryfile.Parse(kind, path, current).Sections() {
		if _, ok := doc.Get(s.ID); !ok {
			return true
		}
	}
	return false
}
