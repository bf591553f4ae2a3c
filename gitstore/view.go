package gitstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"

	"gitvault/internal/fsys"
)

// View is the repository at one moment: what the newest commit holds, and how
// the worktree differs from it. It stays as it was whatever happens later.
type View struct {
	// Head is the newest commit of the served branch; ZeroHash: none yet.
	Head Hash

	repo    *Repo
	files   []File
	tracked []trackedFile
	kept    map[string][]byte // content of what differs from Head
	stale   []string          // clean files that the index's stat data does not know
	index   *index            // as read; nil: missing or unreadable
	// indexID is the state of the index file, indexOK whether the index's
	// entries are what Head holds, sparse whether it lists folders, not files.
	indexID fsys.ID
	indexOK bool
	sparse  bool
}

// File is one file of a View: one that the newest commit holds, or one that it
// does not but a person put there.
type File struct {
	Path string // with slashes
	Mode Mode   // in the newest commit; 0: it is not there
	Hash Hash   // of its content there

	WorkMode Mode  // what stands in the worktree; 0: nothing, or nothing git knows
	Work     Hash  // of the content there, if it is a file or symbolic link
	Size     int64 // of that, in bytes

	Dirty     bool // something stands in the worktree, and differs: content, mode or kind
	Missing   bool // nothing stands in the worktree
	Untracked bool // the newest commit does not have it
	Unstable  bool // it changed while it was read: somebody is writing it right now

	// Err says why what stands in the worktree cannot be read, or that a
	// folder above it is none; the file then counts as dirty, never as missing.
	Err error

	id fsys.ID // of what was looked at; zero: the worktree was not asked
	// steady: it is clean by its stat alone, and any later change will show
	// in that.
	steady bool
}

// keepBelow is the size up to which a changed file's content is kept in a View.
const keepBelow = 16 << 20

// Files lists the files by path.
func (v *View) Files() []File { return v.files }

// File gives one file of the list.
func (v *View) File(path string) (File, bool) {
	i := sort.Search(len(v.files), func(i int) bool { return v.files[i].Path >= path })
	if i < len(v.files) && v.files[i].Path == path {
		return v.files[i], true
	}
	return File{}, false
}

// Read gives a file as it stood in the worktree when the View was taken; a
// symbolic link gives its target. Of a file that is missing there, or whose
// place something else has taken, it gives the committed content. ErrNotFound:
// there is no such file in either.
func (v *View) Read(path string) ([]byte, error) {
	f, ok := v.File(path)
	if !ok {
		return nil, fail(ErrNotFound, "no file %s", path)
	}
	if data, ok := v.kept[path]; ok {
		return append([]byte(nil), data...), nil
	}
	if f.Untracked && f.Err != nil {
		return nil, f.Err
	}
	if (f.Dirty || f.Untracked) && !f.Work.IsZero() {
		data, _, err := v.repo.readWork(path)
		if err != nil {
			return nil, err
		}
		if BlobHash(data) != f.Work {
			return nil, &ChangedError{Paths: []string{path}}
		}
		return data, nil
	}
	return v.committed(f)
}

// ReadHead gives a file as the newest commit holds it.
func (v *View) ReadHead(path string) ([]byte, error) {
	f, ok := v.File(path)
	if !ok || f.Untracked {
		return nil, fail(ErrNotFound, "no file %s in commit %s", path, v.Head)
	}
	return v.committed(f)
}

// committed reads the worktree where that is known to hold the same, because
// that is faster, and goes on working when the object is damaged.
func (v *View) committed(f File) ([]byte, error) {
	if !f.Dirty && f.id != (fsys.ID{}) && f.Mode != ModeSymlink {
		if data, now, err := v.repo.readWork(f.Path); err == nil && now == f.id {
			return data, nil
		}
	}
	return v.repo.objects.blob(f.Hash)
}

// View takes a look at the repository without any lock: what it shows is the
// state before or after a change that is being made meanwhile, never between.
func (r *Repo) View(ctx context.Context) (*View, error) {
	for range 4 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, steady, err := r.look()
		if steady {
			return v, err
		}
	}
	// Writers are quicker than this reader: what is committed serves.
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	v := &View{Head: head, repo: r}
	list, err := r.headList(head, nil)
	for _, t := range list {
		v.files = append(v.files, File{Path: t.path, Mode: t.mode, Hash: t.hash, WorkMode: t.mode, Work: t.hash, Size: -1})
	}
	return v, err
}

// look takes one look; it is steady if nothing that a writer changes did.
func (r *Repo) look() (v *View, steady bool, err error) {
	j, jerr := r.readJournal()
	head, err := r.Head()
	if err != nil {
		return nil, true, err
	}
	v = &View{Head: head, repo: r, kept: map[string][]byte{}}
	verr := r.fill(v, j)

	after, aerr := r.readJournal()
	now, err := r.Head()
	if err != nil {
		return nil, true, err
	}
	id, _ := r.indexID()
	steady = now == head && j.equal(after) && (jerr == nil) == (aerr == nil) && id == v.indexID
	return v, steady, verr
}

func (r *Repo) indexPath() string { return filepath.Join(r.git, "index") }

func (r *Repo) indexID() (fsys.ID, error) {
	fi, err := r.fs.Lstat(r.indexPath())
	if err != nil {
		return fsys.ID{}, err
	}
	return fsys.Identify(fi), nil
}

// readIndex gives nil where there is no index.
func (r *Repo) readIndex() (*index, fsys.ID, error) {
	data, id, err := readWhole(r.fs, r.indexPath())
	if err != nil {
		if isNotExist(err) {
			return nil, fsys.ID{}, nil
		}
		return nil, fsys.ID{}, err
	}
	x, err := decodeIndex(data)
	return x, id, err
}

// readWhole reads a file and tells the state in which it was read.
func readWhole(f fsys.FS, name string) ([]byte, fsys.ID, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, fsys.ID{}, err
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return nil, fsys.ID{}, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fsys.ID{}, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	data := make([]byte, 0, fi.Size()+1)
	for {
		n, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fsys.ID{}, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
	fi, err = file.Stat()
	if err != nil {
		return nil, fsys.ID{}, err
	}
	return data, fsys.Identify(fi), nil
}

// readWork reads a file of the worktree; a symbolic link is not followed.
func (r *Repo) readWork(path string) ([]byte, fsys.ID, error) {
	return readWhole(r.fs, r.workPath(path))
}

func (r *Repo) workPath(path string) string { return filepath.Join(r.dir, filepath.FromSlash(path)) }

// trackedFile is a file of the newest commit and what the index knows of it.
type trackedFile struct {
	path  string
	mode  Mode
	hash  Hash
	entry *indexEntry // nil: the index does not have this content
}

// headList lists the files of a commit, from the index where that holds them.
func (r *Repo) headList(head Hash, v *View) ([]trackedFile, error) {
	if head.IsZero() {
		return nil, nil
	}
	c, err := r.objects.commit(head)
	if err != nil {
		return nil, err
	}
	if v != nil && v.index != nil && v.index.tree != nil && v.index.tree.entries == len(v.index.entries) && v.index.tree.hash == c.Tree {
		v.indexOK = true
		list := make([]trackedFile, 0, len(v.index.entries))
		for i := range v.index.entries {
			e := &v.index.entries[i]
			list = append(list, trackedFile{e.path, e.mode, e.hash, e})
		}
		return list, nil
	}
	var list []trackedFile
	err = r.walkTree("", c.Tree, 0, func(path string, e TreeEntry) {
		list = append(list, trackedFile{path: path, mode: e.Mode, hash: e.Hash})
	})
	if err != nil {
		return nil, err
	}
	sort.Slice(list, func(i, j int) bool { return list[i].path < list[j].path })
	if v == nil || v.index == nil {
		return list, nil
	}
	v.indexOK = len(list) == len(v.index.entries)
	for i := range list {
		t := &list[i]
		k, ok := v.index.find(t.path)
		if ok && v.index.entries[k].mode == t.mode && v.index.entries[k].hash == t.hash && !v.index.entries[k].intentToAdd {
			t.entry = &v.index.entries[k]
		} else {
			v.indexOK = false
		}
	}
	return list, nil
}

// walkTree visits all that is no folder below a tree.
func (r *Repo) walkTree(dir string, tree Hash, depth int, visit func(path string, e TreeEntry)) error {
	if depth > 200 {
		return fail(ErrCorrupt, "folder %s lies too deep", dir)
	}
	entries, err := r.objects.tree(tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := join(dir, e.Name)
		if e.Mode != ModeDir {
			visit(path, e)
		} else if err := r.walkTree(path, e.Hash, depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}

// fill lists the files of the newest commit and of the worktree.
func (r *Repo) fill(v *View, j *journal) error {
	x, id, err := r.readIndex()
	v.index, v.indexID = x, id
	if err != nil {
		v.index, v.sparse = nil, errors.Is(err, errSparse)
		if v.indexID, err = r.indexID(); err != nil {
			v.indexID = fsys.ID{}
		}
	}
	list, err := r.headList(v.Head, v)
	if err != nil {
		return err
	}
	v.tracked = list
	w := &walker{repo: r, tracked: list, found: map[string]fs.FileInfo{}, failed: map[string]error{}}
	w.ignores = ignores{fs: r.fs, dir: r.dir, git: r.git}
	if err := w.walk(""); err != nil {
		return err
	}
	v.files = make([]File, 0, len(list)+len(w.found))
	for i := range list {
		t := &list[i]
		if t.mode == ModeSubmodule || !gitAllows(t.path) {
			continue
		}
		v.files = append(v.files, v.compare(t, w, j))
		w.found[t.path] = nil
	}
	for path, fi := range w.found {
		if fi == nil {
			continue
		}
		f := File{Path: path, Untracked: true}
		if jf := j.file(path); jf != nil && v.inFlux(jf, j) {
			if v.setAside(&f, jf, j) && !f.Missing {
				v.files = append(v.files, f)
			}
			continue // a commit that is being made put it there, or takes it away
		}
		v.take(&f, fi)
		if !f.Missing && f.WorkMode != ModeDir {
			v.files = append(v.files, f)
		}
	}
	sort.Slice(v.files, func(i, j int) bool { return v.files[i].Path < v.files[j].Path })
	return nil
}

// compare tells how a tracked file stands in the worktree.
func (v *View) compare(t *trackedFile, w *walker, j *journal) File {
	f := File{Path: t.path, Mode: t.mode, Hash: t.hash}
	if jf := j.file(t.path); jf != nil && v.inFlux(jf, j) {
		if v.setAside(&f, jf, j) {
			return f
		}
		f.WorkMode, f.Work, f.Size = t.mode, t.hash, -1
		return f
	}
	fi := w.found[t.path]
	if fi == nil {
		f.Err = w.failure(t.path)
		f.Dirty = f.Err != nil
		if !f.Dirty && t.entry != nil && t.entry.skipWorktree {
			f.WorkMode, f.Work, f.Size = t.mode, t.hash, -1
			return f
		}
		f.Missing = !f.Dirty
		return f
	}
	id := fsys.Identify(fi)
	mode := v.repo.modeOf(fi.Mode(), t.mode)
	if t.entry != nil && mode == t.mode && t.entry.stat.same(statOf(id)) && !t.entry.stat.racy(v.indexID) {
		f.WorkMode, f.Work, f.Size = mode, t.hash, fi.Size()
		f.id, f.steady = id, true
		return f
	}
	v.take(&f, fi)
	f.Dirty = !f.Missing && (f.Work != f.Hash || f.WorkMode != f.Mode)
	if !f.Dirty && !f.Missing {
		v.stale = append(v.stale, t.path)
	}
	return f
}

// take reads what stands in the worktree.
func (v *View) take(f *File, fi fs.FileInfo) {
	r := v.repo
	f.id = fsys.Identify(fi)
	f.WorkMode, f.Size = r.modeOf(fi.Mode(), f.Mode), fi.Size()
	switch f.WorkMode {
	case ModeSymlink:
		to, err := r.fs.Readlink(r.workPath(f.Path))
		if err != nil {
			f.unread(err)
			return
		}
		data := []byte(filepath.ToSlash(to))
		f.Work, f.Size = BlobHash(data), int64(len(data))
		if f.Work != f.Hash {
			v.kept[f.Path] = data
		}
		return
	case ModeFile, ModeExec:
	default:
		return
	}
	var data []byte
	for try := 0; ; try++ {
		d, id, err := r.readWork(f.Path)
		if err != nil {
			f.unread(err)
			return
		}
		data = d
		if id == f.id && id.Size == int64(len(data)) {
			break
		}
		if f.Unstable = try == 3; f.Unstable {
			break
		}
		f.id = id
	}
	f.Work, f.Size = BlobHash(data), int64(len(data))
	if (f.Work != f.Hash || f.WorkMode != f.Mode) && len(data) <= keepBelow {
		v.kept[f.Path] = data
	}
}

// unread takes note of a file that went between two looks, or that cannot be
// read, which must not pass for deleted.
func (f *File) unread(err error) {
	if isNotExist(err) {
		f.Missing, f.WorkMode, f.Size = true, 0, 0
	} else {
		f.Err = err
	}
}

// inFlux reports whether a commit that is being made, or was left half made,
// accounts for what stands in the worktree, so that it is no hand edit.
func (v *View) inFlux(jf *journalFile, j *journal) bool {
	work, _, err := v.repo.hashAt(v.repo.workPath(jf.Path))
	if err != nil && !j.below(jf.Path) {
		return false // but a folder that the commit empties counts as nothing
	}
	if work == jf.New {
		return true
	}
	return work == jf.Old && v.Head != j.Old
}

// setAside shows what stood in the worktree before a commit that a power cut
// took back, branch and all, after the person's file had been exchanged for the
// commit's: that lies in state/tmp until the next writer puts it back.
func (v *View) setAside(f *File, jf *journalFile, j *journal) bool {
	if v.Head != j.Old || jf.Old == f.Hash {
		return false
	}
	if jf.Old.IsZero() {
		f.Missing, f.Dirty = true, true
		return true
	}
	data, err := v.repo.fs.ReadFile(filepath.Join(v.repo.tmpDir(), jf.Temp))
	if err != nil || jf.Temp == "" || BlobHash(data) != jf.Old {
		return false
	}
	f.WorkMode, f.Work, f.Size, f.Dirty = jf.OldMode, jf.Old, int64(len(data)), true
	v.kept[f.Path] = data
	return true
}

// modeOf gives the mode git has for a file. Where the system has no executable
// bits the committed mode stands.
func (r *Repo) modeOf(m fs.FileMode, was Mode) Mode {
	switch {
	case m.IsRegular():
		if r.noExec {
			if was == ModeExec || was == ModeSymlink && r.noSymlinks {
				return was
			}
			return ModeFile
		}
		if m&0o100 != 0 {
			return ModeExec
		}
		return ModeFile
	case m&fs.ModeSymlink != 0:
		return ModeSymlink
	case m.IsDir():
		return ModeDir
	}
	return 0
}

// walker finds the files of the worktree, not following symbolic links.
type walker struct {
	repo    *Repo
	tracked []trackedFile
	found   map[string]fs.FileInfo
	failed  map[string]error // folders and files that cannot be looked at
	ignores ignores
}

// failure says why a tracked file that was not found may be there all the same.
func (w *walker) failure(path string) error {
	for dir := path; dir != ""; dir = parent(dir) {
		if err := w.failed[dir]; err != nil {
			return err
		}
		if fi := w.found[dir]; fi != nil && dir != path && !fi.IsDir() {
			return fail(ErrPath, "%s lies below %s, which is no folder in the worktree", path, dir)
		}
	}
	return nil
}

func (w *walker) walk(dir string) error {
	list, err := w.repo.fs.ReadDir(w.repo.workPath(dir))
	if err != nil {
		if dir == "" {
			return err
		}
		if !isNotExist(err) {
			w.failed[dir] = err
		}
		return nil
	}
	if dir != "" {
		for _, e := range list {
			if e.Name() == ".git" {
				return nil // a repository of its own
			}
		}
	}
	for _, e := range list {
		if dir == "" && e.Name() == ".git" || isDotGit(e.Name()) {
			continue
		}
		path := join(dir, e.Name())
		i := sort.Search(len(w.tracked), func(i int) bool { return w.tracked[i].path >= path })
		known := i < len(w.tracked) && w.tracked[i].path == path
		if e.IsDir() {
			if known {
				fi, err := e.Info()
				if err == nil {
					w.found[path] = fi
				}
			}
			if !w.below(path) && w.ignores.match(path, true) {
				continue
			}
			if err := w.walk(path); err != nil {
				return err
			}
			continue
		}
		if !known && (w.odd(e) || w.ignored(path)) {
			continue
		}
		fi, err := e.Info()
		if err != nil {
			if !isNotExist(err) {
				w.failed[path] = err
			}
			continue
		}
		w.found[path] = fi
	}
	return nil
}

// odd reports what git does not see: sockets, pipes, devices.
func (w *walker) odd(e fs.DirEntry) bool {
	return !e.Type().IsRegular() && e.Type()&fs.ModeSymlink == 0
}

// ignored reports whether the file or a folder above it is ignored.
func (w *walker) ignored(path string) bool {
	for dir := path; ; {
		if w.ignores.match(dir, dir != path) {
			return true
		}
		if dir = parent(dir); dir == "" {
			return false
		}
	}
}

// below reports whether a tracked file lies in the folder.
func (w *walker) below(dir string) bool {
	prefix := dir + "/"
	i := sort.Search(len(w.tracked), func(i int) bool { return w.tracked[i].path >= prefix })
	return i < len(w.tracked) && strings.HasPrefix(w.tracked[i].path, prefix)
}
