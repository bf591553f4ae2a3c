package gitstore

import (
	"io/fs"
	"runtime"
	"sort"
	"strings"

	"gitvault/internal/fsys"
)

// Change is what a commit does to the files.
type Change struct {
	Put    map[string][]byte // new content, by path; a file keeps its executable bit
	Delete []string
	// Modes says what files of Put are, if not plain ones: ModeExec, or
	// ModeSymlink, whose content is where the link points to. A path that has
	// a mode here is taken for one of another tree: it may be any that git
	// allows, while other new paths have to be possible on every system.
	Modes map[string]Mode

	// Take commits files as they stand in the worktree, mode and symbolic
	// links included; what is missing there is deleted.
	Take []string

	// Expect says which worktree content Put and Delete were computed from;
	// nil: that nothing stood there. A path that is not listed must be clean.
	// Anything else is ErrChanged, so that no hand edit is overwritten.
	Expect map[string][]byte

	// Discard names files whose replaced content is not to be kept for a while,
	// lest somebody still writes to it: see Tx.Rescued.
	Discard map[string]bool

	Message           string
	Author, Committer Signature
	Parents           []Hash // beside the newest commit: makes it a merge
	Empty             bool   // make the commit though it changes nothing: its message says what it is for

	// To moves the branch to this commit, which is there already and comes
	// after the newest one, instead of making one. Put, Delete, Take and
	// everything about the new commit are then not used; Expect is.
	To Hash
}

// planned is what a commit does to one path.
type planned struct {
	path string
	file File // as the View has it

	data []byte
	hash Hash // zero: deleted
	mode Mode

	foreign bool   // a path that another tree has
	taken   bool   // from the worktree, as it stands there
	work    bool   // the worktree is to be changed
	temp    string // name in state/tmp

	replaced bool // what stood in the worktree lies in temp now

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
	if c.To.IsZero() {
		err = b.all()
	} else {
		err = b.goTo(c.To)
	}
	if err != nil {
		return nil, err
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
	p := &planned{path: path, file: f}
	b.byPath[path] = p
	return p, nil
}

// all plans what the change itself lists.
func (b *planner) all() error {
	for path, data := range b.change.Put {
		if err := b.put(path, data, b.change.Modes[path]); err != nil {
			return err
		}
	}
	for _, path := range b.change.Delete {
		if err := b.remove(path); err != nil {
			return err
		}
	}
	for _, path := range b.change.Take {
		if err := b.take(path); err != nil {
			return err
		}
	}
	return nil
}

// goTo plans what leads from the newest commit to another one.
func (b *planner) goTo(to Hash) error {
	r := b.view.repo
	diff, err := r.DiffTrees(b.view.Head, to)
	if err != nil {
		return err
	}
	for _, d := range diff {
		switch {
		case d.New.Mode == ModeSubmodule || d.Old.Mode == ModeSubmodule:
			p, err := b.add(d.Path, File{Mode: d.Old.Mode, Hash: d.Old.Hash})
			if err != nil {
				return err
			}
			p.hash, p.mode = d.New.Hash, d.New.Mode
		case d.New.Hash.IsZero():
			err = b.remove(d.Path)
		default:
			var data []byte
			if data, err = r.objects.blob(d.New.Hash); err == nil {
				err = b.put(d.Path, data, d.New.Mode)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put plans a file; mode 0: a plain one, or as it was.
func (b *planner) put(path string, data []byte, mode Mode) error {
	f, known := b.view.File(path)
	if !known || f.Untracked {
		if err := checkNew(path, mode != 0); err != nil {
			return err
		}
	}
	hash := BlobHash(data)
	same := known && !f.Missing && f.Work == hash
	if mode == 0 {
		if err := b.writable(path, f, known); err != nil {
			return err
		}
		mode = ModeFile
		if f.Mode == ModeExec || f.WorkMode == ModeExec {
			mode = ModeExec
		}
	} else if mode != ModeFile && mode != ModeExec && mode != ModeSymlink {
		return fail(ErrPath, "path %s has mode %o, which no file has", path, mode)
	}
	same = same && f.WorkMode == mode
	if !same && !b.expected(path, f, known) {
		b.changed = append(b.changed, path)
		return nil
	}
	p, err := b.add(path, f)
	if err != nil {
		return err
	}
	p.data, p.hash, p.mode, p.work = data, hash, mode, !same
	p.foreign = b.change.Modes[path] != 0 || !b.change.To.IsZero()
	return nil
}

// checkNew refuses a new path. A foreign one only has to be possible here.
func checkNew(path string, foreign bool) error {
	if foreign && runtime.GOOS != "windows" {
		if !gitAllows(path) {
			return fail(ErrPath, "path %q is not allowed: it leads out of the repository or into .git", path)
		}
		return nil
	}
	return checkPath(path)
}

func (b *planner) remove(path string) error {
	f, known := b.view.File(path)
	if !known {
		return fail(ErrNotFound, "no file %s to delete", path)
	}
	if !f.Missing {
		if f.Mode != ModeSymlink || f.WorkMode != ModeSymlink {
			if err := b.writable(path, f, known); err != nil {
				return err
			}
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
			if p.foreign && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
				break
			}
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
