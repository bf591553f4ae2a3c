package gitstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"gitvault/internal/fsys"
)

// Git's own locks are files that only one can make. Ours are made as a second
// name of a file in state/tmp, so that after a crash they are known as ours by
// being the same file, and nobody else's lock is ever taken away.

// takeGitLock makes temp's second name the lock, waiting for git to finish.
// Where the file system knows no second names, linked is false and the lock is
// an empty file of its own.
func (r *Repo) takeGitLock(ctx context.Context, temp, lock string) (linked bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.opts.LockTimeout)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := r.fs.Link(temp, lock)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			if isNotExist(err) || isReadOnly(err) {
				return false, writeError(lock, err)
			}
			f, cerr := r.fs.Create(lock, 0o666)
			if cerr == nil {
				return false, f.Close()
			}
			if !errors.Is(cerr, fs.ErrExist) {
				return false, writeError(lock, err)
			}
		}
		if pause == time.Millisecond && r.lockAge(temp, lock) > gitDied {
			return false, r.lockLeft(temp, lock)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			if errors.Is(ctx.Err(), context.Canceled) {
				return false, ctx.Err()
			}
			return false, r.lockLeft(temp, lock)
		}
	}
}

// gitDied is how old a lock of git's is that nobody need wait for: git holds
// one for a moment, but for some commands that ask a person.
const gitDied = 10 * time.Minute

// lockAge is how long a lock had been there when temp was made, 0 where that
// can't be told.
func (r *Repo) lockAge(temp, lock string) time.Duration {
	fi, err := r.fs.Lstat(lock)
	now, err2 := r.fs.Lstat(temp)
	if err != nil || err2 != nil {
		return 0
	}
	return max(now.ModTime().Sub(fi.ModTime()), 0)
}

// lockLeft says what is known of a lock that did not go away.
func (r *Repo) lockLeft(temp, lock string) error {
	age := r.lockAge(temp, lock)
	if age > gitDied {
		return fail(ErrBusy, "a git that died left %s %v ago: 'vault doctor --fix' moves it aside, if no git command waits in %s", lock, age.Round(time.Minute), r.dir)
	}
	return fail(ErrBusy, "git is at work in %s and holds %s: wait for it and try again; 'vault doctor' tells a lock that was left behind", r.dir, lock)
}

func (r *Repo) refPath() string { return filepath.Join(r.git, filepath.FromSlash(r.branch)) }

// swapRef moves a ref from old to new if it still is at old; otherwise
// ChangedError. The file temp holds the new value and is durable. ZeroHash as
// new removes the ref. moved is set as soon as the ref has moved, whatever
// fails afterwards.
func (r *Repo) swapRef(ctx context.Context, name, temp string, old, new Hash, moved *bool) error {
	path := filepath.Join(r.git, filepath.FromSlash(name))
	lock := path + ".lock"
	if _, err := fsys.MkdirAll(r.fs, filepath.Dir(path), 0o777); err != nil {
		return writeError("the branch", err)
	}
	linked, err := r.takeGitLock(ctx, temp, lock)
	if err != nil {
		return err
	}
	now, err := r.refs.read(name)
	if err == nil && now != old {
		err = &ChangedError{}
	}
	if err != nil {
		return errors.Join(err, r.fs.Remove(lock))
	}
	switch {
	case new.IsZero():
		if err = r.unpackRef(ctx, name); err == nil {
			if err = r.fs.Remove(path); isNotExist(err) {
				err = nil
			}
		}
		*moved = err == nil
		err = errors.Join(err, r.fs.Remove(lock))
	case linked:
		err = r.fs.Rename(lock, path)
		*moved = err == nil
		if err != nil {
			err = errors.Join(err, r.fs.Remove(lock))
		}
	default:
		err = r.fs.Rename(temp, path)
		*moved = err == nil
		err = errors.Join(err, r.fs.Remove(lock))
	}
	if err != nil {
		return writeError("the branch", err)
	}
	return nil
}

func (r *Repo) packedPath() string { return filepath.Join(r.git, "packed-refs") }

// unpackRef takes a ref out of packed-refs, if it is there.
func (r *Repo) unpackRef(ctx context.Context, name string) error {
	if h, err := r.refs.packed(name); err != nil || h.IsZero() {
		return err
	}
	skip := false
	return r.filterPacked(ctx, func(line []byte) bool {
		if line[0] != '^' { // which belongs to the line before
			_, ref, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
			skip = string(ref) == name
		}
		return !skip
	})
}

// filterPacked writes packed-refs with some of its lines only, by git's own
// locking.
func (r *Repo) filterPacked(ctx context.Context, keep func(line []byte) bool) error {
	temp, lock := filepath.Join(r.tmpDir(), packedTemp), r.packedPath()+".lock"
	if err := r.writeDurably(temp, nil, 0o666); err != nil {
		return err
	}
	linked, err := r.takeGitLock(ctx, temp, lock)
	if err != nil {
		return err
	}
	err = r.rewritePacked(keep, temp)
	from, left := temp, lock
	if linked {
		from, left = lock, temp
	}
	if err == nil {
		err = r.fs.Rename(from, r.packedPath())
	} else if linked {
		err = errors.Join(err, r.fs.Remove(lock))
	}
	return errors.Join(err, r.fs.Remove(left))
}

// rewritePacked writes some lines of packed-refs to temp.
func (r *Repo) rewritePacked(keep func(line []byte) bool, temp string) error {
	data, err := r.fs.ReadFile(r.packedPath())
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		if keep(line) {
			kept = append(kept, line...)
		}
	}
	f, err := r.fs.Append(temp)
	if err != nil {
		return err
	}
	return errors.Join(writeAll(f, kept), f.Sync(), f.Close())
}

// indexLock is git's lock on the index, and the file that will be the next one.
type indexLock struct {
	repo               *Repo
	temp               string
	file               fsys.File
	born               fsys.ID // when it was made, by the file system's clock
	closed, held, done bool
	// linked: the lock is temp's second name; otherwise temp takes the
	// index's place itself.
	linked bool
}

// prepareIndex makes the file that will be lock and index. To be known as ours
// after a power cut it has to be durable before it is made the lock.
func (r *Repo) prepareIndex() (*indexLock, error) {
	l := &indexLock{repo: r, temp: filepath.Join(r.tmpDir(), indexTemp)}
	var err error
	if l.file, err = r.fs.Create(l.temp, 0o666); err != nil {
		return nil, writeError("the index", err)
	}
	fi, err := l.file.Stat()
	if err != nil {
		l.release()
		return nil, writeError("the index", err)
	}
	l.born = fsys.Identify(fi)
	return l, nil
}

// take waits for git's lock on the index.
func (l *indexLock) take(ctx context.Context) (err error) {
	l.linked, err = l.repo.takeGitLock(ctx, l.temp, l.lock())
	l.held = err == nil
	return err
}

func (l *indexLock) lock() string { return l.repo.indexPath() + ".lock" }

// fill writes the next index.
func (l *indexLock) fill(data []byte) error { return errors.Join(writeAll(l.file, data), l.close()) }

func (l *indexLock) close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	return l.file.Close()
}

// commit makes what was filled in the index. To be durable, its file and the
// .git folder have to be synced; a crash before that at worst leaves an index
// that is made again from what is committed.
func (l *indexLock) commit() error {
	from := l.lock()
	if !l.linked {
		from = l.temp
	}
	if err := l.repo.fs.Rename(from, l.repo.indexPath()); err != nil {
		return err
	}
	l.done = true
	return nil
}

// release gives the lock up. The file in state/tmp stays, if there is no new
// index, until the lock is known to be gone for good.
func (l *indexLock) release() {
	_ = l.close()
	if l.held && (!l.done || !l.linked) {
		_ = l.repo.fs.Remove(l.lock())
	}
	l.held = false
}
