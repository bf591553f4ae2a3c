package gitstore

import (
	"context"
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

// keepCopy puts a copy of a file into AsideDir, and says where; "" where there
// is none. What is no plain file is moved there.
func (r *Repo) keepCopy(path string) (to string, err error) {
	fi, err := r.fs.Lstat(path)
	switch {
	case isNotExist(err) || isDirErr(err):
		return "", nil
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular():
		return r.aside(path)
	}
	data, err := r.fs.ReadFile(path)
	if err != nil {
		return "", err
	}
	if _, err := fsys.MkdirAll(r.fs, r.AsideDir(), 0o777); err != nil {
		return "", writeError(r.AsideDir(), err)
	}
	for n := 1; ; n++ {
		to = filepath.Join(r.AsideDir(), strconv.Itoa(n)+"-"+filepath.Base(path))
		f, err := r.fs.Create(to, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = errors.Join(writeAll(f, data), f.Sync(), f.Close())
		}
		if err != nil {
			return "", writeError(to, err)
		}
		return to, r.syncDirs(map[string]bool{r.AsideDir(): true})
	}
}

// replaceFile gives a file of .git other content, in this writer's turn; aside
// is the copy of what stood there.
func (r *Repo) replaceFile(ctx context.Context, path string, data []byte) (aside string, err error) {
	err = r.locked(ctx, func() error {
		aside, err = r.overwrite(path, data)
		return err
	})
	return aside, err
}

func (r *Repo) overwrite(path string, data []byte) (aside string, err error) {
	if aside, err = r.keepCopy(path); err != nil {
		return aside, err
	}
	temp := filepath.Join(r.tmpDir(), "mended")
	if err := r.writeDurably(temp, data, 0o666); err != nil {
		return aside, writeError(path, err)
	}
	if _, err := fsys.MkdirAll(r.fs, filepath.Dir(path), 0o777); err != nil {
		return aside, writeError(path, err)
	}
	if err := r.fs.Rename(temp, path); err != nil {
		return aside, writeError(path, err)
	}
	return aside, r.syncDirs(map[string]bool{filepath.Dir(path): true})
}

// locked runs fn in this writer's turn, on a repository that need not be
// sound: nothing is recovered first.
func (r *Repo) locked(ctx context.Context, fn func() error) error {
	if err := r.makeStateDirs(); err != nil {
		return err
	}
	release, err := r.lock.acquire(ctx, r.opts.LockTimeout)
	if err != nil {
		return err
	}
	return errors.Join(fn(), release())
}

// moveLock moves a lock of git's out of the way that was found dead. One that
// is younger by now, or gone, stays as it is.
func (r *Repo) moveLock(path string, now time.Time) (to string, err error) {
	fi, err := r.fs.Lstat(path)
	if isNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if now.Sub(fi.ModTime()) <= gitDied {
		return "", fail(ErrBusy, "%s is held by a git command that is at work: try again when it is done", path)
	}
	return r.aside(path)
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
