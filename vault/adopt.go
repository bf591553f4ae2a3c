package vault

import (
	"bytes"
	"context"
	"path"
	"slices"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// adoption is what the person's hand edits come to, before it is committed.
type adoption struct {
	files   map[string][]byte // files that differ from HEAD; nil: deleted
	taken   []string          // files to be committed just as they stand on disk: what is not vault's, and modes
	saved   map[string][]byte // what was read from disk, by path; nil: missing
	changes []merge.Change
	index   bool   // INDEX.md differs on disk: it is generated anew
	found   []byte // what stands in its place, nil for nothing
}

func (a adoption) empty() bool { return len(a.files)+len(a.taken) == 0 }

// paths lists the files that differ.
func (a adoption) paths() []string {
	out := append(sortedKeys(a.files), a.taken...)
	slices.Sort(out)
	return slices.Compact(out)
}

// treeOf builds the tree a view shows, hand edits included, and what adopting
// those edits comes to. It knows what of it others have brought.
func (s *Scope) treeOf(ctx context.Context, r *gitstore.Repo, v *gitstore.View) (*tree, adoption, error) {
	t, a, err := s.buildTree(ctx, r, v)
	if err != nil {
		return nil, a, err
	}
	return t, a, s.fail(s.markUnseen(ctx, r, t))
}

func (s *Scope) buildTree(ctx context.Context, r *gitstore.Repo, v *gitstore.View) (*tree, adoption, error) {
	t := &tree{head: v.Head, files: make(map[string]*file), blocked: make(map[string]string)}
	a := adoption{files: make(map[string][]byte), saved: make(map[string][]byte)}
	if r.Unfinished() != nil {
		// What stands on disk is another branch's, or half of a merge: the
		// scope's own branch serves until that is settled.
		for _, f := range v.Files() {
			if name := f.Path; !f.Untracked && name != indexFile {
				t.files[name] = newFile(name, f.Hash, func() ([]byte, error) { return v.ReadHead(name) })
			}
		}
		return t, a, s.knownFormat(t)
	}
	var dirty []gitstore.File
	clash := clashes(v.Files())
	for _, f := range v.Files() {
		if f.Path == indexFile {
			if a.index = f.Dirty || f.Missing || f.Untracked; a.index && !f.Missing {
				var err error
				if a.found, err = v.Read(indexFile); err != nil {
					return nil, a, s.fail(err)
				}
			}
			continue
		}
		if f.Dirty || f.Missing || f.Untracked {
			dirty = append(dirty, f)
		}
		if !f.Untracked {
			name := f.Path
			t.files[name] = newFile(name, f.Hash, func() ([]byte, error) { return v.Read(name) })
			if name == manifestFile && f.Dirty && wipedOut(v, f) {
				t.files[name] = newFile(name, f.Hash, func() ([]byte, error) { return v.ReadHead(name) })
			}
		}
	}
	if err := s.knownFormat(t); err != nil {
		return nil, a, err
	}
	if len(dirty) == 0 {
		return t, a, nil
	}

	base, ours, theirs := merge.Files{}, merge.Files{}, merge.Files{}
	var old version // the oldest that anything was saved from
	for _, f := range dirty {
		if clash[f.Path] != "" && f.Untracked {
			continue // what stands in its way is said of that
		}
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
		why := clash[f.Path]
		if why == "" {
			why = s.unadoptable(f, head, saved)
		}
		if why != "" {
			t.blocked[f.Path] = why
			delete(ours, f.Path)
			if !f.Untracked {
				t.files[f.Path] = newFile(f.Path, f.Hash, func() ([]byte, error) { return head, nil })
			}
			continue
		}
		if f.WorkMode == gitstore.ModeSymlink || f.Mode == gitstore.ModeSymlink {
			a.taken = append(a.taken, f.Path)
			t.files[f.Path] = textFile(f.Path, saved)
			if f.Missing {
				delete(t.files, f.Path)
			}
			delete(ours, f.Path)
			continue
		}
		if !f.Untracked && !f.Missing && f.WorkMode != f.Mode && f.Work == f.Hash {
			a.taken = append(a.taken, f.Path) // only its mode is new
			delete(ours, f.Path)
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
			from, err := s.nearest(ctx, r, v.Head, f.Path, head, saved)
			if err != nil {
				return nil, a, err
			}
			base[f.Path] = from.data
			if from.age > old.age {
				old = from
			}
		}
	}
	if old.age > 0 {
		if err := s.since(r, t, old.commit, base, ours, theirs); err != nil {
			return nil, a, s.fail(err)
		}
	}
	res := s.mergeSaved(t, base, ours, theirs)
	a.changes = res.Changes
	for p := range ours {
		if _, ok := res.Files[p]; !ok {
			a.files[p] = nil
			delete(t.files, p)
		}
	}
	for p, data := range res.Files {
		saved, dirty := a.saved[p]
		if head, ok := ours[p]; ok && bytes.Equal(head, data) && (!dirty || bytes.Equal(saved, data)) {
			continue
		}
		t.files[p] = textFile(p, data)
		if saved != nil && isForeign(p) && bytes.Equal(saved, data) {
			a.taken = append(a.taken, p)
			continue
		}
		a.files[p] = data
	}
	return t, a, nil
}

// mergeSaved merges what a person saved with what is committed.
func (s *Scope) mergeSaved(t *tree, base, ours, theirs merge.Files) merge.Result {
	now := s.home.now()
	return merge.Trees(base, ours, theirs, merge.Options{Mode: merge.Adopt, Purged: t.isPurged(), Adopted: func(e *entryfile.Entry) {
		e.Created, e.Source, e.Code = now, sourcePerson, s.codeCommit()
	}})
}

// rescued is what a text that could only be kept aside comes to, and puts it
// into the tree.
func (s *Scope) rescued(ctx context.Context, r *gitstore.Repo, t *tree, text gitstore.Rescued) (adoption, error) {
	a := adoption{files: map[string][]byte{}}
	base, ours, theirs := merge.Files{}, merge.Files{}, merge.Files{text.Path: text.Data}
	if f, ok := t.files[text.Path]; ok {
		data, err := f.bytes()
		if err != nil {
			return a, s.fail(err)
		}
		from, err := s.nearest(ctx, r, t.head, text.Path, data, text.Data)
		if err != nil {
			return a, err
		}
		ours[text.Path], base[text.Path] = data, from.data
		if from.age > 0 {
			if err := s.since(r, t, from.commit, base, ours, theirs); err != nil {
				return a, s.fail(err)
			}
		}
	}
	res := s.mergeSaved(t, base, ours, theirs)
	a.changes = res.Changes
	for p, data := range res.Files {
		if had, ok := ours[p]; !ok || !bytes.Equal(had, data) {
			a.files[p] = data
			t.files[p] = textFile(p, data)
		}
	}
	return a, nil
}

// torn reports whether a text that was kept aside is none that anybody saved
// whole.
func torn(r gitstore.Rescued) bool {
	_, authored := entryfile.KindOf(r.Path)
	return authored && (len(bytes.TrimSpace(r.Data)) == 0 || bytes.Contains(r.Data, wiped))
}

// knownFormat refuses a scope that a newer vault has written, or whose manifest
// can't be read.
func (s *Scope) knownFormat(t *tree) error {
	m, ok := t.files[manifestFile]
	if !ok {
		return nil
	}
	data, err := m.bytes()
	if err == nil {
		_, err = parseManifest(data)
	}
	return s.fail(err)
}

// isForeign reports whether a file is the person's own, and no part of what
// vault keeps in a scope.
func isForeign(p string) bool {
	_, authored := entryfile.KindOf(p)
	return !authored && !entryfile.IsCard(p) && p != manifestFile && p != ".gitattributes"
}

// clashes finds the files that can't be where they are meant to be: a folder
// stands where a file is committed, or a file where a folder is.
func clashes(files []gitstore.File) map[string]string {
	if !slices.ContainsFunc(files, func(f gitstore.File) bool { return f.Untracked || f.Missing }) {
		return nil
	}
	byPath := make(map[string]*gitstore.File, len(files))
	for i := range files {
		byPath[files[i].Path] = &files[i]
	}
	out := map[string]string{}
	for _, f := range files {
		if !f.Untracked && !f.Missing {
			continue
		}
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			other := byPath[dir]
			if other == nil || other.Untracked == f.Untracked {
				continue
			}
			why := dir + " is no file: move the folder that stands there away"
			if !f.Untracked {
				why = dir + " is no folder: move the file that stands there away"
			}
			out[f.Path], out[dir] = why, why
		}
	}
	return out
}

// wiped is what a block of a file is that never reached the disk. Nobody types it.
var wiped = make([]byte, 16)

// unadoptable says why a file on disk can't be taken for a person's edit: a
// ledger that has vanished or is empty is an accident of some tool more often
// than a wish to forget everything.
func (s *Scope) unadoptable(f gitstore.File, head, saved []byte) string {
	kind, authored := entryfile.KindOf(f.Path)
	ledger := authored && kind.IsLedger()
	kept := authored || f.Path == manifestFile
	back := ": bring it back with git -C '" + s.dir + "' checkout -- " + f.Path
	switch {
	case f.Err != nil:
		return f.Path + " can't be read: " + oneLine(f.Err.Error())
	case f.Unstable:
		return f.Path + " is being written right now: try again"
	case f.WorkMode == gitstore.ModeSymlink && !isForeign(f.Path):
		return f.Path + " is a symbolic link: put a plain file there, or move it away"
	case !f.Missing && f.Work.IsZero():
		return f.Path + " is no file: move what stands there away"
	case f.Missing && (ledger || f.Path == manifestFile):
		return f.Path + " is missing" + back
	case kept && !f.Missing && len(bytes.TrimSpace(saved)) == 0 && len(bytes.TrimSpace(head)) > 0:
		return f.Path + " is empty" + back
	case kept && bytes.Contains(saved, wiped) && !bytes.Contains(head, wiped):
		return f.Path + " holds nothing but zeros in places, as a disk that lost power leaves it" + back
	case !f.Missing && merge.HasMarkers(saved):
		return f.Path + " holds conflict markers: settle them in an editor"
	}
	return ""
}
