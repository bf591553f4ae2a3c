package gitstore

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"gitvault/internal/fsys"
)

// AsideDir is where mending puts what it takes away, for a person to look at.
func (r *Repo) AsideDir() string { return filepath.Join(r.StateDir(), "aside") }

// aside moves a file to a name of its own in AsideDir.
func (r *Repo) aside(path string) (to string, err error) {
	if _, err := fsys.MkdirAll(r.fs, r.AsideDir(), 0o777); err != nil {
		return "", writeError(r.AsideDir(), err)
	}
	for n := 1; ; n++ {
		to = filepath.Join(r.AsideDir(), strconv.Itoa(n)+"-"+filepath.Base(path))
		err = r.fs.Place(path, to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", writeError(path, err)
		}
		return to, r.syncDirs(map[string]bool{r.AsideDir(): true, filepath.Dir(path): true})
	}
}

// MoveLock moves a lock of git's out of the way that Examine found dead, and
// says where to. One that is younger by now, or gone, stays as it is.
func (r *Repo) MoveLock(d Damage, now time.Time) (to string, err error) {
	path := r.workPath(d.Path)
	fi, err := r.fs.Lstat(path)
	if isNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if d.Kind != LeftLock || now.Sub(fi.ModTime()) <= gitDied {
		return "", fail(ErrBusy, "%s is held by a git command that is at work: try again when it is done", path)
	}
	return r.aside(path)
}

// Allow gives the owner the right to write to a folder that Examine found.
func (r *Repo) Allow(d Damage) error {
	path := r.workPath(d.Path)
	fi, err := r.fs.Stat(path)
	if err != nil {
		return err
	}
	if err := r.fs.Chmod(path, fi.Mode().Perm()|0o700); err != nil {
		return writeError(path, err)
	}
	return nil
}

// PutBack gives a file of the worktree its committed content. What stands
// there is moved to AsideDir, and to says where; "" where nothing did.
func (tx *Tx) PutBack(path string) (to string, err error) {
	r := tx.repo
	v, err := tx.View()
	if err != nil {
		return "", err
	}
	f, ok := v.File(path)
	if !ok || f.Untracked {
		return "", fail(ErrNotFound, "no file %s in commit %s", path, v.Head)
	}
	data, err := r.objects.blob(f.Hash)
	if err != nil {
		return "", err
	}
	temp := tx.tmp("back")
	if err := r.writeDurably(temp, data, permOf(f.Mode)); err != nil {
		return "", writeError(path, err)
	}
	defer func() { _ = r.fs.Remove(temp) }()
	if to, err = r.aside(r.workPath(path)); err != nil && !isNotExist(err) {
		return "", err
	}
	dir := filepath.Dir(r.workPath(path))
	if _, err := fsys.MkdirAll(r.fs, dir, 0o777); err != nil {
		return to, writeError(path, err)
	}
	if err := r.fs.Place(temp, r.workPath(path)); err != nil {
		return to, writeError(path, err)
	}
	tx.view = nil
	return to, r.syncDirs(map[string]bool{dir: true})
}
