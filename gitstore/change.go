package gitstore

import (
	"io/fs"
	"sort"
	"strings"

	"gitvault/internal/fsys"
)

// Change is what a commit does to the files.
type Change struct {
	Put    map[string][]byte // new content, by path; a file keeps its executable bit
	Delete []string
	// Take commits files as they stand in the worktree, mode and symbolic
	// links included; what is missing there is deleted.
	Take []string

	// Expect says which worktree content Put and Delete were computed from;
	// nil: that nothing stood there. A path that is not listed must be clean.
	// Anything else is ErrChanged, so that no hand edit is overwritten.
	Expect map[string][]byte

	Message           string
	Author, Committer Signature
	Parents           []Hash // beside the newest commit: makes it a merge
}

// planned is what a commit does to one path.
type planned struct {
	path string
	file File // as the View has it
	seen fsys.ID
	// steady: a change of the file after the View was taken shows in its stat.
	steady bool

	data []byte
	hash Hash // zero: deleted
	mode Mode

	taken bool   // from the worktree, as it stands there
	work  bool   // the worktree is to be changed
	temp  string // name in state/tmp

	stat    statData // for the index, after the worktree was changed
	statOK  bool
	written fsys.ID // of the new file, before it was moved
}

// plan checks a change against what is there.
func (tx *Tx) plan(c *Change) ([]*planned, error) {
	v, err := tx.View()
	if err != nil {
		return nil, err
	}
	b := &planner{view: v, change: c, byPath: map[string]*planned{}}
	for path, data := range c.Put {
		if err := b.put(path, data); err != nil {
			return nil, err
		}
	}
	for _, path := range c.Delete {
		if err := b.remove(path); err != nil {
			return nil, err
		}
	}
	for _, path := range c.Take {
		if err := b.take(path); err != nil {
			return nil, err
		}
	}
	if len(b.changed) > 0 {
		sort.Strings(b.changed)
		return nil, &ChangedError{Paths: b.changed}
	}
	var list []*planned
	for _, p := range b.byPath {
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].path < list[j].path })
	if err := tx.checkPlaces(v, list); err != nil {
		return nil, err
	}
	return list, nil
}

type planner struct {
	view    *View
	change  *Change
	byPath  map[string]*planned
	changed []string
}

func (b *planner) add(path string, f File) (*planned, error) {
	if b.byPath[path] != nil {
		return nil, fail(ErrPath, "path %s stands twice in one change", path)
	}
	f.Path = path
	p := &planned{path: path, file: f, seen: b.view.seen[path], steady: b.view.known[path]}
	b.byPath[path] = p
	return p, nil
}

func (b *planner) put(path string, data []byte) error {
	f, known := b.view.File(path)
	if !known || f.Untracked {
		if err := checkPath(path); err != nil {
			return err
		}
	}
	if err := b.writable(path, f, known); err != nil {
		return err
	}
	if !b.expected(path, f, known) {
		b.changed = append(b.changed, path)
		return nil
	}
	p, err := b.add(path, f)
	if err != nil {
		return err
	}
	p.data, p.hash, p.mode = data, BlobHash(data), ModeFile
	if f.Mode == ModeExec || f.WorkMode == ModeExec {
		p.mode = ModeExec
	}
	p.work = f.Work != p.hash || !known || f.Missing
	return nil
}

func (b *planner) remove(path string) error {
	f, known := b.view.File(path)
	if !known {
		return fail(ErrNotFound, "no file %s to delete", path)
	}
	if !f.Missing {
		if err := b.writable(path, f, known); err != nil {
			return err
		}
		if !b.expected(path, f, known) {
			b.changed = append(b.changed, path)
			return nil
		}
	}
	p, err := b.add(path, f)
	if err != nil {
		return err
	}
	p.work = !f.Missing
	return nil
}

func (b *planner) take(path string) error {
	f, known := b.view.File(path)
	switch {
	case !known:
		return fail(ErrNotFound, "no file %s to take", path)
	case f.Err != nil:
		return f.Err
	case f.Unstable:
		b.changed = append(b.changed, path)
		return nil
	case !f.Missing && f.Work.IsZero():
		return fail(ErrPath, "%s is no file in the worktree", path)
	}
	p, err := b.add(path, f)
	if err != nil || f.Missing {
		return err
	}
	p.hash, p.mode, p.taken = f.Work, f.WorkMode, true
	if f.Work != f.Hash {
		p.data, err = b.view.Read(path)
	}
	return err
}

// writable refuses to write where no plain file stands or can stand.
func (b *planner) writable(path string, f File, known bool) error {
	switch {
	case f.Err != nil:
		return f.Err
	case known && !f.Missing && f.WorkMode != ModeFile && f.WorkMode != ModeExec:
		return fail(ErrPath, "%s is %s in the worktree: put a plain file there, or move it away", path, kindName(f.WorkMode))
	case f.Mode == ModeSymlink:
		return fail(ErrPath, "%s is a symbolic link in the newest commit: it is not written to", path)
	}
	return nil
}

func kindName(m Mode) string {
	switch m {
	case ModeDir:
		return "a folder"
	case ModeSymlink:
		return "a symbolic link"
	}
	return "no file"
}

func (b *planner) expected(path string, f File, known bool) bool {
	data, given := b.change.Expect[path]
	there := known && !f.Missing
	switch {
	case f.Unstable:
		return false
	case !given:
		return !known || !f.Dirty && !f.Missing && !f.Untracked
	case data == nil:
		return !there
	}
	return there && BlobHash(data) == f.Work
}

// checkPlaces makes sure that the files can stand beside the others.
func (tx *Tx) checkPlaces(v *View, list []*planned) error {
	gone := map[string]bool{}
	for _, p := range list {
		if p.hash.IsZero() {
			gone[p.path] = true
		}
	}
	for _, p := range list {
		if p.hash.IsZero() || p.taken || !p.file.Untracked && p.file.Mode != 0 {
			continue
		}
		for dir := parent(p.path); dir != ""; dir = parent(dir) {
			if _, ok := v.File(dir); ok && !gone[dir] {
				return fail(ErrPath, "path %s needs a folder %s, where a file stands", p.path, dir)
			}
			fi, err := tx.repo.fs.Lstat(tx.repo.workPath(dir))
			if err == nil && !fi.IsDir() && !gone[dir] {
				return fail(ErrPath, "path %s needs a folder %s, which is %s", p.path, dir, fileKind(fi.Mode()))
			}
		}
		for _, f := range v.files {
			if !gone[f.Path] && f.Path != p.path && clash(f.Path, p.path) {
				return fail(ErrPath, "path %s stands in the way of %s: some systems take them for one", f.Path, p.path)
			}
		}
	}
	return nil
}

func fileKind(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "a symbolic link"
	}
	return "no folder"
}

// clash reports whether two paths cannot both exist where case does not count,
// or because one would have to be a folder.
func clash(a, b string) bool {
	for {
		x, resta, moreA := strings.Cut(a, "/")
		y, restb, moreB := strings.Cut(b, "/")
		if x != y {
			return strings.EqualFold(x, y)
		}
		if !moreA || !moreB {
			return true
		}
		a, b = resta, restb
	}
}
