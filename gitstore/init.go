package gitstore

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"

	"gitvault/internal/fsys"
)

// Init makes a repository in a folder, which it makes too, with a first commit
// of the files that first puts. Where there is one already it is opened, and
// created is false: of several who make the same one at once, one does and the
// others wait for it. Files that stand in the folder before stay as they are,
// and are then hand edits like any other.
//
// It runs no git, and uses neither templates nor anybody's configuration.
func Init(ctx context.Context, dir string, o Options, first Change) (repo *Repo, created bool, err error) {
	o = o.filled()
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, false, err
	}
	if _, err := o.FS.Lstat(filepath.Join(dir, ".git", "HEAD")); err == nil {
		repo, err = Open(dir, o)
		return repo, false, err
	}
	m := &maker{fs: o.FS, dir: dir, git: filepath.Join(dir, ".git"), opts: o, dirs: map[string]bool{}}
	m.repo = newRepo(m.dir, m.git, o)
	if err := m.prepare(); err != nil {
		return nil, false, err
	}
	release, err := newLocker(m.state()).acquire(ctx, o.LockTimeout)
	if err != nil {
		return nil, false, err
	}
	created, err = m.make(first)
	if err = errors.Join(err, release()); err != nil {
		return nil, false, err
	}
	if repo, err = Open(dir, o); err != nil {
		return nil, created, err
	}
	// The first turn puts the files in place, from the journal.
	tx, err := repo.Begin(ctx)
	if err != nil {
		return nil, created, errors.Join(err, repo.Close())
	}
	return repo, created, tx.Close()
}

// maker makes a repository. Each step may be done again after a crash; the
// file HEAD, which comes last, makes it one.
type maker struct {
	fs       fsys.FS
	dir, git string
	opts     Options
	repo     *Repo           // what is being made
	dirs     map[string]bool // whose names have changed
}

func (m *maker) state() string { return filepath.Join(m.git, "vault", "state") }

// prepare makes the folder in which the lock lies, unless .git is something
// that we did not begin.
func (m *maker) prepare() error {
	if err := m.checkOurs(); err != nil {
		return err
	}
	if err := m.mkdir(m.state()); err != nil {
		return err
	}
	return m.mkdir(filepath.Join(m.state(), "tmp"))
}

// checkOurs refuses a .git that holds something but was not begun here: it is a
// repository that lost its HEAD.
func (m *maker) checkOurs() error {
	list, err := m.fs.ReadDir(m.git)
	if err != nil && !isNotExist(err) {
		return fail(ErrCorrupt, "%s is there but cannot be read: %v", m.git, err)
	}
	if len(list) == 0 || len(list) == 1 && list[0].Name() == "vault" {
		return nil
	}
	if _, err := m.fs.Lstat(m.marker()); err == nil {
		return nil
	}
	if _, err := m.fs.Lstat(filepath.Join(m.git, "HEAD")); err == nil {
		return nil // another one has just made it
	}
	return fail(ErrCorrupt, "%s is there but has no HEAD: 'vault doctor --fix' writes it again", m.git)
}

// marker is there while a repository is being made. It lies with the
// unfinished files, so the first turn clears it away.
func (m *maker) marker() string { return filepath.Join(m.state(), "tmp", "making") }

func (m *maker) mkdir(dir string) error {
	changed, err := fsys.MkdirAll(m.fs, dir, 0o777)
	for _, d := range changed {
		m.dirs[d] = true
	}
	if err != nil {
		return writeError(dir, err)
	}
	return nil
}

// sync makes the names durable that have changed so far.
func (m *maker) sync() error {
	dirs := m.dirs
	m.dirs = map[string]bool{}
	if err := m.repo.syncDirs(dirs); err != nil {
		return writeError(m.git, err)
	}
	return nil
}

func (m *maker) make(first Change) (bool, error) {
	if _, err := m.fs.Lstat(filepath.Join(m.git, "HEAD")); err == nil {
		return false, nil
	}
	if err := m.checkOurs(); err != nil {
		return false, err
	}
	if f, err := m.fs.Create(m.marker(), 0o666); err == nil {
		if err := f.Close(); err != nil {
			return false, writeError(m.git, err)
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return false, writeError(m.git, err)
	}
	m.dirs[filepath.Join(m.state(), "tmp")] = true
	if err := m.sync(); err != nil {
		return false, err
	}
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "vault/cache"} {
		if err := m.mkdir(filepath.Join(m.git, filepath.FromSlash(d))); err != nil {
			return false, err
		}
	}
	r := m.repo
	j, objects, err := m.firstCommit(r, first)
	if err != nil {
		return false, err
	}
	data, err := json.Marshal(j)
	if err != nil {
		return false, err
	}
	files := []struct {
		name string
		data []byte
		perm fs.FileMode
	}{
		{"config", []byte(m.config(r)), 0o666},
		{"description", []byte("Memory kept by vault.\n"), 0o666},
		{"info/exclude", []byte(excludes), 0o666},
		{"vault/state/journal", data, 0o666},
		{r.branch, []byte(j.New.String() + "\n"), 0o666},
		{"HEAD", []byte("ref: " + r.branch + "\n"), 0o666},
	}
	for _, o := range objects {
		name := "objects/" + o.hash.String()[:2] + "/" + o.hash.String()[2:]
		if err := m.mkdir(filepath.Dir(filepath.Join(m.git, filepath.FromSlash(name)))); err != nil {
			return false, err
		}
		if err := m.write(r, name, encodeLoose(o.kind, o.data), 0o444); err != nil {
			return false, err
		}
	}
	for i, f := range files {
		if i == len(files)-1 {
			// What HEAD makes visible is to be there before HEAD is.
			if err := m.sync(); err != nil {
				return false, err
			}
		}
		if err := m.write(r, f.name, f.data, f.perm); err != nil {
			return false, err
		}
	}
	return true, m.sync()
}

// write makes one file of the .git folder, durably and at once.
func (m *maker) write(r *Repo, name string, data []byte, perm fs.FileMode) error {
	path := filepath.Join(m.git, filepath.FromSlash(name))
	temp := filepath.Join(m.state(), "tmp", strings.ReplaceAll(name, "/", "-"))
	if err := r.writeDurably(temp, data, perm); err != nil {
		return writeError(name, err)
	}
	if err := m.fs.Rename(temp, path); err != nil {
		return writeError(name, err)
	}
	m.dirs[filepath.Dir(path)] = true
	return nil
}

// firstCommit makes the objects of the first commit, and the journal from
// which the files are then put into the worktree.
func (m *maker) firstCommit(r *Repo, c Change) (*journal, []newObject, error) {
	b := &treeBuilder{objects: r.objects, made: map[Hash]newObject{}, trees: map[Hash][]TreeEntry{}}
	var changes []treeChange
	j := &journal{Version: journalVersion}
	for path, data := range c.Put {
		if err := checkPath(path); err != nil {
			return nil, nil, err
		}
		h := BlobHash(data)
		b.made[h] = newObject{h, TypeBlob, data}
		changes = append(changes, treeChange{path, ModeFile, h})
		j.Files = append(j.Files, journalFile{Path: path, New: h, NewMode: ModeFile, Temp: "none"})
	}
	sort.Slice(j.Files, func(i, k int) bool { return j.Files[i].Path < j.Files[k].Path })
	tree, err := b.update(ZeroHash, "", changes)
	if err != nil {
		return nil, nil, err
	}
	data := encodeCommit(&Commit{Tree: tree, Parents: c.Parents, Author: c.Author, Committer: c.Committer, Message: c.Message})
	j.New = HashOf(TypeCommit, data)
	b.made[j.New] = newObject{j.New, TypeCommit, data}
	if tree == emptyTree {
		b.made[tree] = newObject{tree, TypeTree, nil}
	}
	var objects []newObject
	for _, o := range b.made {
		objects = append(objects, o)
	}
	sort.Slice(objects, func(i, k int) bool { return objects[i].hash.String() < objects[k].hash.String() })
	return j, objects, nil
}

// DriverSection is the part of a repository's configuration that names the
// merge driver of its .gitattributes.
const DriverSection = `[merge "vault"]
	name = merge by entry
	driver = vault merge-file %O %A %B %L %P
`

func (m *maker) config(r *Repo) string {
	filemode := "true"
	if !r.hasExecBits() {
		filemode = "false"
	}
	return strings.ReplaceAll(`[core]
	repositoryformatversion = 0
	filemode = FILEMODE
	bare = false
	logallrefupdates = true
	autocrlf = false
`+DriverSection, "FILEMODE", filemode)
}

// excludes keeps what editors and systems leave lying about from being taken
// for files of the repository.
const excludes = `# what editors and systems leave behind; this list is yours to change
*~
.*.sw?
.#*
\#*#
4913
.DS_Store
Thumbs.db
desktop.ini
`

// Exists reports whether a folder holds a repository: a whole one, or one that
// is damaged and says so when it is opened. One that is just being made, or
// whose making was cut short, is not there yet.
func Exists(dir string, o Options) bool {
	o = o.filled()
	git := filepath.Join(dir, ".git")
	if _, err := o.FS.Lstat(filepath.Join(git, "HEAD")); err == nil {
		return true
	}
	m := &maker{fs: o.FS, git: git}
	list, err := m.fs.ReadDir(git)
	if err != nil || len(list) == 0 || len(list) == 1 && list[0].Name() == "vault" {
		return err != nil && !isNotExist(err)
	}
	_, err = m.fs.Lstat(m.marker())
	return err != nil
}
